"""Constants as text that reads back as the same number of the same type."""

from __future__ import annotations

import math
import re
import struct

from hetad.emit import halves
from hetad.emit.declarators import ENUMS, base_name
from hetad.emit.dialect import Dialect
from hetad.ir import nodes as ir
from hetad.ir.types import BOOL, CHAR, DOUBLE, FLOAT, INT, LONG, UINT, ULONG, Float, Int, Pointer, Type, is_half

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uU]?)([lL]{0,2})([uU]?)")
_FLOATING = re.compile(
    r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?([fF]?)|0[xX][0-9a-fA-F.]+[pP][+-]?[0-9]+([fF]?)"
)
_SUFFIX = {"unsigned long long": "ull", "long long": "ll", "unsigned long": "ul", "long": "l"}


def literal_type(text: str) -> Type | None:
    """The type C gives to a literal; None for what is no literal (the name of a constant)."""
    if text in ("true", "false"):
        return BOOL
    if text.startswith("'"):
        return CHAR
    if match := _INTEGER.fullmatch(text):
        digits, unsigned, wide = match[1], bool(match[2] or match[4]), bool(match[3])
        octal = digits[0] == "0" and digits.isdecimal() and len(digits) > 1
        value = int(digits, 8) if octal else int(digits, 0)
        if not wide and not unsigned and value < 2**31:
            return INT
        if not wide and value < 2**32 and (unsigned or not digits.isdecimal() or octal):
            return UINT
        return ULONG if unsigned or value >= 2**63 else LONG
    if match := _FLOATING.fullmatch(text):
        return FLOAT if match[1] or match[2] else DOUBLE
    return None


def const(node: ir.Const, dialect: Dialect) -> str:
    """A literal of exactly the type of `node` (or one that is promoted to it)."""
    type_, value = node.type, node.value
    if is_half(type_):
        return halves.constant(float(value), type_, dialect)
    if node.text is not None and (
        literal_type(node.text) == type_
        or is_named(node.text)
        or (dialect.cuda and dialect.headers and _is_standard(node.text))
    ):
        return node.text
    if isinstance(type_, Float):
        return _floating(float(value), type_.bits, dialect)
    if isinstance(type_, Pointer):
        null = "nullptr" if dialect.cuda else "NULL"
        return null if not value else f"({type_}){int(value)}"
    if isinstance(type_, Int):
        return _integer(int(value), type_)
    return repr(value)


def is_named(text: str) -> bool:
    """Whether it is the size of a type, or a constant of hetad's own support code."""
    return text.startswith(("sizeof(", "HETAD_", "MPI_", "nccl"))


def _is_standard(text: str) -> bool:
    """Names of constants that CUDA's own headers define; a user's enumerator prints as its number."""
    return text.startswith("cuda") or text in ("NULL", "INFINITY", "NAN", "M_PI", "M_E", "EXIT_FAILURE", "EXIT_SUCCESS")


def _integer(value: int, type_: Int) -> str:
    if type_.boolean:
        return "true" if value else "false"
    if type_.name in ENUMS:
        return "cudaSuccess" if type_.name == "cudaError_t" and value == 0 else f"({type_.name}){value}"
    if type_.bits < 32:
        return str(value) if value >= -128 else f"({base_name(type_)}){value}"
    suffix = _SUFFIX.get(type_.name, "")
    if type_.bits == 32:
        if value == -(2**31):
            return "(-2147483647 - 1)"
        return str(value) + ("" if type_.signed else "u")
    if value == -(2**63):
        return f"(-9223372036854775807{suffix or 'l'} - 1)"
    if suffix in ("", "l") and type_.signed and not -(2**31) <= value < 2**31:
        return str(value)  # too wide for int: a long
    if suffix:
        return str(value) + suffix
    return f"({base_name(type_)}){value}"


def _floating(value: float, bits: int, dialect: Dialect) -> str:
    if bits == 32:
        value = _to_float(value)
    if not math.isfinite(value):
        return _not_finite(value, bits, dialect)
    text = repr(value) if bits == 64 else _shortest_float(value)
    if not any(c in text for c in ".e"):
        text += ".0"
    return text + ("f" if bits == 32 else "")


def _to_float(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _shortest_float(value: float) -> str:
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _to_float(float(text)) == value:
            return repr(float(text))
    return repr(value)


def _not_finite(value: float, bits: int, dialect: Dialect) -> str:
    sign = "-" if value < 0 else ""
    if dialect.headers:
        name = "NAN" if math.isnan(value) else "INFINITY"
        return sign + (name if bits == 32 else f"(double){name}")
    if bits == 32:
        return f"{sign}__int_as_float({'0x7fc00000' if math.isnan(value) else '0x7f800000'})"
    return f"{sign}__longlong_as_double({'0x7ff8000000000000ll' if math.isnan(value) else '0x7ff0000000000000ll'})"
