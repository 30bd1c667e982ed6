"""Messages between ranks, as analyses see them.

Which send a receive meets is known when the program runs.  So what any message carries may come to where any message is
received, of the ranks' one program: activity goes from all that is sent to all that is received.

A receive that is started overwrites its memory between its start and the wait for it.  The program leaves that memory
alone meanwhile, so both count as writes of it, and neither is moved across the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.memops import nccl
from hetad.memops.communication import ACTIONS, INTEGERS
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import TABLE
from hetad.rules import communication, operations

if TYPE_CHECKING:
    from hetad.analysis.pointers import PointsTo

_TYPES = ("type", "block_type", "kind_of_number")
_WHOLE_NUMBERS = frozenset((*INTEGERS, *nccl.INTEGERS))


def moves(s: ir.Stmt) -> MemoryOperation | None:
    """The row of a call that moves numbers that may have derivatives."""
    row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
    if row is None or row.action not in ("communicate", "start") or not isinstance(s, ir.Call):
        return None
    types = [bare(s.args[i]) for i in sorted(row.positions(*_TYPES))]
    whole = any(isinstance(t, ir.Const) and t.text in _WHOLE_NUMBERS for t in types)
    return None if whole else row


def has_numbers(s: ir.Call, pointers: PointsTo, is_active: Callable[[ir.Expr], bool]) -> bool:
    """Whether a call that moves memory may move numbers: not so where none are known in any of it."""
    row = moves(s)
    if row is None:
        return False
    buffers = [bare(p) for p in (*sent(s, row), *received(s, row))]
    known = (t for p in buffers for t in pointers.targets(p))
    return not buffers or any(map(is_active, buffers)) or any(pointers.floating_types(t) for t in known)


def sent(s: ir.Call, row: MemoryOperation) -> list[ir.Expr]:
    """The pointers to what other ranks get."""
    return [s.args[i] for i in sorted(row.positions("src", "updated"))]


def received(s: ir.Call, row: MemoryOperation) -> list[ir.Expr]:
    """The pointers to what comes from other ranks."""
    return [s.args[i] for i in sorted(row.positions("dst", "updated"))]


def started(statements: Iterable[ir.Stmt]) -> Iterator[ir.Expr]:
    """The pointers to memory that a request leaves to the library."""
    for s in statements:
        row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
        if isinstance(s, ir.Call) and row is not None and row.action == "start":
            yield from (s.args[i] for i in sorted(row.positions("src", "dst", "updated")))


def remembered(statements: Iterable[ir.Stmt]) -> Iterator[ir.Expr]:
    """The pointers to memory of which the forward sweep remembers the place of the adjoint."""
    for s in statements:
        row = moves(s)
        if row is not None and isinstance(s, ir.Call):
            yield from (s.args[i] for i in sorted(row.positions(*communication.remembered(s.function))))


def completes(s: ir.Stmt) -> bool:
    """Whether requests may come to an end there."""
    row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
    return operations.does(s, *communication.COMPLETE) or (row is not None and row.action == "complete")


def meets(s: ir.Stmt) -> bool:
    """Whether other ranks may wait for this one there, or it for them."""
    row = TABLE.get(s.function) if isinstance(s, ir.Call) else None
    return row is not None and (row.together or row.action in ACTIONS)
