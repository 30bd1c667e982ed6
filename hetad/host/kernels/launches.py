"""Buffers that a pullback's launch needs: tapes and records, one cell a slot and thread, sized by a counting launch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.analysis.coordinates import AXES
from hetad.device.accumulation.axes import extent_along
from hetad.device.accumulation.fixed_order import Parts
from hetad.device.generated import Tapes
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, binary, convert
from hetad.ir.types import DIM3, INT, SIZE_T, UINT, Pointer, size_of
from hetad.rules import operations

if TYPE_CHECKING:
    from hetad.host.engine import HostEngine


class KernelBuffers:
    """Statements that size, allocate and release the buffers of one launch, and the arguments that pass them.

    `kept`: allocated in the forward sweep and released in the reverse sweep, so their pointers are variables of the
    region, which the engine saves where a loop needs it.
    """

    def __init__(self, engine: HostEngine, s: ir.Launch, tapes: Tapes, name: str, *, kept: bool) -> None:
        span = s.span
        depth = engine.names.symbol("depth", Pointer(UINT), span)
        counted = (*(s.args[i] for i in tapes.counted), ir.Var(depth, span=span))
        self.opening: list[ir.Stmt] = [
            ir.Declare(depth, None, span=span),
            zeros(depth, ir.Const(4 * len(tapes.types), SIZE_T, span=span), span),
            replace(s, kernel=tapes.counter.name, args=counted),
        ]
        self.arguments: list[ir.Expr] = []
        self.closing: list[ir.Stmt] = []
        for k, type_ in enumerate(tapes.types):
            if kept:
                buffer = engine.local(name, Pointer(type_), span)
            else:
                buffer = engine.names.symbol(name, Pointer(type_), span)
                self.opening.append(ir.Declare(buffer, None, span=span))
            cell: ir.Expr = ir.Var(depth, span=span)
            if k:
                cell = binary("+", cell, ir.Const(k, INT, span=span))
            size = ir.Const(size_of(type_), SIZE_T, span=span)
            args = (address_of(ir.Var(buffer, span=span)), cell, as_dim3(s.grid), as_dim3(s.block), size)
            self.opening.append(operations.tape_allocate(*args, span=span))
            self.closing.append(operations.release(ir.Var(buffer, span=span), span=span))
            self.arguments.append(ir.Var(buffer, span=span))
        release = operations.release(ir.Var(depth, span=span), span=span)
        if kept:
            self.opening.append(release)
        else:
            self.closing.append(release)


class BlockSums:
    """Statements around the launch of a pullback whose blocks keep their sums apart: buffers for these, and the launch
    that adds them up to the adjoints in `adjoint`."""

    def __init__(self, names: Names, s: ir.Launch, parts: Parts, adjoint: list[ir.Expr]) -> None:
        span = s.span
        blocks = _blocks(s.grid)
        self.opening: list[ir.Stmt] = []
        self.arguments: list[ir.Expr] = []
        for type_, count in zip(parts.types, parts.counts, strict=True):
            buffer = names.symbol("parts", Pointer(type_), span)
            cells = ir.Const(count * size_of(type_), SIZE_T, span=span)
            size = binary("*", blocks, cells)
            self.opening += [ir.Declare(buffer, None, span=span), zeros(buffer, size, span)]
            self.arguments.append(ir.Var(buffer, span=span))
        one, threads = ir.Const(1, UINT, span=span), ir.Const(256, UINT, span=span)
        args = (*self.arguments, convert(blocks, UINT), *adjoint)
        total = replace(s, kernel=parts.function.name, grid=one, block=threads, shared=None, args=args)
        self.closing: list[ir.Stmt] = [total, operations.launched(as_dim3(one), span=span)]
        self.closing += [operations.release(buffer, span=span) for buffer in self.arguments]


def _blocks(grid: ir.Expr) -> ir.Expr:
    """How many blocks a grid has."""
    if grid.type != DIM3:
        return convert(grid, SIZE_T)
    extents = [convert(extent_along(grid, axis), SIZE_T) for axis in AXES]
    known = [e for e in extents if not (isinstance(e, ir.Const) and e.value == 1)]
    product = known[0] if known else extents[0]
    for extent in known[1:]:
        product = binary("*", product, extent)
    return product


def zeros(pointer: ir.Symbol, size: ir.Expr, span: Span) -> ir.Stmt:
    """`pointer` receives `size` zeroed bytes of device memory."""
    return operations.device_zeros(address_of(ir.Var(pointer, span=span)), size, span=span)


def as_dim3(extent: ir.Expr) -> ir.Expr:
    if extent.type == DIM3:
        return extent
    one = ir.Const(1, UINT, span=extent.span)
    return ir.Aggregate((convert(extent, UINT), one, one), DIM3, span=extent.span)


_ALIGNED = Quote("(size + 15) / 16 * 16")


def aligned(size: ir.Expr) -> ir.Expr:
    """`size` rounded up to 16 bytes, so that what lies behind is aligned for every type."""
    return _ALIGNED.value(size.span, size=convert(size, SIZE_T))
