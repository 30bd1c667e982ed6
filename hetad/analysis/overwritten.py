"""Which cells a kernel certainly overwrites: all from a first to a last one, or an interior between them.

`written.py` says between which ends a kernel may write.  Here it is proven that no cell between them stays as it was,
or none of the interior, under conditions that a launch tells.  The offset of a store is taken apart into subscripts at
strides of which each divides the next, and a point of the box of all subscripts (`hyper_rectangles.py`) is a cell of
the interval.  That each point is met by some store in some thread and iteration, under *all* conditions around the
store, is a question of integer sets (`Domains.lacking_for`), whose answer may be what the launch has to fulfil: that
there are as many threads as a guard lets pass.

A condition of which nothing is known, on a flag in memory, stands in the way unless both of its branches store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import gcd

from hetad.analysis.access_maps import AccessMaps, Map
from hetad.analysis.accesses import Guard, Loop
from hetad.analysis.affine import UNIT, Monomial, Polynomial
from hetad.analysis.coordinates import grid_dim
from hetad.analysis.hyper_rectangles import Gap, interior, whole_rows
from hetad.analysis.integer_sets import NOWHERE, all_of, exists, some_of
from hetad.analysis.scales import Scale, chain, scale
from hetad.analysis.written import Written, known_stores, united
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.identity import IdentityMap
from hetad.ir.printer import expr_text
from hetad.ir.types import Pointer, Struct, Type, innermost

_MOST = 32  # stores that are looked at


@dataclass(frozen=True, slots=True)
class Overwritten:
    """The elements from `first` to `last`, counted from the pointer, but those in `gaps`, where none of `conditions` is
    negative: the kernel writes each of these, and none outside of the ends.  `threads`: what stands for the number of
    threads along an axis."""

    first: Polynomial
    last: Polynomial
    conditions: tuple[Polynomial, ...]
    threads: Mapping[ir.Symbol, str]
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class _Store:
    """A store, and what is around it from the outside in.  It happens for all coordinates that fulfil this and
    `conditions`, in a launch where none of `needed` is negative."""

    map: Map
    path: tuple[str, ...]  # of fields, to what it stores
    around: tuple[Loop | Guard, ...]
    conditions: tuple[Polynomial, ...]
    needed: tuple[Polynomial, ...]


def overwritten_cells(kernel: ir.Function) -> dict[int, Overwritten]:
    """By position, for pointer parameters."""
    known = known_stores(kernel)
    if known is None:
        return {}
    maps, stores = known
    found: dict[int, Overwritten] = {}
    for position, p in enumerate(kernel.params):
        if not isinstance(p.type, Pointer) or not 0 < len(stores.get(p, ())) <= _MOST:
            continue
        written = united(maps, stores[p])
        reached = [m for m in stores[p] if m is not None]
        counted = {x for m in reached for c in _deciding(maps, m) for x in _coordinates(maps, c)}
        certain = [x for m in reached if (x := _store(maps, m, counted)) is not None]
        whole = _whole(maps, written, certain, p.type.to) if written is not None else None
        if whole is not None:
            found[position] = whole
    return found


def _whole(maps: AccessMaps, written: Written, stores: Sequence[_Store], held: Type) -> Overwritten | None:
    """All that may be written, if each field of each element is."""
    parts: list[Overwritten] = []
    for path in _fields(innermost(held), ()):
        found = _covered(maps, written, [s for s in stores if path[: len(s.path)] == s.path])
        if found is None or (parts and found.gaps != parts[0].gaps):
            return None
        parts.append(found)
    conditions = _strictest([c for part in parts for c in part.conditions])
    return replace(parts[0], conditions=conditions) if parts else None


def _fields(type_: Type, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The paths to the numbers and pointers in a value."""
    if isinstance(type_, Struct):
        return [found for f in type_.fields for found in _fields(f.type, (*path, f.name))]
    return [path]


# -- what is known of a store


