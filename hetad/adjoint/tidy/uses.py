"""What statements mention, assign and expose: the questions that every tidying asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hetad.adjoint.names import is_zero
from hetad.ir import nodes as ir
from hetad.ir.visit import bodies, map_bodies, own_exprs, variables, walk_expr, walk_stmts


def exposed_variables(body: ir.Body) -> frozenset[ir.Symbol]:
    """Variables that a pointer variable may point to: any store through a pointer may change them."""
    values = [
        s.init if isinstance(s, ir.Declare) else s.value
        for s in walk_stmts(body)
        if isinstance(s, ir.Declare | ir.Assign)
    ]
    return frozenset(
        x
        for value in values
        if value is not None
        for e in walk_expr(value)
        if isinstance(e, ir.AddressOf)
        for x in variables(e.place)
    )


def inside(fn: Callable[[ir.Body], ir.Body], s: ir.Stmt) -> ir.Stmt:
    """The statement with its bodies rewritten; the header of a loop is no block of its own."""
    if isinstance(s, ir.For):
        inner = fn(s.body)
        return s if inner is s.body else replace(s, body=inner)
    return map_bodies(fn, s)


def idle(s: ir.Stmt) -> bool:
    """A comment, or a declaration that computes nothing."""
    if not isinstance(s, ir.Declare):
        return isinstance(s, ir.Comment)
    return s.init is None or is_zero(s.init) or (isinstance(s.init, ir.Aggregate) and not s.init.elements)


def mentioned(s: ir.Stmt) -> set[ir.Symbol]:
    found = set(variables((s,)))
    found.update(x.symbol for x in walk_stmts((s,)) if isinstance(x, ir.Declare))
    found.update(x.slot for x in walk_stmts((s,)) if isinstance(x, ir.Push | ir.Pop))
    return found


def mentioned_in(body: ir.Body) -> set[ir.Symbol]:
    return {x for s in body for x in mentioned(s)}


def next_mention(body: ir.Body, start: int, symbol: ir.Symbol) -> int | None:
    for k in range(start, len(body)):
        if symbol in mentioned(body[k]):
            return k
    return None


def assigned(body: ir.Body, symbol: ir.Symbol) -> bool:
    for s in walk_stmts(body):
        match s:
            case (
                ir.Assign(target=ir.Var(symbol=x)) | ir.Update(target=ir.Var(symbol=x)) | ir.Pop(place=ir.Var(symbol=x))
            ):
                if x is symbol:
                    return True
            case ir.Declare(symbol=x):
                if x is symbol:
                    return True
            case ir.Call(result=ir.Var(symbol=x)):
                if x is symbol:
                    return True
        for own in own_exprs(s):
            for e in walk_expr(own):
                if isinstance(e, ir.AddressOf) and symbol in set(variables(e.place)):
                    return True
    return False


def reassigned(body: ir.Body, symbol: ir.Symbol) -> bool:
    without = tuple(s for s in walk_stmts(body) if not isinstance(s, ir.Declare))
    return assigned(tuple(s for s in without if not bodies(s)), symbol) or any(
        isinstance(e, ir.AddressOf) and symbol in set(variables(e.place))
        for s in walk_stmts(body)
        for own in own_exprs(s)
        for e in walk_expr(own)
    )


def root_of(place: ir.Expr) -> ir.Symbol | None:
    """The variable through which a place is named; distinct shadows reach distinct memory (see device/pullback)."""
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Index(base=base) | ir.Member(base=base):
            return root_of(base)
        case ir.Binary(op="+" | "-", left=left):
            return root_of(left)
    return None
