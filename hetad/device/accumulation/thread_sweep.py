"""A pullback whose threads add to the same sums, as one loop over all threads: what the CPU runs."""

from __future__ import annotations

from hetad.adjoint.names import Names, convert, zero
from hetad.analysis.coordinates import block_dim, grid_dim
from hetad.device.accumulation.accumulate import Ground
from hetad.device.accumulation.thread_order import only_adds
from hetad.device.accumulation.totals import adds_up
from hetad.ir import nodes as ir
from hetad.ir.places import root_symbol
from hetad.ir.types import BOOL, INT, UINT
from hetad.ir.visit import (
    map_body,
    map_children,
    map_own_exprs,
    variables,
    walk_exprs,
    walk_stmts,
)


def thread_sweep(body: ir.Body, ground: Ground, names: Names) -> ir.Sweep | None:
    """The body of a kernel that ends in additions to sums over the block, for all threads of a launch along x.

    None where a thread asks for more than its number in the launch, or where the order of threads may matter.
    """
    split = next(i for i, s in enumerate(body) if adds_up(s))
    if ground.axes.all != ("x",) or not only_adds(body, ground.adjoints):
        return None
    span = ground.span
    thread, threads = (names.symbol(name, INT, span, const=name == "threads") for name in ("thread", "threads"))
    sums = [s for s in body[:split] if isinstance(s, ir.Declare) and _is_sum(s, body[split:])]
    inner = tuple(s for s in body[:split] if not any(s is d for d in sums))
    if not all(_only_added(s.symbol, inner) for s in sums):
        return None
    mine = map_body(lambda s: map_own_exprs(lambda e: _numbered(e, ir.Var(thread, span=span)), s), inner)
    if any(isinstance(e, ir.ThreadIndex) and e.name in ("threadIdx", "blockIdx") for e in walk_exprs(mine)):
        return None
    count = ir.Binary("*", grid_dim("x", span), block_dim("x", span), UINT, span=span)
    variable = ir.Var(thread, span=span)
    loop = ir.For(
        (ir.Declare(thread, ir.Const(0, INT, "0", span=span), span=span),),
        ir.Binary("<", variable, ir.Var(threads, span=span), BOOL, span=span),
        (ir.Update("+", variable, ir.Const(1, INT, "1", span=span), span=span),),
        mine,
        lanes=True,
        sums=tuple(s.symbol for s in sums),
        span=span,
    )
    number = ir.Declare(threads, convert(count, INT), span=span)
    return ir.Sweep((*sums, number, loop, *body[split:]), counted=True)


def _is_sum(s: ir.Declare, after: ir.Body) -> bool:
    used = {e.symbol for e in walk_exprs(after) if isinstance(e, ir.Var)}
    return s.symbol in used and s.init is not None and s.init == zero(s.symbol.type, s.span)


def _only_added(x: ir.Symbol, body: ir.Body) -> bool:
    added = [s for s in walk_stmts(body) if isinstance(s, ir.Update) and s.op in "+-" and root_symbol(s.target) is x]
    return len(added) == sum(1 for y in variables(body) if y is x)


def _numbered(e: ir.Expr, thread: ir.Var) -> ir.Expr:
    """With the variable for the number of the thread in the launch."""
    if isinstance(e, ir.Cast) and e.type == INT and _is_position(e.operand):
        return thread
    if _is_position(e):
        return ir.Cast(thread, UINT, span=e.span)
    return map_children(lambda c: _numbered(c, thread), e)


def _is_position(e: ir.Expr) -> bool:
    """`blockIdx.x * blockDim.x + threadIdx.x`, in any order"""
    if not isinstance(e, ir.Binary) or e.op != "+" or e.type != UINT:
        return False
    product, offset = (e.left, e.right) if isinstance(e.left, ir.Binary) else (e.right, e.left)
    if not isinstance(product, ir.Binary) or product.op != "*" or product.type != UINT:
        return False
    parts = [x.name for x in (product.left, product.right, offset) if isinstance(x, ir.ThreadIndex) and x.axis == "x"]
    return sorted(parts[:2]) == ["blockDim", "blockIdx"] and parts[2:] == ["threadIdx"]
