"""Which increments of a pullback become gathers.

A gather is tried for the increments that threads share: those of a stencil all together, so that each cell is visited
once; of others only what is not a thread's own cell.  It reads the seeds before the pullback itself takes them, so no
seed may be taken twice, nor be among what is added to.  It costs what its values cost to compute once more, for every
increment at another place: where that is much more than the pullback itself, atomic operations stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from hetad.analysis.accesses import Access, Definition
from hetad.device.accumulation.accumulate import LaunchAssumptions, accesses_of, conflicts_of
from hetad.device.accumulation.increments import increment, takes
from hetad.device.accumulation.sums import Sums
from hetad.device.draft import Draft, with_body
from hetad.device.gathers.gather import GatherKernel
from hetad.device.gathers.sources import NoGather, Source, source
from hetad.ir import nodes as ir
from hetad.ir.build import Names, var
from hetad.ir.identity import IdentitySet
from hetad.ir.places import base, members, pointed_to, reached_by, root_symbol, through_pointer
from hetad.ir.types import Float, Pointer, Struct
from hetad.ir.visit import map_body, map_exprs, own_nodes, variables, walk_exprs, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees, operations
from hetad.rules.math import is_math

DEARER = 3  # how much more arithmetic than the pullback a gather may have
FEW = 4096  # targets; fewer than this many are no work for a GPU


@dataclass(frozen=True, slots=True)
class Gathered:
    """The pullback without what is gathered, and the gathers, to be launched before it."""

    body: ir.Body
    kernels: tuple[GatherKernel, ...]


@program_pass("gather-pairs")
def gather_pairs(draft: Draft) -> Draft:
    """What pairs of threads add to each other's cells is summed by a thread for each cell."""
    if not draft.alone:
        return draft
    found = _gathered_up(draft, pairs=True)
    if len(found.kernels) == 1 and not any(map(_has_effect, walk_stmts(found.body))):
        shadows = draft.shadows
        sums = Sums(draft.names.copy(), shadows, pointed_to(draft.body))
        found.kernels[0].take_turns(sums.block(_without_takes(draft.body)), draft.ground)
    return _with(draft, found)


@program_pass("gather")
def gather(draft: Draft) -> Draft:
    """Cells that neighbouring threads add to are summed by a thread each, in a kernel of their own: for
    `atomicAdd(&adj_x[i + 1], seed[i])` it is `adj_x[k] += seed[k - 1]`."""
    return _with(draft, _gathered_up(draft)) if draft.alone else draft


@program_pass("gather-always")
def gather_always(draft: Draft) -> Draft:
    """The same where it is slower, for sums of fixed order."""
    return _with(draft, _gathered_up(draft, always=True)) if draft.alone else draft


@program_pass("threads-apart")
def threads_apart(draft: Draft) -> Draft:
    """With whether threads of the launch still meet in what they add to."""
    return replace(draft, apart=draft.alone and not any(meets(s) for s in walk_stmts(draft.body)))


def _gathered_up(draft: Draft, pairs: bool = False, always: bool = False) -> Gathered:
    shadows = set(draft.shadows)
    return gathered(draft.body, draft.ground, draft.names, shadows, pairs, always, draft.options.tiles)


def _with(draft: Draft, found: Gathered) -> Draft:
    return with_body(replace(draft, gathers=(*draft.gathers, *found.kernels)), found.body)


def _without_takes(body: ir.Body) -> ir.Body:
    """With seeds that are only read."""

    def read(e: ir.Expr) -> ir.Expr:
        if operations.gives(e, operations.take) and isinstance(e.args[0], ir.AddressOf):
            return e.args[0].place
        return e

    return map_exprs(read, body)


def _has_effect(s: ir.Stmt) -> bool:
    """Whether a statement of a pullback changes memory, or may, but for seeds that it takes."""
    if isinstance(s, ir.Assign | ir.Update):
        return root_symbol(s.target) is None
    if isinstance(s, ir.Call):
        return not is_math(s.function)
    return isinstance(s, ir.Push | ir.Pop | ir.Launch | ir.Opaque)


