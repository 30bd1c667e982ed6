"""Time loops in which ranks meet, under memory limits: one schedule for all ranks, or the reason why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

import hetad
from tests.mpi.launching import needs_mpi, on_ranks
from tests.mpi.test_running import script

LOOP = """
#include <mpi.h>
__global__ void step(double *u, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = u[i] + c * u[i] * u[i];
}
void f(double *u, int n, int steps, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    double c = 0.1, all;
    MPI_Request outside;
    BEFORE for (int t = 0; t < steps; ++t) {
        INSIDE
        step<<<1, 32>>>(u, all, n);
    }
}
"""


@needs_mpi
def test_all_ranks_follow_one_schedule() -> None:
    """With a limit of its own on each; the gradient is that without limits."""
    done = on_ranks(3, "-m", "tests.mpi.loops")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("right") == 3


SUM = "MPI_Allreduce(&c, &all, 1, MPI_DOUBLE, MPI_SUM, comm);"


@needs_mpi
def test_another_number_of_steps_is_refused(tmp_path: Path) -> None:
    text = LOOP.replace("BEFORE", "").replace("INSIDE", "if (t < 3) { " + SUM + " }")
    lines = """
x = np.ones(4)
g = hetad.gradient(program["f"], wrt=("u",), of=("u",), memory_limit=10**6)
g(x, 4, 5 + rank, world, seeds={"u": x})
"""
    done = on_ranks(2, script(tmp_path, text, lines), seconds=60)
    assert done.returncode != 0
    assert "the time loop in line 14 has not the same number of steps on all ranks" in done.stderr


SKEWED = """
#include <mpi.h>
__global__ void step(double *u, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = u[i] + c * u[i] * u[i];
}
void f(double *u, int n, int steps, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    double c = 0.1, got;
    MPI_Send(&c, 1, MPI_DOUBLE, (rank + 1) % size, 0, comm);
    for (int t = 0; t < steps; ++t) {
        MPI_Recv(&got, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
        step<<<1, 32>>>(u, got, n);
        cudaMemcpy(&c, u, sizeof(double), cudaMemcpyDeviceToHost);
        MPI_Send(&c, 1, MPI_DOUBLE, (rank + 1) % size, 0, comm);
    }
    MPI_Recv(&got, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
}
"""


@needs_mpi
def test_messages_from_one_step_to_another_are_refused(tmp_path: Path) -> None:
    """Steps that run again would take what others have sent."""
    lines = """
x = np.full(4, 0.2)
hetad.gradient(program["f"], wrt=("u",), of=("u",))(x, 4, 5, world, seeds={"u": x})
hetad.gradient(program["f"], wrt=("u",), of=("u",), memory_limit=10**6)(x, 4, 5, world, seeds={"u": x})
"""
    done = on_ranks(2, script(tmp_path, SKEWED, lines), seconds=60)
    assert done.returncode != 0
    assert "messages of one step of the time loop in line 15 are received in another step" in done.stderr


@pytest.mark.parametrize(
    ("before", "inside", "expected"),
    [
        ("", SUM, ""),
        ("if (rank == 0)", SUM, "'MPI_Allreduce' in it waits for other ranks, who may not all come to the loop"),
        (
            "",
            "MPI_Iallreduce(&c, &all, 1, MPI_DOUBLE, MPI_SUM, comm, &outside); MPI_Wait(&outside, MPI_STATUS_IGNORE);",
            "'MPI_Iallreduce' in it starts what may end in another step: declare its request in the loop's body",
        ),
        ("", "MPI_Comm other; MPI_Comm_dup(comm, &other);" + SUM, "'MPI_Comm_dup' in it waits for other ranks, and"),
        ("", "int k; MPI_Request r; MPI_Irecv(&k, 1, MPI_INT, 0, 0, comm, &r); MPI_Wait(&r, MPI_STATUS_IGNORE);" + SUM,
         "whole numbers are received with requests"),
        (
            "MPI_Comm half; MPI_Comm_split(comm, rank % 2, 0, &half);",
            SUM + SUM.replace("comm", "half"),
            "messages in it go along several communicators",
        ),
    ],
)  # fmt: skip
def test_what_keeps_a_loop_from_a_schedule_is_told(before: str, inside: str, expected: str) -> None:
    text = LOOP.replace("BEFORE", before).replace("INSIDE", inside)
    gradient = hetad.gradient(hetad.loads(text)["f"], wrt=("u",), of=("u",), memory_limit=10**6)
    (loop,) = gradient.derivative.explanation.loops
    assert loop.refused.startswith(expected)
    assert bool(loop.refused) == bool(expected)
