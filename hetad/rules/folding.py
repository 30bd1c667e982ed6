"""Constructors of typed expressions that are in their simplest form from the start.

An operand is an expression or a Python number; a number takes the type of what it meets.  Slopes are real numbers to
these constructors: beside what `ir/simplify.py` knows, a slope of zero takes away whatever it is multiplied by.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Literal

from hetad.diagnostics import Span
from hetad.ir.arithmetic import COMPARISONS, number
from hetad.ir.nodes import Binary, Cast, Const, Expr, Intrinsic, Select, Unary
from hetad.ir.simplify import RULES, Rules, applied, negated, simplest, truth
from hetad.ir.types import BOOL, Float, Type, promote

Operand = Expr | float | int


def value_of(operand: Operand) -> float | int | None:
    """The number that an operand is known to be."""
    return operand if isinstance(operand, int | float) else number(operand)


def typed(operand: Operand, type_: Type, span: Span) -> Expr:
    """The operand as an expression; a number becomes a constant of the given type."""
    if isinstance(operand, int | float):
        return Const(float(operand) if isinstance(type_, Float) else int(operand), type_, span=span)
    return operand


def _computed(function: Callable[..., float | int], *operands: Operand) -> float | int | None:
    """The finite value of a function of known operands, else None."""
    values = [value_of(o) for o in operands]
    if any(v is None for v in values):
        return None
    try:
        result = function(*values)
    except (ArithmeticError, ValueError):
        return None
    return result if math.isfinite(result) else None


def _met(left: Operand, right: Operand, span: Span) -> tuple[Expr, Expr]:
    """Two operands in the type in which they meet."""
    assert not (isinstance(left, int | float) and isinstance(right, int | float)), "numbers fold, except to infinity"
    types = [o.type for o in (left, right) if not isinstance(o, int | float)]
    common = promote(types[0], types[-1])
    a, b = (typed(o, common, span) for o in (left, right))
    return _as(a, common, span), _as(b, common, span)


def _as(e: Expr, type_: Type, span: Span) -> Expr:
    known = number(e)
    if e.type == type_:
        return e
    return typed(known, type_, span) if known is not None else Cast(e, type_, implicit=True, span=span)


def zero_terms(e: Binary) -> Expr | None:
    """`0 + x` and `x + 0` are `x`, `0 - x` is `-x`."""
    if e.op == "+" and 0 in (number(e.left), number(e.right)):
        return e.right if number(e.left) == 0 else e.left
    return negated(e.right) if e.op == "-" and number(e.left) == 0 else None


def zero_factors(e: Binary) -> Expr | None:
    """`0 * x`, `x * 0` and `0 / x` are `0`."""
    zero = number(e.left) == 0 or (e.op == "*" and number(e.right) == 0)
    return typed(0, e.type, e.span) if e.op in ("*", "/") and zero else None


_REAL: Rules = {**RULES, Binary: (zero_terms, zero_factors, *RULES[Binary])}
_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


def operation(op: str, left: Operand, right: Operand, span: Span) -> Operand:
    """A sum, difference, product or real quotient: formulas have no integer division."""
    known = _computed(_OPERATIONS[op], left, right)
    if known is not None:
        return known
    a, b = _met(left, right, span)
    found = applied(_REAL, Binary(op, a, b, a.type, span=span))
    return 0 if isinstance(found, Const) and found.value == 0 else found


def neg(operand: Operand) -> Operand:
    value = value_of(operand)
    if value is not None:
        return -value
    assert not isinstance(operand, int | float)
    return negated(operand)


def compare(op: str, left: Operand, right: Operand, span: Span) -> Expr | bool:
    a, b = value_of(left), value_of(right)
    if a is not None and b is not None:
        return COMPARISONS[op](a, b)
    return _condition(Binary(op, *_met(left, right, span), BOOL, span=span))


def combine(op: Literal["&&", "||"], left: Expr | bool, right: Expr | bool, span: Span) -> Expr | bool:
    """`left && right` or `left || right`."""
    a, b = (truth(c, span) if isinstance(c, bool) else c for c in (left, right))
    return _condition(Binary(op, a, b, BOOL, span=span))


def invert(condition: Expr | bool, span: Span) -> Expr | bool:
    return not condition if isinstance(condition, bool) else _condition(Unary("!", condition, BOOL, span=span))


def _condition(e: Expr) -> Expr | bool:
    found = simplest(e)
    return bool(found.value) if isinstance(found, Const) else found


def select(condition: Expr | bool, then: Operand, orelse: Operand, real: Type, span: Span) -> Operand:
    if isinstance(condition, bool):
        return then if condition else orelse
    return simplest(Select(condition, typed(then, real, span), typed(orelse, real, span), real, span=span))


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
        folded = _computed(_FOLDED_CALLS[base], *args)
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
            return operation("*", x, x, span)
        case 3:
            return operation("*", operation("*", x, x, span), x, span)
        case -1:
            return operation("/", 1, x, span)
        case -2:
            return operation("/", 1, operation("*", x, x, span), span)
        case 0.5 | -0.5:
            name = "sqrt" if exponent > 0 else "rsqrt"
            return Intrinsic(name + suffix, (typed(x, real, span),), real, span=span)
    return None