def gathered(
    body: ir.Body,
    ground: LaunchAssumptions,
    names: Names,
    shadows: Collection[ir.Symbol],
    pairs: bool = False,
    always: bool = False,
    tiles: bool = True,
) -> Gathered:
    """`pairs`: only arrays to whose cells a loop of their own thread adds as well as all other threads.  `always`:
    whatever it costs.  `tiles`: products of matrices on tiles in shared memory."""
    if any(meets(s) for s in walk_stmts(body)):
        return Gathered(body, ())
    return _Plan(body, ground, names, frozenset(shadows), pairs, always, tiles).result()


def meets(s: ir.Stmt) -> bool:
    """Whether threads wait for each other, or memory changes otherwise than by increments and takes."""
    if isinstance(s, ir.Assign | ir.Update) and through_pointer(s.target):
        return True
    return isinstance(s, ir.Push | ir.Pop) or waits(s)


def waits(s: ir.Stmt) -> bool:
    """Whether threads wait for each other, or share memory of a block."""
    if isinstance(s, ir.Declare):
        return s.symbol.storage == "shared"
    return callees.meets(s)


class _Plan:
    def __init__(
        self,
        body: ir.Body,
        ground: LaunchAssumptions,
        names: Names,
        shadows: frozenset[ir.Symbol],
        pairs: bool,
        always: bool,
        tiles: bool,
    ) -> None:
        self.body, self.ground, self.names, self.shadows = body, ground, names, shadows
        self.pairs, self.always, self.tiles = pairs, always, tiles
        self.accesses = accesses_of(body, ground)
        self.conflicts = conflicts_of(self.accesses, ground)
        self.maps = self.conflicts.maps
        self.added: dict[ir.Symbol, list[Access]] = {}
        self.taken: dict[ir.Symbol, list[Access]] = {}
        self.mentions = Counter(variables(body))
        self.known = True
        for access in self.accesses.all:
            if access.cell is None:
                self.known = False
                continue
            kind = self.added if increment(access.statement) is not None else self.taken
            kind.setdefault(access.cell.root, []).append(access)

    def result(self) -> Gathered:
        if not self.known:
            return Gathered(self.body, ())
        chosen = [sources for root in self.added if (sources := self._sources(root))]
        kernels: list[GatherKernel] = []
        for group in _fused(chosen):
            kernel = self._kernel(group)
            if kernel is not None:
                kernels.append(kernel)
        gone = IdentitySet(s.increment.statement for k in kernels for s in k.sources)
        rest = map_body(lambda s: None if s in gone else s, self.body)
        return Gathered(rest, tuple(kernels))

    # -- choice

    def _sources(self, root: ir.Symbol) -> list[Source]:
        """The increments of one array that are gathered."""
        members = self.added[root]
        if root not in self.ground.adjoints or self.conflicts.exclusive(members):
            return []
        named = all(base(m.place) is root for m in members)  # not through a pointer that was made of it
        if not named or self.mentions[root] > len(members):
            return []  # a seed among what is added to: it would be taken after the sums, not between them
        everything = self._tried(members)
        if self.pairs:
            return everything if any(self._pairs(s) for s in everything) and all(s.free for s in everything) else []
        if everything and not any(self._shares_threads(s) for s in everything):
            return everything
        own: list[Access] = []
        for access in members:
            if self.conflicts.exclusive([*own, access]):
                own.append(access)
        return self._tried([s for s in members if not any(s is o for o in own)])

    def _tried(self, members: Sequence[Access]) -> list[Source]:
        maps = [m for s in members if (m := self.maps.map(s)) is not None]
        for nested in (True, False) if len(maps) == len(members) else ():
            strides = self.maps.strides(maps, nested)
            if strides is None or (
                nested and len({frozenset(self.maps.shift(m, strides).terms.items()) for m in maps}) > 1
            ):
                continue
            try:
                found = [source(self.accesses, self.maps, s, strides, nested) for s in members]
            except NoGather:
                continue
            return found if all(self._readable(s) for s in found) else []
        return []

    def _shares_threads(self, s: Source) -> bool:
        """Whether many threads add to one cell."""
        return not self.maps.threads_of(s.map).isdisjoint(s.free)

    def _pairs(self, s: Source) -> bool:
        """Whether the cell is another thread's, in a loop over all."""
        return self._shares_threads(s) and all(p.coordinate not in self.maps.threads_of(s.map) for p in s.pivots)

    def _readable(self, s: Source) -> bool:
        """Whether the seeds that the value depends on can be read again before they are taken."""
        steps = (step.statement for step in s.slice.steps if isinstance(step, Definition))
        value = ir.Return(s.increment.value, span=s.increment.value.span)
        for place, takes_it in _adjoint_loads((*steps, value), self.shadows):
            root = self._root(place)
            if root is None or (root in self.added and not self._taken_first(root)):
                return False
            accesses = self.taken.get(root, [])
            if accesses and not takes_it:
                return False  # it may be what is left after the seed was taken
            m = self.maps.map(accesses[0]) if len(accesses) == 1 else None
            if accesses and (m is None or not self.conflicts.injective(m)):
                return False
        return True

    def _taken_first(self, root: ir.Symbol) -> bool:
        """Whether a thread takes its seed before it adds to this array: then the seed is what lies there at first."""
        taken = self.taken.get(root, [])
        order = {access: i for i, access in enumerate(self.accesses.all)}
        return (
            len(taken) == 1
            and not taken[0].loops
            and all(order[s] > order[taken[0]] for s in self.added[root])
            and self.conflicts.exclusive([*taken, *self.added[root]])
        )

    def _root(self, place: ir.Expr) -> ir.Symbol | None:
        """The adjoint parameter that a cell is certainly behind."""
        place, _ = members(place)
        if isinstance(place, ir.Index) and isinstance(place.base, ir.Var) and place.base.symbol in self.ground.adjoints:
            return place.base.symbol
        return None

    # -- worth

    def _may_be_few(self, kernel: GatherKernel) -> bool:
        """Whether all threads add to all targets, and nothing says that there are as many targets as threads: few of
        them would have all the work."""
        bounds = [dict(p.terms) for t in kernel.targets for p in t.bounds[1]]
        for s in kernel.sources:
            threads = self.maps.threads_of(s.map)
            if any(p.coordinate in threads for p in s.pivots):
                return False
            for c in threads.intersection(s.free):
                parts = [p.split(var(c)) for p in s.map.conditions]
                if any(p is not None and p[0].constant == -1 and dict(p[1].terms) in bounds for p in parts):
                    return False
        return any(self._shares_threads(s) for s in kernel.sources)

    def _kernel(self, sources: list[Source]) -> GatherKernel | None:
        try:
            names, fixed_order = self.names.copy(), self.ground.fixed_order
            kernel = GatherKernel(
                self.accesses, self.maps, sources, names, self.ground.adjoints, self.tiles, fixed_order
            )
        except NoGather:
            return None
        if self.ground.fixed_order and any(increment(s) for s in walk_stmts(kernel.body)):
            return None  # two targets may be one cell
        if self.always:
            return kernel
        if self._may_be_few(kernel):
            return None
        few = kernel.most_targets()
        if few is not None and few < FEW and any(self._shares_threads(s) for s in sources):
            return None
        return kernel if _work(kernel.of_one) <= DEARER * _work(self.body) else None


def _fused(chosen: Sequence[list[Source]]) -> Iterator[list[Source]]:
    """Arrays whose increments run through the same points are summed in one sweep."""
    groups: dict[frozenset[object], list[Source]] = {}
    for sources in chosen:
        groups.setdefault(frozenset((s.key, tuple(s.subscripts)) for s in sources), []).extend(sources)
    yield from groups.values()


def _work(body: ir.Body) -> int:
    """Floating operations and loads in the text."""
    return sum(1 for e in walk_exprs(body) if isinstance(e.type, Float) and not isinstance(e, ir.Var | ir.Const))


def _adjoint_loads(body: ir.Body, shadows: frozenset[ir.Symbol]) -> Iterator[tuple[ir.Expr, bool]]:
    """The cells of adjoint memory that statements read, or take; with whether they are taken."""
    for s in walk_stmts(body):
        taken = list(takes(s))
        yield from ((place, True) for place in taken)
        for e in own_nodes(s):
            base = reached_by(e) if isinstance(e, ir.Index | ir.Member) and e not in taken else None
            if base is not None and base in shadows and isinstance(base.type, Pointer | Struct):
                yield e, False
