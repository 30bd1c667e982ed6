"""What is done at a point: the value is written down, or moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, integer
from hetad.ir.types import DOUBLE, LLONG, Pointer, Type
from hetad.probes.points import Point, Way

# `at` counts the values, of which there is room for those before `end`.
_VALUE = {
    "record": Quote("if (at < end) { values[at] = x; } at += 1;"),
    "perturb": Quote("if (at < end) { x += values[at]; } at += 1;"),
}
_NUMBERED = {
    "record": Quote("if (at < end) { values[at] = x; numbers[at] = number; } at += 1;"),
    "perturb": _VALUE["perturb"],
}
_ENTRY = Quote("if (entries < room) { log[2 * entries] = number; log[2 * entries + 1] = count; } entries += 1;")


@dataclass(frozen=True, slots=True)
class Look:
    """What looks at values one by one, in the order of the program.

    `values`: where they are written down, or by how much they are moved; `at`, `end`: variables.  `numbers`: where the
    numbers of points are written down beside, if anywhere.
    """

    way: Way
    names: Names
    values: ir.Symbol
    at: ir.Symbol
    end: ir.Symbol
    numbers: ir.Symbol | None = None

    def value(self, place: ir.Place, span: Span, point: Point | None = None) -> Sequence[ir.Stmt]:
        holes = {"x": place, "at": self.at, "end": self.end, "values": self.values}
        if self.numbers is None or self.way == "perturb":
            return _VALUE[self.way](self.names, span, **holes)
        assert point is not None
        return _NUMBERED[self.way](self.names, span, **holes, numbers=self.numbers, number=point.number)


@dataclass(frozen=True, slots=True)
class Log:
    """Where the host writes down which point comes after which, and how many values it has: in `log`, which has `room`
    for so many `entries`."""

    names: Names
    log: ir.Symbol
    entries: ir.Symbol
    room: ir.Symbol

    def entry(self, point: Point, count: ir.Expr, span: Span) -> Sequence[ir.Stmt]:
        return _ENTRY(
            self.names, span, log=self.log, entries=self.entries, room=self.room, number=point.number, count=count
        )


class Parameters:
    """Parameters of a function beside its own, by what they are called among themselves: the function may have others
    of that name."""

    def __init__(self, names: Names, span: Span) -> None:
        self._names, self._span = names, span
        self.by_name: dict[str, ir.Symbol] = {}

    def add(self, name: str, type_: Type) -> ir.Symbol:
        self.by_name[name] = symbol = self._names.symbol(name, type_, self._span, "param")
        return symbol

    @property
    def all(self) -> tuple[ir.Symbol, ...]:
        return tuple(self.by_name.values())

    @property
    def names(self) -> dict[str, str]:
        """Their names in the function."""
        return {name: symbol.name for name, symbol in self.by_name.items()}

    def values(self, way: Way, name: str) -> ir.Symbol:
        return self.add(f"{name}_{'values' if way == 'record' else 'nudges'}", Pointer(DOUBLE, const=way == "perturb"))


def counter(names: Names, name: str, span: Span) -> tuple[ir.Symbol, ir.Stmt]:
    """A variable that counts from 0, and its declaration."""
    symbol = names.symbol(name, LLONG, span)
    return symbol, ir.Declare(symbol, integer(0, span, LLONG), span=span)
