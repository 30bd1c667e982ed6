"""The statements around the launches of one pullback: its buffers, its gathers, itself, the sums of its blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.adjoint.engine import Parts
from hetad.device.accumulation.axes import (
    along,
    extent_along,
    in_fewer_blocks,
    in_teams,
    marched,
    over_tiles,
    team_size,
    threads_along,
)
from hetad.device.gathers.tiles import THREADS
from hetad.device.generated import Gather, Pullback
from hetad.host.kernels.launches import BlockSums, KernelBuffers, aligned, as_dim3
from hetad.host.zeros import was_zero
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer
from hetad.ir.types import SIZE_T, Int
from hetad.rules import operations

if TYPE_CHECKING:
    from hetad.host.engine import HostEngine


def narrowed(s: ir.Launch, made: Pullback) -> ir.Launch:
    """The launch along the axes that the pullback needs."""
    return replace(s, grid=along(s.grid, made.axes.blocks), block=along(s.block, made.axes.threads))


def pulled_back(engine: HostEngine, s: ir.Launch, made: Pullback) -> Parts:
    """What stands for the launch in the forward sweep, and what undoes it."""
    forward: list[ir.Stmt] = [s]
    reverse: list[ir.Stmt] = []
    closing: list[ir.Stmt] = []
    extra: list[ir.Expr] = []
    shared = s.shared
    if made.dynamic:
        size = aligned(s.shared if s.shared is not None else ir.Const(0, SIZE_T, span=s.span))
        extra.append(size)
        shared = binary("*", ir.Const(2, SIZE_T, span=s.span), size)
    if made.recorder is not None and made.records is not None:
        records = KernelBuffers(engine, s, made.records, "record", kept=True)
        forward = [*records.opening, replace(s, kernel=made.recorder.name, args=(*s.args, *records.arguments))]
        extra += records.arguments
        closing += records.closing
    if made.tapes is not None:
        tapes = KernelBuffers(engine, s, made.tapes, "tape", kept=False)
        reverse += tapes.opening
        extra += tapes.arguments
        closing = [*tapes.closing, *closing]
    narrow = narrowed(s, made)
    launched = operations.launched(as_dim3(s.grid), span=s.span)
    for g in made.gathers:
        reverse += [_gathering(engine, s, narrow, g), launched]
    itself = replace(narrow, grid=in_fewer_blocks(narrow.grid)) if made.several else narrow
    if made.parts is not None:
        adjoint = [engine.adjoint_argument(s.args[i], s.span) for i in made.parts.adjoint]
        sums = BlockSums(engine.names, itself, made.parts, adjoint)
        reverse += sums.opening
        extra += sums.arguments
        closing = [*sums.closing, *closing]
    if made.several:
        extra.append(extent_along(narrow.grid, "x"))
    if made.function.body:
        zeros = [was_zero(engine.adjoint_argument(s.args[i], s.span)) for i in made.zeros]
        args = (*_arguments(engine, s, made), *extra, *zeros)
        reverse += [replace(itself, kernel=made.function.name, args=args, shared=shared), launched]
    return forward, [*reverse, *closing]


def _arguments(engine: HostEngine, s: ir.Launch, made: Pullback | Gather) -> list[ir.Expr]:
    return [s.args[i] for i in made.primal] + [engine.adjoint_argument(s.args[i], s.span) for i in made.adjoint]


def _gathering(engine: HostEngine, s: ir.Launch, narrow: ir.Launch, g: Gather) -> ir.Stmt:
    args = _arguments(engine, s, g)
    over = narrow
    if g.marched is not None:
        args.append(extent_along(narrow.grid, g.marched))
        over = replace(narrow, grid=marched(narrow, g.marched))
    if g.shared:
        args.append(team_size(narrow))
        over = replace(narrow, grid=in_teams(narrow))
    if g.tiled:
        types = [p.type for p in g.function.params[len(args) :]]
        args += [threads_along(narrow, axis, t) for axis, t in zip(g.counted, types, strict=True) if isinstance(t, Int)]
        over = replace(narrow, grid=over_tiles(narrow), block=integer(THREADS, s.span))
    return replace(over, kernel=g.function.name, args=tuple(args), shared=None)
