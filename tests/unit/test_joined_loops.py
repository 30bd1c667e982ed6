"""Loops of a gather that the CPU joins where strides allow it: the same gradient for all strides."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from hetad import targets

# c (rows x n1 x n2) from a (rows x inner) and b, where the strides of b are given.
SOURCE = """
__global__ void k(double *c, const double *a, const double *b, TYPE rows, TYPE inner, TYPE n1, TYPE n2, TYPE t, TYPE s1,
                  TYPE s2)
{
    TYPE i = (TYPE)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < rows * n1 * n2) {
        TYPE m = i % n2;
        TYPE l = i / n2 % n1;
        TYPE r = i / (n1 * n2);
        double sum = 0;
        for (TYPE j = 0; j < inner; j++)
            sum += a[r * inner + j] * b[j * t + l * s1 + m * s2];
        c[i] = sum;
    }
}
"""
TYPES = ("int", "long")
MODES = {"": {}, "threads": {"HETAD_CPU_THREADS": "4"}, "fibers": {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"}}
# rows, inner, n1, n2, t, s1, s2, where in b the origin is, threads too few
CASES = {
    "one row after the other": (3, 5, 4, 7, 28, 7, 1, 0, 0),
    "rows with a gap": (3, 5, 4, 7, 40, 9, 1, 0, 0),
    "every other cell": (2, 3, 5, 6, 60, 12, 2, 0, 0),
    "every other cell, and a gap": (2, 3, 5, 6, 70, 13, 2, 0, 0),
    "columns": (2, 3, 5, 6, 30, 1, 5, 0, 0),
    "backwards": (2, 3, 5, 6, 30, -6, -1, 29, 0),
    "rows backwards": (2, 3, 5, 6, 30, -6, 1, 24, 0),
    "one cell of b for all": (2, 3, 4, 5, 1, 0, 0, 0, 0),
    "one row": (2, 3, 1, 6, 6, 6, 1, 0, 0),
    "one column": (2, 3, 6, 1, 6, 1, 1, 0, 0),
    "long rows": (2, 2, 3, 700, 2100, 700, 1, 0, 0),
    "no columns": (2, 3, 4, 0, 28, 7, 1, 0, 0),
    "no terms": (2, 0, 4, 7, 28, 7, 1, 0, 0),
    "a launch that ends early": (3, 5, 4, 7, 28, 7, 1, 0, 20),
    "one that ends within a row": (5, 2, 4, 9, 36, 9, 1, 0, 40),
}


def gradient(type_: str, origin: int = 0) -> hetad.Gradient:
    source = SOURCE.replace("TYPE", type_).replace("b[j * t", f"b[{origin} + j * t" if origin else "b[j * t")
    return hetad.gradient(hetad.loads(source)["k"], wrt=("a", "b"), of="c", backend="cpu")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("type_", TYPES)
def test_gradient(type_: str, name: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in MODES[mode].items():
        monkeypatch.setenv(key, value)
    rows, inner, n1, n2, t, s1, s2, origin, missing = CASES[name]
    rng = np.random.default_rng(3)
    a, seed = rng.standard_normal((rows, inner)), rng.standard_normal(rows * n1 * n2)
    j, row, column = np.ogrid[:inner, :n1, :n2]
    at = j * t + row * s1 + column * s2 + origin
    b = rng.standard_normal(int(at.max(initial=0)) + 3)
    threads = max(rows * n1 * n2 - missing, 1)
    block = 4 if not missing else 1
    result = gradient(type_, origin)(
        np.zeros(rows * n1 * n2), a.ravel(), b, rows, inner, n1, n2, t, s1, s2, seeds={"c": seed},
        grid=(-(-threads // block),), block=(block,),
    )  # fmt: skip
    g = np.where(np.arange(seed.size) < threads, seed, 0).reshape(rows, n1, n2)
    expected_b = np.zeros(b.size)
    np.add.at(expected_b, at, np.einsum("rj,rlm->jlm", a, g))
    np.testing.assert_allclose(result["a"], np.einsum("rlm,jlm->rj", g, b[at]).ravel(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result["b"], expected_b, rtol=1e-9, atol=1e-12)


def test_loops_are_joined() -> None:
    text = targets.cpu_kernels(gradient("long").derivative.program)
    assert re.search(r"m < n1 \* n2;", text)
    assert re.search(r"s1 == n2 \* s2", text)
    assert re.search(r"s2 == 1", text)
