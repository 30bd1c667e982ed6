"""Rules that users give for their own device functions."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

SOURCE = """
__device__ double bump(double x, double width) { return x > width ? 0.0 : exp(-x * x / (width * width)); }
__global__ void apply(double *y, const double *x, double width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0 * bump(x[i] * x[i], width) + x[i];
}
"""
CUDA = """
__device__ void bump_pullback(double x, double width, double seed, double *adj_x, double *adj_width)
{
    double r = exp(-x * x / (width * width));
    *adj_x += seed * r * -2.0 * x / (width * width);
    *adj_width += seed * r * 2.0 * x * x / (width * width * width);
}
"""
PARTIALS = {"x": "-2 * x / (width * width) * r", "width": "2 * x * x / (width * width * width) * r"}


def gradient(program: hetad.Program, backend: str, optimize: bool = True) -> tuple[np.ndarray, float]:
    rng = np.random.default_rng(3)
    n = 70
    x = rng.uniform(-1.5, 1.5, n)
    g = hetad.gradient(program["apply"], wrt=("x", "width"), of="y", backend=backend, optimize=optimize)
    r = g(np.zeros(n), x, 3.0, n, seeds={"y": rng.normal(size=n)}, grid=3, block=32)
    return r["x"], r["width"]


@pytest.mark.parametrize("rule", [{"partials": PARTIALS}, {"cuda": CUDA}], ids=["partials", "cuda"])
@pytest.mark.parametrize("optimize", [True, False])
def test_rule_gives_the_same_gradient(rule: dict[str, object], optimize: bool, backend: str) -> None:
    plain = gradient(hetad.loads(SOURCE), backend)
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", **rule)
    ruled = gradient(program, backend, optimize)
    np.testing.assert_allclose(ruled[0], plain[0], rtol=1e-12)
    assert ruled[1] == pytest.approx(plain[1], rel=1e-12)


def test_rule_is_used(backend: str) -> None:
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", {"x": "7"})
    x = np.array([0.5])
    g = hetad.gradient(program["apply"], wrt=("x", "width"), of="y", backend=backend)
    r = g(np.zeros(1), x, 3.0, 1, seeds={"y": np.ones(1)}, grid=1, block=1)
    assert r["x"][0] == pytest.approx(2 * 7 * 2 * 0.5 + 1)
    assert r["width"] == 0


def test_inactive(backend: str) -> None:
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", inactive=True)
    dx, dwidth = gradient(program, backend)
    seeds = np.random.default_rng(3)
    seeds.uniform(-1.5, 1.5, 70)
    np.testing.assert_allclose(dx, seeds.normal(size=70))
    assert dwidth == 0


def test_bad_rules() -> None:
    program = hetad.loads(SOURCE)
    with pytest.raises(hetad.ArgumentError, match="no parameter 'z'"):
        hetad.pullback(program, "bump", {"z": "1"})
    with pytest.raises(hetad.ArgumentError, match="__device__ function of values"):
        hetad.pullback(program, "apply", {"x": "1"})
    with pytest.raises(hetad.ArgumentError, match="one of"):
        hetad.pullback(program, "bump")
