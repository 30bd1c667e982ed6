"""Cells that a thread has stored to, kept by line: a store is compared with one cell of each other line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hetad.analysis.affine import Address, Line, address, distinct, distinct_across
from hetad.device.tape.members import Path, apart
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.visit import variables


def _symbols(line: Line | None, place: ir.Expr) -> Iterable[ir.Symbol]:
    return line.symbols if line is not None else variables(place)


@dataclass(slots=True)
class Held:
    """Which variable holds what a place holds.  Each store to a cell of no line ends all that is known."""

    _lines: dict[Line | None, dict[int, tuple[ir.Expr, ir.Symbol]]] = field(default_factory=dict)

    def copy(self) -> Held:
        return Held({line: dict(cells) for line, cells in self._lines.items()})

    def keep(self, place: ir.Expr, symbol: ir.Symbol) -> None:
        cell = address(place)
        line, at = (cell.line, cell.at) if cell is not None else (None, 0)
        self._lines.setdefault(line, {})[at] = (place, symbol)

    def get(self, place: ir.Expr) -> ir.Symbol | None:
        cell = address(place)
        line, at = (cell.line, cell.at) if cell is not None else (None, 0)
        known = self._lines.get(line, {}).get(at)
        return known[1] if known is not None and known[0] == place else None

    def store(self, target: Address | None) -> None:
        """Forgets cells that a store may have changed."""
        if target is None:
            self._lines.clear()
            return
        self._lines.get(target.line, {}).pop(target.at, None)
        self.only(lambda line, place: line is target.line or distinct(address(place), target))

    def changed(self, symbol: ir.Symbol) -> None:
        """Forgets cells whose place another value of the variable changes."""
        self.only(lambda line, place: symbol not in _symbols(line, place))

    def only(self, kept: Callable[[Line | None, ir.Expr], bool]) -> None:
        """Forgets lines that are not `kept`, of which one place stands for all."""
        lines = ((line, next(iter(cells.values()))[0]) for line, cells in self._lines.items() if cells)
        self._lines = {line: self._lines[line] for line, place in lines if kept(line, place)}

    def meet(self, other: Held) -> None:
        """Forgets what the other one does not know."""
        for line, cells in self._lines.items():
            theirs = other._lines.get(line, {})
            self._lines[line] = {at: k for at, k in cells.items() if at in theirs and theirs[at][1] is k[1]}


@dataclass(frozen=True, slots=True)
class _Group:
    """Places that were stored to: None if they are not known, and then perhaps which member of structs they are.
    `index`: of the loop in whose earlier iterations it was."""

    line: Line | None
    index: ir.Symbol | None
    member: Path | None

    def somewhere(self) -> _Group:
        return _Group(None, None, self.member)


@dataclass(slots=True)
class Stores:
    """Where a thread may have stored to."""

    _groups: dict[_Group, dict[int, Address]] = field(default_factory=dict)

    def copy(self) -> Stores:
        return Stores({group: dict(cells) for group, cells in self._groups.items()})

    def add(self, place: ir.Expr | None, index: ir.Symbol | None, member: Path | None) -> None:
        cell = address(place) if place is not None else None
        if cell is None:
            self._groups.setdefault(_Group(None, None, member), {})
        else:
            self._groups.setdefault(_Group(cell.line, index, member), {})[cell.at] = cell

    def changed(self, symbol: ir.Symbol) -> None:
        """Where places depend on the variable, they are no longer known."""
        for group in [g for g in self._groups if g.line is not None and symbol in g.line.symbols]:
            self._groups.setdefault(group.somewhere(), {})
            del self._groups[group]

    def somewhere(self) -> Stores:
        """The same, the places not known."""
        return Stores({group.somewhere(): {} for group in self._groups})

    def join(self, other: Stores) -> None:
        for group, cells in other._groups.items():
            self._groups.setdefault(group, {}).update(cells)

    def miss(self, cell: Address | None, member: Path | None) -> bool:
        """Whether none of them can have been to this cell."""
        return all(apart(member, group.member) or _misses(group, cells, cell) for group, cells in self._groups.items())


def _misses(group: _Group, cells: dict[int, Address], cell: Address | None) -> bool:
    if group.line is None or cell is None:
        return False
    if group.index is not None:
        index = var(group.index)
        return all(distinct_across(cell, there, index) for there in cells.values())
    if group.line is cell.line:
        return cell.at not in cells
    return distinct(cell, next(iter(cells.values())))


class Lines:
    """Cells by base and line, of which it is asked which may be one that is given."""

    def __init__(self, cells: Iterable[Address | None]) -> None:
        self._bases: dict[ir.Expr, dict[Line, dict[int, Address]]] = {}
        self._anywhere = False
        for cell in cells:
            if cell is None:
                self._anywhere = True
            else:
                self._bases.setdefault(cell.base, {}).setdefault(cell.line, {})[cell.at] = cell

    def meet(self, cell: Address | None) -> bool:
        """Whether the cell may be one of those."""
        if cell is None or self._anywhere:
            return True
        lines = self._bases.get(cell.base, {})
        return cell.at in lines.get(cell.line, {}) or any(
            not distinct(next(iter(there.values())), cell) for line, there in lines.items() if line is not cell.line
        )
