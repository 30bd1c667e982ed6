"""Two loops as one, where all subscripts step through both as through one: what a gather is on the CPU.

    for (l < rows)                                          for (m < rows * columns)
        for (m < columns)                       becomes         sum += g[m] * b[m * s]
            sum += g[l * columns + m] * b[l * t + m * s]

if t is columns * s.  That is asked when the gather runs; a long loop is better vector code than many short ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from hetad.analysis.affine import Polynomial, polynomial
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.places import written
from hetad.ir.simplify import conjunction, simplest
from hetad.ir.types import BOOL, LONG, Int
from hetad.ir.visit import (
    children,
    declared,
    map_body,
    map_exprs,
    own_exprs,
    substitute,
    variables,
    walk_stmts,
)

_MOST = 3  # loops over targets whose order is tried


def with_joined_loops(nest: ir.For, targets: Sequence[ir.Symbol], certain: Collection[ir.Symbol]) -> ir.Body:
    """The loops over all targets, which may come in any order, with as many loops joined as possible under a condition,
    or as they stand.  `certain`: variables that usually hold."""
    usual = _where(nest, certain)
    best: _Joining | None = None
    for order in _orders(usual, targets):
        in_lanes = any(isinstance(s, ir.For) and s.lanes for s in walk_stmts((order,)))
        found = _Joining(set(declared((order,))) | written((order,)), in_lanes)
        found.nest = found.joined(order)
        if found.count and (best is None or found.merit > best.merit):
            best = found
    if best is None or best.nest is None:
        return (nest,)
    own = {x: replace(x) for x in declared((best.nest,))}
    used = set(variables((nest,)))
    conditions: list[ir.Expr] = [ir.Var(x, span=nest.span) for x in certain if x in used]
    conditions += [*best.conditions, *(_is_one(x) for x in best.units)]
    units = best.units
    body = map_exprs(lambda e: _by_one(e, units), substitute(own, (best.nest,)))
    return (ir.If(conjunction(conditions), body, (nest,), span=nest.span),)


def _is_one(x: ir.Symbol) -> ir.Expr:
    return ir.Binary("==", var(x), ir.Const(1, x.type, span=x.span), BOOL, span=x.span)


def _by_one(e: ir.Expr, units: Collection[ir.Symbol]) -> ir.Expr:
    """Without a factor that is one."""
    if isinstance(e, ir.Binary) and e.op == "*":
        for one, other in ((e.left, e.right), (e.right, e.left)):
            if isinstance(one, ir.Var) and one.symbol in units and other.type == e.type:
                return other
    return e


def _where(nest: ir.For, certain: Collection[ir.Symbol]) -> ir.For:
    """The nest where all of them hold."""

    def chosen(e: ir.Expr) -> ir.Expr:
        known = isinstance(e, ir.Select) and isinstance(e.cond, ir.Var) and e.cond.symbol in certain
        return e.then if known and isinstance(e, ir.Select) else e

    (found,) = map_exprs(chosen, (nest,))
    changed = written((nest,))
    same: dict[ir.Symbol, ir.Symbol | ir.Expr] = {
        s.symbol: s.init
        for s in walk_stmts((found,))
        if isinstance(s, ir.Declare) and s.symbol not in changed and isinstance(s.init, ir.Var)
        if s.init.symbol not in changed and s.init.type == s.symbol.type and s.symbol.const
    }
    kept = map_body(lambda s: None if isinstance(s, ir.Declare) and s.symbol in same else s, (found,))
    (found,) = substitute(same, kept)
    assert isinstance(found, ir.For)
    return found


def _orders(nest: ir.For, targets: Sequence[ir.Symbol]) -> Iterator[ir.For]:
    """The nest in each order of its loops over targets, the innermost of which stays."""
    loops: list[ir.For] = []
    inner: ir.Stmt = nest
    while isinstance(inner, ir.For) and len(loops) < len(targets):
        loops.append(inner)
        if len(inner.body) != 1:
            break
        inner = inner.body[0]
    indices = {x for loop in loops for x in declared(loop.init)}
    fixed = all(indices.isdisjoint(variables(e)) for loop in loops for e in _ends(loop))
    yield nest
    if indices != set(targets) or not fixed or not 2 < len(loops) <= _MOST:
        return
    *outer, last = loops
    for order in permutations(outer):
        if order != tuple(outer):
            whole = last
            for loop in reversed(order):
                whole = replace(loop, body=(whole,))
            yield whole


def _ends(loop: ir.For) -> Iterator[ir.Expr]:
    (start,), cond = loop.init, loop.cond
    if isinstance(start, ir.Declare) and start.init is not None:
        yield start.init
    if isinstance(cond, ir.Binary):
        yield cond.right


@dataclass(slots=True)
class _Joining:
    """`inside`: the variables that the nest sets; `in_lanes`: whether one of its loops is over lanes."""

    inside: set[ir.Symbol]
    in_lanes: bool
    conditions: list[ir.Expr] = field(default_factory=list)
    units: dict[ir.Symbol, None] = field(default_factory=dict)  # strides that are usually one
    count: int = 0
    nest: ir.For | None = None

    @property
    def merit(self) -> tuple[int, int]:
        return self.count, -len(self.conditions)

    def joined(self, s: ir.For) -> ir.For:
        body = map_body(lambda inner: self._one(inner) if isinstance(inner, ir.For) else inner, s.body)
        return self._one(replace(s, body=body))

    def _one(self, s: ir.For) -> ir.For:
        if len(s.body) != 1 or not isinstance(s.body[0], ir.For):
            return s
        inner = s.body[0]
        outer_end, inner_end = _counted(s), _counted(inner)
        if outer_end is None or inner_end is None or _index(s).type != _index(inner).type:
            return s
        if not self.inside.isdisjoint((*variables(outer_end), *variables(inner_end))):
            return s
        found = self._conditions(inner.body, _index(s), _index(inner), inner_end)
        if found is None:
            return s
        conditions, units = found
        innermost = not any(isinstance(x, ir.For | ir.While) for x in walk_stmts(inner.body))
        if inner.lanes or (innermost and not self.in_lanes):
            self.units |= units
        self.count += 1
        span, type_ = s.span, _index(s).type
        assert isinstance(type_, Int)
        zero = ir.Const(0, type_, span=span)
        needed = [*conditions, *(ir.Binary(">", e, zero, BOOL, span=span) for e in (outer_end, inner_end))]
        if type_ != LONG:
            wide = [e if e.type == LONG else ir.Cast(e, LONG, span=span) for e in (outer_end, inner_end)]
            whole = ir.Binary("*", wide[0], wide[1], LONG, span=span)
            needed.append(ir.Binary("<=", whole, ir.Const(2**31 - 1, LONG, span=span), BOOL, span=span))
        self.conditions += [c for c in needed if c not in self.conditions]
        assert isinstance(inner.cond, ir.Binary)
        return replace(
            inner,
            cond=replace(inner.cond, right=ir.Binary("*", outer_end, inner_end, type_, span=span)),
            body=_at_zero(_index(s), inner.body),
            lanes=s.lanes or inner.lanes,
            sums=tuple(dict.fromkeys((*s.sums, *inner.sums))),
        )

    def _conditions(
        self, body: ir.Body, outer: ir.Symbol, inner: ir.Symbol, count: ir.Expr
    ) -> tuple[list[ir.Expr], dict[ir.Symbol, None]] | None:
        """What must hold for the subscripts to go on in the next iteration of the outer loop where the inner one ends:
        that a step of the outer one is `count` steps of the inner one; and what is one where cells that follow each
        other are neighbours.  None where no subscript is known to do so."""
        found: dict[frozenset[object], ir.Expr] = {}
        units: dict[ir.Symbol, None] = {}
        known = False
        for e in _subscripts(body, {outer, inner}):
            steps = self._steps(e, outer, inner)
            if steps is None:
                return None
            expected = steps[1] * polynomial(count)
            units |= _unit(steps[1])
            difference = steps[0] - expected
            if difference.constant not in (0, None):
                return None
            if difference.terms:
                a, b = (Arithmetic(LONG, e.span).expression(p) for p in (steps[0], expected))
                found[frozenset(difference.terms.items())] = ir.Binary("==", a, b, BOOL, span=e.span)
            known = known or not difference.terms
        return (list(found.values()), units) if known else None

    def _steps(self, e: ir.Expr, outer: ir.Symbol, inner: ir.Symbol) -> tuple[Polynomial, Polynomial] | None:
        """By how much an expression grows in a step of either loop; None where it does not always, or not at all."""
        parts = polynomial(e).split(ir.Var(outer, span=e.span))
        more = parts[1].split(ir.Var(inner, span=e.span)) if parts is not None else None
        if parts is None or more is None or not parts[0].terms or not more[0].terms:
            return None
        atoms = [a for p in (parts[0], more[0]) for m in p.terms for a in m]
        plain = all(isinstance(a, ir.Var | ir.ThreadIndex) for a in atoms)
        uniform = self.inside.isdisjoint(a.symbol for a in atoms if isinstance(a, ir.Var))
        return (parts[0], more[0]) if plain and uniform else None


def _unit(step: Polynomial) -> dict[ir.Symbol, None]:
    """What is one if neighbouring iterations meet neighbouring cells."""
    if len(step.terms) == 1:
        ((monomial, factor),) = step.terms.items()
        if factor == 1 and len(monomial) == 1 and isinstance(monomial[0], ir.Var):
            return {monomial[0].symbol: None}
    return {}


def _counted(loop: ir.For) -> ir.Expr | None:
    """The end of a loop that counts from zero by ones."""
    if len(loop.init) != 1 or len(loop.step) != 1 or not isinstance(loop.cond, ir.Binary) or loop.cond.op != "<":
        return None
    (start,), (step,), cond = loop.init, loop.step, loop.cond
    if not isinstance(start, ir.Declare) or not isinstance(start.init, ir.Const) or start.init.value != 0:
        return None
    if (
        not isinstance(step, ir.Update)
        or step.op != "+"
        or not isinstance(step.value, ir.Const)
        or step.value.value != 1
    ):
        return None
    if start.symbol in written(loop.body) or cond.right.type != start.symbol.type:
        return None
    mine = [e for e in (cond.left, step.target) if isinstance(e, ir.Var) and e.symbol is start.symbol]
    return cond.right if len(mine) == 2 else None


def _index(loop: ir.For) -> ir.Symbol:
    (start,) = loop.init
    assert isinstance(start, ir.Declare)
    return start.symbol


def _subscripts(body: ir.Body, indices: set[ir.Symbol]) -> Iterator[ir.Expr]:
    """The largest integer expressions in which the indices stand."""

    def within(e: ir.Expr) -> Iterator[ir.Expr]:
        if indices.isdisjoint(variables(e)):
            return
        if isinstance(e.type, Int) and not e.type.boolean and not isinstance(e, ir.Index):
            yield e
            return
        for c in children(e):
            yield from within(c)

    for s in walk_stmts(body):
        for own in own_exprs(s):
            yield from within(own)


def _at_zero(index: ir.Symbol, body: ir.Body) -> ir.Body:
    """In the first iteration of a loop."""

    def simple(e: ir.Expr) -> ir.Expr:
        first = isinstance(e, ir.Var) and e.symbol is index
        return ir.Const(0, e.type, span=e.span) if first else simplest(e)

    return map_exprs(simple, body)
