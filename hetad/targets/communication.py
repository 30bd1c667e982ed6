"""Programs that call MPI include its header, of the library with which they are compiled."""

from __future__ import annotations

from collections.abc import Collection

INCLUDE = "#include <mpi.h>"


def speaks_mpi(words: Collection[str]) -> bool:
    """Whether a text with these words needs the header."""
    return any(word.startswith("MPI_") for word in words)
