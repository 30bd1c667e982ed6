"""Collects the statements of a kernel in regions, and what the block has for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hetad.emit.walk import mentioned
from hetad.ir import nodes as ir
from hetad.ir.places import root_symbol, written
from hetad.ir.types import Array, Type
from hetad.targets.cpu.barrier_intervals.nodes import Mask, Node, Once, Region
from hetad.targets.cpu.uniform import Uniformity

MOST_THREADS = 1024


@dataclass(slots=True)
class Collector:
    """`out`: what is done; `pending`: the statements of the region that is being collected, for the threads in the
    innermost of the `masks`; `loops`: those around it."""

    kernel: ir.Function
    uniformity: Uniformity = field(init=False)
    masks: list[Mask] = field(init=False)
    out: list[Node] = field(default_factory=list)
    pending: list[ir.Stmt] = field(default_factory=list)
    loops: tuple[object, ...] = ()
    arrays: list[ir.Symbol] = field(default_factory=list)
    scalars: list[ir.Symbol] = field(default_factory=list)

    # --- variables of the block ---

    def array(self, name: str, of: Type, length: int = MOST_THREADS) -> ir.Symbol:
        symbol = ir.Symbol(f"hetad_{name}_{len(self.arrays) + 1}", Array(of, length), self.kernel.span)
        self.arrays.append(symbol)
        return symbol

    def scalar(self, name: str, type_: Type) -> ir.Symbol:
        symbol = ir.Symbol(f"hetad_{name}_{len(self.scalars) + 1}", type_, self.kernel.span)
        self.scalars.append(symbol)
        return symbol

    # --- collecting ---

    def flush(self) -> None:
        """The end of a region: what comes next waits until all threads have come here."""
        if self.pending:
            self.out.append(Region(tuple(self.pending), self.masks[-1], self.loops))
            self.pending = []

    def once(self, statement: ir.Stmt, unless_all: Mask | None = None) -> None:
        """A statement for the block: before the region that is being collected if that does not see the difference."""
        targets, seen = changed(statement), mentioned(statement)
        if any(mentioned(p) & targets or written((p,)) & seen for p in self.pending):
            self.flush()
        self.out.append(Once(statement, unless_all))


def changed(statement: ir.Stmt) -> set[ir.Symbol]:
    """The variables that a statement of the structure gives values to."""
    if isinstance(statement, ir.Declare):
        return {statement.symbol}
    if isinstance(statement, ir.Call):
        root = root_symbol(statement.args[0])
        return {root} if root is not None else set()
    return written((statement,))
