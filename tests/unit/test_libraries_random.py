"""What stands for cuRAND gives the numbers of Philox4x32-10, of the right distributions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import hetad

SOURCE = """
#include <curand.h>
void bits(unsigned *out, size_t n, unsigned long long seed, unsigned long long offset)
{
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(g, seed);
    curandSetGeneratorOffset(g, offset);
    curandGenerate(g, out, n / 2);
    curandGenerate(g, out + n / 2, n - n / 2);
    curandDestroyGenerator(g);
}
void numbers(double *u, double *z, float *fu, float *fz, size_t n, unsigned long long seed)
{
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(g, seed);
    curandGenerateUniformDouble(g, u, n);
    curandGenerateNormalDouble(g, z, n, 2, 3);
    curandGenerateUniform(g, fu, n);
    curandGenerateNormal(g, fz, n, 2, 3);
    curandDestroyGenerator(g);
}
"""


@cache
def program() -> Any:
    return hetad.loads(SOURCE)


def bits(n: int, seed: int, offset: int, backend: str = "cpu") -> Any:
    out = np.zeros(n, np.uint32)
    program()["bits"](out, n, seed, offset, backend=backend)
    return out


def philox(counter: list[int], key: list[int]) -> list[int]:
    """The block function, as its authors' paper has it."""
    for _ in range(10):
        products = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            products[1] >> 32 ^ counter[1] ^ key[0], products[1] & 0xFFFFFFFF,
            products[0] >> 32 ^ counter[3] ^ key[1], products[0] & 0xFFFFFFFF,
        ]  # fmt: skip
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def test_the_published_block() -> None:
    assert [hex(word) for word in bits(4, 0, 0)] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def test_any_seed_and_position() -> None:
    seed, offset = 0xFEDCBA9876543210, 4 * (2**40 + 7) + 3
    key = [seed & 0xFFFFFFFF, seed >> 32]
    stream = [word for block in range(6) for word in philox([(2**40 + 7 + block) & 0xFFFFFFFF, 2**8, 0, 0], key)]
    assert bits(19, seed, offset).tolist() == stream[3:22]


def test_distributions() -> None:
    n = 40000
    u, z = np.zeros(n), np.zeros(n)
    fu, fz = np.zeros(n, np.float32), np.zeros(n, np.float32)
    program()["numbers"](u, z, fu, fz, n, 12345, backend="cpu")
    for uniform in (u, fu):
        assert uniform.min() > 0
        assert uniform.max() <= 1
        counts = np.histogram(uniform, 20, (0, 1))[0]
        assert ((counts - n / 20) ** 2 / (n / 20)).sum() < 50  # chi squared, 19 degrees of freedom
    for normal in (z, fz):
        standard = (normal.astype(float) - 2) / 3
        moments = [np.mean(standard**k) for k in range(1, 5)]
        np.testing.assert_allclose(moments, [0, 1, 0, 3], atol=0.12)
    together = np.corrcoef([u, z, fu, fz, np.roll(z, 1)])
    assert np.abs(together - np.eye(5)).max() < 0.03


@pytest.mark.cuda
def test_both_backends_give_the_same_numbers() -> None:
    np.testing.assert_array_equal(bits(1000, 7, 3), bits(1000, 7, 3, "cuda"))
    found = []
    for backend in ("cpu", "cuda"):
        arrays = np.zeros(1000), np.zeros(1000), np.zeros(1000, np.float32), np.zeros(1000, np.float32)
        program()["numbers"](*arrays, 1000, 5, backend=backend)
        found.append(arrays)
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][2], found[1][2])
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(found[0][3], found[1][3], rtol=1e-5, atol=1e-6)
