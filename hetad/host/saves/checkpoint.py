"""Time loops under a memory limit: their steps are advanced, recorded and reversed as a schedule says.

Instead of one loop over all steps and its mirror, both sweeps ask the run-time support (`emit/support/loop.c`) what to
do next, until it has nothing more for this sweep:

    checkpoint       save the state of the loop: what its iterations hand on to each other
    resume           take back the last state saved
    run [at, until)  run these steps; what they overwrite is recorded on the tape, or passed over
    run (until, at]  downwards: reverse these steps, which are recorded

Checkpoints and records lie on the one tape, since schedules take back what they saved last first.

Where only the steps tell how many there are, they are run once to be counted, from a state that is taken back then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hetad.adjoint.control import assemble, counted_header, known_header, normal_form, taped_body, uncounted
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.loops import index_after, set_index, trip_count
from hetad.analysis.carried import Memories, State, pointers_behind, state_of
from hetad.analysis.loops import Counted
from hetad.analysis.memory_calls import does
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote, Scope
from hetad.host.decisions import TimeLoop
from hetad.host.devices import changes_peers, kept_device, uses_devices
from hetad.host.saves import together
from hetad.host.saves.parts import Ends
from hetad.host.saves.repeat import obstacle, once, silent
from hetad.ir import nodes as ir
from hetad.ir.build import integer, var
from hetad.ir.types import INT, SIZE_T, Pointer, holds_numbers
from hetad.ir.visit import variables, walk_stmts
from hetad.rules import callees, communication, operations

if TYPE_CHECKING:
    from hetad.host.engine import HostEngine

_SUPPORT = Span("support", 1, 1)
_ANSWERS = ("FINISHED", "CHECKPOINT", "RESUME", "RUN", "START", "BACK")
FINISHED, CHECKPOINT, RESUME, _RUN, START, BACK = (
    ir.Const(value, INT, f"HETAD_{name}", span=_SUPPORT) for value, name in enumerate(_ANSWERS)
)
_UNKNOWN = ir.Const(2**64 - 1, SIZE_T, "(size_t)-1", span=_SUPPORT)  # how many steps there are


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
        state = self._state(engine, s, s if isinstance(s, ir.For) and header is not None else uncounted(s))
        if header is not None or not isinstance(state, State):
            before, loop, after = normal_form(engine, s)
        else:
            before, loop, after = engine.nested(s.init) if isinstance(s, ir.For) else ([], []), uncounted(s), []
        self.around += [s] if isinstance(state, State) else []
        forward, back = taped_body(engine, s, loop)
        self.around = [x for x in self.around if x is not s]
        if isinstance(state, State) and any(_allocates(inner) for inner in walk_stmts(forward)):
            state = "its kernels keep records for the reverse sweep in memory of their own"
        if not isinstance(state, State):
            self._refuse(position, s, state)
            self._record(engine, s)
            return assemble(engine, loop, known_header(engine, loop), before, after, forward, back)
        shown = tuple(dict.fromkeys(x.name for x in (*state.pointers, *map(_base, state.reached), *state.variables)))
        self.loops.insert(position, TimeLoop(s.span, shown))
        ranks = together.communicator(self.function, s)
        assert not isinstance(ranks, str)
        steps = _Steps(engine, loop, header, state, forward, back)
        self.slots.update(s.slot for s in (*steps.pushes, *steps.start[0]) if isinstance(s, ir.Push))
        return [*before[0], *steps.forward(ranks)], [*steps.reverse(), *after, *before[1]]

    def _state(self, engine: Engine, s: ir.For | ir.While, loop: ir.For) -> State | str:
        """Of a loop of the program, and the same loop as it will run; or why it cannot be saved."""
        for inner in walk_stmts(s.body):
            if isinstance(inner, ir.Launch) and inner.kernel in self.unrepeatable:
                return f"what '{inner.kernel}' does depends on the order of its threads, so it cannot be run again"
        if changes_peers(s.body):
            return "what devices may use of each other changes in it"
        ranks = together.communicator(self.function, s)
        if isinstance(ranks, str):
            return ranks
        return obstacle(engine, s.body if loop is s else (s,)) or state_of(loop, engine.effects, self.memories)

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
_SWEEP = Quote("""
    opened;
    int action;
    size_t at, until;
    next(&action, &at, &until);
    while (action != finished) {
        if (action == checkpoint) {
            pushes;
        }
        actions;
        next(&action, &at, &until);
    }
""")
_TRIPS = Quote("const size_t trips = count;")
_ON_ACTION = Quote("""
    if (action == what) {
        done;
    }
""")
_STEPS = Quote("""
    for (; at < until; ++at) {
        index;
        body;
    }
