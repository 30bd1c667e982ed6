"""Access maps: which thread touches which cell, and whether two threads can touch the same one.

A site's map goes from its coordinates (thread, loops) to the cell.  The offset of the cell, a polynomial such as
`(z * ny + y) * nx + x`, is taken apart into subscripts `(z, y, x)` at the strides `nx * ny`, `nx` and 1; the guards
prove that each subscript stays below the extent it has, so that different subscripts are different cells.  Then the
subscripts are affine, and the question is one of integer sets.  What is not affine in a guard is left out: fewer
conditions can only prove less.

Source: S. Verdoolaege, isl: An Integer Set Library for the Polyhedral Model, ICMS 2010.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

import islpy as isl

from hetad.analysis.affine import Monomial, Polynomial
from hetad.analysis.coordinates import Coordinates, Digit
from hetad.analysis.scales import ONE, Scale, chain, scale
from hetad.analysis.sites import Site
from hetad.ir import nodes as ir

Subscripts = dict[Scale, Polynomial]  # by stride; affine
_ONE = Polynomial({(): 1})


@dataclass(frozen=True, slots=True)
class Map:
    """A site's access map.  `thread`: per axis, how the thread is told and the coordinates that tell it."""

    site: Site
    offset: Polynomial
    conditions: tuple[Polynomial, ...]  # each is not negative
    thread: tuple[tuple[str, tuple[Polynomial, ...]], ...]


