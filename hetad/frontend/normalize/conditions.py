"""Conditions: negation that reads well and is exact for NaN, and truth values known beforehand."""

from __future__ import annotations

from dataclasses import replace

from hetad.frontend.lower.constants import integer_value
from hetad.ir.nodes import Binary, Const, Expr, Unary
from hetad.ir.types import BOOL, Float

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def negate(cond: Expr) -> Expr:
    """`!cond`: comparisons are inverted except of floating values, where NaN makes `!(a < b)` differ from `a >= b`."""
    result = _negated(cond)
    return result if result is not None else Unary("!", cond, BOOL, span=cond.span)


def _negated(cond: Expr) -> Expr | None:
    match cond:
        case Binary(op=op, left=left) if op in _OPPOSITE:
            # x == y and x != y are opposites for NaN too
            if isinstance(left.type, Float) and op not in ("==", "!="):
                return None
            return replace(cond, op=_OPPOSITE[op])
        case Binary(op="&&" | "||" as op, left=left, right=right):
            a, b = _negated(left), _negated(right)
            if a is None or b is None:
                return None
            return replace(cond, op="||" if op == "&&" else "&&", left=a, right=b)
        case Unary(op="!", operand=operand):
            return operand
        case Const(value=bool() as value):
            return Const(not value, BOOL, "false" if value else "true", span=cond.span)
    return None


def both(first: Expr, second: Expr | None) -> Expr:
    """`first && second`."""
    if second is None or known(second) is True:
        return first
    return Binary("&&", first, second, BOOL, span=second.span)


def known(cond: Expr) -> bool | None:
    """The truth value of a constant condition."""
    value = integer_value(cond)
    return None if value is None else bool(value)
