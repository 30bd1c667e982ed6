"""The part of a buffer that a launch may write, or certainly overwrites, as expressions of the host function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hetad.analysis.affine import UNIT, Monomial, Polynomial
from hetad.analysis.overwritten import Overwritten, overwritten_cells
from hetad.analysis.written import Written, written_cells
from hetad.device.accumulation.axes import extent_along
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import small
from hetad.ir.build import binary, convert, integer
from hetad.ir.printer import expr_text
from hetad.ir.simplify import conjunction, simplest
from hetad.ir.types import INT, LLONG, Int, element, innermost, size_of
from hetad.ir.visit import map_children

_NOWHERE = (1 << 62) - 1  # no buffer has such a cell: all of it is saved
_CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Ends:
    """The first and the last cell, and how many these are where one expression tells."""

    first: ir.Expr
    last: ir.Expr
    count: ir.Expr | None


@dataclass(frozen=True, slots=True)
class Covered:
    """The first and the last of the cells that a launch overwrites, all of them where `sure` holds, but those in gaps:
    of each so many cells from the first on, those behind a run (`analysis/hyper_rectangles.py`)."""

    first: ir.Expr
    last: ir.Expr
    sure: ir.Expr
    gaps: tuple[tuple[ir.Expr, ir.Expr], ...]  # run, pitch


class _UnknownError(Exception):
    """Only the device has the value."""


@dataclass(frozen=True, slots=True)
class _Launch:
    """Values of a kernel's expressions, as the host knows them."""

    s: ir.Launch
    kernel: ir.Function
    threads: Mapping[ir.Symbol, str]

    def factors(self, atom: ir.Expr) -> list[ir.Expr]:
        if isinstance(atom, ir.Var) and atom.symbol in self.threads:
            axis = self.threads[atom.symbol]
            return [extent_along(self.s.grid, axis), extent_along(self.s.block, axis)]
        return [self.value(atom)]

    def value(self, expr: ir.Expr) -> ir.Expr:
        match expr:
            case ir.ThreadIndex(name="gridDim" | "blockDim" as name, axis=axis):
                return extent_along(self.s.grid if name == "gridDim" else self.s.block, axis)
            case ir.Var(symbol=symbol):
                if symbol not in self.kernel.params or not isinstance(symbol.type, Int):
                    raise _UnknownError
                arg = self.s.args[self.kernel.params.index(symbol)]
                return arg if arg.type == symbol.type else ir.Cast(arg, symbol.type, span=arg.span)
            case ir.Const() | ir.Unary() | ir.Binary() | ir.Cast() | ir.Select():
                return map_children(self.value, expr)
        raise _UnknownError

    def polynomial(self, value: Polynomial) -> ir.Expr:
        """In `long long`, since ends may be greater than any index."""
        span = self.s.span
        total: ir.Expr | None = None
        number = 0
        for monomial, coefficient in sorted(value.terms.items(), key=_place):
            factors: list[ir.Expr] = []
            for factor in (f for atom in sorted(monomial, key=expr_text) for f in self.factors(atom)):
                known = small(factor)
                coefficient *= 1 if known is None else known
                factors += [factor] if known is None else []
            if factors and coefficient:
                total = _sum(total, coefficient, factors)
            elif not factors:
                number += coefficient
        if total is None:
            return _negated(integer(-number, span, LLONG)) if number < 0 else integer(number, span, LLONG)
        constant = integer(abs(number), span, LLONG)
        return ir.Binary("+" if number > 0 else "-", total, constant, LLONG, span=span) if number else total

    def not_negative(self, value: Polynomial) -> ir.Expr:
        """`a >= b` for `a - b`."""
        sides = ({m: c * sign for m, c in value.terms.items() if c * sign > 0} for sign in (1, -1))
        left, right = (self.polynomial(Polynomial(side)) for side in sides)
        if isinstance(left, ir.Cast) and left.operand.type == INT and isinstance(right, ir.Const):
            left, right = left.operand, ir.Const(right.value, INT, span=right.span)
        return binary(">=", left, right)


def _place(term: tuple[Monomial, int]) -> tuple[bool, int, list[str]]:
    """Orders the terms of a sum: what is subtracted and what is short comes later."""
    monomial, coefficient = term
    return coefficient < 0, -len(monomial), sorted(map(expr_text, monomial))


