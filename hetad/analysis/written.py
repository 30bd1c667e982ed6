"""Which cells a kernel may write through a pointer parameter, where two expressions over its other parameters tell.

The offset of a store, a polynomial over coordinates and uniform values, lies between its values at the ends of the
coordinates: what the guards, the loops and the extents of the launch leave of each of them.  What is taken for
positive there, such as the distance between rows, is handed on as a condition, unless the guards imply it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetad.analysis.access_maps import AccessMaps, Map
from hetad.analysis.accesses import Accesses
from hetad.analysis.affine import UNIT, Monomial, Polynomial
from hetad.analysis.coordinates import AXES, Coordinates, grid_dim
from hetad.analysis.effects import Effects
from hetad.analysis.pointer_expressions import pointee
from hetad.analysis.pointers import Root, points_to
from hetad.ir import nodes as ir
from hetad.ir.facts import lasting
from hetad.ir.identity import IdentityMap
from hetad.ir.types import Int, Pointer
from hetad.ir.visit import own_nodes, walk_expr, walk_stmts
from hetad.rules import callees

Ends = tuple[Polynomial | None, Polynomial | None]  # None: not known
_DEPTH = 4  # of bounds that lead to other bounds


@dataclass(frozen=True, slots=True)
class Written:
    """The elements from the least of `first` to the greatest of `last`, counted from the pointer, where none of
    `positive` is negative.  `threads`: what stands for the number of threads along an axis."""

    first: tuple[Polynomial, ...]
    last: tuple[Polynomial, ...]
    positive: tuple[Polynomial, ...]
    threads: Mapping[ir.Symbol, str]


def written_cells(kernel: ir.Function) -> dict[int, Written]:
    """By position, for the pointer parameters through which all stores are known."""
    known = known_stores(kernel)
    if known is None:
        return {}
    found: dict[int, Written] = {}
    for position, p in enumerate(kernel.params):
        written = united(known[0], known[1][p]) if p in known[1] and isinstance(p.type, Pointer) else None
        if written is not None:
            found[position] = written
    return found


def _find_known_stores(kernel: ir.Function) -> tuple[AccessMaps, dict[ir.Symbol, list[Map | None]]] | None:
    stores = _stores(kernel)
    if stores is None:
        return None
    accesses = Accesses(kernel.body, kernel.span, lambda s: stores.get(s, ()))
    if _reads_changed_numbers(kernel, accesses.coordinates):
        return None
    maps = AccessMaps(accesses.coordinates, AXES)
    known: dict[ir.Symbol, list[Map | None]] = {}
    for access in accesses.all:
        if access.cell is None:
            return None
        known.setdefault(access.cell.root, []).append(maps.map(access))
    return maps, known


# The access maps of the stores through each parameter; None if there are others.
known_stores = lasting(_find_known_stores)


def _stores(kernel: ir.Function) -> IdentityMap[ir.Stmt, tuple[ir.Place, ...]] | None:
    """The places behind pointers that each statement writes; None if that is not known of all."""
    effects = Effects(points_to(kernel), {})
    found = IdentityMap[ir.Stmt, tuple[ir.Place, ...]]()
    for s in walk_stmts(kernel.body):
        if not any(isinstance(x, Root) for x in effects.writes(s)):
            continue
        match s:
            case ir.Assign(target=target) | ir.Update(target=target):
                found[s] = (target,)
            case ir.Call(function=name, args=(pointer, *_), result=result) if callees.kind(name) == "atomic":
                if result is not None and not isinstance(result, ir.Var):
                    return None
                place = pointee(pointer)
                if place is None:
                    return None
                found[s] = (place,)
            case _:
                return None
    return found


def _reads_changed_numbers(kernel: ir.Function, coordinates: Coordinates) -> bool:
    """Whether integers come from memory that it writes, at a fixed place: later they may be others."""
    effects = Effects(points_to(kernel), {})
    written = {x for s in walk_stmts(kernel.body) for x in effects.writes(s) if isinstance(x, Root)}
    return any(
        isinstance(load, ir.Index)
        and load is not getattr(s, "target", None)
        and coordinates.uniform(load)
        and not written.isdisjoint(effects.pointers.storage(load))
        for s in walk_stmts(kernel.body)
        for e in own_nodes(s)
        if isinstance(e.type, Int)
        for load in walk_expr(e)
    )


def united(maps: AccessMaps, stores: list[Map | None]) -> Written | None:
    """What these stores may write together."""
    first: dict[frozenset[tuple[Monomial, int]], Polynomial] = {}
    last: dict[frozenset[tuple[Monomial, int]], Polynomial] = {}
    positive: dict[frozenset[tuple[Monomial, int]], Polynomial] = {}
    for m in stores:
        ends = _Extent(maps, m) if m is not None else None
        found = ends.of(m.offset) if m is not None and ends is not None else None
        if found is None or ends is None:
            return None
        first.setdefault(_key(found[0]), found[0])
        last.setdefault(_key(found[1]), found[1])
        positive.update({_key(p): p for p in ends.positive})
    threads = {symbol: axis for axis, symbol in maps.counts.items()}
    return Written(_least(first.values()), _least(last.values(), -1), tuple(positive.values()), threads)


def _key(value: Polynomial) -> frozenset[tuple[Monomial, int]]:
    return frozenset(value.terms.items())


def _least(values: object, sign: int = 1) -> tuple[Polynomial, ...]:
    """Without those that are greater than another by a number."""
    kept: list[Polynomial] = []
    for value in values:  # type: ignore[attr-defined]
        gaps = [(value - other).scaled(sign).constant for other in kept]
        if any(g is not None and g >= 0 for g in gaps):
            continue
        kept = [k for k, g in zip(kept, gaps, strict=True) if g is None] + [value]
    return tuple(kept)


class _Extent:
    """The ends of values at one store.  `positive`: what they rely on."""

    def __init__(self, maps: AccessMaps, m: Map) -> None:
        self.maps = maps
        coordinates = maps.coordinates
        blocks = [
            Polynomial({(grid_dim(a, coordinates.span),): 1}) - coordinates.resolved(coordinates.block_of(a)) - UNIT
            for a in AXES
        ]
        self.conditions = [*m.conditions, *maps.existence(m), *blocks]
        self.positive: list[Polynomial] = []
        for digits in coordinates.digits().values():  # division by a negative number has no such digits
            for digit in digits:
                self._rely_on(tuple(atom for atom, _ in digit.scale.atoms), proven=False)

    def of(self, value: Polynomial) -> tuple[Polynomial, Polynomial] | None:
        low, high = self._ends(value, _DEPTH)
        return (low, high) if low is not None and high is not None else None

    def _ends(self, value: Polynomial, depth: int) -> Ends:
        if self._is_uniform(value):
            return value, value
        if not depth:
            return None, None
        low, high = self._by_coordinates(value, depth)
        # c >= 0 says that value <= value + c, and value >= value - c.
        below = (value - c for c in self.conditions)
        above = (value + c for c in self.conditions)
        low = low if low is not None else next(filter(self._is_uniform, below), None)
        high = high if high is not None else next(filter(self._is_uniform, above), None)
        return low, high

    def _is_uniform(self, value: Polynomial) -> bool:
        return all(self.maps.coordinates.uniform(a) for m in value.terms for a in m)

    def _by_coordinates(self, value: Polynomial, depth: int) -> Ends:
        low: Polynomial | None = Polynomial({})
        high: Polynomial | None = Polynomial({})
        for monomial, coefficient in value.terms.items():
            uniform, counting = self.maps.domains.split(monomial)
            factor = Polynomial({uniform: coefficient})
            if not self._is_uniform(factor) or len(counting) > 1:
                return None, None
            lower, upper = self._coordinate(counting[0], depth) if counting else (UNIT, UNIT)
            if counting:
                self._rely_on(uniform)
            if coefficient < 0 and counting:
                lower, upper = upper, lower
            low = low + factor * lower if low is not None and lower is not None else None
            high = high + factor * upper if high is not None and upper is not None else None
        return low, high

    def _coordinate(self, atom: ir.Expr, depth: int) -> Ends:
        """The ends of a coordinate: what its own conditions say, the guards' before the launch's."""
        low: Polynomial | None = None
        high: Polynomial | None = None
        for condition in self.conditions:
            slope = condition.terms.get((atom,), 0)
            rest = Polynomial({m: c for m, c in condition.terms.items() if m != (atom,)})
            if abs(slope) != 1 or any(atom in m for m in rest.terms):
                continue
            if slope == 1 and low is None:
                low = self._ends(rest.scaled(-1), depth - 1)[0]
            elif slope == -1 and high is None:
                high = self._ends(rest, depth - 1)[1]
        return low, high

    def _rely_on(self, uniform: Monomial, proven: bool = True) -> None:
        """Takes a factor for positive: each part of it has to be so, if the conditions do not say it."""
        for atom in uniform:
            if isinstance(atom, ir.ThreadIndex) or (isinstance(atom.type, Int) and not atom.type.signed):
                continue
            value = Polynomial({(atom,): 1})
            if not (proven and self.maps.domains.implied(value, self.conditions)):
                self.positive.append(value)
