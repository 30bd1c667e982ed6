"""Threads that add to the same cells of shared memory in a loop begin at different ones, where iterations only add."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from tests.oracle import check_gradient

TEMPLATE = """
__constant__ double weights[8] = {0.1, 0.4, 0.9, 0.2, 0.3, 0.8, 0.7, 0.6};

__global__ void k(double *y, const double *x, int m)
{
    __shared__ double s[64];
    int t = threadIdx.x, row = t / 8;
    for (int j = t; j < 64; j += 32)
        s[j] = x[(blockIdx.x * 7 + j) %% 40] + 0.1 * j;
    __syncthreads();
    double sum = 0.3 * t;
    %s
    y[blockIdx.x * 32 + t] = sum * sum;
}

void run(double *y, const double *x, int m)
{
    k<<<2, 32>>>(y, x, m);
}
"""

SPREAD = {
    "a cell for all lanes": "for (int k = 0; k < 9; k++) sum += s[k] * s[k] * t;",
    "down": "for (int k = 8; k > 1; k--) sum += s[k] * t;",
    "to the last one": "for (int k = 1; k <= 12; k++) sum += s[k] * t;",
    "below zero": "for (int k = -3; k < 4; k++) sum += s[k + 5] * t;",
    "unsigned": "for (unsigned k = 2; k < 9; k++) sum += s[k] * t;",
    "long": "for (long k = 2; k < 9; k++) sum += s[k] * t;",
    "under a condition": "for (int k = 0; k < 7; k++) if (s[k] > 1) sum += sin(s[k]) * t;",
    "eight lanes on a cell": "for (int k = 0; k < 8; k++) sum += s[8 * row + k] * t;",
    "a digit of the lane": "for (int k = 0; k < 8; k++) sum += s[t % 4 + k] * t;",
    "through a variable": "for (int k = 0; k < 8; k++) { int at = 2 * k + 1; double v = s[at]; sum += v * v; }",
    "in another loop": "for (int j = 0; j < m; j++) for (int k = 0; k < 8; k++) sum += s[j + k] * t;",
    "around another loop": "for (int k = 0; k < 8; k++) { double v = s[k]; for (int j = 0; j < t; j++) sum += v * j; }",
    "few threads": "if (t < 5) for (int k = 0; k < 8; k++) sum += s[k] * t;",
    "the block decides": "for (int k = 0; k < 8; k++) sum += s[k + blockIdx.x] * t;",
}
STRAIGHT = {
    "a cell for each lane": "for (int k = 0; k < 8; k++) sum += s[t + k] * t;",
    "one cell": "for (int k = 0; k < 8; k++) sum += s[m] * k;",
    "few cells": "for (int k = 0; k < 3; k++) sum += s[k] * t;",
    "an unknown number": "for (int k = 0; k < m; k++) sum += s[k] * t;",
    "an index from before the loop": "int k; for (k = 0; k < 8; k++) sum += s[k] * t; sum += k;",
    "every second": "for (int k = 0; k < 16; k += 2) sum += s[k] * t;",
    "what one iteration leaves to the next": "for (int k = 0; k < 8; k++) sum = sum * s[k] * 0.5 + 1;",
    "a sum that the next one looks at": "for (int k = 0; k < 8; k++) { sum += s[k]; sum += 0.1 * sin(sum); }",
    "one thread": "if (t == 3) for (int k = 0; k < 8; k++) sum += s[k] * t;",
    "global memory side by side": "for (int k = 0; k < 8; k++) sum += s[k] * x[t + k];",
    "numbers in registers": "double own[8]; for (int k = 0; k < 8; k++) own[k] = k * sum;"
    " for (int k = 0; k < 8; k++) sum += s[k] * own[k];",
    "constants": "for (int k = 0; k < 8; k++) sum += s[k] * weights[k];",
    "a barrier": "for (int k = 0; k < 8; k++) { sum += s[k] * t; __syncthreads(); }",
    "the way out": "for (int k = 0; k < 8; k++) { if (s[k] > 1.4) break; sum += s[k] * t; }",
}
BODIES = {**SPREAD, **STRAIGHT}


def spreads(body: str) -> bool:
    source = hetad.gradient(hetad.loads(TEMPLATE % body, "k.cu")["run"], wrt="x", of="y").source
    return "hetad_spread" in source


@pytest.mark.parametrize("name", SPREAD)
def test_spread(name: str) -> None:
    assert spreads(SPREAD[name])


@pytest.mark.parametrize("name", STRAIGHT)
def test_straight(name: str) -> None:
    assert not spreads(STRAIGHT[name])


@pytest.mark.parametrize("name", BODIES)
def test_gradient(name: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In turns, as on a GPU; elsewhere on the CPU the threads keep the order of their loops."""
    monkeypatch.setenv("HETAD_CPU_MODE", "blocks")
    x = np.random.default_rng(4).uniform(0.2, 1.3, 40)
    arguments = [np.zeros(64), x, 5]
    source = TEMPLATE % BODIES[name]
    check_gradient(source, "run", arguments, wrt=("x",), of=("y",), backend=backend, samples=1, settings=[{}])
