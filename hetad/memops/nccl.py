"""The functions of NCCL, one row each: communication on streams of the device; see `memops/communication.py`.

A derivative has one stream, on which its communication goes too, in the order of the program.  Between
`ncclGroupStart` and `ncclGroupEnd` messages pass each other; in the reverse sweep the group begins where it ended.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.ir.types import (
    INT,
    NCCL_COMMUNICATOR,
    NCCL_NUMBER,
    NCCL_REDUCTION,
    NCCL_RESULT,
    NCCL_UNIQUE_ID,
    STRING,
    Type,
)
from hetad.memops.operation import Action, MemoryOperation

HEADER = "nccl.h"

# Roles, beside those of MPI: `count`, `kind_of_number`, `reduction`, `nccl`, and `unique_id`, passed by value.
_END = "nccl stream"


def _row(name: str, action: Action, roles: str, stores: Type | None = None, together: bool = False) -> MemoryOperation:
    return MemoryOperation(
        f"nccl{name}", action, NCCL_RESULT, tuple(roles.split()), "device", stores=stores, together=together,
        header=HEADER, c_text=f"hetad_nccl_checked(nccl{name}({{}}))",
    )  # fmt: skip


def _rows() -> Iterator[MemoryOperation]:
    for name, roles in (
        ("AllReduce", "src updated count kind_of_number reduction"),
        ("Broadcast", "src updated count kind_of_number root"),
        ("Bcast", "updated count kind_of_number root"),
        ("Reduce", "src updated count kind_of_number reduction root"),
        ("AllGather", "src updated count kind_of_number"),
        ("ReduceScatter", "src updated count kind_of_number reduction"),
        ("Send", "src count kind_of_number peer"),
        ("Recv", "dst count kind_of_number peer"),
    ):
        yield _row(name, "communicate", f"{roles} {_END}")
    yield _row("GroupStart", "communicate", "")
    yield _row("GroupEnd", "communicate", "")
    yield _row("GetUniqueId", "inert", "store", NCCL_UNIQUE_ID)
    yield _row("CommInitRank", "inert", "store elements unique_id elements", NCCL_COMMUNICATOR, together=True)
    yield _row("CommInitAll", "inert", "store elements read", NCCL_COMMUNICATOR, together=True)
    yield _row("CommDestroy", "inert", "nccl", together=True)
    yield _row("CommCount", "inert", "nccl store", INT)
    yield _row("CommUserRank", "inert", "nccl store", INT)
    yield MemoryOperation("ncclGetErrorString", "inert", STRING, ("result",), header=HEADER)


ROWS: tuple[MemoryOperation, ...] = tuple(_rows())
REALS = {"ncclFloat": 4, "ncclFloat32": 4, "ncclDouble": 8, "ncclFloat64": 8}
BYTES = ("ncclInt8", "ncclChar", "ncclUint8")
INTEGERS = ("ncclInt32", "ncclInt", "ncclUint32", "ncclInt64", "ncclUint64")
SUMS = ("ncclSum", "ncclAvg")

# As in nccl.h, which says that they stay.
_NUMBERS = {
    "ncclInt8": 0, "ncclChar": 0, "ncclUint8": 1, "ncclInt32": 2, "ncclInt": 2, "ncclUint32": 3, "ncclInt64": 4,
    "ncclUint64": 5, "ncclFloat16": 6, "ncclHalf": 6, "ncclFloat32": 7, "ncclFloat": 7, "ncclFloat64": 8,
    "ncclDouble": 8, "ncclBfloat16": 9,
}  # fmt: skip
_REDUCTIONS = {"ncclSum": 0, "ncclProd": 1, "ncclMax": 2, "ncclMin": 3, "ncclAvg": 4}
CONSTANTS: dict[str, tuple[int, Type]] = {
    "ncclSuccess": (0, NCCL_RESULT),
    **{name: (number, NCCL_NUMBER) for name, number in _NUMBERS.items()},
    **{name: (number, NCCL_REDUCTION) for name, number in _REDUCTIONS.items()},
}
