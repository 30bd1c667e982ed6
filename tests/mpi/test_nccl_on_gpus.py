"""Programs that call NCCL with one process for each GPU, these made of host memory; tests/gpu has real ones."""

from __future__ import annotations

from tests.mpi.launching import needs_mpi, on_ranks


@needs_mpi
def test_one_process_for_each_gpu() -> None:
    done = on_ranks(2, "-m", "tests.mpi.nccl_on_gpus", "--fake", seconds=120)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("right") == 2 * 4