def _store(maps: AccessMaps, m: Map, counted: AbstractSet[ir.Symbol]) -> _Store | None:
    """`counted`: the coordinates that any of the stores depends on."""
    access = m.access
    if not isinstance(access.statement, ir.Assign) or access.cell is None:
        return None
    around = tuple(_known(maps, m, s) for s in access.steps if isinstance(s, Loop | Guard))
    if any(x.coordinate is None for x in access.loops) or _divided_by_unknown(around):
        return None
    told = [c for x in access.loops for c in maps.domains.conditions(x.range)]
    if not all(maps.clean(c, m) for c in (m.offset, *told)):
        return None
    told += [
        c for s in around if isinstance(s, Guard) and len(s.cases) == 1 for c in maps.domains.conditions(s.cases[0])
    ]
    conditions = maps.domains.digit_ranges(p for _, positions in m.thread for p in positions)
    needed: list[Polynomial] = []
    for axis, (kind, positions) in zip(maps.axes, m.thread, strict=True):
        if kind == "grid" or counted.isdisjoint(x for p in positions for x in _coordinates(maps, p)):
            continue
        exists = _exists(maps, m, axis, kind, counted)
        least = _least(maps, exists, [*told, *conditions]) if exists is not None else None
        if exists is not None and maps.domains.text(exists, {}, {}) is not None:
            conditions.append(exists)
        elif least is not None:
            needed.append(least)
        else:
            return None
    return _Store(m, access.cell.path, around, tuple(conditions), tuple(needed))


def _deciding(maps: AccessMaps, m: Map) -> Iterator[Polynomial]:
    """What decides where the store goes, and whether it runs: either of two conditions bounds nothing by itself."""
    yield m.offset
    yield from m.conditions
    for step in m.access.steps:
        for case in step.cases if isinstance(step, Guard) else ():
            yield from maps.domains.conditions(case)


def _known(maps: AccessMaps, m: Map, step: Loop | Guard) -> Loop | Guard:
    """The step, with cases only where each of them is known from the coordinates of the store."""
    if isinstance(step, Loop) or all(maps.clean(c, m) for case in step.cases for c in maps.domains.conditions(case)):
        return step
    return replace(step, cases=())


def _divided_by_unknown(around: Sequence[Loop | Guard]) -> bool:
    """Whether threads share the iterations of a loop that not all of them may reach."""
    unknown = False
    for s in around:
        if isinstance(s, Guard):
            unknown = unknown or not s.cases
        elif s.shared is not None and unknown:
            return True
    return False


def _exists(maps: AccessMaps, m: Map, axis: str, kind: str, counted: AbstractSet[ir.Symbol]) -> Polynomial | None:
    """What is not negative where the launch has such a thread along the axis: one whose other digits are zero."""
    coordinates = maps.coordinates
    block = coordinates.resolved(coordinates.block_of(axis))
    if maps.clean(block, m):
        there = Polynomial({(grid_dim(axis, coordinates.span),): 1})
    elif kind == "thread":
        block = coordinates.resolved(Polynomial({(var(coordinates.threads[axis]),): 1}))
        there = Polynomial({(var(maps.counts[axis]),): 1})
    else:
        return None
    told = {t: c for t, c in block.terms.items() if counted >= set(_coordinates(maps, Polynomial({t: c})))}
    return there - Polynomial(told) - UNIT


def _least(maps: AccessMaps, condition: Polynomial, known: Sequence[Polynomial]) -> Polynomial | None:
    """The least value of a condition that falls with all its coordinates, each of which has a uniform bound."""
    for x in _coordinates(maps, condition):
        parts = condition.split(var(x))
        if parts is None or maps.coordinates.scale(parts[0].scaled(-1)) is None:
            return None
        highest = next((h for k in known if (h := _highest(maps, x, k)) is not None), None)
        if highest is None:
            return None
        condition = parts[1] + parts[0] * highest
    return condition


def _highest(maps: AccessMaps, x: ir.Symbol, condition: Polynomial) -> Polynomial | None:
    """The bound of a coordinate from above, if that is what the condition says."""
    parts = condition.split(var(x))
    if parts is None or parts[0].constant != -1 or _coordinates(maps, parts[1]):
        return None
    return parts[1]


