"""A quotient of two active values costs its adjoint one division, and a zero seed stays zero where it is infinite."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS

RATIO = """
typedef struct {
    double re, im;
} Number;

__global__ void ratio(const double *a, const double *b, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double size = b[i] * b[i];
        Number both = {a[i] / size, -a[n + i] / size};
        y[i] = both.re + 3 * both.im;
    }
}

void ratios(const double *a, const double *b, double *y, int n)
{
    ratio<<<(n + 31) / 32, 32>>>(a, b, y, n);
}
"""


EACH_BY_ITSELF = tuple(name for name in OPTIMISATIONS if name != "reciprocals")


@pytest.mark.parametrize(
    ("optimize", "divisions"),
    [(True, 1), (EACH_BY_ITSELF, 4)],  # 4: two of the values, two of their adjoints
    ids=["shared", "each"],
)
def test_one_division_for_each_quotient(optimize: bool | tuple[str, ...], divisions: int) -> None:
    gradient = hetad.gradient(hetad.loads(RATIO)["ratios"], wrt=("a", "b"), of="y", backend="cpu", optimize=optimize)
    kernel = gradient.source[gradient.source.index("ratio_pullback(") :]
    kernel = kernel[: kernel.index("\n}\n")]
    code = [line for line in kernel.splitlines() if "//" not in line]
    assert sum(line.count(" / size") for line in code) == divisions
    rng = np.random.default_rng(8)
    n = 45
    a, b, seed = rng.normal(size=2 * n), rng.normal(size=n), rng.normal(size=n)
    b[3] = seed[3] = 0
    adj_a, adj_b = np.zeros(2 * n), np.zeros(n)
    gradient.execute(a, b, np.zeros(n), n, seed.copy(), adj_a, adj_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected_a = np.concatenate([seed / b**2, -3 * seed / b**2])
        expected_b = seed * (a[:n] - 3 * a[n:]) * -2 / b**3
    for expected in (expected_a, expected_b):
        expected[~np.isfinite(expected)] = 0
    np.testing.assert_allclose(adj_a, expected_a, rtol=1e-12)
    np.testing.assert_allclose(adj_b, expected_b, rtol=1e-12)
