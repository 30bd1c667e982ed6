"""Half precision and bfloat16: conversions and arithmetic as IEEE 754 has them, gradients in float, refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import hetad

SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void widen(float *y, const half *h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __half2float(h[i]);
}
__global__ void narrow(half *h, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) h[i] = __float2half(x[i]);
}
__global__ void shorten(nv_bfloat16 *h, float *back, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    h[i] = __float2bfloat16(x[i]);
    back[i] = __bfloat162float(h[i]);
}
__global__ void scaled(float *y, const float *x, half s) { y[threadIdx.x] = x[threadIdx.x] * __half2float(s); }
"""


def _floats() -> np.ndarray:
    """Floats of every size, the numbers half-way between two halves, and their neighbours."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    ties = (halves[1:] + halves[:-1]) / 2
    some = np.random.default_rng(5).integers(0, 2**32, 50000, dtype=np.uint32).view(np.float32)
    edges = np.float32([0, 65504, 65519.996, 65520, 1e30, np.inf, 2**-25, 2**-24, 2**-14])
    near = np.concatenate([halves, ties, edges])
    x = np.concatenate([near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(0)), some])
    return np.concatenate([x, -x])


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(SOURCE, name="half.cu")


def test_every_half_widens_exactly(program: hetad.Program, backend: str) -> None:
    h = np.arange(2**16, dtype=np.uint32).astype(np.uint16).view(np.float16)
    y = np.zeros(h.size, np.float32)
    program["widen"](y, h, h.size, grid=(h.size // 256,), block=(256,), backend=backend)
    assert np.array_equal(y, h.astype(np.float32), equal_nan=True)


def test_floats_narrow_to_the_nearest(program: hetad.Program, backend: str) -> None:
    x = _floats()
    h = np.zeros(x.size, np.float16)
    program["narrow"](h, x, x.size, grid=(-(-x.size // 256),), block=(256,), backend=backend)
    with np.errstate(over="ignore", invalid="ignore"):
        expected = x.astype(np.float16)
    assert np.array_equal(h, expected, equal_nan=True)
    assert np.array_equal(np.signbit(h)[~np.isnan(x)], np.signbit(x)[~np.isnan(x)])


def test_bfloat16_is_the_nearest_of_its_two_neighbours(program: hetad.Program, backend: str) -> None:
    x = _floats()
    h, back = np.zeros(x.size, np.uint16), np.zeros_like(x)
    program["shorten"](h, back, x, x.size, grid=(-(-x.size // 256),), block=(256,), backend=backend)
    assert np.array_equal(back.view(np.uint32) >> 16, h)
    assert np.array_equal(np.isnan(back), np.isnan(x))
    with np.errstate(invalid="ignore"):
        number = np.isfinite(x) & (np.abs(x) < 3.38e38)
        below = (x.view(np.uint32) & 0xFFFF0000).view(np.float32).astype(np.float64)
        above = ((x.view(np.uint32) & 0xFFFF0000) + 0x10000).view(np.float32).astype(np.float64)
        value, found = x.astype(np.float64), back.astype(np.float64)
        to_below, to_above = np.abs(value - below), np.abs(value - above)
    assert np.array_equal(
        (found == below)[number & (to_below < to_above)], np.ones((number & (to_below < to_above)).sum())
    )
    assert np.array_equal(
        (found == above)[number & (to_below > to_above)], np.ones((number & (to_below > to_above)).sum())
    )
    assert not np.any(h[number & (to_below == to_above)] & 1)


def test_a_half_by_value_cannot_come_from_python(program: hetad.Program) -> None:
    y, x = np.zeros(4, np.float32), np.ones(4, np.float32)
    with pytest.raises(hetad.HetadError, match="'s'"):
        program["scaled"](y, x, np.float16(2), grid=(1,), block=(4,), backend="cpu")


ARITHMETIC = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void computed(half *y, const half *a, const half *b, const half *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half s = a[i];
    s += b[i];
    y[i] = s;
    y[n + i] = __hsub(a[i], b[i]);
    y[2 * n + i] = a[i] * b[i];
    half2 p = __halves2half2(a[i], b[i]), q = __halves2half2(b[i], a[i]);
    y[3 * n + i] = __low2half(p / q);
    y[4 * n + i] = hsqrt(__habs(a[i]));
    y[5 * n + i] = __hfma2(p, q, __half2half2(c[i])).x;
    y[6 * n + i] = (half)((double)__half2float(a[i]) + 3e-9);
    y[7 * n + i] = half(1000 * i);
}
__global__ void computed_short(float *y, const float *a, const float *b, const float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    nv_bfloat16 p = __float2bfloat16(a[i]), q = __float2bfloat16(b[i]), r = __float2bfloat16(c[i]);
    y[i] = float(p + q);
    y[n + i] = __bfloat162float(__hmul(p, q));
    y[2 * n + i] = __bfloat162float(p / q);
    y[3 * n + i] = __low2float(__hfma2(__bfloat162bfloat162(p), __bfloat162bfloat162(q), __halves2bfloat162(r, p)));
}
"""


def _of_every_size(seed: int, n: int, dtype: type) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) * 2.0 ** rng.integers(-22, 15, n)).astype(dtype)


