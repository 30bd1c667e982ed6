"""Increments of adjoints, and takes of seeds, as a pullback's statements have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetad.analysis.pointer_expressions import cell_at
from hetad.ir import nodes as ir
from hetad.ir.build import is_zero
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import base
from hetad.ir.simplify import negated
from hetad.ir.types import Pointer
from hetad.ir.visit import own_nodes
from hetad.rules import operations


@dataclass(frozen=True, slots=True)
class Increment:
    """`place += value`, atomically until it is proven that this is not needed."""

    place: ir.Place
    value: ir.Expr
    statement: ir.Call

    def into(self, place: ir.Place, value: ir.Expr) -> Increment:
        return Increment(place, value, self.statement)


def increment(s: ir.Stmt) -> Increment | None:
    if not isinstance(s, ir.Call) or s.function != "atomicAdd" or s.result is not None:
        return None
    return Increment(cell_at(s.args[0]), s.args[1], s)


def plain(found: Increment) -> ir.Stmt:
    """The increment without an atomic operation."""
    span = found.statement.span
    if isinstance(found.value, ir.Unary) and found.value.op == "-":
        return ir.Update("-", found.place, negated(found.value), span=span)
    return ir.Update("+", found.place, found.value, span=span)


def atomic(place: ir.Place, value: ir.Expr) -> ir.Call:
    cell = ir.AddressOf(place, Pointer(place.type), span=place.span)
    return ir.Call("atomicAdd", (cell, value), span=value.span)


def _taken(s: ir.Stmt) -> tuple[ir.Place, ...]:
    return tuple(cell_at(e.args[0]) for e in own_nodes(s) if operations.gives(e, operations.take))


takes: Fact[ir.Stmt, tuple[ir.Place, ...]] = lasting(_taken)  # the cells whose seed it reads and clears in one step


def cleared_by(s: ir.Stmt) -> Iterator[ir.Symbol]:
    """The arrays of which the statement clears a cell."""
    places = [*takes(s), *([s.target] if isinstance(s, ir.Assign) and is_zero(s.value) else [])]
    yield from (x for place in places if (x := base(place)) is not None)