def _sum(total: ir.Expr | None, coefficient: int, factors: Sequence[ir.Expr]) -> ir.Expr:
    """With a product added to it; computed in `long long` from the first operand of each sum and product on."""
    span = factors[0].span
    if abs(coefficient) != 1:
        factors = [integer(abs(coefficient), span, LLONG), *factors]
    term = _wide(factors[0]) if total is None or len(factors) > 1 else _joining(factors[0])
    for factor in factors[1:]:
        term = ir.Binary("*", term, _joining(factor), LLONG, span=span)
    if total is None:
        return term if coefficient > 0 else _negated(term)
    return ir.Binary("+" if coefficient > 0 else "-", total, term, LLONG, span=span)


def _negated(value: ir.Expr) -> ir.Expr:
    return ir.Unary("-", value, LLONG, span=value.span)


class WrittenParts:
    """`of(launch, position)`: the first and the last cell that it may write through an argument."""

    def __init__(self, kernels: Mapping[str, ir.Function]) -> None:
        self.kernels = kernels
        self._written: dict[str, dict[int, Written]] = {}
        self._overwritten: dict[str, dict[int, Overwritten]] = {}

    def of(self, s: ir.Launch, position: int) -> Ends | None:
        kernel = self.kernels[s.kernel]
        if s.kernel not in self._written:
            self._written[s.kernel] = written_cells(kernel)
        written = self._written[s.kernel].get(position)
        if written is None or not _same_cells(kernel.params[position], s.args[position]):
            return None
        if max(len(written.first), len(written.last), len(written.positive)) > _CANDIDATES:
            return None
        launch = _Launch(s, kernel, written.threads)
        try:
            first = _extreme("<", [launch.polynomial(p) for p in written.first])
            last = _extreme(">", [launch.polynomial(p) for p in written.last])
            count = None
            if len(written.first) == len(written.last) == 1:
                count = launch.polynomial(written.last[0] - written.first[0] + UNIT)
            positive = [launch.not_negative(p) for p in written.positive]
        except _UnknownError:
            return None
        if positive:
            sure = conjunction([simplest(c) for c in sorted(positive, key=expr_text)], s.span)
            last = ir.Select(sure, last, integer(_NOWHERE, s.span, LLONG), LLONG, span=s.span)
        return Ends(first, last, count)

    def covered(self, s: ir.Launch, position: int) -> Covered | None:
        kernel = self.kernels[s.kernel]
        if s.kernel not in self._overwritten:
            self._overwritten[s.kernel] = overwritten_cells(kernel)
        cells = self._overwritten[s.kernel].get(position)
        if cells is None or not _same_cells(kernel.params[position], s.args[position]):
            return None
        launch = _Launch(s, kernel, cells.threads)
        try:
            conditions = [launch.not_negative(c) for c in cells.conditions]
            first, last = launch.polynomial(cells.first), launch.polynomial(cells.last)
            gaps = tuple((launch.polynomial(gap.run), launch.polynomial(gap.pitch)) for gap in cells.gaps)
        except _UnknownError:
            return None
        return Covered(first, last, conjunction([simplest(c) for c in sorted(conditions, key=expr_text)], s.span), gaps)


def _same_cells(param: ir.Symbol, arg: ir.Expr) -> bool:
    """Whether the kernel counts in elements of the argument's own size."""
    return size_of(innermost(element(param.type))) == size_of(innermost(element(arg.type)))


def _extreme(op: str, values: Sequence[ir.Expr]) -> ir.Expr:
    found = values[0]
    for value in values[1:]:
        less = binary(op, value, found)
        found = ir.Select(less, value, found, LLONG, span=value.span)
    return found


def _joining(expr: ir.Expr) -> ir.Expr:
    """An operand beside one of `long long`, to which C converts all but the widest unsigned numbers."""
    held = expr.type
    return _wide(expr) if isinstance(held, Int) and held.bits == 64 and not held.signed else convert(expr, LLONG)


def _wide(expr: ir.Expr) -> ir.Expr:
    """As `long long`, written out: C would compute a product of `int`s in `int`."""
    if isinstance(expr, ir.Const):
        return ir.Const(expr.value, LLONG, span=expr.span)
    return expr if expr.type == LLONG else ir.Cast(expr, LLONG, span=expr.span)
