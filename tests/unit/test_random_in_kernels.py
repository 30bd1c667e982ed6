"""cuRAND's generators in kernels give the numbers that NVIDIA's give."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

SOURCE = """
#include <curand_kernel.h>
__global__ void first(float *y, unsigned long long seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    curand_init(seed, i, 0, &state);
    if (i < n) y[i] = curand_uniform(&state);
}
__global__ void ahead(unsigned *y, unsigned long long steps)
{
    curandState one, other;
    curand_init(99, 0, 0, &one);
    curand_init(99, 0, 0, &other);
    skipahead(steps, &other);
    for (unsigned long long k = 0; k < steps; ++k) curand(&one);
    y[0] = curand(&one);
    y[1] = curand(&other);
    curandStatePhilox4_32_10_t a, b;
    curand_init(99, 5, 0, &a);
    curand_init(99, 5, steps, &b);
    for (unsigned long long k = 0; k < steps; ++k) curand(&a);
    y[2] = curand(&a);
    y[3] = curand(&b);
}
__global__ void philox(unsigned *y)
{
    curandStatePhilox4_32_10_t state;
    curand_init(0, 0, 0, &state);
    for (int k = 0; k < 4; ++k) y[k] = curand(&state);
    curand_init(0, 0, 1, &state);
    uint4 four = curand4(&state);
    y[4] = four.x; y[5] = four.y; y[6] = four.z;
}
__global__ void normal(double *y, double *z, int n)
{
    curandState a;
    curandStatePhilox4_32_10_t b;
    curand_init(7, threadIdx.x, 0, &a);
    curand_init(7, threadIdx.x, 0, &b);
    for (int k = 0; k < n; ++k) {
        y[threadIdx.x * n + k] = k % 2 ? curand_normal(&a) : logf(curand_log_normal(&a, 0, 1));
        z[threadIdx.x * n + k] = k % 2 ? curand_normal_double(&b) : log(curand_log_normal_double(&b, 0, 1));
    }
}
"""


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(SOURCE, name="random.cu")


def test_numbers_of_xorwow(program: hetad.Program, backend: str) -> None:
    """Those that cuRAND's guide prints for the seed 1234, whose first ten come from ten sequences."""
    y = np.zeros(10, np.float32)
    program["first"](y, 1234, 10, grid=1, block=32, backend=backend)
    assert np.round(y, 4).tolist() == pytest.approx(
        [0.1455, 0.8202, 0.5504, 0.2948, 0.9147, 0.8690, 0.3219, 0.7829, 0.0113, 0.2855]
    )


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 5, 1000])
def test_skipping_ahead_is_drawing(program: hetad.Program, steps: int, backend: str) -> None:
    y = np.zeros(4, np.uint32)
    program["ahead"](y, steps, grid=1, block=1, backend=backend)
    assert y[0] == y[1]
    assert y[2] == y[3]


def test_numbers_of_philox(program: hetad.Program, backend: str) -> None:
    """The known answers of Random123 for a counter and a key of zeros."""
    y = np.zeros(7, np.uint32)
    program["philox"](y, grid=1, block=1, backend=backend)
    known = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert y.tolist() == known + known[1:]


def test_normal_numbers(program: hetad.Program, backend: str) -> None:
    y, z = np.zeros(64 * 500), np.zeros(64 * 500)
    program["normal"](y, z, 500, grid=1, block=64, backend=backend)
    for numbers in (y, z):
        assert abs(numbers.mean()) < 0.02
        assert numbers.std() == pytest.approx(1, abs=0.02)
        assert (numbers**4).mean() == pytest.approx(3, abs=0.15)
