"""Where the values on a tape come from, so that the tape can be sized."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a slot comes from: the primal statement that fills it (a loop: each iteration), whether all that is pushed
    stays until the reverse sweep, and the loops whose iterations multiply it."""

    statement: ir.Stmt
    total: bool
    loops: tuple[ir.For | ir.While, ...]
