"""The value of an expression together with its tangents, one for each direction.

For y = f(u, v):  ẏ = ∂f/∂u · u̇ + ∂f/∂v · v̇.  The slopes are those that the reverse sweep uses (`rules`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Protocol

from hetad.adjoint.expressions import where_seeded
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, convert, is_zero, times, zero
from hetad.ir.simplify import negated
from hetad.ir.types import Float, Type
from hetad.ir.visit import walk_expr
from hetad.rules import callees, math, operations, operators
from hetad.rules.callee import Passed

Tangents = tuple[ir.Expr, ...] | None  # one for each direction; None where all are zero
Dual = tuple[ir.Expr, Tangents]

LARGE = 8  # nodes: what is larger is worked out once


class Places(Protocol):
    """What the engine tells of places."""

    names: Names
    count: int  # of directions

    def tangents_of(self, place: ir.Place) -> Tangents: ...


class Duals:
    """Of the expressions of one statement.  Parts that are needed more than once are put into variables, declared in
    `before`; where there is no room for declarations, that is None, and they are repeated."""

    def __init__(self, places: Places, span: Span, before: list[ir.Stmt] | None) -> None:
        self.places, self.span, self.before = places, span, before

    def __call__(self, expr: ir.Expr) -> Dual:
        if not isinstance(expr.type, Float):
            return expr, None
        match expr:
            case ir.Var() | ir.Index() | ir.Member():
                return expr, self.places.tangents_of(expr)
            case ir.Select():
                return self._choice(expr)
            case ir.Intrinsic():
                return self._function(expr)
            case ir.CallExpr(function=name):
                raise UnsupportedError(f"a call of '{name}' inside an expression", expr.span, "assign it to a variable")
        row = operators.row_of(expr)
        if row is None:
            return expr, None
        powers = operators.powers(expr)
        if len(powers) < sum(powers.values()):
            return self._product(expr)
        return self._operation(expr, row)

    # -- forms of expressions

    def _choice(self, expr: ir.Select) -> Dual:
        alone = Duals(self.places, self.span, None)  # only one of the two may be worth computing
        then, orelse = alone(expr.then), alone(expr.orelse)
        if then[1] is None and orelse[1] is None:
            return expr, None
        pairs = zip(self._or_zeros(then[1], expr), self._or_zeros(orelse[1], expr), strict=True)
        return expr, tuple(ir.Select(expr.cond, a, b, expr.type, span=expr.span) for a, b in pairs)

    def _or_zeros(self, tangents: Tangents, like: ir.Expr) -> Sequence[ir.Expr]:
        return tangents if tangents is not None else (zero(like.type, like.span),) * self.places.count

    def _product(self, expr: ir.Expr) -> Dual:
        """A product that has a factor several times: power · ḟ · what is left without one f."""
        duals = [self(f) for f in operators.factors(expr)]
        if all(t is None for _, t in duals):
            return expr, None
        once: dict[ir.Expr, Dual] = {}
        factors: list[ir.Expr] = []
        for f, (value, tangents) in zip(operators.factors(expr), duals, strict=True):
            once.setdefault(f, (self._kept(value, 2), tangents))
            factors.append(once[f][0])
        powers = operators.powers(expr)
        terms: list[Tangents] = []
        for f, (value, tangents) in once.items():
            if tangents is None:
                continue
            others = list(factors)
            others.remove(value)
            slope = reduce(times, others)
            if powers[f] > 1:
                slope = times(ir.Const(float(powers[f]), expr.type, span=expr.span), slope)
            terms.append(self._scaled(slope, tangents))
        return reduce(times, factors), _sum(terms)

    def _operation(self, expr: ir.Expr, row: operators.Operator) -> Dual:
        duals = [self(e) for e in operators.operands(expr)]
        if all(t is None for _, t in duals):
            return expr, None
        several = bool(row.divisor) or row.numerators == ("b", "a")
        uses = [2 if several else 1 for _ in duals]
        values = [self._kept(v, n) for (v, _), n in zip(duals, uses, strict=True)]
        whole = _with_operands(expr, values)
        named = dict(zip(row.operands, values, strict=True))
        if row.divisor and duals[1][1] is not None:
            whole = self._kept(whole, 2, always=True)
        named["r"] = whole
        terms = [
            self._term(numerator, named, t, expr.type)
            for numerator, (_, t) in zip(row.numerators, duals, strict=True)
            if t is not None
        ]
        total = _sum(terms)
        if row.divisor and total is not None:
            total = tuple(binary("/", t, named[row.divisor]) for t in total)
        return whole, total

    def _term(self, numerator: str, named: dict[str, ir.Expr], tangents: Sequence[ir.Expr], type_: Type) -> Tangents:
        factor = numerator.removeprefix("-")
        made = tuple(convert(t, type_) for t in tangents)
        scaled = made if factor == "1" else tuple(times(named[factor], t) for t in made)
        return tuple(map(negated, scaled)) if numerator.startswith("-") else scaled

    def _function(self, expr: ir.Intrinsic) -> Dual:
        row = callees.find(expr.name)
        if isinstance(row.pullback, Passed):
            tangents = self(expr.args[row.roles.index(row.pullback.role)])[1]
            if row.pullback.seed is not None and tangents is not None:
                tangents = self._with_seed(expr.args[row.roles.index(row.pullback.seed)], tangents)
            return expr, tangents
        if math.is_inactive(expr.name):
            return expr, None
        duals = [self(a) for a in expr.args]
        if all(t is None for _, t in duals):
            return expr, None
        refuse_without_slope(expr.name, self.span)
        args = tuple(self._kept(v, 2) for v, _ in duals)
        call: ir.Expr = ir.Intrinsic(expr.name, args, expr.type, span=expr.span)
        result = call
        if any(t is not None and "r" in math.mentions(expr.name, i) for i, (_, t) in enumerate(duals)):
            result = self._kept(call, 2, always=True)
        slope_of = partial(math.partial, expr.name, args=args, result=result, span=expr.span)
        terms = [self._along(expr.name, i, args, slope_of(i), t) for i, (_, t) in enumerate(duals) if t is not None]
        return result, _sum(terms)

    def _with_seed(self, seed: ir.Expr, tangents: Sequence[ir.Expr]) -> Tangents:
        """The tangents of a multiple of a seed: zero where the seed is and stays so, though the factor be infinite."""
        along = self(seed)[1] or (None,) * len(tangents)
        span = seed.span
        found: list[ir.Expr] = []
        for moved, each in zip(along, tangents, strict=True):
            t = self._kept(each, 2)
            if moved is None or is_zero(moved):
                found.append(operations.guarded(seed, t, span=span))
                continue
            at_rest = operations.guarded(self._kept(moved, 2), t, span=span)
            is_idle = binary("==", seed, zero(seed.type, span))
            found.append(ir.Select(is_idle, at_rest, t, t.type, span=span))
        return tuple(found)

    def _along(
        self, name: str, index: int, args: tuple[ir.Expr, ...], slope: ir.Expr | None, tangents: Sequence[ir.Expr]
    ) -> Tangents:
        """slope · tangent; where a tangent is zero, so is its product with a slope that may be infinite."""
        if slope is None:
            return None
        if not math.may_be_infinite(name, index, args):
            return self._scaled(slope, tangents)
        kept = [self._kept(t, 2) for t in tangents]
        return tuple(where_seeded(t, p) for t, p in zip(kept, self._scaled(slope, kept), strict=True))

    # -- parts

    def _scaled(self, slope: ir.Expr, tangents: Sequence[ir.Expr]) -> tuple[ir.Expr, ...]:
        slope = self._kept(slope, len(tangents))
        return tuple(times(convert(slope, t.type), t) for t in tangents)

    def _kept(self, e: ir.Expr, uses: int, always: bool = False) -> ir.Expr:
        """The expression, or a variable that holds it, if it is needed so often and not short."""
        if self.before is None or uses < 2 or isinstance(e, ir.Var | ir.Const):
            return e
        parts = list(walk_expr(e))
        if not always and len(parts) <= LARGE and not any(isinstance(p, ir.Intrinsic) for p in parts):
            return e
        symbol = self.places.names.symbol("value", e.type, self.span, const=True)
        self.before.append(ir.Declare(symbol, e, span=self.span))
        return ir.Var(symbol, span=self.span)


def refuse_without_slope(name: str, span: Span) -> None:
    """A function that does not give its derivative is refused."""
    reason = math.refusal(name)
    if reason is not None:
        raise UnsupportedError(f"'{name}' has no derivative here: {reason}", span, "keep active values out of it")


def _sum(terms: Iterable[Tangents]) -> Tangents:
    there = [t for t in terms if t is not None]
    if not there:
        return None
    return tuple(reduce(plus, each) for each in zip(*there, strict=True))


def plus(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """`a + b` of tangents; a number in front of both stands once in front of the sum."""
    if is_zero(a) or is_zero(b):
        return b if is_zero(a) else a
    op = "+"
    if isinstance(b, ir.Unary) and b.op == "-":
        op, b = "-", b.operand
    one, other = _number_and_rest(a), _number_and_rest(b)
    if one is None or other is None or one[0] != other[0]:
        return binary(op, a, b)
    return times(one[0], binary(op, one[1], other[1]))


def _number_and_rest(e: ir.Expr) -> tuple[ir.Const, ir.Expr] | None:
    """Of a product that begins with a number."""
    first, *others = operators.factors(e)
    return (first, reduce(times, others)) if others and isinstance(first, ir.Const) else None


def _with_operands(expr: ir.Expr, values: Sequence[ir.Expr]) -> ir.Expr:
    match expr:
        case ir.Binary():
            return replace(expr, left=values[0], right=values[1])
        case ir.Unary() | ir.Cast():
            return replace(expr, operand=values[0])
    return expr
