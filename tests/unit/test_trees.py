"""Sums over a block by a tree: in reverse, each leaf has the root's adjoint at once, only where that is proven."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest

import hetad

HEAD = "#define T 8\n__global__ void k(double *y, double *x, int n)\n{\n"
SUM = """
    __shared__ double sums[T];
    int t = threadIdx.x;
    int i = blockIdx.x * T + t;
    double value = 0;
    if (i < n)
        value = x[i];
    sums[t] = value * value;
    __syncthreads(); // before
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads(); // after
    }
    if (t == 0)
        atomicAdd(y, sums[0]);
"""
BEFORE, AFTER = "__syncthreads(); // before", "__syncthreads(); // after"
LOOP = "for (int half = T / 2; half > 0; half /= 2)"
STEP = "sums[t] += sums[t + half];"
ROOT = "atomicAdd(y, sums[0]);"


def changed(*pairs: tuple[str, str]) -> str:
    body = SUM
    for old, new in pairs:
        assert old in body, old
        body = body.replace(old, new)
    return body


# Without the tree, in blocks of T threads.
PLAIN = {
    "a tree": SUM,
    "half of the block": changed(("T / 2", "blockDim.x / 2")),
    "an unsigned half": changed((LOOP, "for (unsigned half = blockDim.x >> 1; half != 0; half >>= 1)")),
    "a half of one": changed(("half > 0", "half >= 1")),
    "threadIdx.x itself": changed(("t < half", "threadIdx.x < half"), ("t == 0", "threadIdx.x == 0")),
    "an assignment": changed((STEP, "sums[t] = sums[half + t] + sums[t];")),
    "a barrier in front of each step": changed(
        (BEFORE, ""), (AFTER, ""), ("if (t < half)", "__syncthreads(); if (t < half)"),
    ),
    "a sum in single precision": changed(("double sums", "float sums")),
    "an element for each block": changed((ROOT, "atomicAdd(&y[blockIdx.x % 3], sums[0]);")),
    "two trees": changed(
        ("double sums[T];", "double sums[T]; __shared__ double more[T];"),
        (BEFORE, f"more[t] = sin(value); {BEFORE}\n{LOOP}\n{{ if (t < half) more[t] += more[t + half]; {AFTER}\n}}"),
        ("    if (t == 0)\n", "    if (t == 0)\n        atomicAdd(y + 1, more[0]);\n    if (t == 0)\n"),
    ),
    "several elements a thread": changed(
        ("if (i < n)\n        value = x[i];", "for (int j = i; j < n; j += gridDim.x * T) value += sin(x[j]);"),
    ),
}  # fmt: skip

# With a shared number in place of the tree.
TOTALS = {
    "a root that is stored": changed((ROOT, "y[blockIdx.x] = sums[0];")),
    "another thread": changed(("t == 0", "t == 1")),
    "two threads": changed(("t == 0", "t < 2")),
    "a place of each thread": changed((ROOT, "atomicAdd(&y[i % 2], sums[0]);")),
    "what the root is added to, read": changed(("double value = 0;", "double value = y[1];")),
    "a root for all threads": changed((ROOT, "{} if (i < n) atomicAdd(&y[t % 3], 2 * sums[0]);")),
    "a root that is added, and kept": changed(
        ("if (t == 0)", "double root = sums[0]; if (i < n) atomicAdd(&y[t % 3], root); if (t == 0)"),
        (ROOT, "atomicAdd(&y[3], sums[0]);"),
    ),
    "a root that is read twice": changed((ROOT, "y[blockIdx.x] = 3 * sums[0] - sums[0];")),
    "a root in a variable": changed(
        ("if (t == 0)", "double root = sums[0]; if (t == 0)"), (ROOT, "y[blockIdx.x] += root;"),
    ),
    "other shared memory": changed(
        ("double sums[T];", "double sums[T]; __shared__ double other[T];"),
        (BEFORE, f"other[t] = value; {BEFORE}\nvalue = other[T - 1 - t];"),
        (ROOT, "atomicAdd(&y[blockIdx.x], sums[0]); atomicAdd(&y[t % 4], value * value);"),
    ),
    "one tree after the other": changed(
        ("double sums[T];", "double sums[T]; __shared__ double more[T];"),
        (ROOT, "{}\n more[t] = sums[0] * 2 + value; __syncthreads();\n" + LOOP.replace("half", "h")
         + "{ if (t < h) more[t] += more[t + h]; __syncthreads(); }\n if (t == 0) y[blockIdx.x] = more[0];"),
    ),
}  # fmt: skip

# With it: the proof fails, or it is another sum.
KEPT = {
    "not all leaves": changed(("T / 2;", "T / 4;")),
    "a third": changed(("half /= 2", "half /= 3")),
    "no power of two": changed(("sums[T]", "sums[T + 4]")),
    "half of the last": changed(("half > 0", "half > 1")),
    "a product": changed((STEP, "sums[t] *= sums[t + half] + 1;")),
    "a difference": changed((STEP, "sums[t] -= sums[t + half];")),
    "another neighbour": changed((STEP, "sums[t] += sums[2 * half - 1 - t];")),
    "another leaf of the root": changed((ROOT, "atomicAdd(y, sums[1]);")),
    "more than the root": changed((ROOT, ROOT + " atomicAdd(y + 1, sums[2]);")),
    "a nonlinear use": changed((ROOT, "atomicAdd(y, sin(sums[0]));")),
    "leaves of some threads": changed(("sums[t] = value", "if (t == 3) sums[t] = 1; else sums[t] = value")),
    "leaves that are moved": changed(("sums[t] = value", "sums[T - 1 - t] = value")),
    "leaves that change again": changed((BEFORE, "sums[t] += 1;" + BEFORE)),
    "a step of some threads": changed(("if (t < half)", "if (t < half && t != 1)")),
    "an index that wraps around": changed(("int t = threadIdx.x", "signed char t = threadIdx.x")),
}

SIZES = ((19, 3, 8), (16, 2, 8), (1, 1, 8), (0, 1, 8), (40, 2, 8))  # of n, blocks and threads
OTHER = dict.fromkeys(PLAIN, SIZES) | {
    "half of the block": (*SIZES, (11, 3, 4), (15, 2, 6)),  # not all leaves have a way to the root
    "an unsigned half": (*SIZES, (11, 3, 4), (15, 2, 6)),
}
ORDERS = {
    "": {}, "fibers": {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"}, "blocks": {"HETAD_CPU_MODE": "blocks"},
    "threads": {"HETAD_CPU_THREADS": "4"},
}  # fmt: skip


@functools.cache
def program(body: str) -> hetad.Program:
    return hetad.loads(f"{HEAD}{body}}}\n")


@functools.cache
def source(body: str) -> str:
    return hetad.gradient(program(body)["k"], wrt="x", of="y").source


def test_what_is_proven() -> None:
    found = {name for name, body in (PLAIN | TOTALS | KEPT).items() if "block.x == 8 && block.y == 1" in source(body)}
    assert found == set(PLAIN | TOTALS)


@pytest.mark.parametrize("name", PLAIN)
def test_no_barrier_where_blocks_are_as_large_as_trees(name: str) -> None:
    found = re.findall(r"static __global__ void k_\w+_apart\w*\(.*?^}", source(PLAIN[name]), re.DOTALL | re.MULTILINE)
    assert found
    assert not any(re.search(r"^ *(__shared__|__syncthreads)", kernel, re.MULTILINE) for kernel in found)


@pytest.mark.parametrize("name", TOTALS)
def test_a_shared_number_for_a_tree(name: str) -> None:
    found = re.findall(r"static __global__ void k_\w+_apart\w*\(.*?^}", source(TOTALS[name]), re.DOTALL | re.MULTILINE)
    assert found
    assert all("adj_sums_total" in kernel and "adj_sums[" not in kernel for kernel in found)


def launch(blocks: int, threads: int) -> dict[str, Any]:
    return {"grid": (blocks,), "block": (threads,)}


@functools.cache
def differences(body: str, n: int, blocks: int, threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where, a seed, and the derivative of its product with y by central differences of the program."""
    rng = np.random.default_rng(4)
    x, seed = rng.standard_normal(n + 3), rng.standard_normal(4)
    h = 1e-2 if "float sums" in body else 1e-5

    def value(x: np.ndarray) -> float:
        y = np.full(4, 0.3)
        program(body)["k"](y, x.copy(), n, **launch(blocks, threads), backend="cpu")
        return float(seed @ y)

    return x, seed, np.array([(value(x + h * e) - value(x - h * e)) / (2 * h) for e in np.eye(x.size)])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PLAIN | TOTALS | KEPT)
def test_gradient(name: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = (PLAIN | TOTALS | KEPT)[name]
    expected = {sizes: differences(body, *sizes) for sizes in OTHER.get(name, SIZES)}
    for key, value in ORDERS[order].items():
        monkeypatch.setenv(key, value)
    fresh = program.__wrapped__(body)  # what has run once keeps its order
    gradient = hetad.gradient(fresh["k"], wrt="x", of="y", backend="cpu")
    for (n, blocks, threads), (x, seed, by_x) in expected.items():
        found = gradient(np.full(4, 0.3), x, n, seeds={"y": seed}, **launch(blocks, threads))
        rough = "float sums" in body
        np.testing.assert_allclose(found["x"], by_x, rtol=1e-3 if rough else 1e-5, atol=1e-3 if rough else 1e-7)


def test_threads_along_y_add_too() -> None:
    """Which is a race in the tree, but not where one thread along y is asked for."""
    text = source(SUM)
    assert "block.z == 1" in text
    assert "grid.y" in text
