"""How launches of pullbacks are written: as the program writes its own, where that says the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad

PROGRAM = """
__global__ void k(int n, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}
void f(int n, const double *x, double *y)
{
    EXTENTS
    k<<<grid, block>>>(n, x, y);
}
"""
N = 50


@pytest.mark.parametrize(
    ("extents", "launch"),
    [
        ("dim3 block(32), grid((n + 31) / 32);", "grid, block"),
        ("int t = 32; dim3 block(t, 1), grid((n + block.x - 1) / block.x);", "grid, block"),
        ("dim3 block(32, 1, 1), grid((n + 31) / 32, 3);", "grid.x, block"),
        ("dim3 block(32), grid((n + 31) / 32); grid.y = 2;", "dim3(grid.x, grid.y != 0, grid.z != 0), block"),
        ("dim3 block(32), grid((n + 31) / 32, n);", "dim3(grid.x, grid.y != 0), block"),
        ("dim3 block(32), grid((n + 31) / 32, 0);", "grid, block"),
    ],
)
def test_axes_that_a_pullback_does_without(extents: str, launch: str) -> None:
    function = hetad.loads(PROGRAM.replace("EXTENTS", extents))["f"]
    gradient = hetad.gradient(function, wrt="x", of="y", backend="cpu")
    assert re.findall(r"k_pullback<<<(.*)>>>", gradient.source) == [launch]
    x = np.random.default_rng(0).standard_normal(N)
    ran = 0 if ", 0)" in extents else 1
    found = gradient(N, x, np.zeros(N), seeds={"y": np.ones(N)})["x"]
    np.testing.assert_allclose(found, ran * 2 * x)
