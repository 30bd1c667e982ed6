"""A pullback in the making: a program of one kernel, which starts as the primal and ends as its pullback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hetad.adjoint.options import Options
from hetad.analysis.affine import Polynomial
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location
from hetad.analysis.staging import shared_arrays
from hetad.device.asked import Around, Asked
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.identity import IdentitySet
from hetad.ir.visit import variables
from hetad.passes.manager import part_pass
from hetad.passes.task import Task

if TYPE_CHECKING:
    from hetad.device.accumulation.accumulate import LaunchAssumptions
    from hetad.device.accumulation.axes import Axes
    from hetad.device.accumulation.fixed_order import Staged
    from hetad.device.engine import KernelEngine
    from hetad.device.gathers.gather import GatherKernel
    from hetad.device.shared import SharedAdjoints
    from hetad.device.tape.record import Recording
    from hetad.device.tape.storage import Stored


@dataclass(frozen=True, slots=True)
class Reversal:
    """What the reverse engine leaves to the passes behind it.

    parameters: for active parameters of the primal, those for their adjoints.
    shared: the shared arrays it has met, and their shadows.
    dynamic_bytes: the parameter that tells how large the primal's dynamic shared memory is.
    """

    engine: KernelEngine
    parameters: Mapping[int, ir.Symbol]
    shared: SharedAdjoints
    dynamic_bytes: ir.Symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Task):
    """One attempt at what is `asked`, whose text is that of the program's entry.

    kernel: the primal.
    around: the program it is in.
    names: those that are taken.
    recording: of values that are read back from memory the kernel overwrites, if the text replays them.
    limit: bytes of local arrays that a thread may keep.
    effects, active: of the primal's text; its locations that have adjoints.
    used: the variables of the text when it was first without what nobody needs.
    ground: what proofs may build on; `single`: sizes under which the launch has one thread along unused axes.
    long_loops: loops that would keep less if they ran in segments.
    stored: the tape.
    lacking: what, if it were known, would make the pullback faster.
    refusal: of launches where that is not known.
    apart: threads write no memory that others of the launch read, and nothing is on a tape.
    gathers, sweep, blocks, dealt, zeros, turns, stage: forms that accumulation has found.
    in_any_order: whether the order of its threads matters to nobody.
    """

    asked: Asked
    kernel: ir.Function
    around: Around
    names: Names
    limit: int
    recording: Recording | None = None
    effects: Effects | None = None
    active: frozenset[Location] = frozenset()
    reversal: Reversal | None = None
    used: frozenset[ir.Symbol] = frozenset()
    known_ground: LaunchAssumptions | None = None
    axes: Axes | None = None
    single: tuple[Polynomial, ...] = ()
    long_loops: IdentitySet[ir.Stmt] = field(default_factory=IdentitySet)
    stored: Stored | None = None
    lacking: tuple[Polynomial, ...] = ()
    refusal: UnsupportedError | None = None
    apart: bool = False
    gathers: tuple[GatherKernel, ...] = ()
    sweep: ir.Sweep | None = None
    blocks: ir.Symbol | None = None
    dealt: bool = False
    zeros: Mapping[int, ir.Symbol] = field(default_factory=dict)
    turns: bool = False
    stage: Staged | None = None
    in_any_order: bool = False

    @property
    def body(self) -> ir.Body:
        return self.function.body

    def beside(self, *what: str) -> str:
        """A name for another kernel of the pullback's: `f_gather_apart_x` beside `f_pullback_apart`."""
        stem, _, version = self.entry.rpartition("_pullback")
        return self.names.fresh("_".join((f"{stem}_{what[0]}{version}", *what[1:])))

    @property
    def span(self) -> Span:
        return self.kernel.span

    @property
    def options(self) -> Options:
        return self.around.options

    @property
    def overlapping(self) -> bool:
        """Whether parameters may reach the same memory."""
        return bool(self.asked.merged)

    @property
    def alone(self) -> bool:
        """Whether it needs nothing but the primal's arguments and adjoints."""
        return self.recording is None and not (self.stored is not None and self.stored.tapes)

    @property
    def reversed(self) -> Reversal:
        assert self.reversal is not None, "the kernel is not reversed yet"
        return self.reversal

    @property
    def parameters(self) -> Mapping[int, ir.Symbol]:
        return self.reversed.parameters

    @property
    def shadows(self) -> Sequence[ir.Symbol]:
        """All variables that hold adjoints, or lead to some."""
        return list(self.reversed.engine.shadows.values())

    @property
    def ground(self) -> LaunchAssumptions:
        assert self.known_ground is not None, "it is not known yet what the launch is like"
        return self.known_ground

    @property
    def has_room(self) -> bool:
        """Whether shared memory is free for sums: the kernel has none of its own."""
        return not shared_arrays(self.body) and self.reversed.dynamic_bytes not in set(variables(self.body))


def with_body(draft: Draft, body: ir.Body) -> Draft:
    """With another text."""
    if body is draft.body:
        return draft
    function = replace(draft.function, params=tuple(_parameters(draft)), body=body)
    return replace(draft, functions={**draft.functions, draft.entry: function})


def _parameters(draft: Draft) -> list[ir.Symbol]:
    """All that the text may name so far."""
    found = [*draft.kernel.params, *(draft.recording.records if draft.recording is not None else ())]
    if draft.reversal is not None:
        found += [*draft.parameters.values(), draft.reversed.dynamic_bytes]
    found += draft.stored.tapes if draft.stored is not None else ()
    found += draft.stage.buffers if draft.stage is not None else ()
    found += [draft.blocks] if draft.blocks is not None else []
    return [*found, *draft.zeros.values()]


on_body = part_pass(with_body)  # marks a function that gives a draft another text as the pass of this name
