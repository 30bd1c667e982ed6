"""Updates without atomics, where threads provably do not meet."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.affine import Polynomial
from hetad.device.accumulation.accumulate import LaunchAssumptions, lacking, with_plain_updates
from hetad.device.accumulation.axes import mentioned_axes
from hetad.device.accumulation.barrier_intervals import with_plain_phases
from hetad.device.accumulation.increments import increment, takes
from hetad.device.assumptions import run_bodies
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting, once
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import program_pass

_found: Fact[LaunchAssumptions, Fact[ir.Body, ir.Body]] = lasting(
    lambda ground: once(lambda body: with_plain_phases(with_plain_updates(body, ground), ground))
)


@on_body("plain-updates")
def plain_updates(draft: Draft) -> ir.Body:
    """`atomicAdd(&adj_x[i], v)` is `adj_x[i] += v` where a cell belongs to one thread, or to one between barriers."""
    return _found(draft.ground)(draft.body)


@program_pass("ask-for-sizes")
def sizes_asked_for(draft: Draft) -> Draft:
    """With what, not negative in a launch, would make more updates plain: that strides are large enough, or that
    threads differ only along the axes of which the kernel says something."""
    asked = draft.asked
    undecided = len(asked.known) == 2 * len(asked.sizes)  # but for the sizes of blocks, from above and below
    if not (draft.options.exclusive and draft.alone and undecided):
        return draft
    return replace(draft, lacking=_lacking(draft))


def _lacking(draft: Draft) -> tuple[Polynomial, ...]:
    body, ground = draft.body, draft.ground
    if draft.single and draft.options.axes:
        flat = replace(ground, axes=mentioned_axes(run_bodies(draft)))
        if _atomic_updates(_found(flat)(body)) < _atomic_updates(_found(ground)(body)):
            return (*draft.single, *lacking(body, flat))
    return lacking(body, ground)


def _atomic_updates(body: ir.Body) -> int:
    """How many updates are atomic."""
    return sum(1 for s in walk_stmts(body) if increment(s) is not None or any(takes(s)))
