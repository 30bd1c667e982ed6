"""Loops whose iterations are dealt out to neighbouring threads.

In a sparse matrix a thread has a row: `for (k = rows[row]; k < rows[row + 1]; ++k)`.  Neighbouring threads then read
cells far apart, and wait for the longest of their rows.  Where an iteration of the pullback only adds, all iterations
may run in any order, and a group of lanes does the rows of its members one after another, each lane every so many'th
element: what they read and add to lies side by side.

    float seed = 0; int k_first = 0; int k_end = 0;
    if (row < n) { seed = adj_y[row]; k_first = rows[row]; k_end = rows[row + 1]; }
    for (int member = 0; member < lanes; ++member)
        for (int k = (k_first of the member) + lane; k < (k_end of the member); k += lanes)
            ...

Source: N. Bell, M. Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors,
SC 2009.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hetad.analysis.loops import counted
from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.increments import increment
from hetad.device.draft import Draft, with_body
from hetad.device.tape.storage import thread_in_block
from hetad.frontend.quote import Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, integer, zero
from hetad.ir.places import changed_in
from hetad.ir.types import Float, Int, Pointer
from hetad.ir.visit import declared, own_nodes, substitute, variables, walk_expr, walk_exprs, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import operations

MOST = 6  # values that a lane hands over for each loop


@program_pass("redistribute")
def redistributed(draft: Draft) -> Draft:
    """Iterations of a thread's own loop are dealt out to neighbouring threads."""
    if not draft.apart or draft.blocks is not None or draft.overlapping:
        return draft
    body = dealt(draft.body, draft.ground, draft.names)
    return with_body(replace(draft, dealt=body is not draft.body), body)


def dealt(body: ir.Body, ground: LaunchAssumptions, names: Names) -> ir.Body:
    """With the last loop of a kernel dealt out, where that is right and worth it."""
    if not body:
        return body
    outer, last = body[:-1], body[-1]
    guard = last if isinstance(last, ir.If) and last.then and not last.orelse else None
    inner, loop = (guard.then[:-1], guard.then[-1]) if guard is not None else ((), last)
    found = _dealable(loop, body, ground) if isinstance(loop, ir.For) else None
    if not isinstance(loop, ir.For) or found is None:
        return body
    return _Deal(loop, found, ground, names).text(outer, guard, inner)


@dataclass(frozen=True, slots=True)
class _Dealable:
    """A loop that can be dealt out: its header, and the values from outside that its iterations depend on."""

    index: ir.Symbol
    start: ir.Expr
    bound: ir.Expr
    inclusive: bool
    given: tuple[ir.Symbol, ...]


def _dealable(loop: ir.For, body: ir.Body, ground: LaunchAssumptions) -> _Dealable | None:
    changed = set(changed_in(loop.body))
    added = {x for s in walk_stmts(body) if (i := increment(s)) is not None for x in _pointers(i.place)}
    inside = set(declared((loop,)))
    if not added <= ground.adjoints or not all(_only_adds(s, inside) for s in walk_stmts(loop.body)):
        return None

    def stable(e: ir.Expr) -> bool:
        return changed.isdisjoint(variables(e)) and all(isinstance(x.type, Int) for x in _loads(e))

    header = counted(loop, stable, lambda x: x in changed)
    if header is None or header.down or not isinstance(header.step, ir.Const) or header.step.value != 1:
        return None
    if not header.declares or not (_loads(header.start) or _loads(header.bound)):
        return None  # neighbours have about equally many iterations
    read = [e for e in walk_exprs(loop.body) if isinstance(e, ir.Index) and isinstance(e.base.type, Pointer)]
    if not any(_steps_along(e.index, header.index) for e in read):
        return None
    own = set(changed_in(body))  # also parameters that each thread changes
    given = dict.fromkeys(x for x in variables(loop.body) if x.storage != "param" or x in own)
    captured = tuple(x for x in given if x not in inside)
    if len(captured) > MOST or not all(x.storage == "local" and isinstance(x.type, Int | Float) for x in captured):
        return None
    return _Dealable(header.index, header.start, header.bound, header.inclusive, captured)


def _only_adds(s: ir.Stmt, own: set[ir.Symbol]) -> bool:
    """Whether the statement leaves nothing behind but sums, and knows nothing of the thread that runs it."""
    if any(isinstance(e, ir.ThreadIndex) or _takes(e) for e in own_nodes(s)):
        return False
    match s:
        case ir.Declare(symbol=symbol):
            return symbol.storage == "local"
        case ir.Assign(target=target) | ir.Update(target=target):
            return isinstance(target, ir.Var) and target.symbol in own
        case ir.If() | ir.For() | ir.Block() | ir.Comment():
            return True
    return increment(s) is not None


