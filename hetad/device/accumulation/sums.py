"""Increments of one cell that become one: over a block, and over a loop in which the cell stays the same."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hetad.adjoint.canonicalise.sums import sum_of
from hetad.adjoint.canonicalise.uses import inside
from hetad.device.accumulation.increments import Increment, atomic, increment, plain
from hetad.device.accumulation.readers import Readers
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.build import Names, var, zero
from hetad.ir.places import changed_by, changed_in, pointed_to, reached_by, root_symbol
from hetad.ir.types import BOOL
from hetad.ir.visit import collected, map_body, same_or, variables


@on_body("sum-increments")
def summed(draft: Draft) -> ir.Body:
    """Increments of one cell in a thread are one: `adj_x[i] += a; adj_x[i] += b;` is `adj_x[i] += a + b;`."""
    return Sums(draft.names, draft.shadows, pointed_to(draft.body)).block(draft.body)


class Sums:
    """Joins the increments of one cell, over a block and over loops.  `adjoints`: the variables by which adjoint memory
    is reached."""

    def __init__(self, names: Names, adjoints: Collection[ir.Symbol], exposed: Collection[ir.Symbol]) -> None:
        self.names = names
        self.readers = Readers(adjoints)
        self.exposed = frozenset(exposed)  # any store through a pointer may change them

    def block(self, body: ir.Body) -> ir.Body:
        joined = self._joined(tuple(inside(self.block, s) for s in body))
        out: list[ir.Stmt] = []
        for s in joined:
            out += self._hoisted(s) if isinstance(s, ir.For | ir.While) else [s]
        return same_or(body, self._joined(tuple(out)))

    def _joined(self, body: ir.Body) -> ir.Body:
        """Of several increments of one cell in a block the last one adds the sum."""
        out: list[ir.Stmt] = []
        for i, s in enumerate(body):
            found = increment(s)
            later = self._same_cell(found, body, i + 1) if found is not None else None
            if found is None or later is None:
                out.append(s)
                continue
            part = self.names.symbol(_named(found, "part"), found.value.type, s.span, const=True)
            out.append(ir.Declare(part, found.value, span=s.span))
            again = increment(body[later])
            assert again is not None
            both = sum_of(again.value, ir.Var(part, span=s.span))
            rest = (*body[i + 1 : later], atomic(again.place, both), *body[later + 1 :])
            return (*out, *self._joined(rest))
        return tuple(out)

    def _same_cell(self, found: Increment, body: ir.Body, start: int) -> int | None:
        """The next increment of the same cell, if nothing before it reads the cell or changes which one it is."""
        chosen = _chosen_by(found.place)
        if not chosen.isdisjoint(self.exposed):
            return None
        for i in range(start, len(body)):
            s = body[i]
            again = increment(s)
            if again is not None and again.place == found.place and again.value.type == found.value.type:
                return i
            if self.readers.sees(s) or not chosen.isdisjoint(changed_in((s,))) or _stores_into(found.place, s):
                return None
        return None

    def _hoisted(self, loop: ir.For | ir.While) -> list[ir.Stmt]:
        """Increments of cells that are the same in all iterations, summed in the loop and done after it."""
        if self.readers.sees(loop):
            return [loop]
        changed = {*changed_in((loop,)), *self.exposed}
        sums: dict[ir.Place, ir.Symbol] = {}

        def sum_up(s: ir.Stmt) -> ir.Stmt:
            found = increment(s)
            if found is None or not changed.isdisjoint(_chosen_by(found.place)) or _stores_into(found.place, loop):
                return s
            if found.place not in sums:
                sums[found.place] = self.names.symbol(_named(found, "sum"), found.value.type, s.span)
            return plain(replace(found, place=ir.Var(sums[found.place], span=s.span)))

        inner = replace(loop, body=map_body(sum_up, loop.body))
        if not sums:
            return [loop]
        if isinstance(inner, ir.For):
            inner = replace(inner, sums=(*inner.sums, *sums.values()))
        opening: list[ir.Stmt] = [ir.Declare(x, zero(x.type, x.span), span=x.span) for x in sums.values()]
        closing: list[ir.Stmt] = []
        for place, symbol in sums.items():
            total = var(symbol)
            # The loop may not have run, and then the cell need not exist.
            met = ir.Binary("!=", total, zero(symbol.type, symbol.span), BOOL, span=symbol.span)
            closing.append(ir.If(met, (atomic(place, total),), (), span=symbol.span))
        return [*opening, inner, *closing]


def _chosen_by(place: ir.Place) -> set[ir.Symbol]:
    """The variables that tell which cell a place is.  An array of the block lies where it lies, and what is stored to
    its cells does not tell."""
    array = _array_of(place)
    return set(variables(place)) - ({array} if array is not None else set())


def _array_of(place: ir.Place) -> ir.Symbol | None:
    """The shared array, or struct, that a place is part of by name; a number by itself no reader would be seen of."""
    root = root_symbol(place) if isinstance(place, ir.Index | ir.Member) else None
    return root if root is not None and root.storage == "shared" else None


def _stores_into(place: ir.Place, s: ir.Stmt) -> bool:
    """Whether the statement, or one in it, does something other to the array than adding to its cells."""
    array = _array_of(place)
    return array is not None and array in _stored_to(s)


_stored_to = collected(lambda s: () if increment(s) is not None else changed_by(s))


def _named(found: Increment, suffix: str) -> str:
    root = reached_by(found.place)
    return f"{root.name}_{suffix}" if root is not None else suffix