class AccessMaps:
    def __init__(self, coordinates: Coordinates, axes: Iterable[str]) -> None:
        """`axes`: those along which the launch has threads that differ."""
        self.coordinates = coordinates
        self.axes = tuple(axes)
        self._digits = {d.symbol: d for digits in coordinates.digits().values() for d in digits}

    def exclusive(self, sites: Sequence[Site]) -> bool:
        """Whether two threads of a launch never touch the same cell through any two of the sites, which belong to
        one array.  False: not proven."""
        maps = [self.map(s) for s in sites]
        found = [m for m in maps if m is not None]
        if len(found) < len(maps):
            return False
        apart: dict[tuple[str, ...], list[Map]] = {}
        for m in found:
            assert m.site.cell is not None
            apart.setdefault(m.site.cell.path, []).append(m)
        return all(self._disjoint(group) for group in apart.values())

    def map(self, site: Site) -> Map | None:
        if site.cell is None:
            return None
        resolve = self.coordinates.resolved
        thread = []
        for axis in self.axes:
            told = self._thread(axis, site)
            if told is None:
                return None
            thread.append(told)
        conditions = [c for b in site.bounds for c in self._reduced(resolve(b))]
        return Map(site, resolve(site.cell.offset), tuple(conditions), tuple(thread))

    def _thread(self, axis: str, site: Site) -> tuple[str, tuple[Polynomial, ...]] | None:
        base = self.coordinates.threads[axis]
        loop = next((x for x in site.loops if x.shared is not None and x.shared[0] == axis), None)
        if loop is None:
            return "thread", self._positions(base)
        assert loop.shared is not None and loop.coordinate is not None
        if loop.shared[1] == "grid":
            return "grid", self._positions(loop.coordinate)
        digits = self.coordinates.digits().get(base, [])
        block = self.coordinates.block(axis)
        if all(d.scale != block for d in digits):
            return None
        upper = tuple(_atom(d.symbol) for d in digits if d.scale.over(block) is not None)
        return "block", (*self._positions(loop.coordinate), *upper)

    def _positions(self, coordinate: ir.Symbol) -> tuple[Polynomial, ...]:
        digits = self.coordinates.digits().get(coordinate, [])
        return tuple(_atom(d.symbol) for d in digits) or (_atom(coordinate),)

    # -- proofs

    def _disjoint(self, maps: Sequence[Map]) -> bool:
        strides = self._strides(maps)
        if strides is None:
            return False
        taken = [self._subscripts(m, strides) for m in maps]
        subscripts = [t for t in taken if t is not None]
        if len(subscripts) < len(taken):
            return False
        return all(
            self._apart(maps[i], subscripts[i], maps[j], subscripts[j])
            for i in range(len(maps))
            for j in range(i, len(maps))
        )

    def _strides(self, maps: Sequence[Map]) -> list[Scale] | None:
        factors: dict[Monomial, int] = {}
        for m in maps:
            for monomial, coefficient in m.offset.terms.items():
                stride, _ = self._apart_in(monomial)
                factors[stride] = gcd(factors.get(stride, 0), coefficient)
        scales = {scale(1 if not atoms else factor, atoms) for atoms, factor in factors.items()} | {ONE}
        if not all(self.coordinates.uniform(a) for s in scales for a, _ in s.atoms):
            return None
        return chain(scales)

    def _apart_in(self, monomial: Monomial) -> tuple[Monomial, Monomial]:
        """The uniform atoms of a product, and its coordinates."""
        mine = tuple(a for a in monomial if self._is_coordinate(a))
        return tuple(a for a in monomial if not self._is_coordinate(a)), mine

    def _is_coordinate(self, atom: ir.Expr) -> bool:
        return isinstance(atom, ir.Var) and self.coordinates.counts(atom.symbol)

    def _subscripts(self, m: Map, strides: list[Scale]) -> Subscripts | None:
        """The subscripts, if each stays within its extent."""
        found: dict[Scale, dict[Monomial, int]] = {s: {} for s in strides}
        for monomial, coefficient in m.offset.terms.items():
            uniform, counting = self._apart_in(monomial)
            if len(counting) > 1:
                return None
            stride = next(s for s in strides if s.atoms == scale(1, uniform).atoms)
            found[stride][counting] = coefficient // stride.factor
        subscripts = {s: Polynomial(terms) for s, terms in found.items()}
        for low, high in pairwise(strides):
            extent = high.over(low)
            assert extent is not None
            if not self._within(m, subscripts[low], extent):
                return None
        return subscripts

    def _within(self, m: Map, subscript: Polynomial, extent: Scale) -> bool:
        below = Polynomial({(): -1}) - subscript
        above = subscript - extent.polynomial()
        return self._impossible([*m.conditions, below]) and self._impossible([*m.conditions, above])

    def _apart(self, a: Map, at: Subscripts, b: Map, bt: Subscripts) -> bool:
        """Whether different threads certainly have different subscripts."""
        if any(x[0] != y[0] for x, y in zip(a.thread, b.thread, strict=True)):
            return False
        other = self.coordinates.renamed
        same: list[Polynomial] = []
        for stride, subscript in at.items():
            difference = subscript - other(bt[stride])
            same += [difference, difference.scaled(-1)]
        conditions = [*a.conditions, *(other(c) for c in b.conditions), *same]
        for mine, theirs in zip(a.thread, b.thread, strict=True):
            for x, y in zip(mine[1], theirs[1], strict=True):
                step = x - other(y)
                if not self._impossible([*conditions, step - _ONE]):
                    return False
                if a is not b and not self._impossible([*conditions, step.scaled(-1) - _ONE]):
                    return False
        return True

    # -- integer sets

    def _reduced(self, condition: Polynomial) -> list[Polynomial]:
        """`n * (rows - row) - col - 1 >= 0` says `row < rows` where col is the digit below n."""
        for digits in self.coordinates.digits().values():
            for digit in reversed(digits[1:]):
                quotient = self._quotient(condition, digit.scale, [d for d in digits if digit.scale.over(d.scale)])
                if quotient is not None:
                    return [quotient]
        return [condition]

    def _quotient(self, condition: Polynomial, by: Scale, lower: Sequence[Digit]) -> Polynomial | None:
        whole: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for monomial, coefficient in (condition + Polynomial({(): 1})).terms.items():
            uniform, counting = self._apart_in(monomial)
            worth = scale(abs(coefficient), uniform).over(by)
            if worth is None:
                rest[monomial] = coefficient
                continue
            for m, c in (worth.polynomial() * Polynomial({counting: 1})).terms.items():
                whole[m] = c if coefficient > 0 else -c
        below = [d.scale.polynomial() * _atom(d.symbol) for d in lower if d.scale != by]
        allowed = {m: c for p in below for m, c in p.terms.items()}
        if not rest or any(allowed.get(m) != -c for m, c in rest.items()):
            return None
        return Polynomial(whole) - Polynomial({(): 1})

    def _impossible(self, conditions: Iterable[Polynomial]) -> bool:
        """Whether no values of coordinates and parameters make all the conditions not negative."""
        dims: dict[ir.Symbol, str] = {}
        params: dict[Monomial, str] = {}
        text = [t for c in conditions if (t := self._text(c, dims, params)) is not None]
        for symbol in list(dims):
            digit = self._digits.get(self.coordinates.original(symbol))
            if digit is None:
                continue
            text.append(f"{dims[symbol]} >= 0")
            if digit.extent is not None:
                below = digit.extent.polynomial() - _atom(symbol) - _ONE
                text += [t for t in [self._text(below, dims, params)] if t is not None]
        constraints = " and ".join(text) or "1 = 1"
        return bool(
            isl.Set(f"[{', '.join(params.values())}] -> {{ [{', '.join(dims.values())}] : {constraints} }}").is_empty()
        )

    def _text(self, condition: Polynomial, dims: dict[ir.Symbol, str], params: dict[Monomial, str]) -> str | None:
        """An affine condition for isl; None if it is not affine."""
        terms = []
        for monomial, coefficient in condition.terms.items():
            uniform, counting = self._apart_in(monomial)
            if (counting and (uniform or len(counting) > 1)) or not all(map(self.coordinates.uniform, uniform)):
                return None
            if counting:
                (atom,) = counting
                assert isinstance(atom, ir.Var)
                terms.append(f"{coefficient} * {dims.setdefault(atom.symbol, f'c{len(dims)}')}")
            elif uniform:
                key = tuple(sorted(uniform, key=hash))
                terms.append(f"{coefficient} * {params.setdefault(key, f'p{len(params)}')}")
            else:
                terms.append(str(coefficient))
        return f"{' + '.join(terms) or '0'} >= 0"


def _atom(symbol: ir.Symbol) -> Polynomial:
    return Polynomial({(ir.Var(symbol, span=symbol.span),): 1})
