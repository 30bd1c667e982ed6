"""Tiles in shared memory that only stage what lies elsewhere: read from where they came, only where that is proven."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest

import hetad

HEAD = """#define T 4
__global__ void k(double *y, double *x, const double *w, int m, int n, int s, double p)
{
"""
# y (m x n) is the product of x (m x s) and w (s x n), tile by tile.
PRODUCT = """
    __shared__ double a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    double sum = 0;
    for (int first = 0; first < s; first += T) {
        a[ty][tx] = row < m && first + tx < s ? x[row * s + first + tx] : 0;
        b[ty][tx] = first + ty < s && col < n ? w[(first + ty) * n + col] : 0;
        __syncthreads(); // before
        for (int d = 0; d < T; d++)
            sum += a[ty][d] * b[d][tx];
        __syncthreads(); // after
    }
    if (row < m && col < n)
        y[row * n + col] = sum;
"""
STORE = "a[ty][tx] = row < m && first + tx < s ? x[row * s + first + tx] : 0;"
VALUE = "row < m && first + tx < s ? x[row * s + first + tx] : 0"
OTHER = "b[ty][tx] = first + ty < s && col < n ? w[(first + ty) * n + col] : 0;"
ADD = "sum += a[ty][d] * b[d][tx];"
BEFORE, AFTER = "__syncthreads(); // before", "__syncthreads(); // after"
END = "    if (row < m && col < n)\n"
INNER = "for (int d = 0; d < T; d++)"


def changed(*pairs: tuple[str, str]) -> str:
    body = PRODUCT
    for old, new in pairs:
        assert old in body, old
        body = body.replace(old, new)
    return body


# Read from where the tiles came.
PLAIN = {
    "a product": PRODUCT,
    "a padded tile": changed(("a[T][T]", "a[T][T + 1]")),
    "tiles that round": changed(("double a[T][T], b[T][T]", "float a[T][T]; __shared__ double b[T][T]")),
    "a tile that lies across": changed(
        ("b[ty][tx] =", "b[tx][ty] ="), ("b[d][tx]", "b[tx][d]"),
    ),
    "a tile in one row": changed(
        ("a[T][T]", "a[T * T]"), ("a[ty][tx]", "a[ty * T + tx]"), ("a[ty][d]", "a[T * ty + d]"),
    ),
    "tiles in one row, and across": changed(
        ("a[T][T], b[T][T]", "a[T * T], b[T * (T + 1)]"),
        ("a[ty][tx]", "a[tx * T + ty]"), ("a[ty][d]", "a[T * d + ty]"),
        ("b[ty][tx]", "b[ty * T + tx]"), ("b[d][tx]", "b[d * T + tx]"),
    ),
    "tiles by number": changed(
        ("for (int first = 0; first < s; first += T) {",
         "for (int t = 0; t < (s + T - 1) / T; t++) { int first = t * T;"),
    ),
    "unsigned positions": changed(
        ("first + tx", "first + threadIdx.x"), ("first + ty", "first + threadIdx.y"), ("int row", "unsigned row"),
    ),
    "a tile that is filled in both branches": changed(
        (STORE, "if (row < m && first + tx < s) a[ty][tx] = x[row * s + first + tx]; else a[ty][tx] = 0;")
    ),
    "a tile that is cleared before": changed(
        (STORE, "a[ty][tx] = 0; if (row < m && first + tx < s) a[ty][tx] = x[row * s + first + tx];")
    ),
    "tiles as large as blocks": changed(
        ("__shared__ double a[T][T], b[T][T]", "extern __shared__ double a[]"),
        ("a[ty][tx] =", "a[ty * blockDim.x + tx] ="),
        (OTHER, ""), ("b[d][tx]", "(first + d < s && col < n ? w[(first + d) * n + col] : 0)"),
        ("a[ty][d]", "a[ty * blockDim.x + d]"), ("int d = 0; d < T", "int d = 0; d < blockDim.x"),
        ("first += T", "first += blockDim.x"), ("blockIdx.y * T", "blockIdx.y * blockDim.y"),
        ("blockIdx.x * T", "blockIdx.x * blockDim.x"),
    ),
    "a nonlinear use": changed((ADD, "sum += sin(a[ty][d]) * b[d][tx] * b[d][tx];")),
    "a factor": changed((STORE, STORE.replace("x[row", "p * x[row"))),
    "values of their own": changed(
        (STORE, "int at = first + tx; double v = 0; if (row < m && at < s) v = 2 * x[row * s + at]; a[ty][tx] = v;")
    ),
    "barriers at the beginning": changed((AFTER, ""), (STORE, "__syncthreads();\n" + STORE)),
    "a tile of a tile": changed(
        ("b[T][T];", "b[T][T], c[T][T];"), (BEFORE, BEFORE + "\nc[ty][tx] = 2 * a[ty][tx]; __syncthreads();"),
        (ADD, "sum += c[ty][d] * b[d][tx];"),
    ),
}  # fmt: skip

# As they stand: the proof fails.
STAGED = {
    "a store under a condition": changed((STORE, "if (first + tx < s || first == 0) " + STORE)),
    "a store by some threads": changed((STORE, "if (tx + ty > 0 || first == 0) " + STORE)),
    "a store that not all may come to": changed((STORE, "if (row < m + 100 * p) " + STORE)),
    "stores to other cells in the branches": changed(
        (STORE, "if (tx > 1) a[ty][tx] = x[row * s % 50 + tx]; else a[ty][1 - tx] = p * first;")
    ),
    "a tile that keeps values": changed((STORE, "if (first + tx < s) a[ty][tx] = x[row * s % 50 + first + tx];"),
                                        ("double sum = 0;", "double sum = 0; a[ty][tx] = 1; __syncthreads();")),
    "a walk of each thread's own": changed(
        ("int first = 0; first < s; first += T", "int first = 0, f = row * s; first < s; first += T, f += T"),
        ("x[row * s + first + tx]", "x[f + tx]"),
    ),
    "steps that differ": changed(
        ("int first = 0; first < s; first += T", "int first = 0; first < s; first += first > 3 ? 2 * T : T"),
    ),
    "two stores": changed((BEFORE, BEFORE + "\nif (ty == 0) a[0][tx] *= 2; __syncthreads();")),
    "two stores that meet": changed((BEFORE, BEFORE + "\na[tx][ty] = 2 + p * first; __syncthreads();")),
    "the tile of the iteration before": changed(
        (STORE, "if (first > 0) sum += p * a[ty][1]; __syncthreads();\n" + STORE),
    ),
    "the tile after the loop": changed((END, "sum += a[ty][1];\n" + END)),
    "a barrier in a branch": changed((BEFORE, "if (first >= 0) { __syncthreads(); }")),
    "more than one store of a cell": changed(("a[ty][tx] =", "a[ty][tx / 2 * 2] ="), ("a[ty][d]", "a[ty][d / 2 * 2]"),
                                             (VALUE, VALUE.replace("tx", "tx / 2 * 2"))),
    "a subscript from memory": changed(("a[ty][d]", "a[ty][(int)w[0] & 1]")),
    "a variable that changes": changed(
        ("double sum = 0;", "double sum = 0; int r = row;"), (VALUE, VALUE.replace("row * s", "r * s")),
        (BEFORE, BEFORE + "\nr = row + (first > 4);"),
    ),
    "a variable of each thread that changes": changed(
        ("double sum = 0;", "double sum = 0; int r = tx;"), (VALUE, VALUE.replace("first + tx", "r")),
        (BEFORE, BEFORE + "\nr += T;"),
    ),
    "what the kernel writes": changed((END, END.replace("if (", "if (p > 100) x[row * s] = sum;\n    if ("))),
    "a load that may not happen": changed((ADD, "if (d + first < s && a[ty][d] > -100) " + ADD)),
    "barriers that order more": changed((BEFORE, "y[0] = 0; " + BEFORE)),
    "tiles as large as blocks, rows as large as tiles": changed(
        (INNER, "for (int d = 0; d < blockDim.x; d++)"), ("first += T", "first += blockDim.x"),
    ),
    "rows that blocks share": changed(("blockIdx.y * T", "blockIdx.y * (T - 1)")),
    "threads that tell each other": changed((BEFORE, BEFORE + "\n__syncwarp();")),
    "few cells to which all threads add": """
    __shared__ double a[T];
    int i = blockIdx.x * T + threadIdx.x;
    double sum = 0;
    for (int first = 0; first < s; first += T) {
        a[threadIdx.x] = first + threadIdx.x < s ? w[first + threadIdx.x] : 0;
        __syncthreads();
        for (int d = 0; d < T; d++)
            if (i < m && first + d < s)
                sum += a[d] * x[i * s + first + d];
        __syncthreads();
    }
    if (i < m)
        y[i] = sum;
""",
    "a read of each cell once": """
    __shared__ double a[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    a[threadIdx.y][threadIdx.x] = row < m && col < n ? sin(x[row * n + col]) : 0;
    __syncthreads();
    row = blockIdx.y * T + threadIdx.x;
    col = blockIdx.x * T + threadIdx.y;
    if (row < m && col < n)
        y[row * n + col] = a[threadIdx.x][threadIdx.y];
""",
}  # fmt: skip

# Races: nothing is promised of them but that nothing is proven.
RACES = {
    "no barrier before": changed((BEFORE, "")),
    "no barrier after": changed((AFTER, "")),
    "a barrier in front of the stores": changed((BEFORE, ""), (STORE, "__syncthreads();\n" + STORE)),
    "a barrier for some": changed((BEFORE, "if (row < m) { __syncthreads(); }")),
    "cells of several threads": changed(("a[ty][tx] =", "a[ty][tx / 2] =")),
    "a cell of all": changed(("a[ty][tx] =", "a[ty][0] =")),
    "values that differ in a cell": changed(("a[T][T]", "a[T]"), ("a[ty][tx] =", "a[tx] ="), ("a[ty][d]", "a[d]")),
}

SIZES = ((9, 10, 7), (8, 4, 12), (3, 5, 0))  # of m, n and s


def launch(m: int, n: int) -> dict[str, Any]:
    return {"grid": (-(-n // 4), -(-m // 3)), "block": (4, 4), "shared_mem": 128}


ORDERS = {"": {}, "fibers": {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"}, "threads": {"HETAD_CPU_THREADS": "4"}}


@functools.cache
def program(body: str) -> hetad.Program:
    return hetad.loads(f"{HEAD}{body}}}\n")


@functools.cache
def source(body: str) -> str:
    return hetad.gradient(program(body)["k"], wrt=("x", "w"), of="y").source


def test_what_is_proven() -> None:
    found = {name for name, body in (PLAIN | STAGED | RACES).items() if re.search(r" k_gather_\w+\(", source(body))}
    assert found == set(PLAIN)


@pytest.mark.parametrize("name", PLAIN)
def test_no_tile_of_the_program_where_blocks_are_as_large_as_tiles(name: str) -> None:
    text = source(PLAIN[name])
    of_any_size = "a[]" in PLAIN[name]
    assert ("if (block.x == 4 && block.y == 4)" in text) is not of_any_size
    own = "k_" if of_any_size else "k_(?:gather|pullback)_apart"
    found = re.findall(
        rf"static __global__ void (?:__launch_bounds__\(.*?\) )?{own}\w*\(.*?^}}", text, re.DOTALL | re.MULTILINE
    )
    assert found
    for kernel in found:
        assert not re.search(r"\b(adj_)?[abc]\[", kernel)
        assert "tape" not in kernel


def inputs(m: int, n: int, s: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    return rng.standard_normal(max(m * s, m * n) + 60), rng.standard_normal(s * n + 40)


@functools.cache
def differences(body: str, sizes: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A seed, and the derivatives by x and w of its product with y, by central differences of the program."""
    m, n, s = sizes
    x, w = inputs(*sizes)
    seed = np.random.default_rng(6).standard_normal(m * n)
    h = 1e-2 if "float a" in body else 1e-5  # the rounding to single precision is a staircase

    def value(x: np.ndarray, w: np.ndarray) -> float:
        y = np.zeros(m * n)
        program(body)["k"](y, x.copy(), w, m, n, s, 0.7, **launch(m, n), backend="cpu")
        return float(seed @ y)

    by_x = [(value(x + h * e, w) - value(x - h * e, w)) / (2 * h) for e in np.eye(x.size)]
    by_w = [(value(x, w + h * e) - value(x, w - h * e)) / (2 * h) for e in np.eye(w.size)]
    return seed, np.array(by_x), np.array(by_w)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", PLAIN | STAGED)
def test_gradient(name: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = (PLAIN | STAGED)[name]
    expected = {sizes: differences(body, sizes) for sizes in SIZES}  # before the environment is changed
    for key, value in ORDERS[order].items():
        monkeypatch.setenv(key, value)
    fresh = program.__wrapped__(body)  # what has run once keeps its order
    gradient = hetad.gradient(fresh["k"], wrt=("x", "w"), of="y", backend="cpu")
    for (m, n, s), (seed, by_x, by_w) in expected.items():
        x, w = inputs(m, n, s)
        found = gradient(np.zeros(m * n), x, w, m, n, s, 0.7, seeds={"y": seed}, **launch(m, n))
        np.testing.assert_allclose(found["x"], by_x, rtol=1e-4, atol=1e-4 if "float a" in body else 1e-6)
        np.testing.assert_allclose(found["w"], by_w, rtol=1e-4, atol=1e-4 if "float a" in body else 1e-6)
