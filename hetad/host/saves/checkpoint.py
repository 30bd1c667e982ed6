"""Time loops under a memory limit: their steps are advanced, recorded and reversed as a schedule says.

Instead of one loop over all steps and its mirror, both sweeps ask the run-time support (`emit/support/loop.c`) what to
do next, until it has nothing more for this sweep:

    checkpoint       save the state of the loop: what its iterations hand on to each other
    resume           take back the last state saved
    run [at, until)  run these steps; what they overwrite is recorded on the tape, or passed over
    run (until, at]  downwards: reverse these steps, which are recorded

Checkpoints and records lie on the one tape, since schedules take back what they saved last first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hetad.adjoint.control import assemble, counted_header, normal_form, taped_body
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.loops import index_after, set_index, trip_count
from hetad.analysis.carried import Memories, State, pointers_behind, state_of
from hetad.analysis.loops import Counted
from hetad.analysis.memory_calls import does
from hetad.diagnostics import Span
from hetad.frontend.quote import Filling, Quote
from hetad.host.decisions import TimeLoop
from hetad.host.devices import changes_peers, kept_device, uses_devices
from hetad.host.saves import together
from hetad.host.saves.parts import Ends
from hetad.host.saves.repeat import obstacle, silent
from hetad.ir import nodes as ir
from hetad.ir.build import integer, var
from hetad.ir.types import INT, SIZE_T, Pointer, holds_numbers
from hetad.ir.visit import variables, walk_stmts
from hetad.rules import callees, communication, operations

if TYPE_CHECKING:
    from hetad.host.engine import HostEngine

_SUPPORT = Span("support", 1, 1)
FINISHED, CHECKPOINT, RESUME = (
    ir.Const(value, INT, f"HETAD_{name}", span=_SUPPORT)
    for value, name in enumerate(("FINISHED", "CHECKPOINT", "RESUME"))
)


class Checkpoints:
    """The time loops of one gradient."""

    def __init__(self, function: ir.Function, memories: Memories, kernels: Mapping[str, ir.Function]) -> None:
        self.function = function
        self.memories = memories
        self.unrepeatable = {n for n, f in kernels.items() if any(_depends_on_order(s) for s in walk_stmts(f.body))}
        self.loops: list[TimeLoop] = []
        self.slots: set[ir.Symbol] = set()  # of what checkpoints hold
        self.varying: list[tuple[ir.Symbol, Ends, list[ir.Stmt]]] = []  # parts of other sizes in other steps of loops
        self.around: list[ir.Stmt] = []  # the loops run by schedules around what is being reversed

    def loop(self, engine: HostEngine, s: ir.For | ir.While) -> Parts | None:
        """A time loop in both sweeps; None for a loop that has no kernels and no copies to run again."""
        if not any(_is_work(inner) for inner in walk_stmts(s.body)):
            return None
        position = len(self.loops)
        header = counted_header(engine, s) if isinstance(s, ir.For) else None
        if not isinstance(s, ir.For) or header is None:
            self._refuse(position, s, "how often it runs is not known when it starts")
            return None
        state = self._state(engine, s)
        before, loop, after = normal_form(engine, s)
        self.around += [s] if isinstance(state, State) else []
        forward, back = taped_body(engine, s, loop)
        self.around = [x for x in self.around if x is not s]
        if isinstance(state, State) and any(_allocates(inner) for inner in walk_stmts(forward)):
            state = "its kernels keep records for the reverse sweep in memory of their own"
        if not isinstance(state, State):
            self._refuse(position, s, state)
            self._record(engine, s)
            return assemble(engine, loop, header, before, after, forward, back)
        shown = tuple(dict.fromkeys(x.name for x in (*state.pointers, *map(_base, state.reached), *state.variables)))
        self.loops.insert(position, TimeLoop(s.span, shown))
        ranks = together.communicator(self.function, s)
        assert not isinstance(ranks, str)
        steps = _Steps(engine, loop, header, state, forward, back)
        self.slots.update(s.slot for s in steps.pushes if isinstance(s, ir.Push))
        return [*before[0], *steps.forward(ranks)], [*steps.reverse(), *after, *before[1]]

    def _state(self, engine: Engine, s: ir.For) -> State | str:
        for inner in walk_stmts(s.body):
            if isinstance(inner, ir.Launch) and inner.kernel in self.unrepeatable:
                return f"what '{inner.kernel}' does depends on the order of its threads, so it cannot be run again"
        if changes_peers(s.body):
            return "what devices may use of each other changes in it"
        ranks = together.communicator(self.function, s)
        if isinstance(ranks, str):
            return ranks
        return obstacle(engine, s.body) or state_of(s, engine.effects, self.memories)

    def _record(self, engine: HostEngine, s: ir.Stmt) -> None:
        """The loop turns out to be recorded: then steps may save parts of any size, but for other loops around."""
        for slot, cells, around in self.varying:
            if any(x is s for x in around):
                around[:] = [x for x in around if x is not s]
                if not around:
                    engine.cells_of[slot] = cells

    def _refuse(self, position: int, s: ir.Stmt, reason: str) -> None:
        self.loops.insert(position, TimeLoop(s.span, (), reason))


def _depends_on_order(s: ir.Stmt) -> bool:
    """Whether a statement of a kernel may do something else, not only to rounding, when the kernel is run again.

    Steps are reversed with what the last run of them left.  If that were in another order than what the next step,
    already reversed, was given, adjoints would go to the wrong places.
    """
    return callees.calls(s, "atomic") and (s.result is not None or callees.find(s.function).ordered)


def _is_work(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Launch) or does(s, "copy", "fill")


def _allocates(s: ir.Stmt) -> bool:
    return callees.calls(s, "support") and not callees.find(s.function).kept


# Until there is nothing more to do in this sweep: what to do next.
_FORWARD = Quote("""
    const size_t trips = count;
    open_loop;
    int action;
    size_t at, until;
    next(&action, &at, &until);
    while (action != finished) {
        if (action == checkpoint) {
            pushes;
        }
        for (; at < until; ++at) {
            index;
            body;
        }
        next(&action, &at, &until);
    }
    after;
