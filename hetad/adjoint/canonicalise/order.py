"""Reversed loops whose iterations may run in any order keep the primal's header."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from hetad.adjoint.canonicalise.uses import inside, next_mention, root_of
from hetad.analysis.access_maps import AccessMaps, Map
from hetad.analysis.accesses import Accesses
from hetad.analysis.affine import polynomial
from hetad.analysis.conflicts import Conflicts
from hetad.ir import nodes as ir
from hetad.ir.build import is_zero
from hetad.ir.places import written
from hetad.ir.types import Pointer
from hetad.ir.visit import (
    children,
    declared,
    map_exprs,
    own_exprs,
    own_nodes,
    same_or,
    substitute,
    variables,
    walk_exprs,
    walk_stmts,
)
from hetad.rules import operations


def headers(body: ir.Body) -> ir.Body:
    return _headers(body, set())


def _headers(body: ir.Body, counts: set[ir.Symbol]) -> ir.Body:
    """`counts`: what the headers that are gone counted with."""
    out: list[ir.Stmt] = []
    for s in body:
        s = inside(partial(_headers, counts=counts), s)
        if isinstance(s, ir.For) and s.primal is not None and order_free(s):
            opening = s.body[0] if s.body else None
            inner = s.body
            index = s.primal.init[0]
            symbol = index.symbol if isinstance(index, ir.Declare) else None
            if isinstance(opening, ir.Declare) and opening.symbol is symbol:
                inner = s.body[1:]
            counts.update(variables((replace(s, body=()),)))
            s = replace(
                s, init=s.primal.init, cond=s.primal.cond, step=s.primal.step, body=inner, unroll=s.primal.unroll
            )
        out.append(s)
    return _without_unused(same_or(body, tuple(out)), counts)


def order_free(loop: ir.For) -> bool:
    """Whether the body only adds to what no part of it reads or replaces, and takes no seed twice."""
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
            case ir.Assign(target=target, value=value):
                root = root_of(target)
                if root is None or (root not in inside and not is_zero(value)):
                    return False  # the last one counts
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
    return not added & reads and not taken & added and not taken & reads and takes_no_cell_twice(loop)


def takes_no_cell_twice(loop: ir.For) -> bool:
    """Whether the iterations of a loop certainly take the seeds of different cells: of one cell the last store in the
    primal has the seed, and so the first iteration of the reversed loop."""
    places = [place for s in walk_stmts(loop.body) for place in _taken(s)]
    if not places or None in places:
        return not places
    assert loop.primal is not None
    if len(places) == 1 and places[0] is not None and _follows(places[0], loop):
        return True
    forward = replace(loop, init=loop.primal.init, cond=loop.primal.cond, step=loop.primal.step)
    inside = {*declared((forward,)), *written((forward,))}
    fixed = {x: replace(x, storage="param") for x in variables((forward,)) if x not in inside and x.storage == "local"}

    def of_one_thread(e: ir.Expr) -> ir.Expr:
        return ir.Var(here[e.name, e.axis], span=e.span) if isinstance(e, ir.ThreadIndex) else e

    here = {
        (e.name, e.axis): ir.Symbol(e.name, e.type, e.span, "param")
        for e in walk_exprs((forward,))
        if isinstance(e, ir.ThreadIndex)
    }
    alone = map_exprs(of_one_thread, substitute(fixed, (forward,)))
    accesses = Accesses(alone, loop.span, lambda s: [p for p in _taken(s) if p is not None])
    maps = AccessMaps(accesses.coordinates, ())
    conflicts = Conflicts(maps)
    if accesses.coordinates.assumed:
        return False
    by_root: dict[ir.Symbol | None, list[Map | None]] = {}
    for access in accesses.all:
        by_root.setdefault(access.cell.root if access.cell is not None else None, []).append(maps.map(access))
    return all(len(found) == 1 and found[0] is not None and conflicts.injective(found[0]) for found in by_root.values())


def _follows(place: ir.Place, loop: ir.For) -> bool:
    """Whether the cell is told by the index of the loop, which only steps on, and by what does not change in it."""
    first, step = (loop.primal.init, loop.primal.step) if loop.primal is not None else ((), ())
    if len(first) != 1 or len(step) != 1 or not isinstance(first[0], ir.Declare) or not isinstance(step[0], ir.Update):
        return False
    index = first[0].symbol
    if not isinstance(place, ir.Index) or step[0].op not in "+-" or step[0].target != ir.Var(index, span=loop.span):
        return False
    parts = polynomial(place.index).split(ir.Var(index, span=loop.span))
    if parts is None or not parts[0].constant:
        return False
    body = tuple(s for s in loop.body if not (isinstance(s, ir.Declare) and s.symbol is index))
    changed = {*written(body), *declared(body)}
    rest = [*(a for m in parts[1].terms for a in m), place.base, step[0].value]
    return index not in changed and changed.isdisjoint(x for e in rest for x in variables(e))


def taken_roots(body: ir.Body) -> Iterator[ir.Symbol | None]:
    for s in walk_stmts(body):
        yield from (root_of(place) for place in _taken(s) if place is not None)


def _taken(s: ir.Stmt) -> Iterator[ir.Place | None]:
    """The cells whose seed a statement takes; None for one that a pointer tells."""
    for e in own_nodes(s):
        if operations.gives(e, operations.take):
            yield e.args[0].place if isinstance(e.args[0], ir.AddressOf) else None


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
    if operations.gives(expr, operations.take) and isinstance(expr.args[0], ir.AddressOf):
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


def _without_unused(body: ir.Body, counts: Collection[ir.Symbol]) -> ir.Body:
    def unused(i: int, s: ir.Stmt) -> bool:
        return isinstance(s, ir.Declare) and s.symbol in counts and next_mention(body, i + 1, s.symbol) is None

    return same_or(body, tuple(s for i, s in enumerate(body) if not unused(i, s)))
