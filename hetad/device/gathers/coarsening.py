"""Threads that march: each sums several targets that follow each other along the slowest subscript of a stencil.

Neighbours along that subscript read the same planes of memory, if not at the same time.  Where all
sources add to all of a thread's targets, nothing is left to ask, and the compiler keeps in registers what they share.
Source: P. Micikevicius, 3D finite difference computation on GPUs using CUDA, GPGPU-2, 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hetad.analysis.affine import Polynomial, atom
from hetad.analysis.coordinates import block_dim, grid_dim
from hetad.analysis.scales import Scale
from hetad.device.gathers.reach import Reach
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert
from hetad.ir.simplify import conjunction
from hetad.ir.types import BOOL, UINT, Int

STEPS = 4  # targets a thread
PLANES = 3  # that a target reads: with more of them at a time, less is read twice


@dataclass(frozen=True, slots=True)
class Target:
    """A subscript of the cells that are added to: the variable, and its bounds."""

    stride: Scale
    symbol: ir.Symbol
    bounds: tuple[list[Polynomial], list[Polynomial]]  # from below and from above, both inclusive
    axis: str | None  # of the primal's threads, where each has its own value


class March:
    """Launched with as many blocks fewer along `axis` as a thread makes steps; with all of them, it makes one."""

    def __init__(self, reach: Reach, targets: Sequence[Target], axis: str, names: Names) -> None:
        """The last of the targets is marched along."""
        self.reach, self.targets, self.axis = reach, targets, axis
        span = reach.arithmetic.span
        self.slow = targets[-1]
        name = self.slow.symbol.name.removesuffix("_to")
        self.start = names.symbol(f"{name}_from", reach.arithmetic.type, span)
        self.blocks = names.symbol(f"blocks_{axis}", UINT, span, "param")  # of the primal
        self.count = names.symbol("steps", reach.arithmetic.type, span, const=True)

    def of(self, target: Target, position: ir.Expr, count: ir.Expr) -> tuple[Target, ir.Expr, ir.Expr]:
        """Where a thread starts and how far it goes on, given that for one target a thread."""
        a = self.reach.arithmetic
        return (
            replace(target, symbol=self.start),
            a.binary("*", ir.Var(self.count, span=a.span), position),
            a.binary("*", ir.Var(self.count, span=a.span), count),
        )

    def declaration(self) -> ir.Stmt:
        a = self.reach.arithmetic
        own, whole = grid_dim(self.axis, a.span), ir.Var(self.blocks, span=a.span)
        fewer = ir.Binary("<", own, whole, BOOL, span=a.span)
        return ir.Declare(self.count, ir.Select(fewer, a.number(STEPS), a.number(1), a.type, span=a.span), span=a.span)

    def steps(self, body: ir.Body, inside: ir.Body, end: ir.Expr) -> ir.Body:
        """The targets of a thread: below `end`, and `inside` where all sources add to all of them."""
        a = self.reach.arithmetic
        variable = ir.Var(self.slow.symbol, span=a.span)
        start = atom(self.start)
        unrolled = a.compare("<", variable, a.expression(start + Polynomial({(): STEPS})))
        within = a.compare("<", variable, a.expression(start + atom(self.count)))
        fast = self._loop(unrolled, inside, unroll="")
        slow = self._loop(conjunction([within, a.compare("<", variable, end)]), body)
        several = a.compare("==", ir.Var(self.count, span=a.span), a.number(STEPS))
        return (ir.If(conjunction([several, self._inside(start)]), (fast,), (slow,), span=a.span),)

    def _loop(self, condition: ir.Expr, body: ir.Body, unroll: str | None = None) -> ir.Stmt:
        a = self.reach.arithmetic
        variable = ir.Var(self.slow.symbol, span=a.span)
        first = ir.Declare(self.slow.symbol, ir.Var(self.start, span=a.span), span=a.span)
        step = ir.Update("+", variable, a.number(1), span=a.span)
        return ir.For((first,), condition, (step,), body, unroll=unroll, span=a.span)

    def _inside(self, start: Polynomial) -> ir.Expr:
        a = self.reach.arithmetic
        conditions: list[ir.Expr] = []
        for t in self.targets:
            side = self.reach.sides[t.stride]
            first = start if t is self.slow else atom(t.symbol)
            last = first + Polynomial({(): STEPS - 1}) if t is self.slow else first
            lower = side.lower + Polynomial({(): max(side.distances)})
            upper = atom(self.reach.ends[t.stride]) + Polynomial({(): min(side.distances)})
            conditions.append(a.compare(">=", a.expression(first), a.expression(lower)))
            conditions.append(a.compare("<", a.expression(last), a.expression(upper)))
        return conjunction(conditions)

    def threads(self, type_: Int) -> ir.Expr:
        """How many threads the primal has along the axis."""
        span = self.reach.arithmetic.span
        blocks = convert(ir.Var(self.blocks, span=span), type_)
        return ir.Binary("*", blocks, convert(block_dim(self.axis, span), type_), type_, span=span)


def march_of(reach: Reach | None, targets: Sequence[Target], names: Names) -> March | None:
    """A march along the last of the targets, where it is the slowest and reads many planes."""
    if reach is None or len(targets) < 2 or [t.stride for t in targets] != list(reach.sides):
        return None
    slow = targets[-1]
    if slow.axis is None or len(reach.sides[slow.stride].distances) < PLANES:
        return None
    return March(reach, targets, slow.axis, names)
