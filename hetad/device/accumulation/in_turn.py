"""Pullbacks in which one thread does the work of all, one after the other: slow, and in a fixed order.

This is what remains where a gradient must not depend on the order of threads, and several may add to one cell that no
proof tells: an index from memory, overlapping buffers.  The launch stays, so that its extents are known.
"""

from __future__ import annotations

from collections.abc import Mapping

from hetad.analysis.coordinates import AXES
from hetad.analysis.pointer_expressions import cell_at
from hetad.device.accumulation.accumulate import without_atomics
from hetad.device.accumulation.axes import Axes
from hetad.device.gathers.gathering import waits
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, var
from hetad.ir.places import changed_in, exposed
from hetad.ir.types import UINT
from hetad.ir.visit import map_body, map_exprs, substitute, variables, walk_exprs, walk_stmts
from hetad.rules import operations

_EXTENTS = {"threadIdx": "blockDim", "blockIdx": "gridDim"}
_FIRST = Quote("""
    blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0 && threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0
""")
_TURNS = Quote("""
    for (unsigned int turn = 0; turn < turns; ++turn) {
        body;
    }
""")


def in_turn(
    body: ir.Body, axes: Axes, functions: Mapping[str, ir.Function], names: Names, span: Span
) -> ir.Body | None:
    """The body for all threads of the launch, in its first one; None where they wait for each other, or `functions`
    that it calls ask for theirs.

    All threads are those along the `axes` of the launch, whether the body asks for their positions or not: each of
    several that do the same adds once.
    """
    if any(map(waits, walk_stmts(body))):
        return None
    called = (functions[s.function] for s in walk_stmts(body) if isinstance(s, ir.Call) and s.function in functions)
    if any(isinstance(e, ir.ThreadIndex) for f in called for e in walk_exprs(f.body)):
        return None
    own = map_body(_alone, body)
    used = {(e.name, e.axis) for e in walk_exprs(own) if isinstance(e, ir.ThreadIndex)}
    used |= {("threadIdx", axis) for axis in axes.threads} | {("blockIdx", axis) for axis in axes.blocks}
    loops = [(name, axis) for name in _EXTENTS for axis in AXES if (name, axis) in used]
    counters = {x: names.symbol(f"{x[0].removesuffix('Idx')}_{x[1]}", UINT, span) for x in loops}

    def counted(e: ir.Expr) -> ir.Expr:
        known = isinstance(e, ir.ThreadIndex) and (e.name, e.axis) in counters
        return ir.Var(counters[e.name, e.axis], span=e.span) if known and isinstance(e, ir.ThreadIndex) else e

    inner: ir.Body = map_exprs(counted, own)
    inner = own_copies(inner, names)
    for name, axis in loops:
        turns = ir.ThreadIndex(_EXTENTS[name], axis, UINT, span=span)
        inner = _TURNS(names, span, turn=counters[name, axis], turns=turns, body=inner)
    return (ir.If(_FIRST.value(span), inner, (), span=span),)


def own_copies(body: ir.Body, names: Names) -> ir.Body:
    """The body for a thread that is not the last to use its parameters: those it changes are copied first."""
    touched = {*changed_in(body), *exposed(body)}
    changed = dict.fromkeys(x for x in variables(body) if x in touched and x.storage == "param")
    copies = {p: names.symbol(f"{p.name}_own", p.type, p.span) for p in changed}
    opening = (ir.Declare(own, var(p), span=p.span) for p, own in copies.items())
    return (*opening, *substitute(copies, body)) if copies else body


def _alone(s: ir.Stmt) -> ir.Stmt | ir.Body:
    """No other thread works: neither atomic operations nor sums over a block are needed."""
    if operations.does(s, operations.block_add):
        return ir.Update("+", cell_at(s.args[0]), s.args[1], span=s.span)
    return without_atomics(s)
