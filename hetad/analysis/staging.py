"""Shared arrays that only stage what lies elsewhere: each cell is read as one store of the same phase left it.

A kernel copies a tile of global memory to a shared array, waits, reads the tile, and waits again before the next tile:

    for (...) {
        a[ty][tx] = value;          the only store to the array, by all threads of the block
        __syncthreads();
        ... a[ty][d] ...            all its loads
        __syncthreads();            here, or in front of the store, if there is a loop around
    }

Then a load of `a[e]` gives the value that the thread has stored whose subscripts are e.  Beside the barriers, two
things must hold: threads that store one cell store one value (its subscripts are positions in the block, one axis
each), and the barriers can go, as they order no accesses to global memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hetad.analysis.divergence import Divergence, common_memory
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location
from hetad.ir import nodes as ir
from hetad.ir.types import Array
from hetad.ir.visit import variables, walk_stmts
from hetad.rules import callees


@dataclass(frozen=True, slots=True)
class Copy:
    """The array's store stands at `store` of `body`, all its loads behind the barrier at `barrier`."""

    array: ir.Symbol
    body: ir.Body
    store: int
    barrier: int

    @property
    def statement(self) -> ir.Assign:
        found = self.body[self.store]
        assert isinstance(found, ir.Assign)
        return found


def shared_arrays(body: ir.Body) -> list[ir.Symbol]:
    return [s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare) and s.symbol.storage == "shared"]


def staging_copies(kernel: ir.Function, effects: Effects) -> list[Copy]:
    """Those of the shared arrays of a kernel that are staging copies."""
    if exchanges(kernel.body) or orders_global_memory(kernel.body, effects):
        return []
    arrays = [x for x in shared_arrays(kernel.body) if isinstance(x.type, Array)]
    stores = dict[ir.Symbol, list[tuple[ir.Body, int, bool]]]()
    for body, number, looped in _reached_by_all(kernel.body, Divergence(kernel.body, effects), False):
        s = body[number]
        root = array_of(s.target) if isinstance(s, ir.Assign) else None
        if root is not None:
            stores.setdefault(root, []).append((body, number, looped))
    mentions = list(variables(kernel.body))
    written = [x for s in walk_stmts(kernel.body) if not isinstance(s, ir.Declare) for x in effects.writes(s)]
    found = []
    for array in arrays:
        if len(stores.get(array, ())) != 1 or written.count(array) != 1:
            continue
        ((body, number, looped),) = stores[array]
        copy = _in_phases(array, body, number, looped)
        behind = sum(1 for x in variables(body[copy.barrier :]) if x is array) if copy is not None else 0
        if copy is not None and behind + 1 == sum(1 for x in mentions if x is array):
            found.append(copy)
    return found


def array_of(place: ir.Expr) -> ir.Symbol | None:
    """The shared array that an element belongs to."""
    if not isinstance(place, ir.Index) or isinstance(place.type, Array):
        return None
    base: ir.Expr = place
    while isinstance(base, ir.Index):
        base = base.base
    return base.symbol if isinstance(base, ir.Var) and base.symbol.storage == "shared" else None


def _in_phases(array: ir.Symbol, body: ir.Body, store: int, looped: bool) -> Copy | None:
    waits = [i for i, s in enumerate(body) if callees.is_block_barrier(s)]
    after = [i for i in waits if i > store]
    if not after:
        return None
    loads = [i for i in range(after[0], len(body)) if array in variables((body[i],))]
    last = loads[-1] if loads else store
    if looped and not any(i < store or i > last for i in waits):
        return None
    return Copy(array, body, store, after[0])


def _reached_by_all(body: ir.Body, uniform: Divergence, looped: bool) -> Iterator[tuple[ir.Body, int, bool]]:
    """The statements that all threads of a block run, equally often; with whether a loop is around them."""
    for i, s in enumerate(body):
        yield body, i, looped
        match s:
            case ir.If(cond=cond, then=then, orelse=orelse) if uniform.uniform(cond):
                yield from _reached_by_all(then, uniform, looped)
                yield from _reached_by_all(orelse, uniform, looped)
            case ir.For() | ir.While() if uniform.uniform_loop(s):
                yield from _reached_by_all(s.body, uniform, True)
            case ir.Block(body=inner):
                yield from _reached_by_all(inner, uniform, looped)


def exchanges(body: ir.Body) -> bool:
    """Whether threads tell each other something otherwise than through memory and barriers of the block."""
    calls = (s for s in walk_stmts(body) if callees.meets(s) or callees.calls(s, "fence"))
    return not all(map(callees.is_block_barrier, calls))


def orders_global_memory(body: ir.Body, effects: Effects, except_for: Collection[Location] = ()) -> bool:
    """Whether a barrier stands between accesses to memory that the kernel writes, other than `except_for`."""
    written = common_memory(effects.written(body)).difference(except_for)
    touching = [i for i, s in enumerate(body) if not written.isdisjoint(_touched(s, effects))]
    return bool(touching) and any(waits_inside(s) for s in body[touching[0] : touching[-1] + 1])


def _touched(s: ir.Stmt, effects: Effects) -> Iterator[Location]:
    for inner in walk_stmts((s,)):
        yield from effects.reads(inner)
        yield from effects.writes(inner)


def waits_inside(s: ir.Stmt) -> bool:
    return any(callees.calls(x, "barrier") for x in walk_stmts((s,)))
