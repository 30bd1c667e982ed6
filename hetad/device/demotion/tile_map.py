"""Which thread of a block fills which cell of a tile: of `a[ty][tx]`, or `a[16 * ty + tx]`, thread (tx, ty)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hetad.analysis.affine import Monomial, Polynomial, polynomial
from hetad.analysis.coordinates import AXES, block_dim
from hetad.analysis.staging import Copy
from hetad.device.demotion.values import expression
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.places import subscripts
from hetad.ir.types import UINT, Array

Ranges = Mapping[ir.Symbol, tuple[int, ir.Expr]]  # of loop indices: their least value, and what they stay below


class NoTile(Exception):
    """This array cannot be read from where it came."""


@dataclass(frozen=True, slots=True)
class Digit:
    """A part of a subscript that a position in the block tells: what it is multiplied by (None: the size of the block
    along the axis `beside`), and below what it stays, if the subscript has another part."""

    axis: str
    scale: int | None = 1
    beside: str | None = None
    below: int | None = None


class TileMap:
    """`sizes`: how large blocks must be, along axes, for the threads that loads ask for to exist, and to fill a cell
    each."""

    def __init__(self, copy: Copy, told: Callable[[ir.Expr], ir.Expr], ranges: Ranges) -> None:
        """`told`: an expression with thread indices in place of the variables that hold them.  Raises NoTile."""
        self.told, self.ranges = told, ranges
        self.span = copy.statement.span
        self.sizes: dict[str, int] = {}
        self.lengths: list[int | None] = []
        type_ = copy.array.type
        while isinstance(type_, Array):
            self.lengths.append(type_.length)
            type_ = type_.of
        self.digits = [self._digits(polynomial(told(e))) for e in subscripts(copy.statement.target)]
        if len(self.axes) < len([d for digits in self.digits for d in digits]):
            raise NoTile

    @property
    def axes(self) -> frozenset[str]:
        return frozenset(d.axis for digits in self.digits for d in digits)

    def _digits(self, value: Polynomial) -> list[Digit]:
        """The parts of a subscript, highest first."""
        parts: list[tuple[str, Monomial, int]] = []
        for monomial, factor in value.terms.items():
            axis = next((a for a in AXES if thread(a, self.span) in monomial), None)
            if axis is None:
                raise NoTile
            rest = list(monomial)
            rest.remove(thread(axis, self.span))
            parts.append((axis, tuple(rest), factor))
        match sorted(parts, key=lambda p: (len(p[1]), p[2]), reverse=True):
            case [(axis, (), 1)]:
                return [Digit(axis)]
            case [(high, (), scale), (low, (), 1)] if scale > 1:
                return [Digit(high, scale), Digit(low, 1, None, scale)]
            case [(high, (size,), 1), (low, (), 1)] if size == block_dim(low, self.span):
                return [Digit(high, None, low), Digit(low)]
        raise NoTile

    def storing(self, load: ir.Expr) -> dict[str, ir.Expr]:
        """The thread that stored what is loaded: its positions along the axes where it is another one.

        Raises NoTile.
        """
        found: dict[str, ir.Expr] = {}
        for digits, length, e in zip(self.digits, self.lengths, subscripts(load), strict=True):
            rest = polynomial(self.told(e))
            for d in digits:
                part, rest = _taken(d, rest, self.span)
                if part == Polynomial({(thread(d.axis, self.span),): 1}):
                    if d.below is not None:
                        self._ask(d.axis, d.below)
                    continue
                found[d.axis] = self._position(d, part, length if len(digits) == 1 else None)
            if rest.terms:
                raise NoTile
        return found

    def _position(self, d: Digit, part: Polynomial, length: int | None) -> ir.Expr:
        """A position that is a number, the index of a loop, or anything that stays in its array."""
        e = expression(part, self.span)
        end = part.constant + 1 if part.constant is not None and part.constant >= 0 else None
        if isinstance(e, ir.Var) and e.symbol in self.ranges:
            first, bound = self.ranges[e.symbol]
            if first >= 0 and d.below is None and bare(bound) == block_dim(d.axis, self.span):
                return e
            end = integer_value(bound) if first >= 0 else None
        if end is None:
            end = length  # no index leaves its array
        if end is None or end < 1 or (d.below is not None and end > d.below):
            raise NoTile
        self._ask(d.axis, d.below if d.below is not None else end)
        return e

    def _ask(self, axis: str, size: int) -> None:
        self.sizes[axis] = max(size, self.sizes.get(axis, 0))


def _taken(d: Digit, value: Polynomial, span: Span) -> tuple[Polynomial, Polynomial]:
    """What a value is in units of the digit's scale, and the rest."""
    if d.scale == 1:
        return value, Polynomial({})
    mine: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, factor in value.terms.items():
        if d.scale is not None and factor % d.scale == 0:
            mine[monomial] = factor // d.scale
        elif d.beside is not None and block_dim(d.beside, span) in monomial:
            atoms = list(monomial)
            atoms.remove(block_dim(d.beside, span))
            mine[tuple(atoms)] = factor
        else:
            rest[monomial] = factor
    return Polynomial(mine), Polynomial(rest)


def thread(axis: str, span: Span) -> ir.Expr:
    return ir.ThreadIndex("threadIdx", axis, UINT, span=span)
