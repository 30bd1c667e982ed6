"""Constructors of typed expressions that simplify as they build: x * 1 is x, constants are folded.

An operand is an expression or a Python number; a number takes the type of what it meets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from hetad.diagnostics import Span
from hetad.ir.nodes import Binary, Cast, Const, Expr, Intrinsic, Select, Unary
from hetad.ir.types import BOOL, Float, Type, promote

Operand = Expr | float | int

CONDITION: Type = BOOL


def value_of(operand: Operand) -> float | int | None:
    """The number that an operand is known to be, also behind a cast to a floating type."""
    match operand:
        case int() | float():
            return operand
        case Const(value=value):
            return value
        case Cast(operand=Const(value=value), type=Float()):
            return float(value)
        case Unary(op="-", operand=inner):
            value_inner = value_of(inner)
            return None if value_inner is None else -value_inner
    return None


def typed(operand: Operand, type_: Type, span: Span) -> Expr:
    """The operand as an expression; a number becomes a constant of the given type."""
    if isinstance(operand, int | float):
        return Const(float(operand) if isinstance(type_, Float) else int(operand), type_, span=span)
    return operand


def _fold(function: Callable[..., float | int], *operands: Operand) -> float | int | None:
    """The finite value of a function of known operands, else None."""
    values = [value_of(o) for o in operands]
    if any(v is None for v in values):
        return None
    try:
        result = function(*values)
    except (ArithmeticError, ValueError):
        return None
    return result if math.isfinite(result) else None


def _binary(op: str, left: Operand, right: Operand, span: Span) -> Operand:
    if isinstance(left, int | float):
        assert not isinstance(right, int | float), "two numbers always fold, except to infinity"
        type_ = right.type
    elif isinstance(right, int | float):
        type_ = left.type
    else:
        type_ = promote(left.type, right.type)
    return Binary(op, typed(left, type_, span), typed(right, type_, span), type_, span=span)


def add(left: Operand, right: Operand, span: Span) -> Operand:
    folded = _fold(lambda a, b: a + b, left, right)
    if folded is not None:
        return folded
    if value_of(left) == 0:
        return right
    if value_of(right) == 0:
        return left
    return _binary("+", left, right, span)


def sub(left: Operand, right: Operand, span: Span) -> Operand:
    folded = _fold(lambda a, b: a - b, left, right)
    if folded is not None:
        return folded
    if value_of(left) == 0:
        return neg(right, span)
    if value_of(right) == 0:
        return left
    return _binary("-", left, right, span)


def mul(left: Operand, right: Operand, span: Span) -> Operand:
    folded = _fold(lambda a, b: a * b, left, right)
    if folded is not None:
        return folded
    for one, other in ((left, right), (right, left)):
        value = value_of(one)
        if value == 0:
            return 0
        if value == 1:
            return other
        if value == -1:
            return neg(other, span)
    return _binary("*", left, right, span)


def div(left: Operand, right: Operand, span: Span) -> Operand:
    """A real quotient: formulas have no integer division."""
    folded = _fold(lambda a, b: a / b, left, right)
    if folded is not None:
        return folded
    if value_of(left) == 0:
        return 0
    if value_of(right) == 1:
        return left
    return _binary("/", left, right, span)


def neg(operand: Operand, span: Span) -> Operand:
    value = value_of(operand)
    if value is not None:
        return -value
    match operand:
        case Unary(op="-", operand=inner):
            return inner
        case int() | float():
            return -operand
    return Unary("-", operand, operand.type, span=span)


_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


def compare(op: str, left: Operand, right: Operand, span: Span) -> Expr | bool:
    a, b = value_of(left), value_of(right)
    if a is not None and b is not None:
        return _RELATIONS[op](a, b)
    comparison = _binary(op, left, right, span)
    assert isinstance(comparison, Binary)
    return Binary(op, comparison.left, comparison.right, CONDITION, span=span)


def combine(op: Literal["&&", "||"], left: Expr | bool, right: Expr | bool, span: Span) -> Expr | bool:
    """`left && right` or `left || right`."""
    decisive = op == "||"
    if isinstance(left, bool):
        return left if left == decisive else right
    if isinstance(right, bool):
        return right if right == decisive else left
    return Binary(op, left, right, CONDITION, span=span)


def invert(condition: Expr | bool, span: Span) -> Expr | bool:
    return not condition if isinstance(condition, bool) else Unary("!", condition, CONDITION, span=span)


def select(condition: Expr | bool, then: Operand, orelse: Operand, real: Type, span: Span) -> Operand:
    if isinstance(condition, bool):
        return then if condition else orelse
    if value_of(then) is not None and value_of(then) == value_of(orelse):
        return then
    first, second = typed(then, real, span), typed(orelse, real, span)
    return Select(condition, first, second, real, span=span)


_FOLDED_CALLS: dict[str, Callable[..., float]] = {
    "log": math.log,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "pow": math.pow,
    "copysign": math.copysign,
    "isnan": math.isnan,
}


def call(
    base: str, name: str, args: tuple[Operand, ...], params: tuple[Type, ...], returns: Type, span: Span
) -> Operand:
    """A call of the function `name`, the variant of `base` for the types at hand."""
    if base in _FOLDED_CALLS:
        folded = _fold(_FOLDED_CALLS[base], *args)
        if folded is not None:
            return folded
    if base in ("pow", "__powf"):
        power = _small_power(args[0], value_of(args[1]), returns, span)
        if power is not None:
            return power
    return Intrinsic(name, tuple(typed(a, p, span) for a, p in zip(args, params, strict=True)), returns, span=span)


def _small_power(x: Operand, exponent: float | None, real: Type, span: Span) -> Operand | None:
    """x to a constant power that needs no `pow`: 0, 1, 2, 3, -1, -2, 1/2, -1/2."""
    suffix = "f" if isinstance(real, Float) and real.bits == 32 else ""
    match exponent:
        case 0:
            return 1
        case 1:
            return x
        case 2:
            return mul(x, x, span)
        case 3:
            return mul(mul(x, x, span), x, span)
        case -1:
            return div(1, x, span)
        case -2:
            return div(1, mul(x, x, span), span)
        case 0.5 | -0.5:
            name = "sqrt" if exponent > 0 else "rsqrt"
            return Intrinsic(name + suffix, (typed(x, real, span),), real, span=span)
    return None