""")
_REVERSE = Quote("""
    reopen_loop();
    int action;
    size_t at, until;
    next(&action, &at, &until);
    while (action != finished) {
        if (action == checkpoint) {
            pushes;
        }
        if (action == resume) {
            pops;
        }
        for (; at < until; ++at) {
            index;
            body;
        }
        for (; at > until;) {
            --at;
            index;
            back;
        }
        next(&action, &at, &until);
    }
""")


class _Steps:
    """The statements for one loop."""

    def __init__(
        self, engine: Engine, loop: ir.For, header: Counted, state: State, forward: ir.Body, back: ir.Body
    ) -> None:
        self.names = engine.names
        self.span = loop.span
        self.header = header
        self.body, self.back = forward, back
        places = [p for x in state.variables for p in engine.state(x)]
        places += [p for x in state.holders for p in _behind(engine, x)]
        wholes = [*state.pointers, *(p for x in state.holders for p in _shadow_memory(engine, x))]
        slots = [self.names.symbol("state", p.type, self.span) for p in places]
        loose = [(self.names.symbol("state", p.type, self.span), p) for p in state.reached]
        memory = [(self.names.symbol("state", p.type, self.span), ir.Var(p, span=self.span)) for p in wholes]
        self.pushes: list[ir.Stmt] = [ir.Push(slot, p, "allocation", span=self.span) for slot, p in memory]
        self.pushes += [ir.Push(slot, p, "reached", span=self.span) for slot, p in loose]
        self.pushes += [ir.Push(slot, p, span=self.span) for slot, p in zip(slots, places, strict=True)]
        self.pops: list[ir.Stmt] = [
            ir.Pop(slot, p, span=self.span) for slot, p in reversed(list(zip(slots, places, strict=True)))
        ]
        self.pops += [ir.Pop(slot, p, "reached", span=self.span) for slot, p in reversed(loose)]
        self.pops += [ir.Pop(slot, p, "allocation", span=self.span) for slot, p in reversed(memory)]
        if uses_devices(loop.body):
            keep, return_ = kept_device(self.span)
            self.pushes, self.pops = [*keep, *self.pushes], [*self.pops, *return_]

    def forward(self, ranks: ir.Expr | None) -> ir.Body:
        """`ranks`: the communicator of those that meet in the loop."""
        header, count = self.header, trip_count(self.header, self.span)
        trips = self.names.symbol("trips", SIZE_T, self.span, const=True)
        after = () if header.declares else (self._index(trips),)
        given = (integer(self.span.line, self.span, INT), var(trips))
        opened = (
            operations.open_loop(*given, span=self.span)
            if ranks is None
            else communication.open_loop(*given, ranks, span=self.span)
        )
        holes = self._holes(open_loop=(opened,), trips=trips, count=count, after=after)
        return _FORWARD(self.names, self.span, body=self.body, **holes)

    def reverse(self) -> ir.Body:
        holes = self._holes(reopen_loop=operations.reopen_loop, resume=RESUME, pops=tuple(self.pops), back=self.back)
        return _REVERSE(self.names, self.span, body=silent(self.body), **holes)

    def _holes(self, **others: Filling) -> dict[str, Filling]:
        at, pushes = self.names.symbol("at", SIZE_T, self.span), tuple(self.pushes)
        asking: dict[str, Filling] = {"next": operations.next_action, "finished": FINISHED, "checkpoint": CHECKPOINT}
        return {**asking, "at": at, "index": (self._index(at),), "pushes": pushes, **others}

    def _index(self, trips: ir.Symbol) -> ir.Stmt:
        """Sets the loop's index to what it is after so many trips."""
        return set_index(self.header, index_after(self.header, ir.Var(trips, span=self.span)), self.span)


def _base(place: ir.Expr) -> ir.Symbol:
    return next(variables(place))


def _shadow_memory(engine: Engine, holder: ir.Symbol) -> list[ir.Symbol]:
    """What points to memory of shadows alone, without adjoints."""
    assert isinstance(holder.type, Pointer)
    mixed = holds_numbers(holder.type.to)
    active = engine.is_active_pointer(var(holder))
    return [engine.shadow(holder)] if active and not mixed else []


def _behind(engine: Engine, holder: ir.Symbol) -> list[ir.Place]:
    """What points to shadows, where it lies beside adjoints."""
    assert isinstance(holder.type, Pointer)
    if not holds_numbers(holder.type.to):
        return []
    return engine.shadows_of(pointers_behind(holder))
