"""Gradients and tangents of MPI programs, on MPI itself: each program in programs/, on several ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mpi.launching import needs_mpi, on_ranks
from tests.turns import skip_unless_turn_of

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cu"))


@needs_mpi
@pytest.mark.parametrize(
    ("path", "ranks"), [*((path, 3) for path in PROGRAMS), *((path, 1) for path in PROGRAMS if path.stem == "messages")]
)
def test_program(path: Path, ranks: int) -> None:
    skip_unless_turn_of(path.stem, 2)
    done = on_ranks(ranks, "-m", "tests.mpi.ranks", str(path))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count(": right") >= 1