# -- what they cover together


def _covered(maps: AccessMaps, written: Written, stores: Sequence[_Store]) -> Overwritten | None:
    """All that may be written, if these stores meet each element."""
    if not stores:
        return None
    first, last = _outermost(written.first, 1), _outermost(written.last, -1)
    strides = _strides(maps, [s.map for s in stores])
    if first is None or last is None or strides is None:
        return None
    shift = maps.shift(stores[0].map, strides)
    if any(maps.shift(s.map, strides) != shift for s in stores):
        return None
    differences = [p - first for p in written.first] + [last - p for p in written.last]
    atoms = _positive_atoms(maps, strides, differences)
    threads = {symbol: axis for axis, symbol in maps.counts.items()}
    whole, inner = (made(strides, first - shift, last - shift) for made in (whole_rows, interior))
    for box in [whole] if inner == whole else [whole, inner]:
        if box is None:
            continue
        given = [*written.positive, *(n for s in stores for n in s.needed), *box.conditions]
        given += [Polynomial({(a,): 1}) - UNIT for a in atoms if not isinstance(a, ir.ThreadIndex)]
        products = [t for pair in box.ends for end in pair for t in end.terms if t and all(a in atoms for a in t)]
        context = [*given, *(Polynomial({t: 1}) - UNIT for t in products), box.ends[-1][1] - box.ends[-1][0] - UNIT]
        lacking = _Question(maps, strides).lacking(stores, box.ends, context)
        if lacking is not None:
            return Overwritten(first, last, _strictest([*given, *lacking]), threads, box.gaps)
    return None


