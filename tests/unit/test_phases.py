"""Updates of the adjoints of shared arrays: plain only where, between two barriers, no two threads touch one cell."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from tests.oracle import check_gradient

THREADS = 32
TEMPLATE = """
__device__ const double *behind(const double *a, int i)
{
    if (i > 3)
        return a + i;
    return a;
}

__global__ void k(double *y, const double *x, int m)
{
    __shared__ double s[3 * 32 * 8];
    int t = threadIdx.x;
    double sum = 0;
    for (int j = 0; j < 24; j++)
        s[j * 32 + t] = x[(blockIdx.x * 7 + j * 32 + t) %% 40] + 0.1 * j;
    __syncthreads();
    %s
    y[blockIdx.x * 32 + t] = sum * sum;
}

void run(double *y, const double *x, int m)
{
    k<<<2, %s>>>(y, x, m);
}
"""

PLAIN = {
    "another thread's cell": "sum = s[31 - t];",
    "every second cell": "sum = s[2 * t];",
    "cells of one half go to the other": "if (t < m) sum = s[t + m] * s[t];",
    "a tree": "for (int h = 16; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); } sum = s[t];",
    "a barrier in the loop": "for (int j = 0; j < m; j++) { sum += s[t + j]; __syncthreads(); }",
    "a barrier between two reads": "sum = s[t]; __syncthreads(); sum *= s[31 - t];",
    "a read in the loop and one behind it": "for (; m > 0; m--) { __syncthreads(); sum += s[31 - t]; } sum *= s[t];",
    "the block decides": "sum = s[t + 5 * blockIdx.x];",
    "one thread": "if (t == 3) sum = s[m] * s[m + 1];",
}
ATOMIC = {
    "two cells that meet": "sum = s[t] * s[t + 1];",
    "two threads on a cell": "sum = s[t / 2];",
    "a ring": "sum = s[t % 7];",
    "bits": "sum = s[t ^ 1] * s[t];",
    "an unknown stride": "sum = s[t * m];",
    "a cell for all": "sum = s[m];",
    "halves that overlap": "if (t < m + 1) sum = s[t + m] * s[t];",
    "no barrier in the loop": "for (int j = 0; j < m; j++) sum += s[t + j];",
    "a barrier that may not come": "for (int j = 0; j < m; j++) { sum += s[t + j]; if (m > 99) __syncthreads(); }",
    "no barrier between two reads": "sum = s[t]; sum *= s[31 - t];",
    "a read before the loop and one in it": "sum = s[t]; for (; m > 0; m--) { sum += s[31 - t]; __syncthreads(); }",
    "the thread decides": "int j = (int)(x[t] * 100) & 7; sum = s[t + j];",
    "a variable that the thread changes": "int j = 0; if (t > 3) j = 2; sum = s[t + j];",
    "a pointer into the array": "const double *p = s + m; sum = s[t]; sum += p[t] * p[t];",
    "a pointer from before the barrier": "const double *p = s; __syncthreads(); sum = s[t] * p[t + 1];",
    "one of two pointers": "const double *p = m > 3 ? s + 1 : s; __syncthreads(); sum = s[t] * p[t];",
    "pointers in a struct": "struct { const double *of; } p; p.of = s + 1; __syncthreads(); sum = s[t] * p.of[t];",
    "a pointer from a function": "const double *p = behind(s, m); __syncthreads(); sum = s[t] * p[t];",
    "a pointer that moves": "const double *p = s; p += m; __syncthreads(); sum = s[t] * p[t];",
    "a variable that changes in the piece": "int j = m; sum = s[t + j]; j = 31 - 2 * t - m; sum *= s[t + j + m];",
}
BODIES = {**PLAIN, **ATOMIC}
MEETING = re.compile(r"atomicAdd\(&adj_s\[")
ALONE = re.compile(r"adj_s\[[^\n]*\] [+-]=")


def updates(body: str, block: str = "32") -> tuple[int, int]:
    """How many updates of the shared adjoint are plain, and how many atomic, in reading phases."""
    source = hetad.gradient(hetad.loads(TEMPLATE % (body, block), "k.cu")["run"], wrt="x", of="y").source
    return len(ALONE.findall(source)), len(MEETING.findall(source))


@pytest.mark.parametrize("name", PLAIN)
def test_plain_where_threads_do_not_meet(name: str) -> None:
    plain, atomic = updates(PLAIN[name])
    assert plain and not atomic


@pytest.mark.parametrize("name", ATOMIC)
def test_atomic_where_they_may(name: str) -> None:
    assert updates(ATOMIC[name])[1]


@pytest.mark.parametrize("name", PLAIN)
def test_atomic_where_a_block_has_rows_of_threads(name: str) -> None:
    assert updates(PLAIN[name], "dim3(32, 1 + m / 99)")[1]


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("mode", [{}, {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"}], ids=["regions", "fibers"])
def test_gradient(name: str, mode: dict[str, str], backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in mode.items():
        monkeypatch.setenv(variable, value)
    x = np.random.default_rng(4).uniform(0.2, 1.3, 40)
    arguments = [np.zeros(64), x, 5]
    source = TEMPLATE % (BODIES[name], "32")
    check_gradient(source, "run", arguments, wrt=("x",), of=("y",), backend=backend, samples=1, settings=[{}])


@pytest.mark.parametrize("rows", [1, 2])
def test_a_launch_tells_how_many_rows_of_threads_there_are(rows: int, backend: str) -> None:
    """Both versions, of which the launch takes one: threads of two rows do the same, and add it twice."""
    body = "sum = s[2 * t]; __syncthreads(); if (threadIdx.x == 40) sum = 0; atomicAdd(&y[40], sum * s[t]);"
    source = (TEMPLATE % (body, "32")).replace("y[blockIdx.x * 32 + t] = sum * sum;", "")
    x = np.random.default_rng(4).uniform(0.2, 1.3, 40)
    launch = {"grid": (2,), "block": (32, rows)}
    arguments = [np.zeros(64), x, 5]
    check_gradient(source, "k", arguments, wrt=("x",), of=("y",), backend=backend, launch=launch)
