"""The axes of a launch along which a kernel's threads differ.

A kernel that says nothing of an axis does the same for all positions along it.  Such copies of a thread store the same
values to the same cells, and the derivative of that is the derivative of one of them: its pullback is launched along
the other axes only.  Not so where copies count: they add atomically, or meet in shared memory.
"""

from __future__ import annotations

from hetad.adjoint.names import convert
from hetad.analysis.coordinates import AXES
from hetad.analysis.effects import ATOMICS, BARRIERS, SHUFFLES, VOTES
from hetad.ir import nodes as ir
from hetad.ir.types import DIM3, UINT
from hetad.ir.visit import walk_exprs, walk_stmts


def launch_axes(kernel: ir.Function) -> tuple[str, ...]:
    for s in walk_stmts(kernel.body):
        if isinstance(s, ir.Call) and s.function in ATOMICS | BARRIERS | SHUFFLES | VOTES:
            return AXES
        if isinstance(s, ir.Declare) and s.symbol.storage == "shared":
            return AXES
    used = {e.axis for e in walk_exprs(kernel.body) if isinstance(e, ir.ThreadIndex)}
    return tuple(a for a in AXES if a in used)


def along(extent: ir.Expr, axes: tuple[str, ...]) -> ir.Expr:
    """The extent of a launch without the other axes."""
    if extent.type != DIM3 or axes == AXES:
        return extent
    one = ir.Const(1, UINT, span=extent.span)
    parts = tuple(_part(extent, axis) if axis in axes else one for axis in AXES)
    return parts[0] if axes in (("x",), ()) else ir.Aggregate(parts, DIM3, span=extent.span)


def along_x(extent: ir.Expr) -> ir.Expr:
    return _part(extent, "x") if extent.type == DIM3 else convert(extent, UINT)


def in_fewer_blocks(grid: ir.Expr) -> ir.Expr:
    """A grid with no more blocks along x than keep a GPU busy."""
    fewer = ir.Intrinsic("hetad_blocks", (along_x(grid),), UINT, span=grid.span)
    if grid.type != DIM3:
        return fewer
    return ir.Aggregate((fewer, _part(grid, "y"), _part(grid, "z")), DIM3, span=grid.span)


def _part(extent: ir.Expr, axis: str) -> ir.Expr:
    if isinstance(extent, ir.Aggregate):
        return convert(extent.elements[AXES.index(axis)], UINT)
    return ir.Member(extent, axis, UINT, span=extent.span)