def _once_rounded(exact: Fraction, digits: int, least: int) -> float:
    """To so many binary digits, none below 2**least; ties to even."""
    if exact == 0:
        return 0.0
    size = math.frexp(float(exact))[1]
    unit = Fraction(2) ** max(size - digits, least)
    return float(round(exact / unit) * unit)


def test_arithmetic_rounds_once(backend: str) -> None:
    """As NumPy does it, and as fractions do where NumPy has no such operation."""
    n = 3000
    a, b, c = (_of_every_size(k, n, np.float16) for k in range(3))
    c[::3] = np.clip(-(a[::3].astype(np.float32) * b[::3]), -65504, 65504)  # what is lost counts
    y = np.zeros(8 * n, np.float16)
    hetad.loads(ARITHMETIC)["computed"](y, a, b, c, n, grid=(-(-n // 128),), block=(128,), backend=backend)
    parts = y.reshape(8, n)
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b, a / b, np.sqrt(np.abs(a))]
        for found, wanted in zip(parts, expected, strict=False):
            assert np.array_equal(found, wanted, equal_nan=True)
        exact = [Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r)) for p, q, r in zip(a, b, c, strict=True)]
        wanted = np.float16([_once_rounded(e, 11, -24) for e in exact])
        assert np.array_equal(parts[5], wanted)
        assert np.array_equal(parts[6], (a.astype(np.float64) + 3e-9).astype(np.float16))
        assert np.array_equal(parts[7], (1000.0 * np.arange(n)).astype(np.float16))


def test_arithmetic_in_bfloat16_rounds_once(backend: str) -> None:
    n = 3000
    given = (_of_every_size(k, n, np.float32) for k in (3, 4, 5))
    a, b, c = ((x.view(np.uint32) & 0xFFFF0000).view(np.float32) for x in given)
    a[:2], b[:2], c[:2] = 1 + 2.0**-7, 1 + 2.0**-2, (2.0**-60, -(2.0**-60))  # a tie, but for what is lost in a double
    y = np.zeros(4 * n, np.float32)
    hetad.loads(ARITHMETIC)["computed_short"](y, a, b, c, n, grid=(-(-n // 128),), block=(128,), backend=backend)
    for i in range(n):
        p, q, r = (Fraction(float(x[i])) for x in (a, b, c))
        for found, exact in zip(y.reshape(4, n)[:, i], (p + q, p * q, p / q, p * q + r), strict=True):
            assert found == _once_rounded(exact, 8, -133), (i, float(p), float(q), float(r))


GRADIENT = """
#include <cuda_fp16.h>
__global__ void f(half *y, const half *x, const half *w, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = w[0] * x[i];
}
"""


def test_adjoints_are_sums_in_float(backend: str) -> None:
    """Of a hundred thousand shares, which a half could not hold, nor add up."""
    n = 100_000
    program = hetad.loads(GRADIENT)
    x, w, y = np.full(n, 0.75, np.float16), np.ones(1, np.float16), np.zeros(n, np.float16)
    g = hetad.gradient(program["f"], wrt=["x", "w"], of=["y"], backend=backend)
    for seed in (np.ones(n, np.float16), np.ones(n, np.float32)):
        found = g(y, x, w, n, seeds={"y": seed}, grid=(1,), block=(64,))
        assert found["x"].dtype == found["w"].dtype == np.float32
        assert np.array_equal(found["x"], np.ones(n))
        assert found["w"][0] == pytest.approx(0.75 * n, rel=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_seeds_of_a_batch_are_like_outputs_or_their_adjoints(dtype: type, backend: str) -> None:
    x, w, y = np.array([0.5, 2, 4], np.float16), np.full(1, 0.75, np.float16), np.zeros(3, np.float16)
    g = hetad.gradient(hetad.loads(GRADIENT)["f"], wrt=["x", "w"], of=["y"], backend=backend, batch=2)
    seed = np.array([[1, 2, 3], [-1, 0, 0.25]], dtype)
    found = g(y, x, w, 3, seeds={"y": seed}, grid=(1,), block=(64,))
    assert np.array_equal(found["x"], 0.75 * seed.astype(np.float32))
    assert np.array_equal(found["w"].ravel(), seed.astype(np.float32) @ x.astype(np.float32))


REFUSED = """
    atomicAdd(h, h[1]);
    h[0] = fabsf(h[1]) + h[2];
    h[0] = h[1] * 2.0f;
    h[0] = __float2half_rz(1.0f);
    h[0] = __hadd_sat(h[1], h[2]);
    *(unsigned short *)h = 3;
    half2 *v = (half2 *)(float *)h; v[0] = v[1];
"""


@pytest.mark.parametrize("statement", [line.strip() for line in REFUSED.strip().splitlines()])
def test_refused(statement: str) -> None:
    text = f"#include <cuda_fp16.h>\n__global__ void f(half *h)\n{{\n    {statement}\n}}\n"
    program = hetad.loads(text, name="half.cu")
    with pytest.raises(hetad.HetadError) as caught:
        program["f"](np.ones(4, np.float16), grid=(1,), block=(1,), backend="cpu")
    assert "half.cu:4:" in str(caught.value)
