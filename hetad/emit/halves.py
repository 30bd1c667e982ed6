"""Half precision and bfloat16 as text: structs of 16 bits, which functions convert from and to float."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from hetad.emit.declarators import declaration
from hetad.emit.dialect import Dialect
from hetad.ir import nodes as ir
from hetad.ir.types import BFLOAT16, DOUBLE, HALF, USHORT, Field, Struct, Type, is_half
from hetad.ir.visit import walk_exprs

BITS = "bits"
STRUCTS = {t: Struct(declaration(t), (Field(BITS, USHORT),), 2) for t in (HALF, BFLOAT16)}


def conversion(source: Type, target: Type) -> str:
    """The function that converts a number from or to the bits of one."""
    held = source if is_half(source) else target
    name = "bfloat16" if held == BFLOAT16 else "half"
    if not is_half(target):
        return f"hetad_{name}_to_float"
    return f"hetad_{'double' if source == DOUBLE else 'float'}_to_{name}"


def conversions(body: ir.Body) -> Iterator[str]:
    """The functions that its conversions call."""
    for e in walk_exprs(body):
        if isinstance(e, ir.Cast) and (is_half(e.type) or is_half(e.operand.type)):
            yield conversion(e.operand.type, e.type)


def constant(value: float, type_: Type, dialect: Dialect) -> str:
    """A number as its bits."""
    name = declaration(type_)
    return f"{name if dialect.cuda else f'({name})'}{{0x{bits_of(value, type_):04x}}}"


def bits_of(value: float, type_: Type) -> int:
    """Those of the nearest number of the type."""
    if type_ == HALF:
        try:
            return int(struct.unpack("<H", struct.pack("<e", value))[0])
        except OverflowError:
            return 0xFC00 if value < 0 else 0x7C00
    if math.isnan(value):
        return 0x7FFF
    try:
        bits = int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF80 if value < 0 else 0x7F80
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
