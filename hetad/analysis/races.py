"""Races within a block that can be proven: in shared memory a missing barrier, in global memory often a missing atomic.

Between two barriers, one thread reads a cell of an array and another writes it.  That is proven for launches of
which the size of the blocks is known, from guards and subscripts that are affine in the position of the thread, and
only where it needs no luck: whatever the threads agree on, if two of them get to the two accesses at all, two do meet.
Where anything is not known, nothing is said; the race detector is there (docs/races.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from hetad.analysis.integer_sets import all_of, always_met, exists, points, some_of
from hetad.analysis.intervals import IntervalAccess, Intervals, shared_arrays
from hetad.analysis.thread_words import Case, Parameters, Sum, Words
from hetad.diagnostics import RaceError, Related
from hetad.ir import nodes as ir
from hetad.ir.places import constants
from hetad.ir.types import Float, is_volatile
from hetad.ir.visit import walk_exprs, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees

P = TypeVar("P", bound=ir.Program)
Block = tuple[int, int, int]  # its sizes

_AXES = ("x", "y", "z")
_CASES = 128  # that are told apart for one of them
_PAIRS = 64  # of accesses that are looked at in one kernel


@program_pass("refuse-races")
def refuse_proven_races(program: P) -> P:
    """No barrier is certainly missing."""
    refuse_races(program)
    return program


def refuse_races(program: ir.Program) -> None:
    """Raises RaceError at the first race that is proven."""
    for kernel in program.functions.values():
        if kernel.kind != "kernel" or not shared_arrays(kernel.body):
            continue
        intervals = Intervals(kernel)
        pairs = list(islice((p for accesses in intervals.found for p in _pairs(accesses)), _PAIRS))
        for block in dict.fromkeys(_blocks(program, kernel.name)) if pairs else ():
            for read, store, accesses in pairs:
                found = _Pair(read, store, accesses, block, intervals).witness()
                if found is not None:
                    raise _error(kernel, read, store, found)


def refuse_races_in_global_memory(
    kernel: ir.Function, given: Collection[ir.Symbol], block: Block, known: Mapping[ir.Symbol, int]
) -> None:
    """Raises RaceError at the first race that is proven for blocks of this size in what the parameters `given` lead to:
    numbers that a thread reads, and another one changes.  `known`: the values of other parameters.

    Threads that differ only along axes that neither access depends on are not compared (`device/races.py` does).
    """
    if not given or any(is_volatile(e.type) for e in walk_exprs(kernel.body)):
        return
    if any(map(_may_order, walk_stmts(kernel.body))):
        return
    intervals = Intervals(kernel, given)
    pairs = (p for accesses in intervals.found for p in _pairs(accesses) if p[0].array in given)
    for read, store, accesses in islice(pairs, _PAIRS):
        if not isinstance(read.place.type, Float) or (read.place == store.place and not _accumulates(read, store)):
            continue
        found = _Pair(read, store, accesses, block, intervals, True, known).witness()
        if found is not None:
            raise _error(kernel, read, store, found)


def _may_order(s: ir.Stmt) -> bool:
    """Whether threads may wait for each other by it, beside barriers and what is volatile: locks, flags."""
    if isinstance(s, ir.While | ir.DoWhile):
        return True
    return callees.calls(s, "fence") or (callees.calls(s, "atomic") and s.result is not None)


def _accumulates(read: IntervalAccess, written: IntervalAccess) -> bool:
    """Whether what is stored to the cell differs with how often it is; `x = fmax(x, 0)` may happen many times."""
    if read.statement is not written.statement:
        return False
    match written.statement:
        case ir.Update():
            return True
        case ir.Assign(value=ir.Binary(op="+" | "-" | "*" | "/", left=left, right=right)):
            return read.place in (left, right)
    return False


def _pairs(accesses: list[IntervalAccess]) -> Iterator[tuple[IntervalAccess, IntervalAccess, list[IntervalAccess]]]:
    """A read and a write of one array, and all that is done to it between the same barriers."""
    of_array: dict[ir.Symbol, list[IntervalAccess]] = {}
    for a in accesses:
        of_array.setdefault(a.array, []).append(a)
    writes: dict[tuple[ir.Symbol, tuple[str, ...]], list[IntervalAccess]] = {}
    for a in accesses:
        if a.write and a.is_known:
            writes.setdefault((a.array, a.path), []).append(a)
    unknown = {a.array for a in accesses if a.write and a.offset is None}
    for read in accesses:
        if not read.write and read.is_known and read.array not in unknown:
            for written in writes.get((read.array, read.path), ()):
                yield read, written, of_array[read.array]


def _blocks(program: ir.Program, kernel: str) -> Iterator[Block]:
    """The sizes of the blocks with which a kernel is launched, where they are numbers."""
    for function in program.functions.values():
        launches = [s for s in walk_stmts(function.body) if isinstance(s, ir.Launch) and s.kernel == kernel]
        values = constants(function.body) if launches else {}
        for launch in launches:
            block = _followed(launch.block, values)
            extents = block.elements if isinstance(block, ir.Aggregate) else (block,)
            sizes = [_number(e, values) for e in extents]
            known = [n for n in sizes if n is not None and n > 0]
            if len(known) == len(sizes):
                x, y, z = [*known, 1, 1][:3]
                yield x, y, z


def _followed(e: ir.Expr, values: Mapping[ir.Symbol, ir.Expr]) -> ir.Expr:
    while isinstance(e, ir.Cast) or (isinstance(e, ir.Var) and e.symbol in values):
        e = e.operand if isinstance(e, ir.Cast) else values[e.symbol]
    return e


def _number(e: ir.Expr, values: Mapping[ir.Symbol, ir.Expr]) -> int | None:
    match _followed(e, values):
        case ir.Const(value=int() as value):
            return value
        case ir.Binary(op="*", left=left, right=right):
            first, second = _number(left, values), _number(right, values)
            return first * second if first is not None and second is not None else None
    return None


@dataclass(frozen=True, slots=True)
class _Pair:
    """A read by a thread `a`, and a write by another thread `b` of the same block."""

    read: IntervalAccess
    written: IntervalAccess
    accesses: list[IntervalAccess]
    block: Block
    intervals: Intervals
    in_global: bool = False
    known: Mapping[ir.Symbol, int] = field(default_factory=dict)

    def witness(self) -> tuple[list[int], list[int]] | None:
        """The positions of two threads that race, if some certainly do."""
        parameters = Parameters()
        a, b = self._words("a", parameters), self._words("b", parameters)
        reads, writes = self.read.reached(a), self.written.reached(b)
        cells, others = self.read.cells(a), self.written.cells(b)
        if reads is None or writes is None or cells is None or others is None:
            return None
        axes = list(_AXES)
        if self.in_global:
            said = " ".join(t for case in (*reads, *writes) for t in case)
            said += " ".join(f"{x.text} {' '.join(x.case)}" for x in (*cells, *others))
            axes = [axis for axis in _AXES if f"a_{axis}" in said or f"b_{axis}" in said]
        if not axes:
            return None
        come = [(*r, *w, f"({self._different(axes)})") for r in reads for w in writes]
        meet = [(*c, *x.case, *y.case, f"{x.text} = {y.text}") for c in come for x in cells for y in others]
        if len(meet) > _CASES or self._point(parameters, axes, meet, [], come) is None:
            return None
        mine = self._own_stores(parameters, a, cells)
        return self._point(parameters, axes, meet, mine, come) if mine is not None else None

    def _point(
        self, parameters: Parameters, axes: Collection[str], meet: list[Case], mine: list[Case], come: list[Case]
    ) -> tuple[list[int], list[int]] | None:
        """Two threads that meet, the first of which has not stored there itself, if two do whenever two come."""
        names = list(parameters.names.values())
        positive = tuple(f"{p} >= 0" for p in sorted(parameters.positive))
        for e, name in parameters.names.items():
            if isinstance(e, ir.Var) and e.symbol in self.known:
                positive += (f"{name} = {self.known[e.symbol]}",)
        inner = {*self.written.coordinates("b")}
        if mine:
            inner.update(x for s in self.accesses for x in s.coordinates("a", "s"))
        sets = ((meet, positive), (mine, ()), (come, positive))
        point = always_met(*(self._set(cases, names, always, axes, sorted(inner)) for cases, always in sets))
        return (point[:3], point[3:6]) if point is not None else None

    def _words(self, thread: str, parameters: Parameters) -> Words:
        sizes = dict(zip(_AXES, self.block, strict=True))
        access = self.read if thread == "a" else self.written
        return Words(thread, parameters, sizes, self.intervals.values, self.intervals.agreed, access.own)

    def _different(self, axes: Collection[str]) -> str:
        """That the threads differ; where lanes of a warp may be ordered, that their warps do."""
        if not self.intervals.ordered(self.read):
            return some_of(f"a_{axis} != b_{axis}" for axis in axes)
        x, y, _ = self.block
        warps = [f"floor(({t}_x + {x} * {t}_y + {x * y} * {t}_z)/32)" for t in "ab"]
        return f"{warps[0]} != {warps[1]}"

    def _own_stores(self, parameters: Parameters, a: Words, cells: list[Sum]) -> list[Case] | None:
        """Where the reading thread may have stored to the cell itself: others may have stored the same value."""
        found: list[Case] = []
        later = self.in_global and not self.read.around.ranges  # stores are, that stand below: they come after the read
        for access in self.accesses[: self.accesses.index(self.read)] if later else self.accesses:
            if access.write:
                own = {symbol: f"s{name}" for symbol, name in access.own.items()}
                words = Words("a", parameters, a.block, a.values, a.agreed, own)
                stored = access.cells(words)
                if stored is None:
                    return None
                found += [(*x.case, *y.case, f"{x.text} = {y.text}") for x in cells for y in stored]
        return found

    def _set(
        self, cases: list[Case], parameters: list[str], always: Case, axes: Collection[str], inner: list[str]
    ) -> str:
        """The positions of the two threads, which may differ along these axes, and the indices of the loops around the
        read, in one of the cases; `inner`: the other coordinates that the cases mention."""
        threads = [*(f"{t}_{axis}" for t in "ab" for axis in _AXES), *self.read.coordinates("a")]
        sizes = {axis: n if axis in axes else 1 for axis, n in zip(_AXES, self.block, strict=True)}
        ranges = [f"0 <= {t}_{axis} < {n}" for t in "ab" for axis, n in sizes.items()]
        held = all_of((*ranges, *always, some_of(map(all_of, cases))))
        return f"[{', '.join(parameters)}] -> {points(threads, exists(inner, held))}"


def _error(
    kernel: ir.Function, read: IntervalAccess, written: IntervalAccess, threads: tuple[list[int], list[int]]
) -> RaceError:
    first, second = (f"thread ({', '.join(map(str, t))})" for t in threads)
    is_shared = read.array.storage == "shared"
    nothing = "no barrier stands between" if is_shared else "nothing orders"
    message = (
        f"a race in kernel {kernel.name}: {first} of a block reads a cell of {read.array.name} here, {second} writes "
        f"it in line {written.place.span.line}, and {nothing} the two"
    )
    remedy = "put __syncthreads() between the two accesses; within one warp __syncwarp() does"
    if not is_shared:
        own = read.statement is written.statement and read.place == written.place
        remedy = "add with atomicAdd" if own else "store to another array than is read"
        remedy += ", or let each thread have cells of its own"
    related = Related(written.place.span, "the other access")
    return RaceError(message, read.place.span, remedy, (related,))
