"""The axes of a launch along which a kernel's threads differ.

A kernel that says nothing of an axis does the same for all positions along it.  Such copies of a thread store the same
values to the same cells, and the derivative of that is the derivative of one of them: its pullback is launched along
the other axes only.  The same holds for blocks, where a kernel asks for the thread in its block alone.  Not so where
copies count: they add atomically, or meet in shared memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce

from hetad.analysis.affine import UNIT, Polynomial
from hetad.analysis.callgraph import call_sites
from hetad.analysis.coordinates import AXES, block_dim, grid_dim
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, small
from hetad.ir.build import binary, convert, times
from hetad.ir.types import DIM3, SIZE_T, UINT, Int
from hetad.ir.visit import walk_exprs, walk_stmts
from hetad.rules import callees, operations
from hetad.rules.user import Rules


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes along which blocks, and threads of a block, differ: those along which a pullback is launched, and so
    which threads there are, for proofs, for gathers, and for one thread that does the work of all."""

    blocks: tuple[str, ...] = AXES
    threads: tuple[str, ...] = AXES

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(a for a in AXES if a in self.blocks or a in self.threads)

    @property
    def of_one_block(self) -> frozenset[str]:
        """Those along which one block is launched: there its threads are all threads."""
        return frozenset(AXES) - set(self.blocks)


def launch_axes(bodies: Collection[ir.Body]) -> Axes:
    """The axes along which the threads of a kernel differ, whose `bodies` are its own and those it calls."""
    for s in (s for body in bodies for s in walk_stmts(body)):
        if callees.meets(s) or callees.calls(s, "atomic"):
            return Axes()
        if isinstance(s, ir.Declare) and s.symbol.storage == "shared":
            return Axes()
    return mentioned_axes(bodies)


def mentioned_axes(bodies: Collection[ir.Body]) -> Axes:
    """The axes of which a kernel says something."""
    used = {(e.name, e.axis) for body in bodies for e in walk_exprs(body) if isinstance(e, ir.ThreadIndex)}
    blocks = tuple(a for a in AXES if {("blockIdx", a), ("gridDim", a)} & used)
    threads = tuple(a for a in AXES if {("threadIdx", a), ("blockDim", a)} & used)
    return Axes(blocks, threads)


def bodies_run(kernel: ir.Function, functions: Mapping[str, ir.Function], rules: Rules) -> tuple[ir.Body, ...]:
    """The kernel's body, and those of the functions that it still calls, as a rule stands for them, with their
    pullbacks."""
    found: dict[str, ir.Body] = {}
    waiting = [kernel.body]
    while waiting:
        called = (name for s in walk_stmts(waiting.pop()) for name, _, _ in call_sites(s))
        with_rules = (x for name in called for x in (name, rules[name].pullback if name in rules else None))
        for name in with_rules:
            if name is not None and name in functions and name not in found:
                found[name] = functions[name].body
                waiting.append(found[name])
    return (kernel.body, *found.values())


def one_along(axes: Axes, span: Span) -> tuple[Polynomial, ...]:
    """What is not negative where a launch has a single block, and a single thread in it, along all other axes."""
    extents = [(block_dim(a, span), a in axes.threads) for a in AXES]
    extents += [(grid_dim(a, span), a in axes.blocks) for a in AXES]
    return tuple(UNIT - Polynomial({(e,): 1}) for e, differs in extents if not differs)


def along(extent: ir.Expr, axes: tuple[str, ...]) -> ir.Expr:
    """The extent of a launch without the other axes."""
    if axes == AXES or (extent.type != DIM3 and "x" in axes):
        return extent
    if extent.type != DIM3:
        return _once(extent)
    parts = tuple(_part(extent, axis) if axis in axes else _once(_part(extent, axis)) for axis in AXES)
    along_x_only = all(isinstance(p, ir.Const) for p in parts[1:]) and axes in (("x",), ())
    return parts[0] if along_x_only else ir.Aggregate(parts, DIM3, span=extent.span)


def _once(extent: ir.Expr) -> ir.Expr:
    """One, or zero where the launch has no threads."""
    number = bare(extent)
    given = isinstance(number, ir.Member) and isinstance(number.base, ir.Var) and number.base.symbol
    positive = given and given.storage == "param" and given.const  # as a call asks for
    if positive or (isinstance(number, ir.Const) and number.value != 0):
        return ir.Const(1, UINT, span=extent.span)
    some = binary("!=", extent, ir.Const(0, extent.type, span=extent.span))
    return convert(some, UINT)


def extent_along(extent: ir.Expr, axis: str) -> ir.Expr:
    if extent.type == DIM3:
        return _part(extent, axis)
    return convert(extent, UINT) if axis == "x" else ir.Const(1, UINT, span=extent.span)


def team_size(launch: ir.Launch) -> ir.Expr:
    """How many threads share the work of one, where a launch along x may be too small for a GPU."""
    extents = (extent_along(e, "x") for e in (launch.grid, launch.block))
    return operations.team(*extents, span=launch.span)


def in_teams(launch: ir.Launch) -> ir.Expr:
    """The grid for it."""
    return ir.Binary("*", extent_along(launch.grid, "x"), team_size(launch), UINT, span=launch.span)


def marched(launch: ir.Launch, axis: str) -> ir.Expr:
    """The grid of a launch whose threads make several steps along an axis each, where so many are enough."""
    span = launch.span
    extents = [convert(extent_along(e, a), SIZE_T) for e in (launch.grid, launch.block) for a in AXES]
    threads = reduce(times, [e for e in extents if small(e) != 1] or extents[:1])

    def along_axis(a: str) -> ir.Expr:
        blocks = extent_along(launch.grid, a)
        return operations.marched(blocks, threads, span=span) if a == axis else blocks

    return ir.Aggregate(tuple(map(along_axis, AXES)), DIM3, span=span)


def threads_along(launch: ir.Launch, axis: str, type_: Int) -> ir.Expr:
    """How many threads a launch has along an axis."""
    wide = UINT if type_.bits <= 32 else type_
    blocks, threads = (convert(extent_along(e, axis), wide) for e in (launch.grid, launch.block))
    return convert(ir.Binary("*", blocks, threads, wide, span=launch.span), type_)


def over_tiles(launch: ir.Launch) -> ir.Expr:
    """The grid for blocks that take one tile after another; on the CPU as many as there were."""
    return operations.tiling(extent_along(launch.grid, "x"), span=launch.span)


def in_fewer_blocks(grid: ir.Expr) -> ir.Expr:
    """A grid with no more blocks along x than keep a GPU busy, together with those along y and z."""
    rows = times(extent_along(grid, "y"), extent_along(grid, "z"))
    fewer = operations.blocks(extent_along(grid, "x"), rows, span=grid.span)
    if grid.type != DIM3:
        return fewer
    return ir.Aggregate((fewer, _part(grid, "y"), _part(grid, "z")), DIM3, span=grid.span)


def _part(extent: ir.Expr, axis: str) -> ir.Expr:
    if isinstance(extent, ir.Aggregate):
        return convert(extent.elements[AXES.index(axis)], UINT)
    return ir.Member(extent, axis, UINT, span=extent.span)
