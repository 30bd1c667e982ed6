"""Reversed loops whose iterations may run in any order keep the primal's header."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hetad.adjoint.tidy.uses import inside, next_mention, root_of
from hetad.analysis.effects import TAKE
from hetad.ir import nodes as ir
from hetad.ir.types import Pointer
from hetad.ir.visit import children, own_exprs, walk_expr, walk_stmts


def headers(body: ir.Body) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        s = inside(headers, s)
        if isinstance(s, ir.For) and s.primal is not None and order_free(s):
            opening = s.body[0] if s.body else None
            inner = s.body
            index = s.primal.init[0]
            symbol = index.symbol if isinstance(index, ir.Declare) else None
            if isinstance(opening, ir.Declare) and opening.symbol is symbol:
                inner = s.body[1:]
            s = replace(
                s, init=s.primal.init, cond=s.primal.cond, step=s.primal.step, body=inner, unroll=s.primal.unroll
            )
        out.append(s)
    return drop_unused_counts(tuple(out))


def order_free(loop: ir.For) -> bool:
    """Whether the body only adds to what no part of it reads or replaces."""
    if loop.primal is None or not all(isinstance(s, ir.Declare) for s in loop.primal.init):
        return False
    inside = {s.symbol for s in walk_stmts((loop,)) if isinstance(s, ir.Declare)}
    added: set[ir.Symbol] = set()
    taken: set[ir.Symbol] = set()
    for s in walk_stmts(loop.body):
        match s:
            case ir.Declare() | ir.Comment() | ir.If() | ir.For() | ir.While() | ir.Block():
                pass
            case ir.Update(op="+" | "-", target=target):
                root = root_of(target)
                if root is None:
                    return False
                if root not in inside:
                    added.add(root)
            case ir.Assign(target=target):
                root = root_of(target)
                if root is None:
                    return False
                if root not in inside:
                    taken.add(root)
            case ir.Call(function="atomicAdd", args=args) if isinstance(args[0], ir.AddressOf):
                root = root_of(args[0].place)
                if root is None:
                    return False
                added.add(root)
            case _:
                return False
    reads = values_read(loop.body)
    if any(isinstance(x.type, Pointer) and x.storage != "param" for x in added | taken | reads):
        return False  # it may reach the same memory as another
    taken |= {root for root in taken_roots(loop.body) if root is not None}
    return not added & reads and not taken & added and not taken & reads


def taken_roots(body: ir.Body) -> Iterator[ir.Symbol | None]:
    for s in walk_stmts(body):
        for own in own_exprs(s):
            for e in walk_expr(own):
                if isinstance(e, ir.Intrinsic) and e.name.startswith(TAKE) and isinstance(e.args[0], ir.AddressOf):
                    yield root_of(e.args[0].place)


def values_read(body: ir.Body) -> set[ir.Symbol]:
    """Variables and arrays whose value the body uses, other than to add to it."""
    found: set[ir.Symbol] = set()
    for s in walk_stmts(body):
        for own in own_exprs(s):
            if isinstance(s, ir.Update | ir.Assign) and own is s.target:
                found |= index_variables(own)
            elif (
                isinstance(s, ir.Call)
                and s.function == "atomicAdd"
                and own is s.args[0]
                and isinstance(own, ir.AddressOf)
            ):
                found |= index_variables(own.place)
            else:
                found |= reading(own)
    return found


def reading(expr: ir.Expr) -> set[ir.Symbol]:
    if isinstance(expr, ir.Intrinsic) and expr.name.startswith(TAKE) and isinstance(expr.args[0], ir.AddressOf):
        return index_variables(expr.args[0].place)
    if isinstance(expr, ir.Var):
        return {expr.symbol}
    found: set[ir.Symbol] = set()
    for child in children(expr):
        found |= reading(child)
    return found


def index_variables(place: ir.Expr) -> set[ir.Symbol]:
    match place:
        case ir.Index(base=base, index=index):
            return reading(index) | index_variables(base)
        case ir.Member(base=base):
            return index_variables(base)
        case ir.Binary(left=left, right=right):
            return index_variables(left) | reading(right)
    return set()


def drop_unused_counts(body: ir.Body) -> ir.Body:
    out: list[ir.Stmt] = []
    for i, s in enumerate(body):
        if (
            isinstance(s, ir.Declare)
            and s.symbol.name.startswith("trips")
            and next_mention(body, i + 1, s.symbol) is None
        ):
            continue
        out.append(s)
    return tuple(out)
