"""A pullback as one loop over all threads, where they only add: what the CPU runs.

Either all threads add to the same sums, or their bodies are straight code: that is vector code then, across blocks.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.privatised_reductions import adds_up
from hetad.device.accumulation.thread_order import only_adds
from hetad.device.draft import Draft
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, zero
from hetad.ir.places import root_symbol, written
from hetad.ir.types import INT, UINT, Array, Int
from hetad.ir.visit import (
    declared,
    map_body,
    map_children,
    map_own_exprs,
    substitute,
    variables,
    walk_exprs,
    walk_stmts,
)
from hetad.passes.manager import program_pass

_COUNT = Quote("gridDim.x * blockDim.x")
_SWEEP = Quote("""
    const int threads = count;
    for (int thread = 0; thread < threads; ++thread) {
        body;
    }
""")
_BACKWARDS = Quote("""
    const int threads = count;
    for (int before = 0; before < threads; ++before) {
        const int thread = threads - 1 - before;
        body;
    }
""")


@program_pass("thread-sweep")
def swept(draft: Draft) -> Draft:
    """With a text for the CPU in which one thread does the work of all, in loops over them."""
    if not draft.apart or any(map(adds_up, draft.body)) or draft.options.deterministic:
        return draft
    return replace(draft, sweep=thread_sweep(draft.body, draft.ground, draft.names))


def thread_sweep(body: ir.Body, ground: LaunchAssumptions, names: Names) -> ir.Sweep | None:
    """The body of a kernel, which may end in additions to sums over the block, for all threads of a launch along x.

    None where a thread asks for more than its number in the launch, or where the order of threads may matter.
    """
    split = next((i for i, s in enumerate(body) if adds_up(s)), len(body))
    if ground.axes.all != ("x",) or not only_adds(body, ground.adjoints):
        return None
    if split == len(body) and not _is_straight(body):
        return None
    span = ground.span
    body = _spelled(body)
    thread = names.symbol("thread", INT, span)
    sums = [s for s in body[:split] if isinstance(s, ir.Declare) and _is_sum(s, body[split:])]
    inner = tuple(s for s in body[:split] if not any(s is d for d in sums))
    if not all(_only_added(s.symbol, inner) for s in sums):
        return None
    size = ground.sizes.get("x")
    mine = map_body(lambda s: map_own_exprs(lambda e: _numbered(e, ir.Var(thread, span=span), size), s), inner)
    if any(isinstance(e, ir.ThreadIndex) and e.name in ("threadIdx", "blockIdx") for e in walk_exprs(mine)):
        return None
    number, loop = _SWEEP(names, span, thread=thread, count=_COUNT.value(span), body=mine)
    assert isinstance(loop, ir.For)
    loop = replace(loop, lanes=True, sums=tuple(s.symbol for s in sums))
    return ir.Sweep((*sums, number, loop, *body[split:]), counted=True)


def in_order(body: ir.Body, ground: LaunchAssumptions, names: Names, count: ir.Expr | None = None) -> ir.Sweep | None:
    """The body of a kernel whose threads do not know of each other, for all threads of a launch along x, last to first.
    `count`: how many there are, where another launch runs it.

    None where a thread asks for more than its number in the launch.
    """
    if ground.axes.all != ("x",):
        return None
    span = ground.span
    thread = names.symbol("thread", INT, span, const=True)
    size = ground.sizes.get("x")
    mine = map_body(lambda s: map_own_exprs(lambda e: _numbered(e, ir.Var(thread, span=span), size), s), _spelled(body))
    if any(isinstance(e, ir.ThreadIndex) and e.name in ("threadIdx", "blockIdx") for e in walk_exprs(mine)):
        return None
    loop = _BACKWARDS(names, span, thread=thread, count=count or _COUNT.value(span), body=mine)
    return ir.Sweep(loop, counted=True)


def _is_sum(s: ir.Declare, after: ir.Body) -> bool:
    used = {e.symbol for e in walk_exprs(after) if isinstance(e, ir.Var)}
    return s.symbol in used and s.init is not None and s.init == zero(s.symbol.type, s.span)


def _only_added(x: ir.Symbol, body: ir.Body) -> bool:
    added = [s for s in walk_stmts(body) if isinstance(s, ir.Update) and s.op in "+-" and root_symbol(s.target) is x]
    return len(added) == sum(1 for y in variables(body) if y is x)


def _is_straight(body: ir.Body) -> bool:
    """Whether it is arithmetic on numbers under conditions."""
    if any(not isinstance(s, ir.Declare | ir.Assign | ir.Update | ir.If | ir.Comment) for s in walk_stmts(body)):
        return False
    return not any(isinstance(x.type, Array) for x in declared(body))


def _spelled(body: ir.Body) -> ir.Body:
    """Without the variables that hold threadIdx.x."""
    held: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    changed = written(body)
    for s in body:
        if isinstance(s, ir.Declare) and isinstance(s.symbol.type, Int) and s.init is not None:
            if s.symbol not in changed and s.symbol.type.bits >= 32 and _is_column(s.init):
                held[s.symbol] = s.init
    kept = tuple(s for s in body if not isinstance(s, ir.Declare) or s.symbol not in held)
    return substitute(held, kept) if held else body


def _is_column(e: ir.Expr) -> bool:
    while isinstance(e, ir.Cast) and isinstance(e.type, Int) and e.type.bits >= 32:
        e = e.operand
    return isinstance(e, ir.ThreadIndex) and (e.name, e.axis) == ("threadIdx", "x")


def _numbered(e: ir.Expr, thread: ir.Var, size: int | None) -> ir.Expr:
    """With the variable for the number of the thread in the launch."""
    if isinstance(e, ir.Cast) and e.type == INT and _is_position(e.operand, size):
        return thread
    if _is_position(e, size):
        return ir.Cast(thread, UINT, span=e.span)
    return map_children(lambda c: _numbered(c, thread, size), e)


def _is_position(e: ir.Expr, size: int | None) -> bool:
    """`blockIdx.x * blockDim.x + threadIdx.x`, in any order, or with the block's `size` as a number"""
    if not isinstance(e, ir.Binary) or e.op != "+" or e.type != UINT:
        return False
    product, offset = (e.left, e.right) if isinstance(e.left, ir.Binary) else (e.right, e.left)
    if not isinstance(product, ir.Binary) or product.op != "*" or product.type != UINT or not _is_column(offset):
        return False
    parts = [_part(x, size) for x in (product.left, product.right)]
    return sorted(parts) == ["blockDim", "blockIdx"]


def _part(e: ir.Expr, size: int | None) -> str:
    if isinstance(e, ir.ThreadIndex) and e.axis == "x":
        return e.name
    while isinstance(e, ir.Cast) and isinstance(e.type, Int):
        e = e.operand
    return "blockDim" if isinstance(e, ir.Const) and size is not None and e.value == size else ""
