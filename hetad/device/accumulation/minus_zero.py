"""Adjoints that a kernel takes are cleared to minus zero.

    seed = adj_y[i];        →    seed = adj_y[i];
    adj_y[i] = 0;                adj_y[i] = -0.0f;

A sum that begins with either is the same.  But where a kernel has just read a line of memory, some GPUs take ten times
as long to store one whose bits are all zero (an H100: benchmarks/RESULTS.md, "Cleared after it was read").
"""

from __future__ import annotations

from dataclasses import replace

from hetad.device.draft import Draft, with_body
from hetad.ir import nodes as ir
from hetad.ir.build import is_zero
from hetad.ir.places import base, through_pointer
from hetad.ir.types import Float
from hetad.ir.visit import map_body
from hetad.passes.manager import program_pass


@program_pass("minus-zero")
def cleared_to_minus_zero(draft: Draft) -> Draft:
    """Adjoints in global memory are cleared to minus zero."""
    return with_body(draft, map_body(_cleared, draft.body))


def _cleared(s: ir.Stmt) -> ir.Stmt:
    if not isinstance(s, ir.Assign) or not isinstance(s.target.type, Float) or not is_zero(s.value):
        return s
    root = base(s.target)
    if root is None or not root.adjoint or not through_pointer(s.target):
        return s
    return replace(s, value=ir.Const(-0.0, s.target.type, span=s.value.span))
