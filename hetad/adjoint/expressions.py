"""The adjoint of an expression: a seed is pushed down to the places the expression reads.

For y = f(u, v) with seed ȳ:  ū += ȳ · ∂f/∂u,  v̄ += ȳ · ∂f/∂v.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import reduce
from typing import Protocol

from hetad.adjoint.names import Names, convert, is_zero, negate, times, zero
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.facts import Facts
from hetad.ir.types import BOOL, Float
from hetad.ir.visit import children, walk_expr
from hetad.rules import math

REPLAY = "hetad_replay"  # (recorded, load): the recorded value in place of the load, with the load's derivative


class Accumulator(Protocol):
    """What the engine offers to this module."""

    names: Names

    def is_active(self, place: ir.Expr) -> bool: ...
    def accumulate(self, place: ir.Place, value: ir.Expr, span: Span) -> list[ir.Stmt]: ...


def active_leaves(engine: Accumulator, expr: ir.Expr) -> list[ir.Place]:
    """The active places whose value flows into `expr` through floating operations."""
    found: list[ir.Place] = []
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ir.Var | ir.Index | ir.Member):
            found += [part] if isinstance(part.type, Float) and engine.is_active(part) else []
        else:
            waiting += _floating_operands(part)[::-1]
    return found


def _floating_operands(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    """Those on which its value depends smoothly."""
    if not isinstance(expr.type, Float):
        return ()
    match expr:
        case ir.Select(then=then, orelse=orelse):
            return then, orelse
        case ir.Intrinsic(name=name, args=args) if name == REPLAY:
            return (args[1],)
        case ir.Intrinsic(name=name) if math.is_inactive(name):
            return ()
        case ir.Binary() | ir.Unary() | ir.Cast() | ir.Intrinsic():
            return children(expr)
    return ()


def pull(engine: Accumulator, expr: ir.Expr, seed: ir.Expr, span: Span, result: ir.Expr | None = None) -> list[ir.Stmt]:
    """Statements that accumulate `seed` times the derivative of `expr` into the adjoints of its active places.

    `seed` must keep its value meanwhile.  `result` is a place that holds the value of `expr`, where one exists.
    """
    return _Pull(engine, span)(expr, seed, result)


class _Pull:
    """Of one expression: how many leaves its parts have is counted once."""

    def __init__(self, engine: Accumulator, span: Span) -> None:
        self.engine = engine
        self.span = span
        self._leaves = Facts(self._count)

    def _count(self, expr: ir.Expr) -> int:
        if isinstance(expr, ir.Var | ir.Index | ir.Member):
            return int(isinstance(expr.type, Float) and self.engine.is_active(expr))
        return sum(map(self._leaves, _floating_operands(expr)))

    def __call__(self, expr: ir.Expr, seed: ir.Expr, result: ir.Expr | None = None) -> list[ir.Stmt]:
        if isinstance(expr, ir.CallExpr):
            raise UnsupportedError(
                f"a call of '{expr.function}' inside an expression", expr.span, "assign it to a variable"
            )
        leaves = self._leaves(expr)
        if not leaves or is_zero(seed):
            return []
        match expr:
            case ir.Var() | ir.Index() | ir.Member():
                return self.engine.accumulate(expr, convert(seed, expr.type), self.span)
            case ir.Cast(operand=operand):
                return self(operand, convert(seed, operand.type))
            case ir.Unary(op="-", operand=operand):
                return self(operand, negate(seed))
            case ir.Select(cond=cond, then=then, orelse=orelse):
                return [ir.If(cond, tuple(self(then, seed)), tuple(self(orelse, seed)), span=self.span)]
        out: list[ir.Stmt] = []
        if leaves > 1 and not isinstance(seed, ir.Var | ir.Const):
            seed = _kept(self.engine, seed, out)
        match expr:
            case ir.Binary(op="/", left=a, right=b) if self._leaves(a) and self._leaves(b):
                seed = _kept(self.engine, _over(seed, seed, b), out)  # one division for both
                share = where_seeded(seed, times(seed, result if result is not None else expr))
                return [*out, *self(a, seed), *self(b, negate(share))]
        for operand, share_of in _shares(expr, seed, result):
            out += self(operand, share_of())
        return out


def _kept(engine: Accumulator, seed: ir.Expr, out: list[ir.Stmt]) -> ir.Var:
    """A variable that holds the seed, declared in `out`."""
    symbol = engine.names.symbol("seed", seed.type, seed.span, const=True)
    out.append(ir.Declare(symbol, seed, span=seed.span))
    return ir.Var(symbol, span=seed.span)


def _over(numerator: ir.Expr, seed: ir.Expr, divisor: ir.Expr) -> ir.Expr:
    """A multiple of the seed, divided."""
    divided = ir.Binary("/", numerator, divisor, numerator.type, span=divisor.span)
    plain = isinstance(divisor, ir.Const) and divisor.value != 0
    return divided if plain else where_seeded(seed, divided)


def _shares(expr: ir.Expr, seed: ir.Expr, result: ir.Expr | None) -> list[tuple[ir.Expr, Callable[[], ir.Expr]]]:
    """The operands of an operation, each with its part of the seed."""
    match expr:
        case ir.Binary(op="+", left=a, right=b):
            return [(a, lambda: seed), (b, lambda: seed)]
        case ir.Binary(op="-", left=a, right=b):
            return [(a, lambda: seed), (b, lambda: negate(seed))]
        case ir.Binary(op="*") if len(powers := _powers(expr)) < len(_factors(expr)):
            return [(f, lambda f=f: _of_power(expr, f, powers[f], seed)) for f in powers]  # type: ignore[misc]
        case ir.Binary(op="*", left=a, right=b):
            return [(a, lambda: times(seed, b)), (b, lambda: times(seed, a))]
        case ir.Binary(op="/", left=a, right=b):
            quotient = result if result is not None else expr
            return [(a, lambda: _over(seed, seed, b)), (b, lambda: negate(_over(times(seed, quotient), seed, b)))]
        case ir.Intrinsic(name=name, args=args) if name == REPLAY:
            return [(args[1], lambda: seed)]
        case ir.Intrinsic(name=name, args=args):
            return [(arg, lambda i=i: _slope(name, i, args, seed, result, expr.span)) for i, arg in enumerate(args)]  # type: ignore[misc]
    raise UnsupportedError(
        f"hetad has no derivative for this expression ({type(expr).__name__})", expr.span, "rewrite it with + - * /"
    )


def _factors(expr: ir.Expr) -> list[ir.Expr]:
    """Those of a product, as it is written from left to right."""
    if isinstance(expr, ir.Binary) and expr.op == "*":
        return [*_factors(expr.left), *_factors(expr.right)]
    return [expr]


def _powers(expr: ir.Expr) -> dict[ir.Expr, int]:
    """How often each factor of a product is in it."""
    return Counter(_factors(expr))


def _of_power(expr: ir.Expr, factor: ir.Expr, power: int, seed: ir.Expr) -> ir.Expr:
    """seed · ∂/∂f of a product that has the factor f several times: power · seed · what is left without one f."""
    others = _factors(expr)
    del others[len(others) - 1 - others[::-1].index(factor)]  # the last: what is left may be a part of the product
    if power > 1:
        seed = times(ir.Const(float(power), seed.type, span=expr.span), seed)
    return times(seed, reduce(times, others))


def _slope(
    name: str, index: int, args: tuple[ir.Expr, ...], seed: ir.Expr, result: ir.Expr | None, span: Span
) -> ir.Expr:
    """seed · ∂name/∂args[index]; a zero seed stays zero where the slope may be infinite (0 · inf is not a number)."""
    reason = math.refusal(name)
    if reason is not None:
        raise UnsupportedError(f"'{name}' has no derivative here: {reason}", span, "keep active values out of it")
    partial = math.partial(name, index, args, result, span)
    if partial is None:
        return zero(args[index].type, span)
    product = times(seed, convert(partial, seed.type))
    return where_seeded(seed, product) if math.may_be_infinite(name, index, args) else product


def where_seeded(seed: ir.Expr, share: ir.Expr) -> ir.Expr:
    """Zero where the seed is zero: a slope may be infinite there, and 0 · inf is not a number."""
    span = share.span
    idle = ir.Binary("==", seed, zero(seed.type, span), BOOL, span=span)
    return ir.Select(idle, zero(share.type, span), share, share.type, span=span)


def mentions(expr: ir.Expr, symbol: ir.Symbol) -> bool:
    return any(isinstance(e, ir.Var) and e.symbol is symbol for e in walk_expr(expr))
