"""Literals, and the values of constant expressions."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError
from hetad.ir import texts
from hetad.ir.arithmetic import integer_value, round_to_float, wrap
from hetad.ir.nodes import Const, Expr, Symbol
from hetad.ir.types import CHAR, DOUBLE, FLOAT, INT, LLONG, LONG, UINT, ULLONG, ULONG

if TYPE_CHECKING:
    from hetad.frontend.lower.context import Context


_DIGITS = 200  # of an integer; more fit no type, and Python reads only so many


def integer_literal(text: str, span: Span) -> Const:
    """`42`, `0x1Fu`, `0b11`, `10'000LL`."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlL]*)", text.replace("'", ""))
    if text.startswith("'"):
        raise UnsupportedError(f"the character constant {text}", span, "write the number")
    if match is None:
        raise SyntaxProblem(f"malformed number {text}", span)
    digits, suffix = match.group(1), match.group(2).lower()
    if len(digits) > _DIGITS:
        raise SyntaxProblem(f"{text[:20]}... fits no integer type", span)
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
    value = int(digits, 8) if octal else int(digits, 0)
    decimal = digits.isdigit() and not octal
    longs = suffix.count("l")
    ladder = [(INT, UINT), (LONG, ULONG), (LLONG, ULLONG)][longs:]
    for signed, unsigned in ladder:
        if "u" not in suffix and value < 1 << (signed.bits - 1):
            return Const(value, signed, text, span=span)
        if ("u" in suffix or not decimal) and value < 1 << unsigned.bits:
            return Const(value, unsigned, text, span=span)
    raise SyntaxProblem(f"{text} fits no integer type", span)


def floating_literal(text: str, span: Span) -> Const:
    """`1.5f`, `.5`, `1e-3`, `0x1p-3f`."""
    plain = text.replace("'", "")
    if plain[-1] in "lL":
        raise UnsupportedError("hetad does not support long double", span, "write a double constant")
    hexadecimal = plain[:2] in ("0x", "0X")
    single = plain[-1] in "fF" and (not hexadecimal or "p" in plain.lower())
    digits = plain[:-1] if single else plain
    try:
        value = float.fromhex(digits) if hexadecimal else float(digits)
    except OverflowError:
        value = math.inf
    except ValueError:
        raise SyntaxProblem(f"malformed number {text}", span) from None
    return Const(round_to_float(value), FLOAT, text, span=span) if single else Const(value, DOUBLE, text, span=span)


def character_literal(text: str, span: Span) -> Const:
    r"""`'a'`, `'\n'`, `'\x41'`."""
    found = texts.octets(text) if text.startswith("'") else b""
    if len(found) == 1:
        return Const(wrap(found[0], CHAR), CHAR, texts.character(found[0]), span=span)
    raise UnsupportedError(f"the character constant {text}", span, "write the number")


def with_constants(ctx: Context, text: str) -> str:
    """The text of an annotation, such as a pragma's, with the values of the constants that it names."""

    def number(match: re.Match[str]) -> str:
        entry = ctx.local(match.group()) or ctx.outer.value(match.group())
        if isinstance(entry, Const):
            return str(entry.value)
        value = ctx.integers.get(entry) if isinstance(entry, Symbol) else None
        return match.group() if value is None else str(value)

    return re.sub(r"\b[A-Za-z_]\w*", number, text)


def known_integer(ctx: Context, expr: Expr) -> int | None:
    """The value of a constant integer expression, where const variables with constant values are constants too."""
    return integer_value(expr, ctx.integers)