def _strictest(conditions: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
    """Of those that differ by a number the one that says most."""
    found: dict[frozenset[tuple[Monomial, int]], Polynomial] = {}
    for c in conditions:
        key = frozenset((t, k) for t, k in c.terms.items() if t)
        known = found.get(key)
        if known is None or c.terms.get((), 0) < known.terms.get((), 0):
            found[key] = c
    return tuple(found.values())


class _Question:
    """Whether each point of a box is met, in the words of isl."""

    def __init__(self, maps: AccessMaps, strides: list[Scale]) -> None:
        self.maps, self.domains, self.strides = maps, maps.domains, strides
        self.point = [f"v{k}" for k in range(len(strides))]
        self.dims: dict[ir.Symbol, str] = {}
        self.params: dict[Monomial, str] = {}
        self._bound: set[ir.Symbol] = set()  # by loops

    def lacking(
        self,
        stores: Sequence[_Store],
        box: Sequence[tuple[Polynomial, Polynomial]],
        given: Sequence[Polynomial],
    ) -> list[Polynomial] | None:
        reached = self._reached([(s, s.around) for s in stores])
        free = [name for symbol, name in self.dims.items() if symbol not in self._bound]
        inside = exists(free, reached)
        limits: list[str] = []
        for name, (first, end) in zip(self.point, box, strict=True):
            low, high = (self.domains.sum_text(p, {}, self.params) for p in (first, end))
            if low is None or high is None:
                return None
            limits.append(f"{low} <= {name} < {high}")
        known = [t for g in given if (t := self.domains.text(g, {}, self.params)) is not None]
        return self.domains.lacking_for(self.point, all_of(limits), inside, all_of(known), list(self.params))

    def _reached(self, stores: Sequence[tuple[_Store, tuple[Loop | Guard, ...]]]) -> str:
        """Where the point is met by one of the stores, each with what is around it here."""
        found = [self._met(s) for s, around in stores if not around]
        inner = IdentityMap[ir.Stmt | ir.Expr, list[tuple[_Store, tuple[Loop | Guard, ...]]]]()
        for s, around in stores:
            if around:
                step = around[0]
                node = step.statement if isinstance(step, Loop) else step.condition
                inner.setdefault(node, []).append((s, around))
        for group in inner.values():
            step = group[0][1][0]
            found.append(self._looped(step, group) if isinstance(step, Loop) else self._guarded(group))
        return some_of(found)

    def _met(self, s: _Store) -> str:
        at = self.maps.subscripts(s.map, self.strides, nested=False)
        if at is None:
            return NOWHERE
        told = [self.domains.text(c, self.dims, self.params) for c in s.conditions]
        values = [self.domains.sum_text(at[stride], self.dims, self.params) for stride in self.strides]
        same = [f"{v} = {x}" for v, x in zip(self.point, values, strict=True) if x is not None]
        return all_of([*told, *(same if len(same) == len(values) else [None])])

    def _looped(self, loop: Loop, group: Sequence[tuple[_Store, tuple[Loop | Guard, ...]]]) -> str:
        assert loop.coordinate is not None
        positions = self.maps.positions(loop.coordinate)
        mine = [x for p in positions for x in _coordinates(self.maps, p)]
        self._bound.update(mine)
        conditions = [*self.domains.conditions(loop.range), *self.domains.digit_ranges(positions)]
        told = all_of([self.domains.text(c, self.dims, self.params) for c in conditions])
        body = self._reached([(s, around[1:]) for s, around in group])
        names = [self.dims[x] for x in mine if x in self.dims]
        return exists(names, all_of([told, body]))

    def _guarded(self, group: Sequence[tuple[_Store, tuple[Loop | Guard, ...]]]) -> str:
        """Behind a condition.  Where nothing is known of it, both branches have to meet the point."""
        branches: list[str] = []
        known: list[str] = []
        for holds in (True, False):
            taken = [(s, around) for s, around in group if isinstance(around[0], Guard) and around[0].holds == holds]
            branches.append(self._reached([(s, around[1:]) for s, around in taken]))
            cases = taken[0][1][0].cases if taken and isinstance(taken[0][1][0], Guard) else ()
            for case in cases:
                told = all_of([self.domains.text(c, self.dims, self.params) for c in self.domains.conditions(case)])
                known.append(all_of([told, branches[-1]]))
        return some_of(known) if known else all_of(branches)


def _positive_atoms(maps: AccessMaps, strides: Sequence[Scale], gaps: Sequence[Polynomial]) -> list[ir.Expr]:
    """What has to be positive for the subscripts, and for the gaps between ends, to mean what is said of them."""
    scales = [*strides, *(d.scale for digits in maps.coordinates.digits().values() for d in digits)]
    atoms = [a for s in scales for a, _ in s.atoms] + [a for gap in gaps for t in gap.terms for a in t]
    return sorted(dict.fromkeys(atoms), key=expr_text)


def _outermost(ends: Sequence[Polynomial], sign: int) -> Polynomial | None:
    """The least of several ends, or with the other sign the greatest, where what the gaps consist of is positive."""
    for end in ends:
        if all(_never_negative((other - end).scaled(sign)) for other in ends):
            return end
    return None


def _never_negative(gap: Polynomial) -> bool:
    """Where its atoms are positive integers: least where they are all one."""
    return all(c >= 0 for t, c in gap.terms.items() if t) and sum(gap.terms.values()) >= 0


def _strides(maps: AccessMaps, stores: Sequence[Map]) -> list[Scale] | None:
    """Those of the subscripts, and the distances between stores: `u[i]` and `u[i + n]` are two rows."""
    strides = maps.strides(stores)
    if strides is None:
        return None
    known = {s.atoms for s in strides}
    apart: dict[frozenset[tuple[ir.Expr, int]], Scale] = {}
    for gap in (m.offset - stores[0].offset for m in stores):
        for monomial, coefficient in gap.terms.items():
            distance = scale(abs(coefficient), monomial)
            if not maps.domains.split(monomial)[1] and distance.atoms not in known:
                before = apart.get(distance.atoms, Scale(0))
                apart[distance.atoms] = Scale(gcd(before.factor, distance.factor), distance.atoms)
    return chain({*strides, *apart.values()})


def _coordinates(maps: AccessMaps, value: Polynomial) -> list[ir.Symbol]:
    found = (a.symbol for t in value.terms for a in t if isinstance(a, ir.Var))
    return [x for x in dict.fromkeys(found) if maps.coordinates.counts(x)]
