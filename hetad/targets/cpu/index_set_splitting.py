"""The iterations of a loop at which all guards hold: their statements are straight code, which becomes vector code.

    for (i...)                                      for (i < from...)  as it stands
        if (i >= 1) sum += a[i - 1];                for (i from `from` to `to`...)
        if (i + 1 < n) sum += a[i + 1];                 sum += a[i - 1];
        ...                                             sum += a[i + 1];
                                                        ...
                                                    for (i from `to` on...)  as it stands

A guard counts if it is a bound of the loop's variable, or the same in all iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from hetad.analysis.loop_bounds import Bounds, Counting, bounds, limited, pure
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.places import written
from hetad.ir.simplify import conjunction, conjuncts
from hetad.ir.types import Int
from hetad.ir.visit import declared, map_children, substitute, variables, walk_exprs, walk_stmts
from hetad.rules import operations

_UNROLLED = 8  # iterations of a loop
_MOST = 3000  # nodes of expressions in straight code


@dataclass(frozen=True, slots=True)
class Interior:
    """What is done where all `conditions` hold, and within the bounds."""

    body: ir.Body
    bounds: Bounds
    conditions: tuple[ir.Expr, ...] = ()


class _NotSplit(Exception):
    """There are other loops inside, or calls."""


def interior_of_row(body: ir.Body, fixed: set[ir.Symbol]) -> Interior | None:
    """Of the loop over threadIdx.x.  None where one guard is around all that is done: the compiler knows what to do
    with that.  `fixed`: what is the same for all threads, and never changes."""
    guards = [s for s in body if isinstance(s, ir.If)]
    if not guards or (len(guards) == 1 and body[-1] is guards[0] and not guards[0].orelse):
        return None
    found = _Straight(body, None, {*variables(body), *declared(body)} - fixed).result()
    return found if found is not None and (found.bounds.least or found.bounds.below) else None


def interior_of_lanes(loop: ir.For, ranges: bool = True) -> Interior | None:
    """Of a loop whose iterations come in any order; all of it, with the guards that are its bounds, if not `ranges`."""
    (start,) = loop.init
    assert isinstance(start, ir.Declare)
    varying = {*written(loop.body), *declared(loop.body)}
    return _Straight(loop.body, start.symbol, varying, ranges).result()


@dataclass(slots=True)
class _Straight:
    """The body without its guards.  `variable`: the loop's, None for threadIdx.x; guards that are bounds of it stay if
    not `ranges`."""

    body: ir.Body
    variable: ir.Symbol | None
    varying: set[ir.Symbol]
    ranges: bool = True
    changed: set[ir.Symbol] = field(init=False)
    values: dict[ir.Symbol, ir.Expr] = field(default_factory=dict)
    found: Bounds = field(default_factory=lambda: Bounds([], [], []))
    conditions: list[ir.Expr] = field(default_factory=list)

    def result(self) -> Interior | None:
        self.changed = written(self.body)
        try:
            straight = _without_tests_for_sums(tuple(self._block(self.body)))
        except _NotSplit:
            return None
        if sum(1 for _ in walk_exprs(straight)) > _MOST:
            return None
        return Interior(straight, self.found, tuple(self.conditions))

    def _block(self, body: ir.Body) -> Iterator[ir.Stmt]:
        for s in body:
            match s:
                case ir.Declare(symbol=x, init=init):
                    counts = isinstance(x.type, Int) and init is not None and init.type == x.type
                    if counts and init is not None and x not in self.changed and pure(init):
                        self.values[x] = init
                    yield self._plain(s)
                case ir.Assign() | ir.Update() | ir.Comment():
                    yield self._plain(s)
                case ir.Block(body=inner):
                    yield from self._nested(inner, s.span)
                case ir.If(cond=cond) if pure(cond):
                    yield from self._guard(s)
                case ir.If():
                    yield self._plain(s)
                case ir.For() if self.variable is not None:
                    yield from self._unrolled(s)
                case _:
                    raise _NotSplit

    def _nested(self, body: ir.Body, span: Span) -> Iterator[ir.Stmt]:
        if self.variable is None:
            yield ir.Block(tuple(self._block(body)), span=span)
        else:  # every variable has a declaration of its own
            yield from self._block(body)

    def _plain(self, s: ir.Stmt) -> ir.Stmt:
        simple = ir.Declare | ir.Assign | ir.Update | ir.If | ir.Block | ir.Comment
        if not all(isinstance(x, simple) for x in walk_stmts((s,))):
            raise _NotSplit
        if any(isinstance(e, ir.CallExpr) for e in walk_exprs((s,))):
            raise _NotSplit
        return s

    def _guard(self, s: ir.If) -> Iterator[ir.Stmt]:
        candidates: list[ir.Expr] = []
        left: list[ir.Expr] = []
        for c in conjuncts(s.cond):
            known = self._known(c)
            if self.variable is not None and self._same(known):
                self.conditions += [known] if known not in self.conditions else []
            elif not self.ranges or (isinstance(c, ir.Binary) and c.op == "=="):
                left.append(c)  # an equality holds for one iteration only
            else:
                candidates.append(c)
        loop = Counting(self.variable, self.values, self.varying - self.values.keys(), self.variable is None)
        mine = bounds(candidates, loop)
        left += mine.others
        if left and s.orelse:
            raise _NotSplit
        found = self.found
        for whole, some in ((found.least, mine.least), (found.below, mine.below), (found.small, mine.small)):
            whole += [known for e in some if (known := self._known(e)) not in whole]
        if left:
            yield replace(s, cond=conjunction(left), then=tuple(self._block(s.then)))
        else:
            yield from self._nested(s.then, s.span)

    def _known(self, e: ir.Expr) -> ir.Expr:
        """With their values in place of variables that are set in the loop."""
        if isinstance(e, ir.Var) and e.symbol in self.values:
            return self._known(self.values[e.symbol])
        return map_children(self._known, e)

    def _same(self, e: ir.Expr) -> bool:
        return not any(x is self.variable or x in self.varying for x in variables(e))

    def _unrolled(self, s: ir.For) -> Iterator[ir.Stmt]:
        for value in _values(s):
            (start,) = s.init
            assert isinstance(start, ir.Declare)
            copies: dict[ir.Symbol, ir.Symbol | ir.Expr] = {
                start.symbol: ir.Const(value, start.symbol.type, span=s.span)
            }
            for x in declared(s.body):
                copies[x] = own = replace(x)
                self.varying.add(own)
                if x in self.changed:
                    self.changed.add(own)
            yield from self._block(substitute(copies, s.body))


def _without_tests_for_sums(body: ir.Body) -> ir.Body:
    """`if (sum != 0) cell += sum;` of adjoints is `cell += sum;` where something is surely added to the sum: then the
    cell is there.  A loop that ends in two such tests is no vector code for gcc, whatever it may do with one."""
    summed: set[ir.Symbol] = set()

    def always(s: ir.Stmt) -> ir.Stmt:
        match s:
            case ir.Declare(symbol=x) | ir.Assign(target=ir.Var(symbol=x)):
                summed.discard(x)
            case ir.Update(op="+" | "-", target=ir.Var(symbol=x)) if x.adjoint:
                summed.add(x)
            case ir.Block(body=inner):
                return replace(s, body=tuple(map(always, inner)))
            case ir.If(
                cond=ir.Binary(op="!=", left=ir.Var(symbol=total), right=ir.Const(value=0)),
                then=(ir.Update(op="+", value=ir.Var(symbol=added)) as update,), orelse=(),
            ) if total is added and total in summed:  # fmt: skip
                return update
            case _:
                summed.difference_update(written((s,)))
        return s

    return tuple(map(always, body))


def _values(s: ir.For) -> range:
    """What the variable of a short loop is, one after the other."""
    if len(s.init) != 1 or len(s.step) != 1 or not isinstance(s.cond, ir.Binary) or s.cond.op not in ("<", "<="):
        raise _NotSplit
    (start,), (step,), cond = s.init, s.step, s.cond
    if not isinstance(start, ir.Declare) or not isinstance(step, ir.Update) or step.op != "+":
        raise _NotSplit
    i = start.symbol
    mine = [e for e in (cond.left, step.target) if isinstance(e, ir.Var) and e.symbol is i]
    numbers = [e.value for e in (start.init, cond.right, step.value) if isinstance(e, ir.Const)]
    if len(mine) < 2 or len(numbers) < 3 or not isinstance(i.type, Int) or i in written(s.body) or numbers[2] != 1:
        raise _NotSplit
    found = range(int(numbers[0]), int(numbers[1]) + (cond.op == "<="))
    if len(found) > _UNROLLED:
        raise _NotSplit
    return found


def in_cases(loop: ir.For, general: ir.Stmt, strips: Callable[[ir.For], ir.Stmt | None]) -> ir.Body:
    """A loop over lanes, which is also `general`, in cases: first whether it passes the conditions that all lanes have
    in common; then the interior by itself, if it is nearly all of it, or else `strips` without those conditions."""
    within, all_ = interior_of_lanes(loop), interior_of_lanes(loop, ranges=False)
    if within is None or all_ is None:
        return (general,)
    in_strips = strips(replace(loop, body=all_.body)) if all_.conditions else general
    if in_strips is None:
        return (general,)
    bounded = within.bounds.least or within.bounds.below
    found = _in_three(loop, within, in_strips) if bounded else (in_strips,)
    if not within.conditions:
        return found
    return (ir.If(conjunction(within.conditions), found, (general,), span=loop.span),)


# An iteration that is not vector code is 16 times as dear.
_IN_THREE = Quote("""
    {
        const index inner = first, inner_end = last;
        if (16 * ((long)inner_end - (long)inner) > 15 * ((long)end - (long)begin)) {
            three;
        } else {
            otherwise;
        }
    }
