"""Half precision and bfloat16: conversions as IEEE 754 has them, arrays from Python, and what is refused."""

from __future__ import annotations

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


@pytest.mark.parametrize(("wrt", "of"), [("h", "y"), ("h", "h")])
def test_halves_have_no_gradient(program: hetad.Program, wrt: str, of: str) -> None:
    with pytest.raises(hetad.HetadError, match="'h'"):
        hetad.gradient(program["widen"], wrt=[wrt], of=[of])


REFUSED = """
    h[0] = h[1] + h[2];
    h[0] += h[1];
    h[0] = -h[1];
    h[0]++;
    if (h[0] < h[1]) h[0] = h[1];
    h[0] = 2;
    h[0] = 0.5;
    int i = h[0]; h[i] = h[1];
    atomicAdd(h, h[1]);
    h[0] = __hadd(h[1], h[2]);
    if (h[0]) h[1] = h[2];
    h[0] = __shfl_sync(~0u, h[1], 0);
    h[0] = hsqrt(h[1]);
    h[0] = fabsf(h[1]);
    h[0] = __float2half_rz(1.0f);
    h[0] = max(h[1], h[2]);
    h[0] = __hfma(h[1], h[2], h[3]);
    *(unsigned short *)h = 3;
    half2 v; h[0] = v.x;
"""


@pytest.mark.parametrize("statement", [line.strip() for line in REFUSED.strip().splitlines()])
def test_refused(statement: str) -> None:
    text = f"#include <cuda_fp16.h>\n__global__ void f(half *h)\n{{\n    {statement}\n}}\n"
    program = hetad.loads(text, name="half.cu")
    with pytest.raises(hetad.HetadError) as caught:
        program["f"](np.ones(4, np.float16), grid=(1,), block=(1,), backend="cpu")
    assert "half.cu:4:" in str(caught.value)
