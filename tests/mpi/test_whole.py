"""Whole programs, whose gradient on several ranks is that of one; and random patterns of communication."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mpi.launching import needs_mpi, on_ranks

pytestmark = needs_mpi


@pytest.mark.parametrize("ranks", [2, 3])
def test_pieces_have_the_gradient_of_the_whole(ranks: int) -> None:
    done = on_ranks(ranks, "-m", "tests.mpi.pieces")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count(": right") == 6


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(seed=st.integers(0, 10**6), ranks=st.integers(2, 4))
def test_random_patterns(seed: int, ranks: int) -> None:
    done = on_ranks(ranks, "-m", "tests.mpi.patterns", "3", str(seed))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "3 programs, 0 failures" in done.stdout