""")


def _in_three(loop: ir.For, within: Interior, otherwise: ir.Stmt) -> ir.Body:
    """The interior, and what is on both sides of it, if that is little."""
    (start,), cond, span = loop.init, loop.cond, loop.span
    assert isinstance(start, ir.Declare) and start.init is not None and isinstance(cond, ir.Binary)
    begin, end, type_ = start.init, cond.right, start.symbol.type
    assert isinstance(type_, Int)
    first, last = (ir.Symbol(name, type_, span, const=True) for name in ("inner", "inner_end"))
    from_, to = (ir.Var(x, span=span) for x in (first, last))

    def over(a: ir.Expr, b: ir.Expr, body: ir.Body) -> ir.For:
        own = {x: replace(x) for x in declared(body)}
        head, opening = replace(cond, right=b), replace(start, init=a)
        return replace(loop, init=(opening,), cond=head, body=substitute(own, body), lanes=False)

    return _IN_THREE(
        Names(()), span, index=type_, inner=first, inner_end=last, begin=begin, end=end,
        first=limited(begin, within.bounds.least, operations.raised, end, type_),
        last=limited(end, within.bounds.below, operations.lowered, from_, type_),
        three=(over(begin, from_, loop.body), over(from_, to, within.body), over(to, end, loop.body)),
        otherwise=(otherwise,),
    )  # fmt: skip
