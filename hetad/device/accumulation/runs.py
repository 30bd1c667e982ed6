"""Atomic additions to cells that follow each other, as one vector operation for several.

A thread that looked up a row of a table adds to all of it, and one that moved a particle to its three coordinates.
From compute capability 9.0 on, a GPU adds two or four floats at a time where they are aligned.

    float run[3];                               atomicAdd(&adj_x[3 * j], a);
    run[0] = a; run[1] = b; run[2] = c;    for  atomicAdd(&adj_x[3 * j + 1], b);
    hetad_add_run(&adj_x[3 * j], run, 3);       atomicAdd(&adj_x[3 * j + 2], c);
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hetad.adjoint.names import Names, address_of, integer, is_one, is_zero
from hetad.adjoint.tidy.uses import inside
from hetad.analysis.affine import Monomial, polynomial
from hetad.analysis.coordinates import assigned
from hetad.analysis.loops import constant_trips, counted
from hetad.device.accumulation.increments import Increment, increment
from hetad.ir import nodes as ir
from hetad.ir.types import FLOAT, Array, Pointer
from hetad.ir.visit import map_children, variables, walk_expr

MOST = 16  # cells


def with_runs(body: ir.Body, names: Names) -> ir.Body:
    """With the additions that follow each other in memory joined."""
    body = tuple(inside(lambda b: with_runs(b, names), s) for s in body)
    out: list[ir.Stmt] = []
    for s in body:
        out += _unrolled(s, names) if isinstance(s, ir.For) else [s]
    return _joined(tuple(out), names)


@dataclass(frozen=True, slots=True)
class _Addition:
    """An increment of `root[base + shift]`; `position`: of the statement in its block."""

    position: int
    found: Increment
    root: ir.Symbol
    base: frozenset[tuple[Monomial, int]]
    shift: int


def _addition(position: int, s: ir.Stmt) -> _Addition | None:
    found = increment(s)
    if found is None or not isinstance(found.place, ir.Index) or found.place.type != FLOAT:
        return None
    array = found.place.base
    if not isinstance(array, ir.Var) or not isinstance(array.type, Pointer) or array.symbol.storage != "param":
        return None
    index = polynomial(found.place.index)
    base = frozenset((m, c) for m, c in index.terms.items() if m != ())
    return _Addition(position, found, array.symbol, base, index.terms.get((), 0))


# -- one after another in a block


def _joined(body: ir.Body, names: Names) -> ir.Body:
    open_: dict[object, list[_Addition]] = {}
    runs: list[list[_Addition]] = []
    for i, s in enumerate(body):
        mine = _addition(i, s)
        if mine is not None:
            open_.setdefault((mine.root, mine.base), []).append(mine)
            continue
        for key in [k for k, members in open_.items() if not _passes(s, members)]:
            runs += _consecutive(open_.pop(key))
    for members in open_.values():
        runs += _consecutive(members)
    out: dict[int, list[ir.Stmt]] = {i: [s] for i, s in enumerate(body)}
    for run in runs:
        _collect(out, run, names)
    return tuple(s for i in sorted(out) for s in out[i])


def _passes(s: ir.Stmt, members: Sequence[_Addition]) -> bool:
    """Whether the additions may as well come after the statement."""
    if not isinstance(s, ir.Declare | ir.Assign | ir.Update | ir.Comment) and increment(s) is None:
        return False
    used = {x for m in members for x in variables(m.found.place)}
    return members[0].root not in _read(s) and used.isdisjoint(assigned((s,)))


def _read(s: ir.Stmt) -> set[ir.Symbol]:
    """What the statement mentions, but for the array that it adds to."""
    found = increment(s)
    return set(variables(found.value)) if found is not None else set(variables((s,)))


def _consecutive(members: Sequence[_Addition]) -> list[list[_Addition]]:
    """Runs of cells that follow each other."""
    ordered = sorted(members, key=lambda m: m.shift)
    if len({m.shift for m in ordered}) < len(ordered):
        return []
    runs: list[list[_Addition]] = []
    for m in ordered:
        if runs and runs[-1][-1].shift + 1 == m.shift and len(runs[-1]) < MOST:
            runs[-1].append(m)
        else:
            runs.append([m])
    return [r for r in runs if len(r) > 1]


def _collect(out: dict[int, list[ir.Stmt]], run: Sequence[_Addition], names: Names) -> None:
    """The values into an array where they are known, and one addition where the last is."""
    array = _array(run[0], len(run), names)
    first, last = min(m.position for m in run), max(m.position for m in run)
    for cell, m in enumerate(run):
        out[m.position] = [_set(array, integer(cell, array.span), m)]
    out[first].insert(0, ir.Declare(array, None, span=array.span))
    out[last].append(_add(run[0].found.place, array, len(run)))


# -- in a loop over the cells


def _unrolled(loop: ir.For, names: Names) -> list[ir.Stmt]:
    changed = set(assigned(loop.body))
    header = counted(loop, lambda e: changed.isdisjoint(variables(e)), lambda x: x in changed)
    trips = constant_trips(header) if header is not None else None
    plainly = header is not None and header.declares and not header.down and is_zero(header.start)
    if header is None or trips is None or not 1 < trips <= MOST or not plainly or not is_one(header.step):
        return [loop]
    counter = (ir.Var(header.index, span=loop.span),)
    found = [a for i, s in enumerate(loop.body) if (a := _addition(i, s)) is not None and _counts(a, counter)]
    runs: list[list[_Addition]] = []
    for members in _by_base(found).values():
        if all(_passes(s, members) for s in loop.body):
            runs += _rows(members, trips)
    body = list(loop.body)
    opening: list[ir.Stmt] = []
    closing: list[ir.Stmt] = []
    for run in runs:
        array = _array(run[0], trips * len(run), names)
        opening.append(ir.Declare(array, None, span=array.span))
        for row, m in enumerate(run):
            body[m.position] = _set(array, _moved(counter[0], row * trips), m)
        place = run[0].found.place
        assert isinstance(place, ir.Index)
        closing.append(_add(replace(place, index=_without(place.index, header.index)), array, trips * len(run)))
    return [*opening, replace(loop, body=tuple(body), unroll="", primal=None), *closing] if runs else [loop]


def _counts(a: _Addition, counter: Monomial) -> bool:
    """Whether each iteration adds to the next cell."""
    (variable,) = counter
    elsewhere = any(variable in walk_expr(e) for m, _ in a.base if m != counter for e in m)
    return (counter, 1) in a.base and not elsewhere


def _by_base(found: Sequence[_Addition]) -> dict[object, list[_Addition]]:
    groups: dict[object, list[_Addition]] = {}
    for a in found:
        groups.setdefault((a.root, a.base), []).append(a)
    return groups


def _rows(members: Sequence[_Addition], length: int) -> list[list[_Addition]]:
    """Runs of rows that follow each other; none where two rows overlap."""
    ordered = sorted(members, key=lambda m: m.shift)
    if any(b.shift - a.shift < length for a, b in pairwise(ordered)):
        return []
    runs: list[list[_Addition]] = []
    for m in ordered:
        follows = runs and runs[-1][-1].shift + length == m.shift
        if follows and (len(runs[-1]) + 1) * length <= MOST:
            runs[-1].append(m)
        else:
            runs.append([m])
    return runs


# -- text


def _array(a: _Addition, cells: int, names: Names) -> ir.Symbol:
    return names.symbol(f"{a.root.name}_run", Array(FLOAT, cells), a.found.statement.span)


def _set(array: ir.Symbol, index: ir.Expr, a: _Addition) -> ir.Stmt:
    span = a.found.statement.span
    return ir.Assign(ir.Index(ir.Var(array, span=span), index, FLOAT, span=span), a.found.value, span=span)


def _add(place: ir.Place, array: ir.Symbol, cells: int) -> ir.Stmt:
    span = array.span
    return ir.Call("hetad_add_run", (address_of(place), ir.Var(array, span=span), integer(cells, span)), span=span)


def _moved(index: ir.Expr, by: int) -> ir.Expr:
    return ir.Binary("+", index, integer(by, index.span, index.type), index.type, span=index.span) if by else index


def _without(index: ir.Expr, counter: ir.Symbol) -> ir.Expr:
    """The index where the counter is zero."""
    match index:
        case ir.Var(symbol=symbol) if symbol is counter:
            return integer(0, index.span, index.type)
        case ir.Binary(op="+", left=left, right=ir.Var(symbol=symbol)) if symbol is counter:
            return left
        case ir.Binary(op="+", left=ir.Var(symbol=symbol), right=right) if symbol is counter:
            return right
    return map_children(lambda e: _without(e, counter), index)
