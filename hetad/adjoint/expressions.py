"""The adjoint of an expression: a seed is pushed down to the places the expression reads.

For y = f(u, v) with seed ȳ:  ū += ȳ · ∂f/∂u,  v̄ += ȳ · ∂f/∂v.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Protocol

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, convert, is_zero, times, zero
from hetad.ir.facts import part_of_self
from hetad.ir.simplify import negated
from hetad.ir.types import Float, widened
from hetad.ir.visit import walk_expr
from hetad.rules import callees, math, operators
from hetad.rules.callee import Passed

Share = tuple[ir.Expr, Callable[[], ir.Expr]]  # an operand, and what gives its part of the seed


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
        case ir.Intrinsic(name=name, args=args):
            return _passed_to(expr) or (() if math.is_inactive(name) else args)
    return operators.operands(expr)


def _passed_to(expr: ir.Intrinsic) -> tuple[ir.Expr, ...]:
    """The operand, if any, that takes all of the seed."""
    row = callees.find(expr.name)
    return (expr.args[row.roles.index(row.pullback.role)],) if isinstance(row.pullback, Passed) else ()


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
        self._leaves = part_of_self(self._count)

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
        if isinstance(expr, ir.Var | ir.Index | ir.Member):
            return self.engine.accumulate(expr, convert(seed, widened(expr.type)), self.span)
        row = operators.row_of(expr)
        operands = operators.operands(expr)
        if row is not None and row.chosen and isinstance(expr, ir.Select):
            then, orelse = (tuple(self(e, seed)) for e in operands)
            return [ir.If(expr.cond, then, orelse, span=self.span)]
        if row is not None and len(operands) == 1:
            return self(operands[0], convert(_share(row, 0, expr, seed, result), widened(operands[0].type)))
        out: list[ir.Stmt] = []
        if leaves > 1 and not isinstance(seed, ir.Var | ir.Const):
            seed = _kept(self.engine, seed, out)
        if row is None:
            shares = _of_function(expr, seed, result)
        elif row.divisor and all(map(self._leaves, operands)):  # one division for all
            divided = _kept(self.engine, _over(seed, seed, _meant(row, row.divisor, expr, result)), out)
            shares = [(e, partial(_share, row, i, expr, divided, result, True)) for i, e in enumerate(operands)]
        else:
            shares = _of_operator(row, expr, seed, result)
        for operand, share in shares:
            out += self(operand, share())
        return out


def _kept(engine: Accumulator, seed: ir.Expr, out: list[ir.Stmt]) -> ir.Var:
    """A variable that holds the seed, declared in `out`."""
    symbol = engine.names.seed(seed.type, seed.span)
    out.append(ir.Declare(symbol, seed, span=seed.span))
    return ir.Var(symbol, span=seed.span)


def _over(numerator: ir.Expr, seed: ir.Expr, divisor: ir.Expr) -> ir.Expr:
    """A multiple of the seed, divided."""
    divided = ir.Binary("/", numerator, divisor, numerator.type, span=divisor.span)
    plain = isinstance(divisor, ir.Const) and divisor.value != 0
    return divided if plain else where_seeded(seed, divided)


def _of_operator(row: operators.Operator, expr: ir.Expr, seed: ir.Expr, result: ir.Expr | None) -> list[Share]:
    """The operands of an operation, or the factors of powers in it, each with its part of the seed."""
    powers = operators.powers(expr)
    if len(powers) < sum(powers.values()):
        return [(factor, partial(_of_power, expr, factor, power, seed)) for factor, power in powers.items()]
    return [(e, partial(_share, row, i, expr, seed, result)) for i, e in enumerate(operators.operands(expr))]


def _share(
    row: operators.Operator, index: int, expr: ir.Expr, seed: ir.Expr, result: ir.Expr | None, divided: bool = False
) -> ir.Expr:
    """seed · ∂expr/∂operand; `divided`: the seed has been divided already."""
    numerator = row.numerators[index].removeprefix("-")
    share = seed if numerator == "1" else times(seed, _meant(row, numerator, expr, result))
    if divided:
        share = share if share is seed else where_seeded(seed, share)
    elif row.divisor:
        share = _over(share, seed, _meant(row, row.divisor, expr, result))
    return negated(share) if row.numerators[index].startswith("-") else share


def _meant(row: operators.Operator, name: str, expr: ir.Expr, result: ir.Expr | None) -> ir.Expr:
    """What a name in a row stands for."""
    if name == "r":
        return result if result is not None else expr
    return operators.operands(expr)[row.operands.index(name)]


def _of_function(expr: ir.Expr, seed: ir.Expr, result: ir.Expr | None) -> list[Share]:
    """The arguments of a function, each with its part of the seed."""
    if not isinstance(expr, ir.Intrinsic):
        what = type(expr).__name__
        raise UnsupportedError(
            f"hetad has no derivative for this expression ({what})", expr.span, "rewrite it with + - * /"
        )
    name, args, passed = expr.name, expr.args, _passed_to(expr)
    if passed:
        return [(passed[0], lambda: seed)]
    return [(arg, partial(_slope, name, i, args, seed, result, expr.span)) for i, arg in enumerate(args)]


def _of_power(expr: ir.Expr, factor: ir.Expr, power: int, seed: ir.Expr) -> ir.Expr:
    """seed · ∂/∂f of a product that has the factor f several times: power · seed · what is left without one f."""
    others = operators.factors(expr)
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
    slope = math.partial(name, index, args, result, span)
    if slope is None:
        return zero(args[index].type, span)
    product = times(seed, convert(slope, seed.type))
    return where_seeded(seed, product) if math.may_be_infinite(name, index, args) else product


def where_seeded(seed: ir.Expr, share: ir.Expr) -> ir.Expr:
    """Zero where the seed is zero: a slope may be infinite there, and 0 · inf is not a number."""
    span = share.span
    idle = binary("==", seed, zero(seed.type, span))
    return ir.Select(idle, zero(share.type, span), share, share.type, span=span)


def is_seeded(e: ir.Select) -> bool:
    """Whether it is such a choice: its share is of what the primal works out at this place, whatever the seed."""
    match e.cond:
        case ir.Binary(op="==", left=ir.Var(symbol=seed), right=right):
            return seed.adjoint and is_zero(right) and is_zero(e.then)
    return False


def mentions(expr: ir.Expr, symbol: ir.Symbol) -> bool:
    return any(isinstance(e, ir.Var) and e.symbol is symbol for e in walk_expr(expr))
