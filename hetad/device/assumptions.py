"""What proofs about a pullback may build on: what the launch is like, and what its parameters can reach."""

from __future__ import annotations

from dataclasses import replace

from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.axes import Axes, bodies_run, launch_axes, mentioned_axes, one_along
from hetad.device.draft import Draft
from hetad.ir import nodes as ir
from hetad.passes.manager import program_pass


@program_pass("launch-assumptions")
def with_assumptions(draft: Draft) -> Draft:
    """With the axes along which threads differ, the adjoints that no other parameter overlaps, and the sizes that the
    launch is known to have."""
    bodies, asked = run_bodies(draft), draft.asked
    mentioned = mentioned_axes(bodies)
    axes = launch_axes(bodies) if draft.options.axes and draft.recording is None else Axes()
    single = one_along(mentioned, draft.span) if axes == Axes() else ()
    if single and all(p in asked.known for p in single):
        axes = mentioned
    overlapping = {name for group in asked.merged for name in group}
    alone = (x for i, x in draft.parameters.items() if draft.kernel.params[i].name not in overlapping)
    spent = frozenset(draft.parameters[i] for i in asked.spent) if draft.options.spent else frozenset()
    fixed_order = draft.options.deterministic
    behind = draft.reversed.shared.behind
    ground = LaunchAssumptions(frozenset(alone), axes, draft.span, spent, fixed_order, asked.known, asked.sizes, behind)
    return replace(draft, known_ground=ground, axes=axes, single=single)


def run_bodies(draft: Draft) -> tuple[ir.Body, ...]:
    """The kernel's own text and that of the functions it calls by rules."""
    return bodies_run(draft.kernel, draft.around.functions, draft.around.rules)