""")
# The same where only the steps tell how many there are.
_STEPS_UNCOUNTED = Quote("""
    for (; at < until; ++at) {
        int more;
        goes_on(&more, condition);
        if (more) {
            body;
        } else {
            until = at;
        }
    }
""")
_STEPS_BACK = Quote("""
    for (; at > until;) {
        --at;
        index;
        back;
    }
""")


class _Steps:
    """The statements for one loop."""

    def __init__(
        self, engine: Engine, loop: ir.For, header: Counted | None, state: State, forward: ir.Body, back: ir.Body
    ) -> None:
        self.names = engine.names
        self.span = loop.span
        self.on_devices = uses_devices(loop.body)
        self.header, self.condition = header, loop.cond or integer(1, self.span, INT)
        self.body, self.back = forward, back
        self.pushes, self.pops = self._saved(engine, state)
        self.start = self._saved(engine, state) if header is None else ([], [])  # in front of steps that are counted

    def _saved(self, engine: Engine, state: State) -> tuple[list[ir.Stmt], list[ir.Stmt]]:
        """Statements that save a state, and that take it back."""
        span = self.span
        places = [p for x in state.variables for p in engine.state(x)]
        places += [p for x in state.holders for p in _behind(engine, x)]
        wholes = [*state.pointers, *(p for x in state.holders for p in _shadow_memory(engine, x))]
        saved: list[tuple[ir.Symbol, ir.Expr, ir.Extent]] = []
        # What is reached is taken back last: by then all pointers to it, in memory too, lead where they did.
        kinds: tuple[tuple[Iterable[ir.Expr], ir.Extent], ...] = (
            (state.reached, "reached"), (map(var, wholes), "allocation"), (places, "value"),
        )  # fmt: skip
        for found, extent in kinds:
            saved += [(self.names.symbol("state", p.type, span), p, extent) for p in found]
        pushes: list[ir.Stmt] = [ir.Push(slot, p, extent, span=span) for slot, p, extent in saved]
        pops: list[ir.Stmt] = [ir.Pop(slot, p, extent, span=span) for slot, p, extent in reversed(saved)]
        if not self.on_devices:
            return pushes, pops
        keep, return_ = kept_device(span)
        return [*keep, *pushes], [*pops, *return_]

    def forward(self, ranks: ir.Expr | None) -> ir.Body:
        """`ranks`: the communicator of those that meet in the loop."""
        text = self._text()
        if self.header is None:
            return text(
                _SWEEP,
                opened=self._opened(_UNKNOWN, ranks),
                actions=lambda: (
                    *text(_ON_ACTION, what=START, done=tuple(self.start[0])),
                    *text(_ON_ACTION, what=BACK, done=tuple(self.start[1])),
                    *text(_STEPS_UNCOUNTED, condition=self.condition, body=once(self.body)),
                ),
            )
        counted = text(_TRIPS, count=trip_count(self.header, self.span))
        after = () if self.header.declares else self._index(text["trips"])
        opened = self._opened(text["trips"], ranks)
        return (*counted, *text(_SWEEP, opened=opened, actions=lambda: self._run(text, self.body)), *after)

    def reverse(self) -> ir.Body:
        text = self._text()
        return text(
            _SWEEP,
            opened=(operations.reopen_loop(span=self.span),),
            actions=lambda: (
                *text(_ON_ACTION, what=RESUME, done=tuple(self.pops)),
                *self._run(text, silent(self.body)),
                *self._launched(),
                *text(_STEPS_BACK, index=self._index(text["at"]), back=self.back),
            ),
        )

    def _launched(self) -> ir.Body:
        """What passes over launches of the steps that did nothing, as in the forward sweep."""
        launches = any(isinstance(s, ir.Launch) for s in walk_stmts(self.body))
        return (operations.primal_launched(span=self.span),) if launches else ()

    def _text(self) -> Scope:
        asking = {"next": operations.next_action, "goes_on": operations.goes_on}
        return Scope(
            self.names, self.span, **asking, finished=FINISHED, checkpoint=CHECKPOINT, pushes=tuple(self.pushes)
        )

    def _run(self, text: Scope, body: ir.Body) -> ir.Body:
        return text(_STEPS, index=self._index(text["at"]), body=body)

    def _opened(self, trips: ir.Expr, ranks: ir.Expr | None) -> ir.Body:
        given = (integer(self.span.line, self.span, INT), trips)
        if ranks is None:
            return (operations.open_loop(*given, span=self.span),)
        return (communication.open_loop(*given, ranks, span=self.span),)

    def _index(self, trips: ir.Expr) -> ir.Body:
        """Sets the loop's index, if it has one, to what it is after so many trips."""
        if self.header is None:
            return ()
        return (set_index(self.header, index_after(self.header, trips), self.span),)


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