def _takes(e: ir.Expr) -> bool:
    return operations.gives(e, operations.take)


def _pointers(place: ir.Expr) -> set[ir.Symbol]:
    return {x for x in variables(place) if isinstance(x.type, Pointer) and not isinstance(x.type.to, Int)}


def _loads(e: ir.Expr) -> list[ir.Expr]:
    return [x for x in walk_expr(e) if isinstance(x, ir.Index)]


def _steps_along(index: ir.Expr, counter: ir.Symbol) -> bool:
    """Whether the next iteration is at the next cell."""
    match index:
        case ir.Var(symbol=symbol):
            return symbol is counter
        case ir.Cast(operand=operand):
            return _steps_along(operand, counter)
        case ir.Binary(op="+" | "-" as op, left=left, right=right):
            first, second = (counter in set(variables(e)) for e in (left, right))
            return (_steps_along(left, counter) and not second) or (
                op == "+" and _steps_along(right, counter) and not first
            )
    return False


_LANES = Quote("""
    const unsigned int lanes = few_lanes;
    const type lane = thread % lanes;
""")
_MEMBERS = Quote("""
    for (unsigned int member = 0; member < lanes; ++member) {
        handed;
        for (type k = first + lane; k < end; k += (type)lanes) {
            body;
        }
    }
""")


class _Deal:
    def __init__(self, loop: ir.For, found: _Dealable, ground: LaunchAssumptions, names: Names) -> None:
        self.loop, self.found, self.ground, self.span = loop, found, ground, loop.span
        type_ = found.index.type
        self.quoted = Scope(names, self.span, type=type_)
        self.first = names.symbol(f"{found.index.name}_first", type_, self.span)
        self.end = names.symbol(f"{found.index.name}_end", type_, self.span)
        self.names = names
        self.outside: dict[ir.Symbol, ir.Symbol] = {}  # for what is set under the guard

    def text(self, outer: ir.Body, guard: ir.If | None, inner: ir.Body) -> ir.Body:
        bound = convert(self.found.bound, self.end.type)
        if self.found.inclusive:
            bound = ir.Binary("+", bound, integer(1, self.span, self.end.type), self.end.type, span=self.span)
        if guard is None:
            self.first, self.end = (replace(x, const=True) for x in (self.first, self.end))
        values = ((self.first, convert(self.found.start, self.first.type)), (self.end, bound))
        if guard is None:
            own = tuple(ir.Declare(x, e, span=self.span) for x, e in values)
            return (*outer, *self._lanes(), *own, *self._over_members())
        within = set(declared(inner))
        kept = [x for x in self.found.given if x in within]
        self.outside = {x: replace(x, const=False) for x in kept}
        early = (*self.outside.values(), self.first, self.end)
        opening = [ir.Declare(x, zero(x.type, self.span), span=self.span) for x in early]
        found = tuple(ir.Assign(ir.Var(x, span=self.span), e, span=self.span) for x, e in values)
        then = tuple(t for s in substitute(self.outside, (*inner, *found)) for t in self._set(s))
        return (*outer, *opening, replace(guard, then=then), *self._lanes(), *self._over_members())

    def _set(self, s: ir.Stmt) -> ir.Body:
        """An assignment, or nothing, in place of the declaration of a variable that is declared further out."""
        if not isinstance(s, ir.Declare) or s.symbol not in self.outside.values():
            return (s,)
        return (ir.Assign(ir.Var(s.symbol, span=s.span), s.init, span=s.span),) if s.init is not None else ()

    def _lanes(self) -> ir.Body:
        thread = thread_in_block(self.ground.axes.threads, self.span)
        return self.quoted(_LANES, few_lanes=operations.few_lanes(span=self.span), thread=thread)

    def _over_members(self) -> ir.Body:
        """The loops of the members of the group, one after another."""
        given = (*self.found.given, self.first, self.end)
        own = {x: self.names.symbol(f"its_{x.name}", x.type, self.span, const=True) for x in given}
        return self.quoted(
            _MEMBERS,
            handed=lambda: tuple(ir.Declare(its, self._of_member(x), span=self.span) for x, its in own.items()),
            k=self.found.index,
            first=own[self.first],
            end=own[self.end],
            body=substitute(own, self.loop.body),
        )

    def _of_member(self, symbol: ir.Symbol) -> ir.Expr:
        value = ir.Var(self.outside.get(symbol, symbol), span=self.span)
        return operations.of_lane(value, self.quoted["member"], self.quoted["lanes"], span=self.span)
