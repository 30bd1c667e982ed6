"""Sums of fixed order: in turn, or over blocks in two stages."""

from __future__ import annotations

from dataclasses import replace

from hetad.device.accumulation.fixed_order import refusal_of_atomics, staged, unordered
from hetad.device.accumulation.in_turn import in_turn
from hetad.device.draft import Draft, with_body
from hetad.passes.manager import program_pass


@program_pass("fixed-order")
def in_fixed_order(draft: Draft) -> Draft:
    """No sum is left to the order of threads: one thread works for all, or blocks keep their sums apart and a kernel
    adds them up.

    Raises:
        UnsupportedError: something can only be added atomically, whatever is known of the launch.
    """
    span, axes = draft.span, draft.ground.axes
    if any(unordered(draft.body)):
        found = in_turn(draft.body, axes, draft.around.functions, draft.names, span)
        if found is not None:
            draft = with_body(replace(draft, turns=True), found)
    refusal = refusal_of_atomics((*(k.body for k in draft.gathers), draft.body))
    if refusal is not None and not draft.lacking:
        raise refusal
    name = draft.beside("totals")
    comment = f"pullback of {draft.kernel.name} (line {span.line}): the sums over its blocks"
    stage = staged(draft.body, name, comment, dict(draft.parameters), draft.names, span)
    draft = replace(draft, refusal=refusal)
    return with_body(replace(draft, stage=stage), stage.body) if stage is not None else draft
