"""Programs that call MPI or NCCL include the headers of the libraries with which they are compiled."""

from __future__ import annotations

from collections.abc import Collection

INCLUDE = "#include <mpi.h>"


def speaks_mpi(words: Collection[str]) -> bool:
    """Whether a text with these words needs the header of MPI."""
    return any(word.startswith("MPI_") for word in words)


def speaks_nccl(words: Collection[str]) -> bool:
    """The same for that of NCCL."""
    return any(word.startswith("nccl") for word in words)
