"""Run by `mpirun` on each rank: time loops in which ranks meet, under a memory limit of each rank's own.

The gradient is that without a limit, to the bit; no rank saves more than it may; and all run as many steps again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import hetad
from hetad.run import compiler

WORLD = MPI.COMM_WORLD
SCRATCH = tempfile.gettempdir()
SAMPLE = Path(__file__).parents[2] / "samples" / "heat_on_ranks.cu"
SOURCE = """
#include <mpi.h>

__global__ void step(double *next, const double *u, double left, double right, double most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = i > 0 ? u[i - 1] : left, b = i < n - 1 ? u[i + 1] : right;
        next[i] = u[i] + 0.1 * (a - 2 * u[i] + b) * u[i] / most;
    }
}

__global__ void damp(double *u, const double *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) u[i] = u[i] * (1 - 0.01 * sum[0] * u[i]);
}

// All ways of meeting: messages at once and with requests, from any rank, a product, a largest number that is on its
// way while a kernel works, a loop inside; the cells of the ranks may be of different numbers.
void meet(const double *x, double *y, int n, int steps)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *u, *v, *sum, ends[2], mine, most, all;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMalloc(&sum, sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; ++t) {
        double from_left, from_right;
        MPI_Request r;
        MPI_Status status;
        cudaMemcpy(&ends[0], u, sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(&ends[1], u + n - 1, sizeof(double), cudaMemcpyDeviceToHost);
        mine = ends[0] * ends[1] * (1 + 0.1 * rank);
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
        MPI_Iallreduce(&ends[1], &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r);
        MPI_Sendrecv(&ends[0], 1, MPI_DOUBLE, (rank + size - 1) % size, 0, &from_right, 1, MPI_DOUBLE,
                     MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        step<<<(n + 31) / 32, 32>>>(v, u, ends[0], from_right, 1 + most * most, n);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (rank % 2 == 0) {
            MPI_Send(&ends[1], 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
            MPI_Recv(&from_left, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&from_left, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&ends[1], 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int k = 0; k < 2; ++k) step<<<(n + 31) / 32, 32>>>(k ? v : u, k ? u : v, from_left, from_right, all, n);
        cudaMemcpy(sum, &all, sizeof(double), cudaMemcpyHostToDevice);
        damp<<<(n + 31) / 32, 32>>>(v, sum, n);
        double *w = u;
        u = v;
        v = w;
    }
    cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(v);
    cudaFree(sum);
}

// How many steps there are is told by what the ranks agree on.
double settle(const double *x, double tolerance, int n)
{
    double *u, *v, first, change = 1, last;
    int count = 0;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    while (change > tolerance && count < 60) {
        double all;
        cudaMemcpy(&first, u, sizeof(double), cudaMemcpyDeviceToHost);
        MPI_Allreduce(&first, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        step<<<(n + 31) / 32, 32>>>(v, u, all, first, 4, n);
        change = change * 0.8 + 0.001 * all;
        double *w = u;
        u = v;
        v = w;
        ++count;
    }
    cudaMemcpy(&last, u + n / 2, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
    cudaFree(v);
    return last * change;
}
"""


def check(
    function: Any, wrt: tuple[str, ...], args: list[Any], seeds: dict[str, Any], limits: list[int],
    hosts: tuple[int | None, ...],
) -> None:  # fmt: skip
    """Raises AssertionError where a gradient under one of the limits is another, or no step is run again."""
    of = tuple(seeds)
    wanted = hetad.gradient(function, wrt=wrt, of=of or None)(*args, seeds=seeds or None)
    again = set()
    for limit in limits:
        for host in hosts:
            own = limit + 40 * WORLD.Get_rank()
            gradient = hetad.gradient(
                function, wrt=wrt, of=of or None, memory_limit=own, host_memory=host, checkpoint_dir=host and SCRATCH
            )
            for _ in range(2):
                found = gradient(*args, seeds=seeds or None)
                for name in wrt:
                    np.testing.assert_array_equal(found[name], wanted[name], err_msg=f"{name}, limit {limit}")
            report = gradient.last_report
            assert report is not None
            assert report.saved_bytes <= own, report
            repeated = WORLD.allgather(report.extra_steps)
            assert len(set(repeated)) == 1, repeated
            again.add(repeated[0])
    assert max(again) > 0, again


def main() -> None:
    compiler.FLAGS = tuple("-O0" if flag == "-O3" else flag for flag in compiler.FLAGS)
    rank = WORLD.Get_rank()
    rng = np.random.default_rng(rank)
    n = 40 + 8 * rank
    x, seed = rng.uniform(0.3, 1, n), rng.standard_normal(n)
    check(hetad.loads(SOURCE)["meet"], ("x",), [x, np.zeros(n), n, 14], {"y": seed}, [9000], (None, 9000))
    check(hetad.loads(SOURCE)["settle"], ("x",), [x, 0.05, n], {}, [5000], (None, 9000))
    cells = [rng.uniform(0.3, 1, 8) for _ in range(3)]
    check(hetad.load(SAMPLE)["misfit"], ("u", "k"), [*cells, 8, 30, WORLD], {}, [1500, 3000], (None,))
    print("right", flush=True)


if __name__ == "__main__":
    sys.exit(main())
