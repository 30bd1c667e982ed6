"""Which variables statements assign, and of which they give the address away."""

from __future__ import annotations

from collections.abc import Iterator

from hetad.ir import nodes as ir
from hetad.ir.facts import lasting
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import collected, own_nodes, walk_stmts


def assigned(body: ir.Body) -> Iterator[ir.Symbol]:
    """The variables whose value a body may change, arrays and structs included."""
    return (x for s in walk_stmts(body) for x in assigned_by(s))


def changed_in(body: ir.Body) -> dict[ir.Symbol, None]:
    """The same, each once; found once for each statement, as bodies within bodies are asked in turn."""
    return {x: None for s in body for x in _changed_by(s)}


def assigned_by(s: ir.Stmt) -> Iterator[ir.Symbol]:
    """Those whose value a statement itself may change."""
    match s:
        case ir.Declare(symbol=symbol):
            yield symbol
        case ir.Assign(target=target) | ir.Update(target=target):
            yield from _root(target)
        case ir.Call(args=args, result=result):
            for a in (*args, result):
                if isinstance(a, ir.AddressOf):
                    yield from _root(a.place)
                elif a is result and a is not None:
                    yield from _root(a)
                elif isinstance(a, ir.Var) and isinstance(a.type, Array):
                    yield a.symbol


_changed_by = collected(assigned_by)


def exposed(body: ir.Body) -> Iterator[ir.Symbol]:
    """The variables that a pointer may point to: a store through it changes them."""
    return (x for s in body for x in exposed_by(s))


def _find_exposed(s: ir.Stmt) -> tuple[ir.Symbol, ...]:
    return tuple(x for e in own_nodes(s) if isinstance(e, ir.AddressOf) for x in _root(e.place))


_exposed = lasting(_find_exposed)  # by the statement itself


exposed_by = collected(_exposed)


def _root(place: ir.Expr) -> tuple[ir.Symbol, ...]:
    """The variable that a place is part of; none where it lies behind a pointer."""
    while True:
        match place:
            case ir.Var(symbol=symbol):
                return (symbol,)
            case ir.Index(base=base) if isinstance(base.type, Pointer):
                return ()
            case ir.Index(base=base) | ir.Member(base=base) | ir.Cast(operand=base) | ir.Binary(left=base):
                place = base
            case ir.AddressOf(place=inner):
                place = inner
            case _:
                return ()
