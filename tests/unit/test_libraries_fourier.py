"""What stands for cuFFT computes what NumPy's FFT does."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import hetad

SOURCE = """
#include <cufft.h>
void complex_lines(cufftDoubleComplex *out, cufftDoubleComplex *in, int n, int batch, int direction)
{
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_Z2Z, batch);
    cufftExecZ2Z(plan, in, out, direction);
    cufftDestroy(plan);
}
void complex_plane(cufftDoubleComplex *out, cufftDoubleComplex *in, int nx, int ny, int direction)
{
    cufftHandle plan;
    cufftPlan2d(&plan, nx, ny, CUFFT_Z2Z);
    cufftExecZ2Z(plan, in, out, direction);
    cufftDestroy(plan);
}
void real_lines(cufftDoubleComplex *out, double *back, double *in, int n, int batch)
{
    cufftHandle plan, inverse;
    cufftPlan1d(&plan, n, CUFFT_D2Z, batch);
    cufftPlan1d(&inverse, n, CUFFT_Z2D, batch);
    cufftExecD2Z(plan, in, out);
    cufftExecZ2D(inverse, out, back);
    cufftDestroy(plan);
    cufftDestroy(inverse);
}
void real_plane(cufftDoubleComplex *out, double *back, double *in, int nx, int ny)
{
    cufftHandle plan, inverse;
    cufftPlan2d(&plan, nx, ny, CUFFT_D2Z);
    cufftPlan2d(&inverse, nx, ny, CUFFT_Z2D);
    cufftExecD2Z(plan, in, out);
    cufftExecZ2D(inverse, out, back);
    cufftDestroy(plan);
    cufftDestroy(inverse);
}
void single(cufftComplex *out, cufftComplex *in, int n)
{
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_C2C, 1);
    cufftExecC2C(plan, in, out, CUFFT_FORWARD);
    cufftDestroy(plan);
}
"""


@cache
def program() -> Any:
    return hetad.loads(SOURCE)


def pairs(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Complex numbers as the structs that CUDA programs have."""
    part = np.float64 if values.dtype == np.complex128 else np.float32
    return np.ascontiguousarray(values).view([("x", part), ("y", part)])


def numbers(seed: int, *shape: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape))


@pytest.mark.parametrize("direction", [-1, 1])
@pytest.mark.parametrize("n", [1, 2, 12, 35, 64, 97])
def test_complex_lines(n: int, direction: int, backend: str) -> None:
    given = numbers(1, 3, n)
    out = np.zeros_like(given)
    program()["complex_lines"](pairs(out), pairs(given), n, 3, direction, backend=backend)
    expected = np.fft.fft(given) if direction < 0 else np.fft.ifft(given) * n
    np.testing.assert_allclose(out, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("direction", [-1, 1])
@pytest.mark.parametrize("shape", [(4, 6), (5, 9), (7, 1), (1, 8), (12, 10)])
def test_complex_plane(shape: tuple[int, int], direction: int, backend: str) -> None:
    given = numbers(2, *shape)
    out = np.zeros_like(given)
    program()["complex_plane"](pairs(out), pairs(given), *shape, direction, backend=backend)
    expected = np.fft.fft2(given) if direction < 0 else np.fft.ifft2(given) * given.size
    np.testing.assert_allclose(out, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 30])
def test_real_lines(n: int, backend: str) -> None:
    given = numbers(3, 4, n).real.copy()
    out, back = np.zeros((4, n // 2 + 1), complex), np.zeros_like(given)
    program()["real_lines"](pairs(out), back, given, n, 4, backend=backend)
    np.testing.assert_allclose(out, np.fft.rfft(given), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(back, given * n, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("shape", [(4, 6), (5, 9), (7, 1), (1, 8)])
def test_real_plane(shape: tuple[int, int], backend: str) -> None:
    given = numbers(4, *shape).real.copy()
    out, back = np.zeros((shape[0], shape[1] // 2 + 1), complex), np.zeros_like(given)
    program()["real_plane"](pairs(out), back, given, *shape, backend=backend)
    np.testing.assert_allclose(out, np.fft.rfft2(given), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(back, given * given.size, rtol=1e-11, atol=1e-11)


def test_single_precision(backend: str) -> None:
    given = numbers(5, 60).astype(np.complex64)
    out = np.zeros_like(given)
    program()["single"](pairs(out), pairs(given), 60, backend=backend)
    np.testing.assert_allclose(out, np.fft.fft(given), rtol=1e-5, atol=1e-4)
