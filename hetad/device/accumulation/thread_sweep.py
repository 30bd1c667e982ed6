"""A pullback as loops over all threads, one for each axis, where they only add: what the CPU runs.

Either all threads add to the same sums, or their bodies are straight code: that is vector code then, across blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hetad.analysis.coordinates import AXES
from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.privatised_reductions import adds_up
from hetad.device.accumulation.thread_order import in_any_order
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

_COUNTS = {axis: Quote(f"gridDim.{axis} * blockDim.{axis}") for axis in AXES}
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
    """The body of a kernel, which may end in additions to sums over the block, for all threads of a launch.

    None where a thread asks for more than its number in the launch, or where the order of threads may matter.
    """
    split = next((i for i, s in enumerate(body) if adds_up(s)), len(body))
    if not ground.axes.all or (split == len(body) and not _is_straight(body)) or not in_any_order(body, ground):
        return None
    body = _spelled(body)
    sums = [s for s in body[:split] if isinstance(s, ir.Declare) and _is_sum(s, body[split:])]
    inner = tuple(s for s in body[:split] if not any(s is d for d in sums))
    if not all(_only_added(s.symbol, inner) for s in sums):
        return None
    loops = _over_threads(_SWEEP, inner, ground, names)
    if loops is None:
        return None
    *numbers, loop = loops
    assert isinstance(loop, ir.For)
    vectors = _innermost(loop, len(ground.axes.all), lanes=True, sums=tuple(s.symbol for s in sums))
    return ir.Sweep((*sums, *numbers, vectors, *body[split:]), counted=True)


def in_order(body: ir.Body, ground: LaunchAssumptions, names: Names, count: ir.Expr | None = None) -> ir.Sweep | None:
    """The body of a kernel whose threads do not know of each other, for all threads of a launch, last to first.
    `count`: how many there are, where another launch, along x, runs it.

    None where a thread asks for more than its number in the launch.
    """
    if not ground.axes.all or (count is not None and ground.axes.all != ("x",)):
        return None
    loops = _over_threads(_BACKWARDS, _spelled(body), ground, names, count)
    return ir.Sweep(loops, counted=True) if loops is not None else None


def _over_threads(
    template: Quote, body: ir.Body, ground: LaunchAssumptions, names: Names, count: ir.Expr | None = None
) -> ir.Body | None:
    """The counts of threads along each axis and a loop for each, that along x innermost; None where `body` asks for
    more than the thread's number."""
    span, const = ground.span, template is _BACKWARDS
    numbers: list[ir.Stmt] = []
    for axis in ground.axes.all:
        name = "thread" if axis == ground.axes.all[0] else f"thread_{axis}"
        thread = names.symbol(name, INT, span, const=const)
        position = Position(axis, ground.sizes.get(axis), ir.Var(thread, span=span))
        body = map_body(lambda s: map_own_exprs(position.numbered, s), body)  # noqa: B023
        number, loop = template(names, span, thread=thread, count=count or _COUNTS[axis].value(span), body=body)
        numbers.insert(0, number)
        body = (loop,)
    if any(isinstance(e, ir.ThreadIndex) and e.name in ("threadIdx", "blockIdx") for e in walk_exprs(body)):
        return None
    return (*numbers, *body)


def _innermost(loop: ir.For, depth: int, **what: Any) -> ir.For:
    """The nest of loops, with that of the innermost one changed."""
    if depth == 1:
        return replace(loop, **what)
    (inner,) = loop.body
    assert isinstance(inner, ir.For)
    return replace(loop, body=(_innermost(inner, depth - 1, **what),))


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
    """Without the variables that hold threadIdx.x, or that along another axis."""
    held: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    changed = written(body)
    for s in body:
        if isinstance(s, ir.Declare) and isinstance(s.symbol.type, Int) and s.init is not None:
            if s.symbol not in changed and s.symbol.type.bits >= 32 and any(_is_column(s.init, a) for a in AXES):
                held[s.symbol] = s.init
    kept = tuple(s for s in body if not isinstance(s, ir.Declare) or s.symbol not in held)
    return substitute(held, kept) if held else body


def _is_column(e: ir.Expr, axis: str) -> bool:
    while isinstance(e, ir.Cast) and isinstance(e.type, Int) and e.type.bits >= 32:
        e = e.operand
    return isinstance(e, ir.ThreadIndex) and (e.name, e.axis) == ("threadIdx", axis)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a thread is in the launch, along an axis: `blockIdx.x * blockDim.x + threadIdx.x`, in any order, or with
    the block's `size` as a number.  `thread` holds it."""

    axis: str
    size: int | None
    thread: ir.Var

    def numbered(self, e: ir.Expr) -> ir.Expr:
        """With the variable in its place."""
        if isinstance(e, ir.Cast) and e.type == INT and self.is_it(e.operand):
            return self.thread
        if self.is_it(e):
            return ir.Cast(self.thread, UINT, span=e.span)
        return map_children(self.numbered, e)

    def is_it(self, e: ir.Expr) -> bool:
        if not isinstance(e, ir.Binary) or e.op != "+" or e.type != UINT:
            return False
        product, offset = (e.left, e.right) if isinstance(e.left, ir.Binary) else (e.right, e.left)
        if not isinstance(product, ir.Binary) or product.op != "*" or product.type != UINT:
            return False
        return _is_column(offset, self.axis) and sorted(map(self._part, (product.left, product.right))) == _BLOCK

    def _part(self, e: ir.Expr) -> str:
        if isinstance(e, ir.ThreadIndex) and e.axis == self.axis:
            return e.name
        while isinstance(e, ir.Cast) and isinstance(e.type, Int):
            e = e.operand
        return "blockDim" if isinstance(e, ir.Const) and self.size is not None and e.value == self.size else ""


_BLOCK = ["blockDim", "blockIdx"]
