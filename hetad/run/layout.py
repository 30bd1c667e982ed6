"""How values of IR types lie in memory, as NumPy sees them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from hetad.ir.types import Array, Float, Int, Opaque, Pointer, Struct, Type, align_of, size_of

_INTEGERS: dict[tuple[int, bool], type[Any]] = {
    (8, True): ctypes.c_int8,
    (16, True): ctypes.c_int16,
    (32, True): ctypes.c_int32,
    (64, True): ctypes.c_int64,
    (8, False): ctypes.c_uint8,
    (16, False): ctypes.c_uint16,
    (32, False): ctypes.c_uint32,
    (64, False): ctypes.c_uint64,
}
_CELL_ALIGNMENT = 32  # the strictest a CUDA vector type asks for


def is_bool(type_: Type) -> bool:
    """`bool` compares equal to `unsigned char`; only its name tells."""
    return isinstance(type_, Int) and type_.name in {"bool", "_Bool"}


def dtype_of(type_: Type) -> np.dtype[Any]:
    """The NumPy dtype of a value; of a struct the structured one, with the offsets of C (`align=True`)."""
    match type_:
        case Int(bits=bits, signed=signed):
            return np.dtype(np.bool_) if is_bool(type_) else np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
        case Float(brain=True):
            return np.dtype(np.uint16)  # NumPy knows no bfloat16: its bits
        case Float(bits=bits):
            return np.dtype(f"f{bits // 8}")
        case Pointer() | Opaque():
            return np.dtype(np.uintp)
        case Array(of=of, length=int() as length):
            return np.dtype((dtype_of(of), (length,)))
        case Struct():
            return _struct_dtype(type_)
        case _:
            raise TypeError(f"{type_} has no dtype")


def _struct_dtype(type_: Struct) -> np.dtype[Any]:
    offsets, offset = [], 0
    for field in type_.fields:
        align = align_of(field.type)
        offset = (offset + align - 1) // align * align
        offsets.append(offset)
        offset += size_of(field.type)
    return np.dtype(
        {
            "names": [field.name for field in type_.fields],
            "formats": [dtype_of(field.type) for field in type_.fields],
            "offsets": offsets,
            "itemsize": size_of(type_),
        }
    )


def ctype_of(type_: Type) -> type[Any]:
    """The ctypes type of a parameter; an aggregate is its bytes."""
    match type_:
        case Int(bits=bits, signed=signed):
            return ctypes.c_bool if is_bool(type_) else _INTEGERS[bits, signed]
        case Float(bits=32 | 64 as bits):
            return ctypes.c_float if bits == 32 else ctypes.c_double
        case Pointer() | Opaque():
            return ctypes.c_void_p
        case _:
            return ctypes.c_char * size_of(type_)


class Frame:
    """The arguments of one function: a cell of storage for each, and the array of their addresses.

    Filled anew for each call and never reallocated: what a call costs in Python is setting the cells.
    """

    __slots__ = ("_store", "addresses", "cells")

    def __init__(self, types: tuple[Type, ...]) -> None:
        sizes = [-(-max(size_of(t), 1) // _CELL_ALIGNMENT) * _CELL_ALIGNMENT for t in types]
        self._store = ctypes.create_string_buffer(sum(sizes) + _CELL_ALIGNMENT)
        start = -ctypes.addressof(self._store) % _CELL_ALIGNMENT
        offsets = [start + sum(sizes[:i]) for i in range(len(sizes))]
        self.cells: list[Any] = [
            ctype_of(t).from_buffer(self._store, offset) for t, offset in zip(types, offsets, strict=True)
        ]
        base = ctypes.addressof(self._store)
        self.addresses = (ctypes.c_void_p * len(types))(*(base + offset for offset in offsets))
