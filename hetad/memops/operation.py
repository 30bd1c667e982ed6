"""What a row of the table of memory operations says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hetad.ir.types import Type

Action = Literal[
    "allocate", "symbol", "free", "copy", "fill", "text", "inert", "exit", "communicate", "start", "complete"
]
Space = Literal["host", "device", "managed"]  # managed: both use it directly


@dataclass(frozen=True, slots=True)
class MemoryOperation:
    """`roles` names the arguments in order: out, dst, src, bytes, count, size, value, kind, pointer, symbol, other;
    height (where `bytes` is the width of a row), to_pitch and from_pitch (from one row of dst or src to the next);
    store (where a value of type `stores` is put, on which no adjoint depends), stream, event, record (an event that
    the call changes), handle (of cuBLAS), flags, attribute, long, text (characters that
    are read), updated (memory that is read and then overwritten).  A pointer to `store` may be null.

    The last `defaults` arguments may be left out; they are then zero.  `alone` names the row that does the same where
    all work is done in one stream, without the arguments that say in which; "" where nothing is left to do.

    `allocate`: memory in `space`; the pointer is returned, or stored through `out`.  `of_table`: for pointers.
    `symbol`:   the address of the device variable `symbol`, stored through `out`.
    `free`:     releases `pointer`.
    `copy`:     `bytes` from `src` to `dst`; a row without `kind` copies within `space`.  `overlap`: the two may.
    `fill`:     sets `bytes` at `dst` to the byte `value`.
    `text`:     writes at `dst` what shows its length only then: the whole memory counts as overwritten.
    `exit`:     does not return.
    `communicate`, `start`, `complete`: of MPI, see `memops/communication.py`, with roles of their own.
    `once`: the world outside, or the state of a generator, sees the call: it happens whoever needs its result.
    `together`: other ranks wait for it.
    `varies`: what it gives depends on when it is called.
    `switches`: what comes after it means something else, as where another device is current.
    `within`: the position of the pointer into whose memory the result points, and what is stored.
    `same`: the result is that pointer itself.
    `header`: of C, where it is declared; `c_name`: what stands for it in C, where that is not itself; `c_text`: the
    same as the text of a call, whose arguments stand where `{}` does; `text` also in CUDA.
    """

    name: str
    action: Action
    returns: Type
    roles: tuple[str, ...] = ()
    space: Space = "host"
    zeroed: bool = False
    of_table: bool = False
    overlap: bool = False
    stores: Type | None = None
    defaults: int = 0
    alone: str | None = None
    once: bool = False
    together: bool = False
    varies: bool = False
    switches: bool = False
    within: int | None = None
    same: bool = False
    header: str = ""
    c_name: str = ""
    c_text: str = ""
    text: str = ""

    def position(self, role: str) -> int | None:
        return self.roles.index(role) if role in self.roles else None

    def positions(self, *roles: str) -> frozenset[int]:
        return frozenset(i for i, role in enumerate(self.roles) if role in roles)
