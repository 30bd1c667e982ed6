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
