"""A shared cell that is saved before it is overwritten: no thread stores before all have saved.

Threads may store one value to one cell, each after saving what was there: without a barrier in between, a thread saves
what another one has just stored, and puts that back in the reverse sweep.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import zip_longest

from hetad.adjoint.tidy.uses import inside
from hetad.device.accumulation.differences import Differences
from hetad.ir import nodes as ir


def with_barriers_behind_saves(body: ir.Body, saved: Collection[ir.Symbol]) -> ir.Body:
    """`saved`: the slots and variables that hold what shared cells had.  Where only some threads come, there is no
    barrier."""
    if not saved:
        return body
    differences = Differences(body)

    def block(body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s, following in zip_longest(body, body[1:]):
            parts = isinstance(s, ir.If | ir.For | ir.While) and s.cond is not None and differences.differ_in(s.cond)
            out.append(s if parts else inside(block, s))
            if _saves(s, saved) and not (following is not None and _saves(following, saved)):
                out.append(ir.Call("__syncthreads", (), span=s.span))
        return tuple(out)

    return block(body)


def _saves(s: ir.Stmt, saved: Collection[ir.Symbol]) -> bool:
    match s:
        case ir.Push(slot=slot):
            return slot in saved
        case ir.Assign(target=ir.Var(symbol=symbol)) | ir.Declare(symbol=symbol):
            return symbol in saved and not (isinstance(s, ir.Declare) and s.init is None)
    return False
