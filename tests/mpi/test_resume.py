"""Gradients of ranks that meet, gone on with after one was killed: from the newest position that all have."""

from __future__ import annotations

from pathlib import Path

from tests.mpi.launching import needs_mpi, on_ranks


@needs_mpi
def test_ranks_that_were_killed(tmp_path: Path) -> None:
    for rank, at in ((1, 25), (0, 60)):
        done = on_ranks(2, "-m", "tests.mpi.killed", str(tmp_path), str(rank), str(at), seconds=120)
        assert done.returncode != 0, done.stdout
        assert "Error" not in done.stderr, done.stderr
        assert len(list(tmp_path.glob("hetad-resume-*-of-2/position-?"))) >= 2
    done = on_ranks(2, "-m", "tests.mpi.killed", str(tmp_path), "-1", "0", seconds=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("right") == 2
    assert list(tmp_path.iterdir()) == []
