"""Half precision and bfloat16: stored as 16 bits, computed with as float.

All that lowering knows is the conversions; what CUDA's headers compute with these types is C++ in `frontend/models/`.
"""

from __future__ import annotations

from typing import NoReturn

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir.nodes import Cast, Expr
from hetad.ir.types import BFLOAT16, DOUBLE, FLOAT, HALF, Float, Int, Type

REMEDY = "convert with __half2float and its relatives, and compute in float"

# CUDA's functions, by what they take or return
TO_FLOAT: dict[str, Float] = {"__half2float": HALF, "__bfloat162float": BFLOAT16}
FROM_FLOAT: dict[str, Float] = {
    "__float2half": HALF, "__float2half_rn": HALF, "__double2half": HALF,
    "__float2bfloat16": BFLOAT16, "__float2bfloat16_rn": BFLOAT16, "__double2bfloat16": BFLOAT16,
}  # fmt: skip


def to_float(value: Expr, span: Span) -> Expr:
    """The number, which is exact in float."""
    return Cast(value, FLOAT, span=span)


def from_number(value: Expr, type_: Type, span: Span) -> Expr:
    """The nearest number of the 16-bit type; a tie goes to the even one.  Integers are exact in double, or overflow."""
    if isinstance(value.type, Int):
        value = Cast(value, DOUBLE if value.type.bits > 16 else FLOAT, implicit=True, span=span)
    return Cast(value, type_, span=span)


def refuse(what: str, span: Span) -> NoReturn:
    raise UnsupportedError(f"hetad does not support {what} in half precision", span, REMEDY)
