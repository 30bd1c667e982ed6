"""What stands between `<<<` and `>>>`, as Python gives it."""

from __future__ import annotations

import operator
import struct
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetad.run.signature import Signature

MAX_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class LaunchConfiguration:
    """The same, checked."""

    grid: bytes  # as dim3
    block: bytes
    shared_mem: int
    stream: Any

    @staticmethod
    def of(signature: Signature, grid: Any, block: Any, shared_mem: Any, stream: Any) -> LaunchConfiguration:
        if grid is None or block is None:
            missing = "grid" if grid is None else "block"
            raise signature.refuse(f"a kernel needs {missing}=", "call it as kernel(..., grid=(40,), block=(256,))")
        g, b = dimensions("grid", grid, signature), dimensions("block", block, signature)
        if b[0] * b[1] * b[2] > MAX_BLOCK:
            problem = f"block={block!r}: a block has at most {MAX_BLOCK} threads"
            raise signature.refuse(problem, "take more blocks, as in grid=(n + 255) // 256, block=256")
        if not isinstance(shared_mem, Integral) or shared_mem < 0:
            raise signature.refuse(f"shared_mem={shared_mem!r}: expected a number of bytes")
        return LaunchConfiguration(struct.pack("3I", *g), struct.pack("3I", *b), int(shared_mem), stream)


def dimensions(name: str, value: Any, signature: Signature) -> tuple[int, int, int]:
    """Three extents from an integer or up to three of them."""
    given = value if isinstance(value, tuple | list) else (value,)
    try:
        extents = [operator.index(v) for v in given]
    except TypeError:
        raise signature.refuse(f"{name}={value!r}: expected an integer or up to three of them") from None
    if not 1 <= len(extents) <= 3 or any(not 1 <= e < 2**31 for e in extents):
        raise signature.refuse(f"{name}={value!r}: expected one to three positive integers")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z
