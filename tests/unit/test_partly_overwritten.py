"""What is overwritten in part is still read: nothing that gave it its values goes."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

PROGRAM = """
__global__ void square(double *y, const double *x, int n)
{{
    int i = threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i] * x[i];
}}
void f(double *y, const double *x, int n, int m)
{{
    double *d;
    cudaMalloc((void **)&d, n * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    {over}
    square<<<1, 32>>>(y, d, n);
    cudaFree(d);
}}
"""


@pytest.mark.parametrize(
    "over",
    ["cudaMemset(d, 0, m * sizeof(double));", "cudaMemcpy(d, x + m, m * sizeof(double), cudaMemcpyDeviceToDevice);"],
)
def test_a_copy_of_which_a_part_stays(over: str) -> None:
    gradient = hetad.gradient(hetad.loads(PROGRAM.format(over=over))["f"], wrt="x", of="y", backend="cpu")
    x = np.arange(1.0, 8.0)
    n, m = 7, 3
    expected = np.zeros(n)
    expected[m:] += 3 * x[m:] ** 2
    if "Memcpy" in over:
        expected[m : 2 * m] += 3 * x[m : 2 * m] ** 2
    found = gradient(np.zeros(n), x, n, m, seeds={"y": np.ones(n)})
    np.testing.assert_allclose(found["x"], expected)
