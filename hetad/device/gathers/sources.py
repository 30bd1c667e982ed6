"""Increments as a gather sees them: which coordinates the cell tells, and which stay free."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.analysis.access_maps import AccessMaps, Map
from hetad.analysis.accesses import Access, Accesses, Definition, Guard
from hetad.analysis.affine import Polynomial, atom, symbols
from hetad.analysis.coordinates import Coordinates
from hetad.analysis.scales import Scale
from hetad.device.accumulation.increments import Increment, increment
from hetad.device.slice import Slice, slice_of
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.identity import Identity
from hetad.ir.types import Array, Int, Pointer
from hetad.ir.visit import walk_expr, walk_exprs


class NoGather(Exception):
    """This increment cannot be gathered."""


@dataclass(frozen=True, slots=True)
class Pivot:
    """A coordinate that a subscript tells: `coordinate = sign * (subscript - rest)`."""

    coordinate: ir.Symbol
    stride: Scale
    sign: int
    rest: Polynomial


@dataclass(frozen=True, slots=True)
class Source:
    """One increment.  `free`: the coordinates that no subscript tells, outermost first."""

    access: Access
    map: Map
    increment: Increment
    subscripts: dict[Scale, Polynomial]
    pivots: tuple[Pivot, ...]
    free: tuple[ir.Symbol, ...]
    slice: Slice
    shift: Polynomial  # of the cell, beside what the subscripts tell
    nested: bool  # different subscripts are different cells

    @property
    def root(self) -> ir.Symbol:
        assert self.access.cell is not None
        return self.access.cell.root

    @property
    def key(self) -> tuple[object, ...]:
        """Sources with one key run over the same points, under the same conditions."""
        around = tuple(Identity(s.statement) for s in self.access.loops)
        guards = tuple((Identity(s.condition), s.holds) for s in self.access.steps if isinstance(s, Guard))
        pivots = tuple((p.coordinate, p.stride, p.sign, frozenset(p.rest.terms.items())) for p in self.pivots)
        return around, guards, pivots, self.free


def source(accesses: Accesses, maps: AccessMaps, access: Access, strides: list[Scale], nested: bool) -> Source:
    """Raises NoGather."""
    found, m = increment(access.statement), maps.map(access)
    if found is None or m is None or access.cell is None:
        raise NoGather
    root = access.cell.root
    if not isinstance(root.type, Pointer) or isinstance(root.type.to, Array):
        raise NoGather
    subscripts = maps.subscripts(m, strides, nested)
    if subscripts is None or any(s.coordinate is None for s in access.loops):
        raise NoGather
    coordinates = maps.coordinates_of(m)
    pivots = _pivots(coordinates, subscripts, maps.threads_of(m))
    told = {p.coordinate for p in pivots}
    clean = frozenset(
        x
        for x, v in access.values.items()
        if isinstance(x.type, Int) and maps.clean(accesses.coordinates.resolved(v), m)
    )
    slice_ = slice_of(access, found.value, clean)
    if slice_ is None:
        raise NoGather
    free = tuple(c for c in coordinates if c not in told)
    return Source(access, m, found, subscripts, pivots, free, slice_, maps.shift(m, strides), nested)


def _pivots(
    coordinates: list[ir.Symbol], subscripts: dict[Scale, Polynomial], threads: frozenset[ir.Symbol]
) -> tuple[Pivot, ...]:
    """One for each subscript that is not a number; threads rather than loops, so that free loops stay loops."""
    pivots: list[Pivot] = []
    for stride, subscript in subscripts.items():
        if subscript.constant is not None:
            continue
        elsewhere = {x for s, other in subscripts.items() if s != stride for x in symbols(other)}
        candidates = [c for c in coordinates if c in symbols(subscript) and c not in elsewhere]
        candidates.sort(key=lambda c: c not in threads)
        for c in candidates:
            parts = subscript.split(var(c))
            slope = parts[0].constant if parts is not None else None
            if parts is not None and slope in (1, -1):
                assert slope is not None
                pivots.append(Pivot(c, stride, slope, parts[1]))
                break
        else:
            raise NoGather
    if not pivots:
        raise NoGather
    return tuple(pivots)


def user_name(coordinates: Coordinates, s: Source, coordinate: ir.Symbol) -> str | None:
    """The user's name for a coordinate, where a variable holds it."""
    for symbol, value in s.access.values.items():
        if coordinates.resolved(value) == atom(coordinate):
            return symbol.name
    return None


def loads(coordinates: Coordinates, s: Source) -> list[dict[ir.Symbol, int | None]]:
    """For each cell of memory that the value depends on, by how much a coordinate moves it; None: not a number."""
    bodies = [step.statement for step in s.slice.steps if isinstance(step, Definition)]
    found = []
    for e in [*walk_exprs(bodies), *walk_expr(s.increment.value)]:
        if isinstance(e, ir.Index) and isinstance(e.base.type, Pointer):
            offset = coordinates.resolved(coordinates.value(e.index, s.access.values))
            steps: dict[ir.Symbol, int | None] = {}
            for monomial, factor in offset.terms.items():
                for a in monomial:
                    if isinstance(a, ir.Var) and coordinates.counts(a.symbol):
                        steps[a.symbol] = factor if len(monomial) == 1 else None
            found.append(steps)
    return found
