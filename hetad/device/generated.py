"""What a pullback consists of: its kernels, and the arguments that they take beside the primal's and the adjoints."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.analysis.affine import Polynomial
from hetad.analysis.effects import KernelEffects, summary_of
from hetad.device.accumulation.axes import Axes
from hetad.device.accumulation.fixed_order import Parts
from hetad.device.accumulation.increments import cleared_by
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import Type
from hetad.ir.visit import walk_stmts


@dataclass(frozen=True, slots=True)
class Tapes:
    """Buffers of per-thread cells that a launch needs: their element types, and the kernel that sizes them, which
    takes the primal parameters at `counted` and `unsigned *depth`."""

    types: tuple[Type, ...]
    counter: ir.Function
    counted: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gather:
    """A kernel that adds to some of the adjoints, launched like the pullback and before it.  Its parameters are the
    primal's at `primal` and the adjoints of those at `adjoint`; if it marches along an axis, also how many blocks the
    primal has along it; if teams share its targets, how many threads a team has; if it works on tiles, in blocks of its
    own, how many threads the primal has along the axes `counted`."""

    function: ir.Function
    primal: tuple[int, ...]
    adjoint: tuple[int, ...]
    marched: str | None = None
    shared: bool = False
    tiled: bool = False
    counted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pullback:
    """A generated kernel.  Its parameters are the primal's at `primal`, the adjoints of those at `adjoint`, then the
    size of the dynamic shared memory if `dynamic`, the records, the tapes, the sums of blocks, and `zeros`."""

    function: ir.Function
    primal: tuple[int, ...]
    adjoint: tuple[int, ...]
    active: tuple[str, ...]
    axes: Axes  # of the launch; along the others all threads would do the same
    dynamic: bool = False
    tapes: Tapes | None = None
    recorder: ir.Function | None = None  # launched in place of the primal; the primal's parameters, then the records
    records: Tapes | None = None
    gathers: tuple[Gather, ...] = ()
    several: bool = False  # a block works for several; a parameter behind these is how many there are along x
    turns: bool = False  # one thread works for all, in a fixed order
    where: str = ""  # the version for launches of which this holds
    lacking: tuple[Polynomial, ...] = ()  # where this is not negative, a version that knows it is faster
    refusal: UnsupportedError | None = None  # of launches where that is not sure
    better: Pullback | None = None  # that version, if it is made already
    without: tuple[str, ...] = ()  # shared arrays that are read from where they were filled from
    zeros: tuple[int, ...] = ()  # the last parameters tell whether the adjoints of these are zero in every cell
    parts: Parts | None = None  # sums of blocks, whose buffers follow the tapes, and what adds them up

    def clears(self) -> frozenset[int]:
        """The adjoints of which seeds are taken."""
        params = self.function.params[len(self.primal) :]
        cleared = {x for s in walk_stmts(self.function.body) for x in cleared_by(s)}
        return frozenset(i for i, p in zip(self.adjoint, params, strict=False) if p in cleared)

    def summaries(self) -> dict[str, KernelEffects]:
        """What each of the kernels reads and writes, by name."""
        found = {g.function.name: _effects(g.function, len(g.primal)) for g in self.gathers}
        found[self.function.name] = _effects(self.function, len(self.primal))
        if self.parts is not None:
            found[self.parts.function.name] = _effects(self.parts.function, 0)
        for tapes in (self.tapes, self.records):
            if tapes is not None:
                found[tapes.counter.name] = _effects(tapes.counter, len(tapes.counted))
        return found

    def functions(self) -> list[ir.Function]:
        """All the kernels, the pullback last."""
        counters = [t.counter for t in (self.records, self.tapes) if t is not None]
        gathers = [g.function for g in self.gathers]
        totals = [self.parts.function] if self.parts is not None else []
        return [*counters, *([self.recorder] if self.recorder is not None else []), *gathers, *totals, self.function]


def _effects(kernel: ir.Function, primal: int) -> KernelEffects:
    """Of a kernel with so many of the primal's parameters first.  All else that it is given counts as written."""
    reads = (i for i in summary_of(kernel).reads if i < primal)
    return KernelEffects(frozenset(reads), frozenset(range(primal, len(kernel.params))))
