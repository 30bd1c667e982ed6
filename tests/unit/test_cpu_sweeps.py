"""What the CPU makes of pullbacks in one run for all threads, interiors, pairs, long loops: the same in every mode."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import hetad
from hetad import frontend, targets

MODES = {
    "": {}, "blocks": {"HETAD_CPU_MODE": "blocks"}, "threads": {"HETAD_CPU_THREADS": "4"},
    "fibers": {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"},
}  # fmt: skip
LINE = """
__global__ void line(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 2)
        y[i] = 2 * x[i - 1] - x[i] + 3 * x[i + 2];
}
"""
BACKWARDS = """
__global__ void backwards(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[n - 1 - i] - (i > 0 ? 2 * x[n - i] : 0);
}
"""
PLANE = """
__global__ void plane(double *y, const double *x, const double *c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 2 || j < 2 || i >= n - 2 || j >= m - 2)
        return;
    double sum = c[0] * x[j * n + i];
    for (int r = 1; r <= 2; r++)
        sum += c[r] * (x[j * n + i - r] + x[j * n + i + r] - x[(j - r) * n + i] + 2 * x[(j + r) * n + i]);
    y[j * n + i] = sum;
}
"""
LONE_COLUMN = """
__global__ void column(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j < m) {
        if (i == 3 && i < n)
            y[j * n + i] += 5 * x[j * n + i];
        if (i < n - 1)
            y[j * n + i] += x[j * n + i + 1];
    }
}
"""
SIZES = ((1, 1), (2, 3), (3, 2), (5, 9), (40, 7), (64, 5), (513, 3), (1100, 6))


@functools.cache
def gradient(source: str, wrt: tuple[str, ...] = ("x",), of: str = "y", mode: str = "") -> hetad.Gradient:
    name = source.split("void ")[1].split("(", maxsplit=1)[0]
    return hetad.gradient(hetad.loads(source)[name], wrt=wrt, of=of, backend="cpu")


def set_mode(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in MODES[mode].items():
        monkeypatch.setenv(key, value)


every_mode = pytest.mark.parametrize("mode", MODES)


@every_mode
@pytest.mark.parametrize("source", [LINE, BACKWARDS, PLANE, LONE_COLUMN], ids=["line", "backwards", "plane", "column"])
@pytest.mark.parametrize("few", [0, 1], ids=["", "too few threads"])
def test_linear(source: str, few: int, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The adjoint of a linear map: the same product with a seed."""
    set_mode(mode, monkeypatch)
    found = gradient(source, mode=mode)
    rng = np.random.default_rng(8)
    for n, m in SIZES:
        flat = "int m" not in source
        rest: tuple[Any, ...] = (rng.standard_normal(3), n, m) if "c[0]" in source else (n,) if flat else (n, m)
        cells = n if flat else n * m
        x, seed, before = rng.standard_normal((3, cells))
        block = (7,) if flat else (7, 2)
        grid = tuple(max(-(-size // b) - few, 1) for size, b in zip((n, m), block, strict=False))
        y = np.zeros(cells)
        found.function(y, x.copy(), *rest, grid=grid, block=block, backend="cpu")
        result = found(before.copy() * 0, x, *rest, seeds={"y": seed}, grid=grid, block=block)
        np.testing.assert_allclose(seed @ y, result["x"] @ x, rtol=1e-9, atol=1e-12)


SQUARES = """
__global__ void squares(double *y, const double *x, const double *w, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    double value = 0;
    if (i < n)
        value = x[j * n + i];
    double square = value * value;
    if (i < n && i >= 2)
        y[j * n + i] = square * w[i];
}
"""


@every_mode
def test_guards_around_parts(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_mode(mode, monkeypatch)
    rng = np.random.default_rng(9)
    for n, m in ((1, 1), (2, 2), (3, 1), (8, 2), (29, 4), (600, 2)):
        x, seed, w = rng.standard_normal((m, n)), rng.standard_normal((m, n)), rng.standard_normal(n)
        launch: dict[str, Any] = {"grid": (-(-n // 8), m), "block": (8, 1)}
        found = gradient(SQUARES, mode=mode)(np.zeros(x.size), x.ravel(), w, n, m, seeds={"y": seed.ravel()}, **launch)
        expected = np.where(np.arange(n) >= 2, 2 * x * w * seed, 0)
        np.testing.assert_allclose(found["x"], expected.ravel(), rtol=1e-12, atol=1e-14)


WRAPPING = """
__global__ void wrapping(double *y, const double *x, unsigned offset, int n)
{
    int t = blockIdx.y * blockDim.x + threadIdx.x;
    int i = threadIdx.x + offset;
    double value = 0;
    if (i < n)
        value = x[t];
    double square = value * value;
    if (i < n)
        y[t] = square;
}
"""


@every_mode
@pytest.mark.parametrize("offset", [0, 2**31 - 5, 2**31 - 20, 2**31, 2**32 - 3])
def test_numbers_that_wrap_around(offset: int, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_mode(mode, monkeypatch)
    x, seed = np.random.default_rng(12).standard_normal((2, 3, 16))
    number = (np.arange(16, dtype=np.int64) + offset + 2**31) % 2**32 - 2**31
    for n in (-(2**31) + 4, 0, 3, 12):
        launch: dict[str, Any] = {"grid": (1, 3), "block": (16,)}
        whole, y = gradient(WRAPPING, mode=mode), np.zeros(48)
        found = whole(y, x.ravel(), offset, n, seeds={"y": seed.ravel()}, **launch)
        np.testing.assert_allclose(found["x"], np.where(number < n, 2 * x * seed, 0).ravel(), rtol=1e-12)
        whole.function(y, x.ravel(), offset, n, **launch, backend="cpu")
        np.testing.assert_allclose(y, np.where(number < n, x * x, 0).ravel(), rtol=1e-12)


PAIRS = """
__global__ void pairs(double *y, const double *x, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            double d = x[j] - x[i];
            sum += w[j] * d * d * d;
        }
        y[i] = sum;
    }
}
"""


@every_mode
@pytest.mark.parametrize("blocks", [None, 2])
@pytest.mark.parametrize("wrt", [("x",), ("x", "w")])
def test_pairs(wrt: tuple[str, ...], blocks: int | None, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_mode(mode, monkeypatch)
    rng = np.random.default_rng(10)
    for n in (0, 1, 5, 33, 100):
        x, seed, w = rng.standard_normal((3, n + 1))
        x, seed, w = x[:n], seed[:n], w[:n]
        grid = blocks if blocks is not None else max(-(-n // 8), 1)
        args = [np.append(v, 0.0) for v in (np.zeros(n), x, w)]
        found = gradient(PAIRS, wrt, mode=mode)(*args, n, seeds={"y": np.append(seed, 7.0)}, grid=(grid,), block=(8,))
        s = np.where(np.arange(n) < 8 * grid, seed, 0)
        d = x[None, :] - x[:, None]  # by i, j
        slope = 3 * s[:, None] * w[None, :] * d * d
        np.testing.assert_allclose(found["x"][:n], slope.sum(0) - slope.sum(1), rtol=1e-9, atol=1e-10)
        if "w" in wrt:
            np.testing.assert_allclose(found["w"][:n], (s[:, None] * d**3).sum(0), rtol=1e-9, atol=1e-10)


STEPS = 512
LONG = f"""
__global__ void steps(double *y, const double *x, double c, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{
        double q = x[i];
        for (int k = 0; k < {STEPS}; k++)
            q += c * sin(q);
        y[i] = q;
    }}
}}
"""


@every_mode
def test_long_loops(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_mode(mode, monkeypatch)
    rng = np.random.default_rng(11)
    for n in (0, 1, 7, 40):
        x, seed = rng.standard_normal((2, n + 1))
        q, slope = x.copy(), np.ones(n + 1)
        for _ in range(STEPS):
            slope *= 1 + 0.01 * np.cos(q)
            q += 0.01 * np.sin(q)
        found = gradient(LONG, mode=mode)(np.zeros(n + 1), x, 0.01, n, seeds={"y": seed}, grid=(6,), block=(8,))
        np.testing.assert_allclose(found["x"][:n], (slope * seed)[:n], rtol=1e-9)
        assert found["x"][n] == 0


PRODUCTS = """
__global__ void products(double *y, const double *x, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1)
        y[i] = x[i - 1] * w[i - 1] + 2 * x[i] * w[i] + 3 * x[i + 1] * w[i + 1];
}
"""


@every_mode
def test_two_sums(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gather that ends in two additions, which are sure to have something to add within the interior alone."""
    set_mode(mode, monkeypatch)
    rng = np.random.default_rng(12)
    for n in (1, 2, 3, 8, 100, 513):
        x, w, seed = rng.standard_normal((3, n))
        found = gradient(PRODUCTS, ("x", "w"), mode=mode)(
            np.zeros(n), x, w, n, seeds={"y": seed}, grid=(-(-n // 8),), block=(8,)
        )
        slope = np.zeros(n)
        for i in range(1, n - 1):
            slope[i - 1 : i + 2] += seed[i] * np.array([1, 2, 3])
        np.testing.assert_allclose(found["x"], slope * w, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found["w"], slope * x, rtol=1e-12, atol=1e-14)


def kernels(source: str, wrt: tuple[str, ...] = ("x",), parallel: bool = False) -> str:
    return targets.cpu_kernels(gradient(source, wrt).derivative.program, targets.CpuOptions(parallel=parallel))


def test_text() -> None:
    assert f"[{STEPS}]" in kernels(LONG)  # one thread at a time keeps all of its loop
    assert "hetad_side" in targets.cpu_kernels(frontend.load(WRAPPING, "x.cu").reach("wrapping"))
    assert "inner_end" in kernels(LINE)
    assert "inner_end" in kernels(PLANE)
    inside = kernels(PRODUCTS, ("x", "w")).split("i_to = inner;")[1].split("for (")[0]
    assert "adj_w[i_to] += adj_w_sum;" in inside  # two conditional additions would be no vector code
    assert "adj_x_sum != 0" not in inside
    assert "before < threads" in kernels(PAIRS, ("x",))
    assert "before < threads" not in kernels(PAIRS, ("x",), parallel=True)
