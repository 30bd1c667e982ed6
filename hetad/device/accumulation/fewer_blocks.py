"""Blocks that work for several, where each block adds its sums to the same cells."""

from __future__ import annotations

from dataclasses import replace

from hetad.device.accumulation.fixed_order import unordered
from hetad.device.accumulation.privatised_reductions import in_fewer_blocks
from hetad.device.accumulation.thread_sweep import thread_sweep
from hetad.device.draft import Draft, with_body
from hetad.ir.types import UINT
from hetad.passes.manager import program_pass


@program_pass("fewer-blocks")
def fewer_blocks(draft: Draft) -> Draft:
    """Where sums over blocks remain, a block works for several."""
    fixed_order = draft.options.deterministic
    if not draft.apart or (fixed_order and any(unordered(draft.body))):
        return draft
    blocks = draft.names.symbol("blocks", UINT, draft.span, "param")
    fewer = in_fewer_blocks(draft.body, blocks, draft.names, draft.span)
    if fewer is None:
        return draft
    # Where sums have a fixed order, those of blocks stay apart.
    sweep = draft.sweep if fixed_order else thread_sweep(draft.body, draft.ground, draft.names)
    return with_body(replace(draft, sweep=sweep, blocks=blocks), fewer)
