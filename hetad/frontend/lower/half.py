"""Half precision and bfloat16: stored as 16 bits, computed with as float.

Lowering writes both ways of conversion out, so that no later pass knows of these types: to them a half is a struct that
holds an integer.
"""

from __future__ import annotations

from typing import NoReturn

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir.nodes import Aggregate, Expr, Intrinsic, Member
from hetad.ir.types import BFLOAT16, FLOAT, HALF, USHORT, Struct, Type
from hetad.rules.inactive import FROM_HALF, TO_HALF

REMEDY = "convert with __half2float and its relatives, and compute in float"

# CUDA's functions, by what they return
TO_FLOAT: dict[str, Struct] = {"__half2float": HALF, "__bfloat162float": BFLOAT16}
FROM_FLOAT: dict[str, Struct] = {
    "__float2half": HALF, "__float2half_rn": HALF,
    "__float2bfloat16": BFLOAT16, "__float2bfloat16_rn": BFLOAT16,
}  # fmt: skip


def to_float(value: Expr, span: Span) -> Expr:
    """The number, which is exact in float."""
    assert isinstance(value.type, Struct)
    bits = Member(value, "__x", USHORT, span=span)
    return Intrinsic(FROM_HALF[value.type.name], (bits,), FLOAT, span=span)


def from_float(value: Expr, type_: Type, span: Span) -> Expr:
    """The nearest number of the 16-bit type; a tie goes to the even one."""
    assert isinstance(type_, Struct)
    bits = Intrinsic(TO_HALF[type_.name], (value,), USHORT, span=span)
    return Aggregate((bits,), type_, span=span)


def refuse(what: str, span: Span) -> NoReturn:
    raise UnsupportedError(f"hetad does not support {what} in half precision", span, REMEDY)
