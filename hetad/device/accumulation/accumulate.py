"""How the threads of a pullback add to adjoints that they share: the table of race freedom.

| what is known                                  | emitted                                                      |
|------------------------------------------------|--------------------------------------------------------------|
| several increments of one cell, in one block   | one increment of their sum (`accumulation/sums.py`)          |
| the cell is fixed in a loop                    | summed in a register, one increment after the loop (as well) |
| no other thread touches the cell (access maps) | plain `+=`; a seed is read and cleared                       |
| and the thread takes a seed there, then adds   | a plain store (`accumulation/replacing.py`)                  |
| many threads, each cell affine in them         | a kernel over the cells (`gathers/gather.py`)                |
| nothing                                        | `atomicAdd`; a seed is exchanged for zero                    |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Access, Accesses
from hetad.analysis.affine import Polynomial
from hetad.analysis.conflicts import Conflicts
from hetad.device.accumulation.axes import Axes
from hetad.device.accumulation.clearing import cleared_behind_loops
from hetad.device.accumulation.conditions import known_on_host
from hetad.device.accumulation.increments import increment, plain, takes
from hetad.device.accumulation.replacing import replaced
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import zero
from hetad.ir.facts import lasting
from hetad.ir.identity import IdentitySet
from hetad.ir.places import base, through_pointer
from hetad.ir.types import Float
from hetad.ir.visit import bodies, map_body, own_nodes, variables
from hetad.rules import operations
from hetad.rules.math import is_math

SEVERAL = 4
LONG = 3  # calls of mathematical functions


@dataclass(frozen=True, slots=True)
class LaunchAssumptions:
    """What proofs may build on: the adjoint parameters that no other parameter can overlap, and the axes along which
    the threads of a launch differ; `behind`: the pointer to the adjoints of dynamic shared memory, if there is one."""

    adjoints: frozenset[ir.Symbol]
    axes: Axes
    span: Span
    spent: frozenset[ir.Symbol] = frozenset()  # adjoints that nobody needs after the pullback
    fixed_order: bool = False  # no sum may depend on the order of threads
    known: tuple[Polynomial, ...] = ()  # not negative in the launch
    sizes: Mapping[str, int] = field(default_factory=dict)  # of the launch's blocks, along axes where they are known
    behind: ir.Symbol | None = None


def with_plain_updates(body: ir.Body, ground: LaunchAssumptions) -> ir.Body:
    """With plain updates where threads provably do not meet."""
    accesses = accesses_of(body, ground)
    conflicts = conflicts_of(accesses, ground)
    kept = replaced(body, accesses, conflicts, ground.adjoints)
    if kept is not body:
        body, accesses = kept, accesses_of(kept, ground)
        conflicts = conflicts_of(accesses, ground)
    long = _calls(body) >= LONG
    proven = IdentitySet[ir.Stmt]()
    for members in _groups(accesses, ground):
        plain = [s for s in members if ground.fixed_order or not _waits(s, members, ground, long)]
        if plain and conflicts.exclusive(members):
            proven.update(s.statement for s in plain)
    looping = [s for members in _groups(accesses, ground) for s in members if s.loops]
    mentions = Counter(variables(body))
    once = IdentitySet(s.statement for s in looping if s.statement not in proven and _alone(s, mentions, conflicts))
    body, behind = cleared_behind_loops(body, once)
    body = map_body(lambda s: without_atomics(s, False) if s in behind else s, body)
    mentions = Counter(variables(body))
    last = IdentitySet(
        s.statement for s in accesses.all if s.statement in proven and _read_once(s, mentions, ground, conflicts)
    )
    return map_body(lambda s: without_atomics(s, s not in last) if s in proven else s, body)


def lacking(body: ir.Body, ground: LaunchAssumptions) -> tuple[Polynomial, ...]:
    """What, not negative in a launch, would make more updates plain."""
    accesses = accesses_of(body, ground)
    conflicts = conflicts_of(accesses, ground)
    long = _calls(body) >= LONG
    found: list[Polynomial] = []
    for members in _groups(accesses, ground):
        wanted = ground.fixed_order or any(not _waits(s, members, ground, long) for s in members)
        if wanted and not conflicts.exclusive(members):
            conditions = conflicts.lacking(members)
            found += [p for p in conditions if p not in found and all(map(known_on_host, conditions))]
    return tuple(found)


def accesses_of(body: ir.Body, ground: LaunchAssumptions) -> Accesses:
    """Where a body increments and takes adjoints, for access maps: found once, however much is known of the launch."""
    found = _accesses(body)
    key = (ground.span, ground.axes.of_one_block, *sorted(ground.sizes.items()))
    if key not in found:
        found[key] = Accesses(body, ground.span, touched, ground.axes.of_one_block, ground.sizes)
    return found[key]


def conflicts_of(accesses: Accesses, ground: LaunchAssumptions) -> Conflicts:
    """Where those meet, and their access maps: found once, too."""
    found = _conflicts(accesses)
    key = (ground.axes.all, *(frozenset(p.terms.items()) for p in ground.known))
    if key not in found:
        found[key] = Conflicts(AccessMaps(accesses.coordinates, ground.axes.all, ground.known))
    return found[key]


def _no_accesses_yet(_body: ir.Body) -> dict[object, Accesses]:
    return {}


def _no_conflicts_yet(_accesses: Accesses) -> dict[object, Conflicts]:
    return {}


_accesses = lasting(_no_accesses_yet)
_conflicts = lasting(_no_conflicts_yet)


def _groups(accesses: Accesses, ground: LaunchAssumptions) -> list[list[Access]]:
    """The increments, and the takes, of each array that no other one can overlap."""
    groups: dict[tuple[bool, ir.Symbol], list[Access]] = {}
    for access in accesses.all:
        if access.cell is None:
            return []  # it may be any cell of any adjoint
        groups.setdefault((increment(access.statement) is not None, access.cell.root), []).append(access)
    return [members for (_, root), members in groups.items() if root in ground.adjoints]


def _waits(access: Access, members: Sequence[Access], ground: LaunchAssumptions, long: bool) -> bool:
    """Plain updates of several cells of one array wait for each other, as the compiler cannot tell the cells apart, and
    one at the end of a `long` computation begins with a load that nothing hides: in loops, where there are many, and
    there, atomic operations are faster although nothing asks for them.  Not in a loop whose iterations all threads of
    the launch share: there each has few, and does what more threads would do."""
    assert access.cell is not None
    looping = any(loop.shared is None or loop.shared[1] != "grid" for loop in access.loops)
    if increment(access.statement) is None:
        return access.cell.root not in ground.spent and (len(members) > SEVERAL or looping)
    return long or len(members) > SEVERAL or looping


def _calls(body: ir.Body) -> int:
    """How many mathematical functions the text calls; in a loop, many."""
    return sum(map(_calls_of, body))


def _count_calls(s: ir.Stmt) -> int:
    if isinstance(s, ir.For | ir.While) and _calls(s.body):
        return LONG
    called = int(isinstance(s, ir.Call) and is_math(s.function))
    called += sum(1 for e in own_nodes(s) if isinstance(e, ir.Intrinsic) and _is_long(e))
    return called + sum(map(_calls, bodies(s)))


_calls_of = lasting(_count_calls)


def _is_long(e: ir.Intrinsic) -> bool:
    return is_math(e.name) and len(e.args) == 1 and isinstance(e.type, Float)


def _read_once(
    access: Access, mentions: Mapping[ir.Symbol, int], ground: LaunchAssumptions, conflicts: Conflicts
) -> bool:
    """Whether nobody looks at the cell after its seed was taken: then it need not become zero."""
    return access.cell is not None and access.cell.root in ground.spent and _alone(access, mentions, conflicts)


def _alone(access: Access, mentions: Mapping[ir.Symbol, int], conflicts: Conflicts) -> bool:
    """Whether this take is all that touches the array, and touches no cell of it twice.  `mentions`: how often the body
    has each variable."""
    if access.cell is None or increment(access.statement) is not None:
        return False
    root = access.cell.root  # named by the take itself: a pointer that was made of it may be used elsewhere too
    if base(access.place) is not root or mentions.get(root) != 1:
        return False
    m = conflicts.maps.map(access)
    return m is not None and conflicts.injective(m)


def touched(s: ir.Stmt) -> list[ir.Place]:
    """The cells of global memory that a statement increments or takes."""
    found = increment(s)
    places = [found.place] if found is not None else list(takes(s))
    return [p for p in places if through_pointer(p)]


def without_atomics(s: ir.Stmt, clears: bool = True) -> ir.Stmt | ir.Body:
    """An increment, or a take of a seed, for a thread alone with the cell; `clears`: the seed is set to zero."""
    found = increment(s)
    if found is not None:
        return plain(found)
    match s:
        case ir.Declare(symbol=symbol, init=taken) if operations.gives(taken, operations.take):
            (place,) = takes(s)
            read: ir.Stmt = ir.Declare(symbol, place, span=s.span)
            return (read, ir.Assign(place, zero(taken.type, s.span), span=s.span)) if clears else read
        case ir.Assign(value=taken) if operations.gives(taken, operations.take):
            (place,) = takes(s)
            read = replace(s, value=place)
            return (read, ir.Assign(place, zero(taken.type, s.span), span=s.span)) if clears else read
    return s
