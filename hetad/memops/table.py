"""The memory and runtime operations hetad knows, one row each: what it does and how it is reversed.

A row names the roles of the call's arguments; everything else (effects, saving, the adjoint) follows from its
`action`.  `None` as an action marks an inert call: it is repeated in the forward sweep and has no adjoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hetad.ir.types import CUDA_ERROR, STRING, VOID, Pointer, Type

Action = Literal["allocate", "symbol", "free", "copy", "fill", "inert", "exit"]
Space = Literal["host", "device"]


@dataclass(frozen=True, slots=True)
class MemoryOperation:
    """`roles` names the arguments in order: out, dst, src, bytes, count, size, value, kind, pointer, other.

    `allocate`: memory in `space`; the pointer is returned, or stored through `out`.
    `symbol`:   the address of the device variable `symbol`, stored through `out`.
    `free`:     releases `pointer`.
    `copy`:     `bytes` from `src` to `dst`; a row without `kind` copies within the host.
    `fill`:     sets `bytes` at `dst` to the byte `value`.
    `exit`:     does not return.
    """

    name: str
    action: Action
    returns: Type
    roles: tuple[str, ...] = ()
    space: Space = "host"
    zeroed: bool = False

    def position(self, role: str) -> int | None:
        return self.roles.index(role) if role in self.roles else None


_VOID_POINTER = Pointer(VOID)
_E = CUDA_ERROR

TABLE: dict[str, MemoryOperation] = {
    row.name: row
    for row in (
        MemoryOperation("cudaMalloc", "allocate", _E, ("out", "bytes"), "device"),
        MemoryOperation("cudaGetSymbolAddress", "symbol", _E, ("out", "symbol"), "device"),
        MemoryOperation("cudaFree", "free", _E, ("pointer",), "device"),
        MemoryOperation("cudaMemcpy", "copy", _E, ("dst", "src", "bytes", "kind"), "device"),
        MemoryOperation("cudaMemset", "fill", _E, ("dst", "value", "bytes"), "device"),
        MemoryOperation("malloc", "allocate", _VOID_POINTER, ("bytes",)),
        MemoryOperation("calloc", "allocate", _VOID_POINTER, ("count", "size"), zeroed=True),
        MemoryOperation("free", "free", VOID, ("pointer",)),
        MemoryOperation("memcpy", "copy", _VOID_POINTER, ("dst", "src", "bytes")),
        MemoryOperation("memset", "fill", _VOID_POINTER, ("dst", "value", "bytes")),
        MemoryOperation("cudaDeviceSynchronize", "inert", _E),
        MemoryOperation("cudaGetLastError", "inert", _E),
        MemoryOperation("cudaPeekAtLastError", "inert", _E),
        MemoryOperation("cudaGetErrorString", "inert", STRING, ("other",)),
        MemoryOperation("exit", "exit", VOID, ("value",)),
        MemoryOperation("abort", "exit", VOID),
    )
}


@dataclass(frozen=True, slots=True)
class SupportFunction:
    """A function of the generated program's support code (`emit/support`): positions of the pointer arguments
    through which it reads and writes memory.  `essential`: it has an effect on adjoints or on the run
    that no analysis of values may remove."""

    name: str
    returns: Type = VOID
    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    essential: bool = True


def _support(
    name: str,
    returns: Type = VOID,
    *,
    reads: tuple[int, ...] = (),
    writes: tuple[int, ...] = (),
    essential: bool = True,
) -> SupportFunction:
    return SupportFunction(name, returns, frozenset(reads), frozenset(writes), essential)


CHECKS = frozenset({"hetad_launched", "hetad_forward_done"})  # need no session around them

SUPPORT: dict[str, SupportFunction] = {
    f.name: f
    for f in (
        _support("hetad_begin"),
        _support("hetad_end"),
        _support("hetad_argument"),
        _support("hetad_device_malloc", CUDA_ERROR, writes=(0,), essential=False),
        _support("hetad_device_zeros", CUDA_ERROR, writes=(0,), essential=False),
        _support("hetad_symbol_address", CUDA_ERROR, writes=(0,), essential=False),
        _support("hetad_host_malloc", _VOID_POINTER, essential=False),
        _support("hetad_host_zeros", _VOID_POINTER, essential=False),
        _support("hetad_release"),
        _support("hetad_copy_pullback_float", reads=(0, 1), writes=(0, 1)),
        _support("hetad_copy_pullback_double", reads=(0, 1), writes=(0, 1)),
        _support("hetad_clear", writes=(0,)),
        _support("hetad_read_scalar_float", reads=(0,), writes=(0,)),
        _support("hetad_read_scalar_double", reads=(0,), writes=(0,)),
        _support("hetad_require_disjoint"),
        _support("hetad_launched"),
        _support("hetad_entered"),
        _support("hetad_forward_done"),
        _support("hetad_tape_allocate", writes=(0,)),
        _support("hetad_push"),
        _support("hetad_pop"),
        _support("hetad_save"),
        _support("hetad_restore"),
        _support("hetad_save_range"),
        _support("hetad_restore_range"),
        _support("hetad_block_add_float"),
        _support("hetad_block_add_double"),
    )
}
