"""Races that the access maps prove; what may be right is not refused."""

from __future__ import annotations

import pytest

import hetad
from hetad import pipeline
from hetad.analysis.races import refuse_races
from hetad.diagnostics import RaceError

# BODY stands for the kernel between two barriers; `i` is the thread, `v` its value.
KERNEL = """
struct Pair { double a, b; };
__device__ void meet() { __syncthreads(); }
__global__ void k(double *x, const double *w, int n, int m)
{
    __shared__ double s[200], table[8][33];
    __shared__ struct Pair pairs[64];
    __shared__ volatile int old[64];
    extern __shared__ double rest[];
    int i = threadIdx.x, j = threadIdx.y, g = blockIdx.x * blockDim.x + i;
    double v = w[g];
    s[i] = v;
    pairs[i].a = v;
    table[j][i] = v;
    rest[i] = v;
    old[i] = i;
    __syncthreads();
    BODY
    __syncthreads();
    x[g] = v + s[i] + pairs[i].a + table[j][i] + rest[i] + old[i];
}
void f(double *x, const double *w, int n, int m, int size) { k<<<2, BLOCK, 800>>>(x, w, n, m); }
"""

REFUSED = {
    "a neighbour in a block": "{ v += s[63 - i]; { s[i] = v; } }",
    "a neighbour": "if (i > 0) v += s[i - 1]; s[i] = v;",
    "a neighbour in a launch of any size": "if (g < n && i > 0) v += s[i - 1]; if (g < n) s[i] = v;",
    "written first": "s[i] = 2 * v; v += s[63 - i];",
    "an index chosen": "v += s[i == 0 ? 0 : i - 1]; s[i] = v;",
    "an index made before": "int left = i == 0 ? 0 : i - 1; v += s[left]; s[i] = v;",
    "a condition made before": "bool inside = i + 1 < n; if (inside) v += s[i + 1]; s[i] = v;",
    "remainders": "v += s[(i + 1) % 64]; s[i] = v;",
    "bits": "v += s[i & 31]; if (i >= 0) s[i] = v;",
    "one for all": "v += s[5]; s[i] = v;",
    "a loop over all": "for (int t = 0; t < 64; t++) v += s[t]; s[i] = v;",
    "a loop in steps": "for (int t = i; t < 64; t += 3) v += s[t]; s[i] = v;",
    "rows": "v += table[(j + 1) % 8][i]; table[j][i] = v;",
    "members": "v += pairs[63 - i].a; pairs[i].a = v;",
    "dynamic": "v += rest[i + 1]; rest[i] = v;",
    "pointers": "double *p = s + i, *q = &s[1]; v += q[i]; *p = v;",
    "in a loop with barriers": "for (int t = 0; t < n; t++) { if (i > 0) v += s[i - 1]; s[i] = v; __syncthreads(); }",
    "__syncwarp between warps": "v += s[63 - i]; __syncwarp(); s[i] = v;",
    "an atomic": "v += s[63 - i]; atomicAdd(&s[i], v);",
    "two axes": "if (i == 0) table[j][1] = v; v += table[0][1];",
}

