"""Programs that call MPI or NCCL include the headers of the libraries with which they are compiled."""

from __future__ import annotations

from collections.abc import Collection

from hetad.ir import nodes as ir
from hetad.memops.communication import BUFFERS, HEADER
from hetad.rules import callees
from hetad.rules.communication import FORWARD
from hetad.rules.operation import does

INCLUDE = "#include <mpi.h>"


def speaks_mpi(words: Collection[str]) -> bool:
    """Whether a text with these words needs the header of MPI."""
    return any(word.startswith("MPI_") for word in words)


def speaks_nccl(words: Collection[str]) -> bool:
    """The same for that of NCCL."""
    return any(word.startswith("nccl") for word in words)


def given_to_mpi(s: ir.Stmt) -> tuple[ir.Expr, ...]:
    """The memory that MPI itself reads or writes in a call of the program's, or in what a derivative does for that."""
    if not isinstance(s, ir.Call):
        return ()
    row = callees.find(s.function)
    if row.header != HEADER and not does(s, *FORWARD):
        return ()
    return tuple(arg for role, arg in zip(row.roles, s.args, strict=False) if role in BUFFERS)
