"""Where the adjoints of shared arrays are cleared: at the stores that give cells their first values, or all of them."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from tests.oracle import check_gradient

TEMPLATE = """
__device__ void put(double *cell, double value)
{
    *cell = value;
}

__global__ void k(double *y, const double *x, int m)
{
    __shared__ double s[48];
    int t = threadIdx.x;
    double v = x[blockIdx.x * 32 + t];
    %s
    __syncthreads();
    y[blockIdx.x * 32 + t] = s[t] * s[31 - t] * v;
}

void run(double *y, const double *x, int m)
{
    k<<<2, 32>>>(y, x, m);
}
"""

AT_STORES = {
    "one store": "s[t] = v * v;",
    "in branches": "if (v > 0.9) s[t] = v * v; else s[t] = 1 - v;",
    "a halo": "s[t + 1] = v; if (t == 0) { s[0] = x[m]; s[33] = 2 * v; }",
    "twice": "s[t] = v; __syncthreads(); double w = s[(t + 1) % 32]; __syncthreads(); s[t] = w * v;",
    "and added to in a loop": "s[t] = v; __syncthreads(); for (int h = 0; h < m; h++) s[t] += v * h;",
    "and added to atomically": "s[t] = v; __syncthreads(); atomicAdd(&s[t / 2], v * v);",
    "one value for all": "s[t] = v; __syncthreads(); s[3] = x[m];",
    "through a pointer": "double *p = s + t; *p = v * x[3];",
    "through a pointer to a cell": "double *p = &s[t]; *p = v * x[3];",
    "in a function": "put(s + t, v * v);",
    "the address of a cell": "put(&s[t], v * v);",
}
BY_THE_BLOCK = {
    "in a loop": "for (int j = t; j < 48; j += 32) s[j] = x[j] * v;",
    "in a loop as well": "s[t] = v; __syncthreads(); for (int j = 0; j < m; j++) s[t] = s[t] * v;",
    "through a pointer that moves": "double *p = s; for (int j = 0; j < t; j++) p++; *p = v * x[3];",
    "by a function of the library": "double c; sincos(v, &s[t], &c); v *= c;",
}
ALL = {**AT_STORES, **BY_THE_BLOCK}


def source(name: str) -> str:
    return hetad.gradient(hetad.loads(TEMPLATE % ALL[name], "k.cu")["run"], wrt="x", of="y").source


@pytest.mark.parametrize("name", AT_STORES)
def test_cleared_at_the_stores(name: str) -> None:
    text = source(name)
    assert "] = 0;" in text and "adj_s[k" not in text


@pytest.mark.parametrize("name", BY_THE_BLOCK)
def test_cleared_by_the_block(name: str) -> None:
    assert "adj_s[k" in source(name)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("mode", [{}, {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"}], ids=["regions", "fibers"])
def test_gradient(name: str, mode: dict[str, str], backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in mode.items():
        monkeypatch.setenv(variable, value)
    x = np.random.default_rng(4).uniform(0.2, 1.3, 64)
    check_gradient(TEMPLATE % ALL[name], "run", [np.zeros(64), x, 5], wrt=("x",), of=("y",), backend=backend)
