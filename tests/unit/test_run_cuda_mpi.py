"""Programs that call MPI, on the CUDA backend over a CuPy and a driver made of host memory: an MPI that cannot read
memory of GPUs is not given any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.run import mpi
from tests.mpi.launching import needs_mpi
from tests.unit.test_run_cuda import driver

__all__ = ["driver"]
pytestmark = needs_mpi

N = 5
COMMON = """
#include <mpi.h>
__global__ void square(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
"""
RECEIVED = """
void f(double *y, const double *x, int n)
{
    double *u, *v;
    cudaMalloc((void **)&u, n * sizeof(double));
    cudaMalloc((void **)&v, n * sizeof(double));
    square<<<1, 8>>>(u, x, n);
    MPI_Sendrecv(u, n, MPI_DOUBLE, 0, 0,
                 v, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    square<<<1, 8>>>(y, v, n);
    cudaFree(u);
    cudaFree(v);
}
"""
SUMMED = """
void f(double *y, const double *x, int n)
{
    double *u;
    cudaMalloc((void **)&u, n * sizeof(double));
    square<<<1, 8>>>(u, x, n);
    MPI_Allreduce(MPI_IN_PLACE, u, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_SELF);
    square<<<1, 8>>>(y, u, n);
    cudaFree(u);
}
"""
STAGED = """
void f(double *y, const double *x, int n)
{
    double sent[8], got[8], *u;
    cudaMalloc((void **)&u, n * sizeof(double));
    square<<<1, 8>>>(u, x, n);
    cudaMemcpy(sent, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    MPI_Sendrecv(sent, n, MPI_DOUBLE, 0, 0, got, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    cudaMemcpy(u, got, n * sizeof(double), cudaMemcpyHostToDevice);
    square<<<1, 8>>>(y, u, n);
    cudaFree(u);
}
"""
NO_NEIGHBOUR = """
void f(double *y, const double *x, int n)
{
    double *u;
    int left = MPI_PROC_NULL;
    MPI_Request requests[2];
    cudaMalloc((void **)&u, (n + 1) * sizeof(double));
    cudaMemset(u, 0, (n + 1) * sizeof(double));
    square<<<1, 8>>>(u, x, n);
    MPI_Sendrecv(u, 1, MPI_DOUBLE, left, 0, u + n, 1, MPI_DOUBLE, left, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(u, 1, MPI_DOUBLE, left, 1, left, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Irecv(u, 1, MPI_DOUBLE, left, 2, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(u, 1, MPI_DOUBLE, left, 2, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    square<<<1, 8>>>(y, u, n);
    cudaFree(u);
}
"""
X = np.random.default_rng(8).uniform(0.5, 1.5, N)


@pytest.fixture(params=[True, False], ids=["CUDA-aware", "of the host"])
def aware(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, driver: Any) -> bool:
    monkeypatch.setattr(mpi, "may_reach_gpus", lambda: request.param)
    found: bool = request.param
    return found


def check(f: hetad.Function) -> None:
    y = np.zeros(N)
    f(y, X, N, backend="cuda")
    np.testing.assert_allclose(y, X**4)
    seed = np.random.default_rng(9).standard_normal(N)
    found = hetad.gradient(f, wrt="x", of="y", backend="cuda")(np.zeros(N), X, N, seeds={"y": seed})
    np.testing.assert_allclose(found["x"], 4 * X**3 * seed)


@pytest.mark.parametrize(("text", "place"), [(RECEIVED, "15:5"), (SUMMED, "14:5")], ids=["received", "summed"])
def test_memory_of_a_gpu_goes_to_an_mpi_that_reads_it(text: str, place: str, aware: bool) -> None:
    f = hetad.loads(COMMON + text, "f.cu")["f"]
    if aware:
        check(f)
        return
    message = rf"f\.cu:{place}: this MPI is not CUDA-aware, and is given memory of a GPU: give it a copy in host memory"
    with pytest.raises(hetad.ExecutionError, match=message):
        f(np.zeros(N), X, N, backend="cuda")
    gradient = hetad.gradient(f, wrt="x", of="y", backend="cuda")
    with pytest.raises(hetad.ExecutionError, match=message):
        gradient(np.zeros(N), X, N, seeds={"y": np.ones(N)})


def test_copies_in_host_memory_go_to_every_mpi(aware: bool) -> None:
    check(hetad.loads(COMMON + STAGED, "f.cu")["f"])


def test_messages_to_no_rank_move_nothing(aware: bool) -> None:
    check(hetad.loads(COMMON + NO_NEIGHBOUR, "f.cu")["f"])


def test_what_mpi_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for said, known in (("1", True), ("0", False)):
        monkeypatch.setenv("HETAD_MPI_CUDA_AWARE", said)
        mpi.may_reach_gpus.cache_clear()
        assert mpi.may_reach_gpus() is known
    monkeypatch.undo()
    mpi.may_reach_gpus.cache_clear()