ACCEPTED = {
    "a barrier": "if (i > 0) v += s[i - 1]; __syncthreads(); s[i] = v;",
    "a barrier in a function": "if (i > 0) v += s[i - 1]; meet(); s[i] = v;",
    "a barrier that asks": "if (i > 0) v += s[i - 1]; if (__syncthreads_or(i == 3)) s[i] = v;",
    "its own cell": "v += s[i]; s[i] = v;",
    "one thread": "if (i == 0 && j == 0) { v += s[1]; s[2] = v; s[1] = v; }",
    "one thread, which is given": "if (i == m && j == 0) { v += s[i + 1]; s[i + 1] = v; }",
    "halves": "if (i < 32) { v += s[i + 32]; s[i] = v; }",
    "a half that is given": "if (i < m) s[i] += s[i + 32];",
    "a distance that is given": "v += s[i + m]; s[i] = v;",
    "a tree": "for (int h = 32; h > 0; h /= 2) { if (i < h) s[i] += s[i + h]; __syncthreads(); }",
    "a tree that shifts": "for (unsigned h = 32; h > 0; h >>= 1) { if (i < h) s[i] += s[i + h]; __syncthreads(); }",
    "a butterfly": "for (int h = 1; h < 64; h *= 2) { v = s[i ^ h]; __syncthreads(); s[i] += v; __syncthreads(); }",
    "warps by themselves": "int l = i % 32; v += s[i - l + (l + 1) % 32]; __syncwarp(); s[i] = v;",
    "a last warp": "if (i < 16) { v = s[i] + s[i + 16]; __syncwarp(0xffff); s[i] = v; }",
    "volatile": "if (i < 32) { old[i] += old[i + 16]; old[i] += old[i + 8]; }",
    "what the data say": "if (v > 0) v += s[63 - i]; else s[i] = v;",
    "what the data say before": "bool odd = w[i] > 0; if (odd) v += s[0]; if (!odd && i == 0) s[i] = v;",
    "an index of the data": "v += s[(int)w[i]]; s[i] = v;",
    "equal stores, read by all": "s[100] = n; v += s[100];",
    "other members": "v += pairs[63 - i].b; pairs[i].a = v;",
    "other cells": "v += s[100 + i]; s[i] = v;",
    "even and odd": "v += s[2 * i]; s[2 * i + 1] = v;",
    "a branch that nobody takes": "if (blockDim.x < 10) { if (i > 0) v += s[i - 1]; s[i] = v; }",
    "a guard of two sizes": "if (i < n - m) v += s[63 - i]; if (i < n - m) s[i] = v;",
}


def examine(body: str, block: str) -> None:
    text = KERNEL.replace("BODY", body).replace("BLOCK", block)
    refuse_races(pipeline.normalized(hetad.loads(text, "f.cu").unit.reach("f")))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    block = "dim3(32, 8)" if name in ("rows", "two axes") else "64"
    with pytest.raises(RaceError) as caught:
        examine(REFUSED[name], block)
    assert caught.value.span is not None
    assert "__syncthreads()" in caught.value.remedy


@pytest.mark.parametrize("name", REFUSED)
def test_one_thread_never_races(name: str) -> None:
    examine(REFUSED[name], "1")


@pytest.mark.parametrize("name", REFUSED)
def test_blocks_of_unknown_size_may_have_one_thread(name: str) -> None:
    examine(REFUSED[name], "size")


@pytest.mark.parametrize("name", ACCEPTED)
@pytest.mark.parametrize("block", ["64", "dim3(16, 4)"])
def test_accepted(name: str, block: str) -> None:
    if block == "64" or name in ("one thread", "one thread, which is given", "volatile"):
        examine(ACCEPTED[name], block)


def test_sizes_of_blocks_are_followed() -> None:
    text = KERNEL.replace("BODY", REFUSED["a neighbour"]).replace("<<<2, BLOCK, 800>>>", "<<<2, threads, 800>>>")
    known = text.replace("int size) { k", "int size) { const int side = 8; dim3 threads(side * 4, 2); k")
    with pytest.raises(RaceError):
        refuse_races(pipeline.normalized(hetad.loads(known, "f.cu").unit.reach("f")))
    unknown = text.replace("int size) { k", "int size) { int threads = 8; if (size) threads = 1; k")
    refuse_races(pipeline.normalized(hetad.loads(unknown, "f.cu").unit.reach("f")))


# The same in global memory, for what threads of one block do; CONFIGURATION stands for grid and block.
GLOBAL = """
__global__ void k(double *x, double *y, const double *a, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}
void f(double *x, double *y, const double *a, int n, int m) { k<<<CONFIGURATION>>>(x, y, a, n, m); }
"""

REFUSED_IN_GLOBAL_MEMORY = {
    "halves": "x[i / 2] += a[i];",
    "halves in a launch of any size": "if (i < n) x[i / 2] += a[i];",
    "remainders": "x[i % 4] += a[i];",
    "a product": "if (i < n) x[i / 2] = x[i / 2] * a[i];",
    "one cell": "if (i < n) x[0] += a[i];",
    "two of a kind": "if (i < n && threadIdx.y < 2) x[i] += a[i];",
    "a neighbour": "if (i < n - 1) y[i] = y[i + 1] * x[i];",
    "a neighbour read before": "if (i > 0 && i < n) { double left = y[i - 1]; y[i] = left * x[i]; }",
    "a pointer to a neighbour": "double *p = y + 1; if (i < n) y[i] = p[i] * x[i];",
    "neighbours in a loop": "if (i < n) { double v = 0; for (int j = 0; j < 3; j++) v += y[i + j]; y[i] = v * x[i]; }",
}

