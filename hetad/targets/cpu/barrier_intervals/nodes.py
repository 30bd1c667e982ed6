"""What a kernel in regions consists of (`targets/cpu/barrier_intervals/structure.py` makes it)."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.ir import nodes as ir
from hetad.targets.cpu.uniform import Uniformity


@dataclass(eq=False, slots=True)
class Mask:
    """Which threads are in a part of the kernel; `used` says whether any thread can be out of it."""

    symbol: ir.Symbol
    used: bool


@dataclass(eq=False, slots=True)
class Region:
    """Statements that each thread in `mask` runs alone."""

    body: ir.Body
    mask: Mask
    loops: tuple[object, ...]


@dataclass(eq=False, slots=True)
class Once:
    """A statement that runs once for the block; `unless_all`: only if threads may be missing from that mask."""

    statement: ir.Stmt
    unless_all: Mask | None = None


@dataclass(eq=False, slots=True)
class Branch:
    cond: ir.Expr
    then: list[Node]
    orelse: list[Node]


@dataclass(eq=False, slots=True)
class Loop:
    """`for (; cond; step) body`, where the step may be regions too; `tail` is tested at the end instead."""

    cond: ir.Expr | None
    body: list[Node]
    step: list[Node]
    tail: ir.Expr | None
    label: int


@dataclass(eq=False, slots=True)
class Scope:
    body: list[Node]


@dataclass(eq=False, slots=True)
class Jump:
    """All threads leave a loop, go to its next iteration, or leave the kernel."""

    kind: str  # break, continue, return
    loop: Loop | None = None


Node = Region | Once | Branch | Loop | Scope | Jump


@dataclass(slots=True)
class Structure:
    """A kernel in regions, and the variables of the block that they use beside the kernel's own."""

    nodes: list[Node]
    alive: Mask
    shared: list[ir.Symbol]
    arrays: list[ir.Symbol]  # with an element for each thread or each warp
    scalars: list[ir.Symbol]
    uniformity: Uniformity
