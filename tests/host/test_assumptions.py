"""Numbers that a kernel compares with unsigned ones are looked at in front of each launch."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad

PROGRAM = """
__global__ void k(double *y, const double *x, int m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m && i < 60)
        y[i] = x[i] * x[i + 1];
}

__global__ void inner(double *y, const double *x, int m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < 60)
        y[i] = x[i] * x[i + 1];
}

void run(double *y, const double *x, int m, unsigned n)
{
    double *d_y;
    cudaMalloc(&d_y, 60 * sizeof(double));
    cudaMemcpy(d_y, y, 60 * sizeof(double), cudaMemcpyHostToDevice);
    k<<<2, 32>>>(d_y, x, m - 3, n);
    cudaMemcpy(y, d_y, 60 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
}
"""


def gradient(function: str, m: int, backend: str, n: int = 50, **launch: object) -> np.ndarray:
    program = hetad.loads(PROGRAM, "bounds.cu")
    g = hetad.gradient(program[function], wrt="x", of="y", backend=backend)
    x = np.linspace(0.2, 1.3, 61)
    found: np.ndarray = g(np.zeros(60), x, m, n, seeds={"y": np.ones(60)}, **launch)["x"]
    return found


def test_a_negative_number_stops_the_program(backend: str) -> None:
    said = r"bounds\.cu:5:\d+: an unsigned number is compared .* m >= 0 does not hold"
    with pytest.raises(hetad.HetadError, match=said):
        gradient("k", -1, backend, grid=(2,), block=(32,))
    with pytest.raises(hetad.HetadError, match=said):
        gradient("run", 2, backend)
    assert np.count_nonzero(gradient("run", 3, backend)) == 0
    assert np.count_nonzero(gradient("run", 13, backend)) == 11


def test_unsigned_numbers_need_no_look(backend: str) -> None:
    source = hetad.gradient(hetad.loads(PROGRAM, "bounds.cu")["inner"], wrt="x", of="y").source
    assert not re.search(r"hetad_require\(", source)
    assert np.count_nonzero(gradient("inner", -1, backend, n=10, grid=(2,), block=(32,))) == 11


def test_nothing_is_looked_at_where_other_guards_keep_every_thread_out(backend: str) -> None:
    guard = "(int)i < m && (unsigned)((int)i - 1) < (unsigned)(m - 2)"
    program = hetad.loads(PROGRAM.replace("i < m && i < 60", guard), "bounds.cu")
    g = hetad.gradient(program["run"], wrt="x", of="y", backend=backend)
    assert not re.search(r"hetad_require\(", g.source)
    x = np.linspace(0.2, 1.3, 61)
    for m in (2, 4, 5, 40):
        found = g(np.zeros(60), x, m, 50, seeds={"y": np.ones(60)})["x"]
        expected = np.zeros(61)
        for i in range(1, m - 4):
            expected[i] += x[i + 1]
            expected[i + 1] += x[i]
        np.testing.assert_allclose(found, expected)
