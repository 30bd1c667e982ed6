"""Memory that a program frees in its loops: the gradient does not keep it all."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import hetad
from tests.emitted import own_text

PROGRAM = r"""
#include <stdlib.h>
__global__ void scale(double *v, const double *u, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        v[i] = 0.5 * u[i];
}
void driver(double *y, const double *x, int n, int steps)
{
    double *u;
    cudaMalloc(&u, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        double *v, *h = (double *)malloc(n * sizeof(double));
        cudaMalloc(&v, n * sizeof(double));
        scale<<<1, 32>>>(v, u, n);
        cudaMemcpy(h, v, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(v);
        h = (double *)realloc(h, (n + 1 + t % 3) * sizeof(double));
        h[n] = 0;
        cudaMemcpy(u, h, n * sizeof(double), cudaMemcpyHostToDevice);
        free(h);
    }
    cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(u);
}
"""
SCRIPT = """
import resource, sys
import numpy as np
import hetad
n, steps = 1 << 17, int(sys.argv[1])
g = hetad.gradient(hetad.loads(sys.stdin.read(), name="loop.cu")["driver"], wrt="x", of="y", backend="cpu")
x = np.ones(n)
r = g(np.zeros(n), x, n, steps, seeds={"y": x})
assert abs(r["x"][n - 1] - 0.5**steps) < 1e-12
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(steps: int) -> int:
    """MiB in use at most, of arrays of 1 MiB."""
    command = [sys.executable, "-c", SCRIPT, str(steps)]
    return int(subprocess.run(command, input=PROGRAM, text=True, capture_output=True, check=True).stdout) // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss")
def test_scratch_memory_of_a_loop_is_reused() -> None:
    few, many = peak(2), peak(200)
    assert many - few < 20, "four arrays a step would be 800 MiB"


PHASES = """
__global__ void scaled(double *y, const double *x, int n)
{
    if (threadIdx.x < n)
        y[threadIdx.x] = 0.5 * x[threadIdx.x];
}
__global__ void squared(double *y, const double *x, int n)
{
    if (threadIdx.x < n)
        y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
void driver(double *y, const double *x, int n)
{
    double *u, *v;
    cudaMalloc(&u, n * sizeof(double));
    FIRST<<<1, 32>>>(u, x, n);
    SECOND<<<1, 32>>>(y, u, n);
    cudaFree(u);
    cudaMalloc(&v, n * sizeof(double));
    scaled<<<1, 32>>>(v, y, n);
    squared<<<1, 32>>>(y, v, n);
    cudaFree(v);
}
"""


@pytest.mark.parametrize(("second", "retired"), [("scaled", ["u", "adj_u"]), ("squared", [])])
def test_memory_serves_again_where_its_contents_are_not_needed(second: str, retired: list[str]) -> None:
    program = hetad.loads(PHASES, defines={"FIRST": "squared", "SECOND": second})
    source = hetad.gradient(program["driver"], wrt="x", of="y", backend="cpu").source
    body = own_text(source[source.index("driver_grad(") :])
    assert re.findall(r"hetad_retire\((\w+)\)", body) == retired
    assert re.findall(r"hetad_revive(?:_zeros)?\((\w+)\)", body) == retired[::-1]
