"""Access maps: which thread touches which cell.

An access's map goes from its coordinates (thread, loops) to the cell.  The offset of the cell, a polynomial such as
`(z * ny + y) * nx + x`, is taken apart into subscripts `(z, y, x)` at the strides `nx * ny`, `nx` and 1; the guards
prove that each subscript stays below the extent it has, so that different subscripts are different cells.  Then the
subscripts are affine, and whether threads meet is a question of integer sets (`domains.py`, `conflicts.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from hetad.analysis.accesses import Access
from hetad.analysis.affine import UNIT, Monomial, Polynomial, atom, symbols
from hetad.analysis.coordinates import Coordinates, grid_dim
from hetad.analysis.domains import Domains
from hetad.analysis.scales import ONE, Scale, chain, scale
from hetad.ir import nodes as ir
from hetad.ir.facts import part_of_self
from hetad.ir.types import INT

Subscripts = dict[Scale, Polynomial]  # by stride; affine


@dataclass(frozen=True, slots=True)
class Map:
    """The map of an access.  `thread`: per axis, how the thread is told and the coordinates that tell it."""

    access: Access
    offset: Polynomial
    conditions: tuple[Polynomial, ...]  # each is not negative
    thread: tuple[tuple[str, tuple[Polynomial, ...]], ...]


class AccessMaps:
    def __init__(self, coordinates: Coordinates, axes: Iterable[str], known: Iterable[Polynomial] = ()) -> None:
        """`axes`: those along which the launch has threads that differ; `known`: what is not negative in it."""
        self.coordinates = coordinates
        self.axes = tuple(axes)
        self.counts = {a: ir.Symbol(f"threads_{a}", INT, coordinates.span, "param", const=True) for a in self.axes}
        self.domains = Domains(coordinates, known)
        self.map = part_of_self(self._map)

    def _map(self, access: Access) -> Map | None:
        if access.cell is None:
            return None
        resolve = self.coordinates.resolved
        thread = []
        for axis in self.axes:
            told = self._thread(axis, access)
            if told is None:
                return None
            thread.append(told)
        return Map(access, resolve(access.cell.offset), tuple(self.domains.conditions(access.bounds)), tuple(thread))

    def _thread(self, axis: str, access: Access) -> tuple[str, tuple[Polynomial, ...]] | None:
        base = self.coordinates.threads[axis]
        loop = next((x for x in access.loops if x.shared is not None and x.shared[0] == axis), None)
        if loop is None:
            return "thread", self.positions(base)
        assert loop.shared is not None and loop.coordinate is not None
        if loop.shared[1] == "grid":
            return "grid", self.positions(loop.coordinate)
        digits = self.coordinates.digits().get(base, [])
        block = self.coordinates.block(axis)
        if all(d.scale != block for d in digits):
            return None
        upper = tuple(atom(d.symbol) for d in digits if d.scale.over(block) is not None)
        return "block", (*self.positions(loop.coordinate), *upper)

    def positions(self, coordinate: ir.Symbol) -> tuple[Polynomial, ...]:
        """The digits of a coordinate, lowest first."""
        digits = self.coordinates.digits().get(coordinate, [])
        return tuple(atom(d.symbol) for d in digits) or (atom(coordinate),)

    # -- spaces

    def coordinates_of(self, m: Map) -> list[ir.Symbol]:
        """The coordinates of an access, those of the thread first, then those of the loops around it."""
        loops = [x.coordinate for x in m.access.loops if x.shared is None and x.coordinate is not None]
        values = [p for _, told in reversed(m.thread) for p in reversed(told)]
        values += [p for x in loops for p in reversed(self.positions(x))]
        return [symbol for p in values for symbol in symbols(p)]

    def threads_of(self, m: Map) -> frozenset[ir.Symbol]:
        return frozenset(symbol for _, told in m.thread for p in told for symbol in symbols(p))

    def existence(self, m: Map) -> list[Polynomial]:
        """What is not negative for the coordinates of the threads of a launch and of the iterations of the loops."""
        found: list[Polynomial] = []
        for axis, (kind, told) in zip(self.axes, m.thread, strict=True):
            if kind != "grid":
                found += self.domains.digit_ranges(told)
            if kind == "thread":
                found.append(
                    atom(self.counts[axis]) - self.coordinates.resolved(atom(self.coordinates.threads[axis])) - UNIT
                )
            elif kind == "block":
                blocks = Polynomial({(grid_dim(axis, self.coordinates.span),): 1})
                found.append(blocks - self.coordinates.resolved(self.coordinates.block_of(axis)) - UNIT)
        for loop in m.access.loops:
            found += self.domains.conditions(loop.range)
            if loop.shared is None and loop.coordinate is not None and len(self.positions(loop.coordinate)) > 1:
                found += self.domains.digit_ranges(self.positions(loop.coordinate))
        return found

    def clean(self, value: Polynomial, m: Map) -> bool:
        """Whether the value is known wherever the coordinates of the access are."""
        mine = set(self.coordinates_of(m))
        return all(
            a.symbol in mine
            if isinstance(a, ir.Var) and self.coordinates.counts(a.symbol)
            else self.coordinates.uniform(a)
            for monomial in value.terms
            for a in monomial
        )

    # -- subscripts

    def strides(self, maps: Sequence[Map], nested: bool = True) -> list[Scale] | None:
        """What the coordinates are multiplied by in the offsets, ascending; `nested`: each divides the next."""
        factors: dict[Monomial, int] = {}
        for m in maps:
            for monomial, coefficient in m.offset.terms.items():
                stride, counting = self.domains.split(monomial)
                if counting:
                    factors[stride] = gcd(factors.get(stride, 0), coefficient)
        for m in maps:  # a distance of several strides is one in subscripts
            for monomial, coefficient in m.offset.terms.items():
                stride, _ = self.domains.split(monomial)
                if stride in factors:
                    factors[stride] = gcd(factors[stride], coefficient)
        scales = {scale(1 if not atoms else factor, atoms) for atoms, factor in factors.items()} | {ONE}
        if not all(self.coordinates.uniform(a) for s in scales for a, _ in s.atoms):
            return None
        return chain(scales) if nested else sorted(scales, key=lambda s: (s.degree, s.factor, s.text))

    def shift(self, m: Map, strides: list[Scale]) -> Polynomial:
        """What is added to the offset whatever the subscripts are."""
        known = {s.atoms for s in strides}
        return Polynomial(
            {t: c for t, c in m.offset.terms.items() if scale(1, self.domains.split(t)[0]).atoms not in known}
        )

    def subscripts(self, m: Map, strides: list[Scale], nested: bool = True) -> Subscripts | None:
        """The subscripts; `nested`: if each stays within its extent, so that different ones are different cells."""
        found: dict[Scale, dict[Monomial, int]] = {s: {} for s in strides}
        for monomial, coefficient in m.offset.terms.items():
            uniform, counting = self.domains.split(monomial)
            stride = next((s for s in strides if s.atoms == scale(1, uniform).atoms), None)
            if len(counting) > 1 or not all(map(self.coordinates.uniform, uniform)):
                return None
            if stride is None:
                continue  # a part of the shift
            found[stride][counting] = coefficient // stride.factor
        subscripts = {s: Polynomial(terms) for s, terms in found.items()}
        for low, high in pairwise(strides) if nested else ():
            extent = high.over(low)
            assert extent is not None
            if not self._within(m, subscripts[low], extent):
                return None
        return subscripts

    def whole(self, m: Map) -> Subscripts | None:
        """The offset as one subscript, whatever is added to it."""
        affine = all(len(self.domains.split(t)[1]) <= 1 for t in m.offset.terms)
        return {ONE: m.offset} if affine and self.clean(m.offset, m) else None

    def _within(self, m: Map, subscript: Polynomial, extent: Scale) -> bool:
        below = Polynomial({(): -1}) - subscript
        above = subscript - extent.polynomial()
        if not self.domains.is_empty([*m.conditions, below]):
            return False
        if self.domains.is_empty([*m.conditions, above]) or self.domains.would_be_empty(m.conditions, above):
            return True
        launched = [*m.conditions, *self._launched(m)]
        return self.domains.is_empty([*launched, above]) or self.domains.would_be_empty(launched, above)

    def _launched(self, m: Map) -> list[Polynomial]:
        """That there are no more threads than are launched, along axes where it is known how large blocks are."""
        found = []
        for axis, (kind, told) in zip(self.axes, m.thread, strict=True):
            size = self.coordinates.block(axis)
            if kind == "thread" and len(told) == 1 and not size.atoms:
                threads = size.polynomial() * Polynomial({(grid_dim(axis, self.coordinates.span),): 1})
                found.append(threads - told[0] - UNIT)
        return found
