"""A small evaluator of IR expressions, each operation rounded to its type."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import mpmath as mp
import numpy as np

from hetad.diagnostics import Span
from hetad.ir.nodes import Binary, Cast, Const, Expr, Intrinsic, Select, Symbol, Unary, Var
from hetad.ir.types import FLOAT, Float, Int, Type
from hetad.rules.math import ROWS
from tests.rules.reference import function

SPAN = Span("test.cu", 1, 1)

_OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "&&": lambda a, b: bool(a and b), "||": lambda a, b: bool(a or b),
}  # fmt: skip


def variable(name: str, type_: Type) -> Var:
    return Var(Symbol(name, type_, SPAN), span=SPAN)


def rounded(value: Any, type_: Type) -> Any:
    """The number as a value of the type."""
    if isinstance(type_, Int):
        return int(value)
    assert isinstance(type_, Float)
    with np.errstate(over="ignore"):
        return np.float32(value) if type_ == FLOAT else np.float64(value)


def call(name: str, args: Sequence[Any], type_: Type) -> Any:
    """The correctly rounded result of a function."""
    base = ROWS[name].base if name in ROWS else name.removesuffix("f") if name.startswith("hetad") else name
    exact = [mp.mpf(float(a)) if isinstance(a, np.floating) else a for a in args]
    if base == "copysign":  # mpmath has no negative zero
        return np.copysign(*args)
    return rounded(function(base)(*exact), type_)


def evaluate(expr: Expr, values: Mapping[Symbol, Any]) -> Any:
    with np.errstate(all="ignore"):
        match expr:
            case Const(value=value, type=type_):
                return rounded(value, type_)
            case Var(symbol=symbol):
                return values[symbol]
            case Unary(op="-", operand=operand):
                return -evaluate(operand, values)
            case Unary(op="!", operand=operand):
                return not evaluate(operand, values)
            case Binary(op=op, left=left, right=right):
                a, b = evaluate(left, values), evaluate(right, values)
                assert op in ("&&", "||") or left.type == right.type, f"{left.type} {op} {right.type}"
                return _OPERATORS[op](a, b)
            case Select(cond=cond, then=then, orelse=orelse):
                assert then.type == orelse.type == expr.type
                return evaluate(then if evaluate(cond, values) else orelse, values)
            case Cast(operand=operand, type=type_):
                return rounded(evaluate(operand, values), type_)
            case Intrinsic(name=name, args=args, type=type_):
                return call(name, [evaluate(a, values) for a in args], type_)
    raise TypeError(expr)
