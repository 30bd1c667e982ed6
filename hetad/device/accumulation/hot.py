"""Cells to which a block adds again and again: summed in shared memory first.

    for (int j = 0; j < count[m]; ++j)                      hetad_hot_begin_float();
        hetad_hot_add_float(&adj_w[m * most + j], …);       for (int j = 0; j < count[m]; ++j)
    hetad_hot_end_float();                              for     atomicAdd(&adj_w[m * most + j], …);

Many additions to one cell of global memory wait for each other, however fast memory is otherwise.  Which cells are
added to often is known when the program runs: a block has a small table of cells and sums, in which each cell has one
place.  What finds its place taken by another cell is added to global memory at once; the sums follow at the end.

Sums that come late may not be looked at before: an addition stays where adjoint memory is read after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hetad.analysis.accesses import Access
from hetad.analysis.loops import constant_trips, counted
from hetad.device.accumulation.accumulate import LaunchAssumptions, accesses_of, conflicts_of
from hetad.device.accumulation.increments import increment
from hetad.device.accumulation.readers import Readers
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentitySet
from hetad.ir.places import base, changed_in, through_pointer
from hetad.ir.types import Float
from hetad.ir.visit import map_body, variables, walk_stmts
from hetad.rules import operations

Seen = frozenset[ir.Symbol | None]


@on_body("block-sums")
def summed_over_blocks(draft: Draft) -> ir.Body:
    """What a block adds to few cells again and again is summed in shared memory, and added once."""
    own_loops = draft.blocks is None and not draft.dealt  # no loop works for other threads
    if not own_loops or draft.overlapping or not draft.has_room:
        return draft.body
    return with_block_sums(draft.body, draft.ground, draft.shadows)


def with_block_sums(body: ir.Body, ground: LaunchAssumptions, adjoints: Collection[ir.Symbol]) -> ir.Body:
    """With the additions in long loops summed by blocks; `adjoints`: the variables by which adjoint memory is
    reached."""
    candidates = _in_loops(body, Readers(adjoints), ground.adjoints)
    found = candidates - _spread(body, ground, candidates) if candidates else candidates
    if not found:
        return body
    types = sorted({s.args[1].type for s in walk_stmts(body) if s in found and isinstance(s, ir.Call)}, key=str)

    def hot(s: ir.Stmt) -> ir.Stmt:
        if s not in found or not isinstance(s, ir.Call):
            return s
        return operations.hot_add(*s.args, span=s.span)

    opening = (operations.hot_begin(of=t, span=ground.span) for t in types)
    closing = (operations.hot_end(of=t, span=ground.span) for t in types)
    return (*opening, *map_body(hot, body), *closing)


def _in_loops(body: ir.Body, readers: Readers, apart: Collection[ir.Symbol]) -> IdentitySet[ir.Stmt]:
    """The additions in loops of unknown length whose cells are not looked at later.  `apart`: the parameters
    that reach memory no other one does."""
    return IdentitySet(_additions(body, frozenset(), False, readers, apart))


def _additions(
    body: ir.Body, read: Seen, long: bool, readers: Readers, apart: Collection[ir.Symbol]
) -> Iterator[ir.Stmt]:
    """`read`: by which variables adjoints are read later.  `long`: whether a loop of unknown length is around."""
    for s in reversed(body):
        again = readers.seen(s)
        if isinstance(s, ir.For | ir.While):
            yield from _additions(s.body, read | again, long or _is_long(s), readers, apart)  # `again`: the next one
        elif isinstance(s, ir.If):
            yield from _additions(s.then, read, long, readers, apart)
            yield from _additions(s.orelse, read, long, readers, apart)
        elif long and _adds(s, read, apart):
            yield s
        read |= again


def _adds(s: ir.Stmt, read: Seen, apart: Collection[ir.Symbol]) -> bool:
    found = increment(s)
    if found is None or not isinstance(found.value.type, Float) or not through_pointer(found.place):
        return False
    root = base(found.place)
    return not read or (root in apart and root not in read and all(x in apart for x in read))


def _is_long(loop: ir.For | ir.While) -> bool:
    """Whether how often the loop runs is known only when the program runs."""
    if isinstance(loop, ir.While):
        return True
    changed = set(changed_in(loop.body))
    header = counted(loop, lambda e: changed.isdisjoint(variables(e)), lambda x: x in changed)
    return header is None or constant_trips(header) is None


def _spread(body: ir.Body, ground: LaunchAssumptions, among: IdentitySet[ir.Stmt]) -> IdentitySet[ir.Stmt]:
    """The additions where neighbouring threads add to neighbouring cells: few come to the same one."""
    accesses = accesses_of(body, ground)
    maps = conflicts_of(accesses, ground).maps

    def along_threads(access: Access) -> bool:
        m = maps.map(access)
        if m is None:
            return False
        told = {*maps.threads_of(m), *maps.coordinates.turned}  # turned: neighbours where space is periodic
        return any(isinstance(a, ir.Var) and a.symbol in told for t in m.offset.terms for a in t)

    return IdentitySet(x.statement for x in accesses.all if x.statement in among and along_threads(x))
