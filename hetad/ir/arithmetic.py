"""What C computes from numbers that the text tells, and what expressions say beside their conversions."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType

from hetad.ir.nodes import Binary, Cast, Const, Expr, Select, Symbol, Unary, Var
from hetad.ir.types import BOOL, Float, Int

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}  # of whole numbers: there is no NaN
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

_INTEGERS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
    **COMPARISONS,
}


def wrap(value: int, type_: Int) -> int:
    """What remains of an integer in a type of fewer bits."""
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def round_to_float(value: float) -> float:
    """The nearest single-precision number; infinity beyond its range."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def computed(op: str, a: int, b: int) -> int | None:
    """The operation on two integers, however great the result; None where C says nothing of it."""
    if (op in ("/", "%") and b == 0) or (op in ("<<", ">>") and not 0 <= b < 64):
        return None
    return int(_INTEGERS[op](a, b))


def integer_value(expr: Expr, known: Mapping[Symbol, int] = MappingProxyType({})) -> int | None:
    """The value of a constant integer expression, over variables with `known` values; None when it is not one."""
    match expr:
        case Var(symbol=symbol):
            return known.get(symbol)
        case Const(value=number, type=Int()):
            return int(number)
        case Unary(op=op, operand=operand, type=Int() as type_):
            value = integer_value(operand, known)
            if value is None:
                return None
            return wrap({"-": -value, "~": ~value, "!": int(not value)}[op], type_)
        case Binary(op=op, left=left, right=right, type=Int() as type_):
            a, b = integer_value(left, known), integer_value(right, known)
            result = computed(op, a, b) if a is not None and b is not None else None
            return wrap(result, type_) if result is not None else None
        case Cast(operand=operand, type=Int() as type_):
            value = integer_value(operand, known)
            if value is None and isinstance(operand, Const) and isinstance(operand.type, Float):
                value = int(operand.value)
            if value is None:
                return None
            return int(bool(value)) if type_ == BOOL else wrap(value, type_)
        case Select(cond=cond, then=then, orelse=orelse):
            chosen = integer_value(cond, known)
            return None if chosen is None else integer_value(then if chosen else orelse, known)
    return None


def number(expr: Expr) -> int | float | None:
    """The number that a literal is, as its conversions leave it."""
    match expr:
        case Const(value=value, type=type_):
            return round_to_float(value) if isinstance(type_, Float) and type_.bits == 32 else value
        case Unary(op="-", operand=Const(value=value, type=Float())):
            return -value
        case Unary(op="-", operand=Const(value=value, type=Int(signed=True))) if value > 0:
            return -value
        case Cast(operand=operand, type=Int(boolean=False) as type_) if (held := number(operand)) is not None:
            whole = math.isfinite(held) and held == int(held)
            return int(held) if whole and held == wrap(int(held), type_) else None
        case Cast(operand=operand, type=Float(bits=32 | 64 as bits)) if (held := number(operand)) is not None:
            return round_to_float(held) if bits == 32 else float(held)
    return None


def small(expr: Expr) -> int | None:
    """The value of a literal that is an int, and not negative."""
    value = number(expr)
    return value if isinstance(value, int) and 0 <= value < 1 << 31 else None


def literal(expr: Expr | None) -> int | None:
    """The whole number of a literal, behind whatever conversions; a handle is one too."""
    found = bare(expr) if expr is not None else None
    return int(found.value) if isinstance(found, Const) and not isinstance(found.value, float) else None


def bare(expr: Expr) -> Expr:
    """What is converted, behind all conversions."""
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr
