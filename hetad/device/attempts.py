"""The pullback of a kernel: `k_pullback(primal parameters it needs, adjoints of the active parameters)`.

A pullback is tried, and tried again when that shows that something must be recorded while the primal runs, or that a
long loop had better run in segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hetad.adjoint.hoist import hoist_pointed
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import PointsTo, points_to
from hetad.device.accumulation.privatised_reductions import adds_up
from hetad.device.accumulation.thread_sweep import in_order
from hetad.device.accumulation.zeros import adding
from hetad.device.asked import Around, Asked
from hetad.device.draft import Draft
from hetad.device.engine import KernelEngine, may_be_taped
from hetad.device.finish import finished
from hetad.device.gathers.gathering import meets
from hetad.device.generated import Pullback
from hetad.device.tape.loop_tests import with_tests_inside
from hetad.device.tape.memory import StoredValues
from hetad.device.tape.record import record
from hetad.device.tape.segments import segmented
from hetad.device.tape.storage import ALONE_LIMIT, LOCAL_LIMIT
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.forms import NORMALISED
from hetad.ir.visit import declared, substitute, variables, walk_stmts
from hetad.passes.manager import Pass, run


@dataclass(frozen=True, slots=True)
class KernelPasses:
    """The passes that make a pullback of a kernel, in order.

    reverse: from the kernel to both sweeps, without what nobody needs; again where something must be recorded.
    look: what is known of the launch, and which loops had better run in segments.
    store: how values get from one sweep to the other.
    accumulate: how increments of adjoints are added up.
    finish: of the attempt that is taken.
    """

    reverse: Sequence[Pass[Any]]
    look: Sequence[Pass[Any]]
    store: Sequence[Pass[Any]]
    accumulate: Sequence[Pass[Any]]
    finish: Sequence[Pass[Any]]

    def every(self) -> tuple[Pass[Any], ...]:
        return (*self.reverse, *self.look, *self.store, *self.accumulate, *self.finish)


def pullback(kernel: ir.Function, name: str, asked: Asked, around: Around, passes: KernelPasses) -> Pullback:
    """The pullback of an inlined kernel, of this name.

    Raises:
        UnsupportedError: the kernel has none that hetad can make.
    """
    names = Names({s.name for s in (*kernel.params, *declared(kernel.body))} | {*around.functions, *around.made})
    effects = Effects(points_to(kernel, asked.merged), {})
    kernel = hoist_pointed(kernel, lambda loop: may_be_taped(loop, effects))
    values = StoredValues(Effects(PointsTo(kernel, asked.merged), {}), names, kernel.body)
    prepared = replace(kernel, body=values.body)
    blank = Draft(
        around.called(), around.program.globals, around.program.structs, around.program.sources,
        entry=name, asked=asked, kernel=kernel, around=around, names=names, limit=LOCAL_LIMIT,
    )  # fmt: skip

    def reversed_(body: ir.Body, **changed: Any) -> Draft:
        draft = replace(blank, names=names.copy(), **changed)
        records = draft.recording.records if draft.recording is not None else ()
        text = replace(kernel, name=name, body=body, params=(*kernel.params, *records))
        return run(passes.reverse, replace(draft, functions={**draft.functions, name: text}, forms=NORMALISED))

    def stale(draft: Draft) -> list[ir.Symbol]:
        """What it wants to know of overwritten memory that is not recorded."""
        return [s for s in values.stale if s in draft.used and s not in needed]

    def accumulated(draft: Draft) -> Draft:
        return run(passes.accumulate, run(passes.store, draft))

    def in_segments(draft: Draft) -> tuple[ir.Function, Draft] | None:
        """The kernel whose long loops run in segments, and what becomes of it, if nothing must be recorded for that."""
        shorter = replace(prepared, body=segmented(prepared.body, draft.long_loops, names))
        again = reversed_(shorter.body)
        return None if stale(again) else (shorter, again)

    needed: dict[ir.Symbol, None] = {}
    recorder = blank.beside("recording")
    draft = plain = reversed_(values.body)
    while wanted := stale(draft):
        needed.update(dict.fromkeys(wanted))
        recording = record(prepared, recorder, needed, names)
        draft = reversed_(recording.replay, recording=recording)
    both_sweeps = draft.body
    draft = run(passes.look, draft)
    other = in_segments(draft) if draft.long_loops else None
    if other is None:
        draft = accumulated(draft)
    else:
        alone = draft if draft.recording is None else run(passes.look, plain)
        prepared, both_sweeps, draft = other[0], other[1].body, accumulated(run(passes.look, other[1]))
        if _may_be_swept(draft):
            draft = _swept_by(draft, accumulated(replace(alone, limit=ALONE_LIMIT)))
    if values.stale_loops and any(isinstance(s, ir.For | ir.While) for s in walk_stmts(both_sweeps)):
        tested = replace(kernel, body=with_tests_inside(kernel.body, values.stale_loops, names))
        return pullback(tested, name, asked, around, passes)
    _refuse_messages(values, draft.reversed.engine)
    return finished(run(passes.finish, draft), prepared, values)


def _swept_by(draft: Draft, other: Draft) -> Draft:
    """On the CPU, `other` does the same, which keeps more at a time, if that needs no tape and nothing else."""
    if not _is_simple(other) or not other.alone:
        return draft
    if any(meets(s) or adds_up(s) for s in walk_stmts(other.body)):
        return draft
    same: dict[ir.Symbol, ir.Symbol | ir.Expr] = {other.parameters[i]: x for i, x in draft.parameters.items()}
    body = substitute(same, adding(other.body, other.zeros.values()))
    given = {x for x in variables(body) if x.storage == "param"}
    if not given <= set(variables(draft.body)):
        return draft
    return replace(draft, sweep=in_order(body, draft.ground, other.names))


def _may_be_swept(draft: Draft) -> bool:
    return draft.sweep is None and _is_simple(draft)


def _is_simple(draft: Draft) -> bool:
    """Whether the kernel is all that runs, in no special number of blocks and in no order of its own."""
    return not (draft.gathers or draft.blocks or draft.recording or draft.options.deterministic)


def _refuse_messages(values: StoredValues, engine: KernelEngine) -> None:
    """Blocks that wait for each other run in no known order, and in none at all when the pullback runs."""
    if not values.messages:
        return
    for symbol, load in values.rereads.items():
        if engine.is_active(load):
            raise UnsupportedError(
                "after a memory fence or a volatile read, the kernel reads active memory that other blocks of the "
                "launch have written",
                values.stale[symbol],
                "split the kernel here: what one launch writes, let the next one read",
            )
