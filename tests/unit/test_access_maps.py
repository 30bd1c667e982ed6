"""Access maps of kernels whose indices are drawn, against what these do in small launches: where they store, under
which bounds, whether threads meet, which cells are overwritten.

How much is proven is counted, too: as many proofs as when this was written, or more."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

import hetad
from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Access, Accesses, Guard
from hetad.analysis.affine import Polynomial
from hetad.analysis.conflicts import Conflicts
from hetad.analysis.overwritten import Overwritten, overwritten_cells
from hetad.analysis.scales import Scale
from hetad.analysis.written import written_cells
from hetad.ir import nodes as ir
from hetad.ir.places import base
from hetad.pipeline import normalized, reach
from tests.indices import LAUNCHES, SIZES, Extent, Hit, Kernel, kernels, met

PARTS = 12
EACH = 25
CASES = [(sizes, launch) for sizes in SIZES for launch in LAUNCHES]
# By part, the proofs that threads are apart, that they are where conditions hold, that no cell is met twice; and the
# launches of which it is known which cells are overwritten.
APART = (4, 12, 10, 15, 7, 8, 6, 14, 11, 12, 12, 11)
APART_WHERE = (5, 4, 3, 2, 1, 0, 1, 5, 1, 3, 2, 5)
ONCE = (4, 10, 8, 13, 7, 7, 4, 12, 10, 11, 10, 9)
OVERWRITTEN = (20, 36, 10, 53, 2, 10, 4, 32, 36, 16, 0, 48)


class Unknown(Exception):
    pass


@dataclass(frozen=True)
class Place:
    """A point of a launch, at which polynomials have values."""

    sizes: Mapping[str, int]
    launch: tuple[Extent, Extent]
    coordinates: Mapping[ir.Symbol, int]
    accesses: Accesses | None = None
    uniform: int | None = None  # a variable that is one

    def value(self, p: Polynomial) -> int:
        return sum(c * math.prod(self.of(a) for a in m) for m, c in p.terms.items())

    def known(self, p: Polynomial) -> int | None:
        """The value; None if there is something in it of which nothing is known."""
        try:
            return self.value(p)
        except Unknown:
            return None

    def scale(self, s: Scale) -> int:
        return self.value(s.polynomial())

    def of(self, e: ir.Expr) -> int:
        match e:
            case ir.Const():
                return int(e.value)
            case ir.ThreadIndex(name="gridDim" | "blockDim" as name, axis=axis):
                return ((*self.launch[name == "blockDim"], 1))["xyz".index(axis)]
            case ir.Cast(operand=operand):
                return self.of(operand)
            case ir.Binary(op="/", left=left, right=right):
                return self.of(left) // self.of(right)
            case ir.Var(symbol=symbol) if symbol in self.coordinates:
                return self.coordinates[symbol]
            case ir.Var(symbol=symbol) if self.accesses is not None and symbol in self.accesses.coordinates.parts:
                part = self.accesses.coordinates.parts[symbol]
                found = self.of(ir.Var(part.base, span=e.span)) // self.scale(part.low)
                return found if part.high is None else found % (self.scale(part.high) // self.scale(part.low))
            case ir.Var(symbol=symbol) if symbol.name == "w" and self.uniform is not None:
                return self.uniform
            case ir.Var(symbol=symbol) if symbol.name in self.sizes and symbol.storage == "param":
                return self.sizes[symbol.name]
        raise Unknown(e)


@dataclass
class Subject:
    kernel: Kernel
    function: ir.Function
    accesses: Accesses
    axes: dict[str, int]  # those that the kernel tells threads apart by, and where a hit has them

    @property
    def stores(self) -> list[Access]:
        return self.accesses.all


@functools.cache
def subjects(part: int) -> list[Subject]:
    drawn = kernels(EACH, part)
    unit = hetad.loads("".join(k.cuda for k in drawn)).unit
    found = []
    for kernel in drawn:
        function = normalized(reach(unit, kernel.name)).functions[kernel.name]
        output = function.params[0]

        def touched(s: ir.Stmt, output: ir.Symbol = output) -> list[ir.Place]:
            return [s.target] if isinstance(s, ir.Assign) and base(s.target) is output else []

        axes = {"x": 0, "y": 1} if "threadIdx.y" in kernel.cuda else {"x": 0}
        found.append(Subject(kernel, function, Accesses(function.body, function.span, touched), axes))
    return found


def launches(subject: Subject) -> Iterator[tuple[dict[str, int], tuple[Extent, Extent], list[Hit]]]:
    """Those along whose other axis there is one thread, as proofs take it to be."""
    for sizes, launch in CASES:
        if "y" not in subject.axes:
            launch = ((launch[0][0], 1), (launch[1][0], 1))
        yield dict(zip("nms", sizes, strict=True)), launch, subject.kernel.hits(sizes, launch)


def at(subject: Subject, hit: Hit, sizes: Mapping[str, int], launch: tuple[Extent, Extent]) -> Place:
    access = subject.stores[hit.store]
    threads = subject.accesses.coordinates.threads
    values = {threads[axis]: hit.thread[number] for axis, number in subject.axes.items()}
    for loop, (index, number) in zip(access.loops, hit.loops, strict=True):
        if loop.coordinate is not None:
            direct = loop.value == Polynomial({(ir.Var(loop.coordinate, span=loop.statement.span),): 1})
            values[loop.coordinate] = index if direct else number
    return Place(sizes, launch, values, subject.accesses, subject.kernel.uniform(sizes))


@pytest.mark.parametrize("part", range(PARTS))
def test_offsets_and_bounds(part: int) -> None:
    """An offset is the cell, and no bound is negative where the store runs; nor all cases of a guard."""
    for subject in subjects(part):
        assert len(subject.stores) == subject.kernel.stores
        for sizes, launch, hits in launches(subject):
            for hit in hits:
                access, place = subject.stores[hit.store], at(subject, hit, sizes, launch)
                assert access.cell is not None
                said = place.known(access.cell.offset)
                assert said in (hit.cell, None), (subject.kernel.cuda, sizes, launch, hit)
                assert said is not None or subject.kernel.is_opaque, subject.kernel.cuda
                for bound in access.bounds:
                    assert (place.known(bound) or 0) >= 0, (subject.kernel.cuda, sizes, launch, hit, bound)
                for guard in access.steps:
                    if isinstance(guard, Guard) and guard.cases:
                        assert any(all((place.known(p) or 0) >= 0 for p in case) for case in guard.cases)


def conflicts(subject: Subject) -> Conflicts:
    return Conflicts(AccessMaps(subject.accesses.coordinates, subject.axes))


def holds(
    subject: Subject, conditions: list[Polynomial], sizes: Mapping[str, int], launch: tuple[Extent, Extent]
) -> bool:
    place = Place(sizes, launch, {}, None, subject.kernel.uniform(sizes))
    return all(place.value(p) >= 0 for p in conditions)


@pytest.mark.parametrize("part", range(PARTS))
def test_threads_that_are_said_to_be_apart_do_not_meet(part: int) -> None:
    proven = Counter[str]()
    for subject in subjects(part):
        for stores in ([s] for s in range(subject.kernel.stores)) if subject.kernel.stores == 1 else ([0], [1], [0, 1]):
            found = conflicts(subject)
            mine = [subject.stores[s] for s in stores]
            apart, lacking = found.exclusive(mine), found.lacking(mine)
            proven["apart"] += apart
            proven["lacking"] += bool(lacking)
            if not (apart or lacking):
                continue
            for sizes, launch, hits in launches(subject):
                if holds(subject, [*subject.accesses.coordinates.assumed, *([] if apart else lacking)], sizes, launch):
                    kept = [hit for hit in hits if hit.store in stores]
                    assert not met(kept, subject.axes), (subject.kernel.cuda, stores, sizes, launch, lacking)
    assert proven["apart"] >= APART[part]
    assert proven["lacking"] >= APART_WHERE[part]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_cell_is_met_twice_where_it_is_said(part: int) -> None:
    proven = 0
    for subject in subjects(part):
        for number, store in enumerate(subject.stores):
            found = conflicts(subject)
            m = found.maps.map(store)
            if m is None or not found.injective(m):
                continue
            proven += 1
            for sizes, launch, hits in launches(subject):
                if holds(subject, list(subject.accesses.coordinates.assumed), sizes, launch):
                    cells = Counter(hit.cell for hit in hits if hit.store == number)
                    assert max(cells.values(), default=0) <= 1, (subject.kernel.cuda, number, sizes, launch)
    assert proven >= ONCE[part]


def threads_of(counts: Mapping[ir.Symbol, str], launch: tuple[Extent, Extent]) -> dict[ir.Symbol, int]:
    """How many threads a launch has along axes."""
    along = {axis: grid * block for axis, grid, block in zip("xyz", (*launch[0], 1), (*launch[1], 1), strict=True)}
    return {symbol: along[axis] for symbol, axis in counts.items()}


def overwritten(
    subject: Subject, cells: Overwritten, sizes: Mapping[str, int], launch: tuple[Extent, Extent]
) -> set[int] | None:
    """The cells that are said to be overwritten, if this is said of the launch."""
    place = Place(sizes, launch, threads_of(cells.threads, launch), None, subject.kernel.uniform(sizes))
    if any(place.value(c) < 0 for c in cells.conditions):
        return None
    first, last = place.value(cells.first), place.value(cells.last)
    gaps = [(place.value(gap.run), place.value(gap.pitch)) for gap in cells.gaps]
    return {x for x in range(first, last + 1) if all((x - first) % pitch < run for run, pitch in gaps)}


@pytest.mark.parametrize("part", range(PARTS))
def test_cells_that_are_said_to_be_overwritten_are(part: int) -> None:
    proven = 0
    for subject in subjects(part):
        cells = overwritten_cells(subject.function).get(0)
        if cells is None:
            continue
        for sizes, launch, hits in launches(subject):
            found = overwritten(subject, cells, sizes, launch)
            if found:
                proven += 1
                written = {hit.cell for hit in hits}
                assert found <= written <= {*range(min(found), max(found) + 1)}, (subject.kernel.cuda, sizes, launch)
                assert found == written or cells.gaps
    assert proven >= OVERWRITTEN[part]


@pytest.mark.parametrize("part", range(PARTS))
def test_stores_lie_between_ends(part: int) -> None:
    for subject in subjects(part):
        cells = written_cells(subject.function).get(0)
        for sizes, launch, hits in launches(subject) if cells is not None else ():
            place = Place(sizes, launch, threads_of(cells.threads, launch), None, subject.kernel.uniform(sizes))
            if all(place.value(c) >= 0 for c in cells.positive):
                first, last = min(map(place.value, cells.first)), max(map(place.value, cells.last))
                assert all(first <= hit.cell <= last for hit in hits), (subject.kernel.cuda, sizes, launch)
