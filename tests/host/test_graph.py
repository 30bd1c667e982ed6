"""graph=True on the CPU: the same checks as for a GPU, and the gradient as ever."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

PROGRAM = """
__global__ void step(int n, double a, const double *u, double *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = u[i] + a * u[i] * u[i];
}

// What is read back is summed up on the host, which decides nothing on the device; the sizes are the caller's.
double energy(int n, int steps, const int *blocks, double a, const double *x)
{
    double *u, *v, *h = (double *)malloc(n * sizeof(double)), sum = 0;
    cudaMalloc((void **)&u, n * sizeof(double));
    cudaMalloc((void **)&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        if (blocks[t] > 0) step<<<blocks[t], 16>>>(n, a, u, v);
        cudaError_t error = cudaMemcpy(h, v, n * sizeof(double), cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) return 0;
        for (int i = 0; i < n; i++)
            if (h[i] > 0) sum += h[i] * h[i];
        double *w = u;
        u = v;
        v = w;
    }
    cudaFree(u);
    cudaFree(v);
    free(h);
    return sum;
}
"""


def test_the_gradient_is_the_same() -> None:
    program = hetad.loads(PROGRAM)
    x, blocks = np.random.default_rng(4).standard_normal(41), np.array([3, 4, 3], np.int32)
    with_graph = hetad.gradient(program["energy"], ("x", "a"), backend="cpu", graph=True)
    plain = hetad.gradient(program["energy"], ("x", "a"), backend="cpu")
    found, expected = (g.value_and_grad(41, 3, blocks, 0.1, x) for g in (with_graph, plain))
    assert found[0] == expected[0]
    assert found[1]["a"] == expected[1]["a"]
    np.testing.assert_array_equal(found[1]["x"], expected[1]["x"])
    assert with_graph.source == plain.source


SIZE_READ_BACK = """
__global__ void fill(int n, double *y, const double *x) { int i = threadIdx.x; if (i < n) y[i] = x[0] * x[0]; }

void f(const int *d_n, const double *x, double *out)
{
    int n;
    double *y;
    cudaMemcpy(&n, d_n, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMalloc((void **)&y, n * sizeof(double));
    fill<<<1, 32>>>(2, y, x);
    cudaMemcpy(out, y, 2 * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaFree(y);
}
"""


def test_sizes_that_are_read_back_are_refused() -> None:
    f = hetad.loads(SIZE_READ_BACK)["f"]
    hetad.gradient(f, "x", "out")
    with pytest.raises(hetad.UnsupportedError, match=r"9:5: graph=True: an argument of this operation depends on data"):
        hetad.gradient(f, "x", "out", graph=True)