ACCEPTED_IN_GLOBAL_MEMORY = {
    "a cell each": "if (i < n) x[i] += a[i];",
    "a distance": "if (i < m) x[i] += x[i + 32] * a[i];",
    "so few that each has its own": "if (i < n) x[i % 4] += a[i];",
    "what may happen often": "x[i / 2] = fmax(x[i / 2], 0.0);",
    "equal stores, read back": "x[i / 2] = 1; y[i] = x[i / 2] * a[i];",
    "every second one": "if (i % 2 == 0) x[i / 2] += a[i];",
    "even and odd": "x[2 * i] = x[2 * i + 1] * a[i];",
    "the first of a block": "if (threadIdx.x == 0) x[blockIdx.x] += a[i];",
    "the first row": "if (threadIdx.y == 0 && i < n) x[i] += a[i];",
    "what the data say": "if (a[i] > 0) x[i / 2] += a[i];",
    "an index of the data": "if (i < n) x[(int)a[i]] += a[i];",
    "a barrier": "double v = y[i + 1]; __syncthreads(); y[i] = v * x[i];",
    "a window that is given": "if (i >= m && i < 2 * m) x[i] = x[i - m] * a[i];",
    "another array": "y[i] = x[i + 1] * a[i];",
    "atomics": "if (i < n) atomicAdd(&x[i / 2], a[i]);",
    "a row for several": "if (threadIdx.x < 1 && i < n) for (int j = 0; j < 3; j++) x[i + j] += a[i];",
}


def differentiated(body: str, configuration: str, wrt: tuple[str, ...] = ("x", "y", "a")) -> None:
    text = GLOBAL.replace("BODY", body).replace("CONFIGURATION", configuration)
    hetad.gradient(hetad.loads(text, "f.cu")["f"], wrt=wrt, of=("x", "y"), backend="cpu")


def configuration_for(body: str) -> str:
    return "4, dim3(16, 4)" if "threadIdx.y" in body else "4, 64"


@pytest.mark.parametrize("name", REFUSED_IN_GLOBAL_MEMORY)
def test_refused_in_global_memory(name: str) -> None:
    body = REFUSED_IN_GLOBAL_MEMORY[name]
    with pytest.raises(
        RaceError, match=r"f\.cu:5:\d+: a race in kernel k: thread .* in line 5, and nothing orders"
    ) as caught:
        differentiated(body, configuration_for(body))
    assert "cells of its own" in caught.value.remedy
    assert caught.value.related[0].span.line == 5


@pytest.mark.parametrize("name", ACCEPTED_IN_GLOBAL_MEMORY)
def test_accepted_in_global_memory(name: str) -> None:
    body = ACCEPTED_IN_GLOBAL_MEMORY[name]
    differentiated(body, configuration_for(body))


def test_launches_that_do_not_race_in_global_memory() -> None:
    halves, alone = REFUSED_IN_GLOBAL_MEMORY["halves"], REFUSED_IN_GLOBAL_MEMORY["one cell"]
    for configuration in ("4, 1", "0, 64", "4, m", "dim3(4, 0), 64"):
        differentiated(halves, configuration)
    text = (
        GLOBAL.replace("BODY", alone)
        .replace("CONFIGURATION", "1, 64")
        .replace("(x, y, a, n, m); }", "(x, y, a, 1, m); }")
    )
    hetad.gradient(hetad.loads(text, "f.cu")["f"], wrt=("a",), of="x", backend="cpu")


def test_what_enters_no_derivative_may_race() -> None:
    differentiated("y[i] = a[i] * a[i]; x[i] *= a[i];", "4, 64", ("a",))
    text = GLOBAL.replace("BODY", "x[i / 2] += 1; y[i] = a[i] * a[i];").replace("CONFIGURATION", "4, 64")
    hetad.gradient(hetad.loads(text, "f.cu")["f"], wrt="a", of="y", backend="cpu")


def test_an_empty_grid_has_no_race_along_other_axes() -> None:
    differentiated("if (i < n) x[i] += a[i];", "0, dim3(8, 2)")
    with pytest.raises(hetad.HetadError, match=r"threads that differ in threadIdx\.y alone"):
        differentiated("if (i < n) x[i] += a[i];", "1, dim3(8, 2)")
