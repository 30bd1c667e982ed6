"""Gathers that are products of matrices, on tiles in shared memory: run as a GPU runs them, and compared with NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS

Array = np.ndarray[Any, Any]
MODES = {
    "regions": {},
    "blocks": {"HETAD_CPU_MODE": "blocks"},
    "parallel blocks": {"HETAD_CPU_MODE": "blocks", "HETAD_CPU_THREADS": "3"},
    "fibers": {"HETAD_CPU_MODE": "fibers", "HETAD_CPU_SEED": "7"},
}
HEAD = "__global__ void k(REAL *c, const REAL *a, const REAL *b, int n, int m, int s, int d, int e)\n{\n"
SIZES = ((64, 64, 64), (65, 63, 197), (197, 65, 63), (63, 197, 65), (16, 16, 16), (1, 64, 65), (64, 1, 65), (65, 64, 1))
EMPTY = ((0, 20, 20), (20, 0, 20), (20, 20, 0))
FEW = ((2, 9, 6), (5, 20, 17), (16, 65, 9))


@dataclass(frozen=True)
class Product:
    """A kernel `c = a b`, and what it does as an Einstein sum over i < n, k < m, j < s, p < d, q < e."""

    body: str
    a: str = "ik"
    b: str = "kj"
    c: str = "ij"
    sizes: tuple[tuple[int, ...], ...] = SIZES
    weight: Callable[[Array], Array] = lambda j: np.ones(j.shape)  # of the terms, by j
    tiled: int = 2  # gathers

    def shape(self, letters: str, extents: dict[str, int]) -> tuple[int, ...]:
        return tuple(extents[x] for x in letters)


def loop(a: str, b: str, before: str = "", term: str = "sum += {a} * {b};") -> str:
    return f"""    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n * s) {{
        int i = t / s, j = t % s;
        REAL sum = 0;
        for (int k = 0; k < m; k++)
            {before}{term.format(a=a, b=b)}
        c[t] = sum;
    }}
"""


OF_TWO_AXES = """    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < s) {
        REAL sum = 0;
        for (int k = 0; k < m; k++)
            sum += a[i * m + k] * b[k * s + j];
        c[i * s + j] = sum;
    }
"""
DIGITS = """    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < d * n * e * s) {
        int row = t / (e * s), column = t % (e * s);
        int p = row / n, i = row % n, q = column / s, j = column % s;
        REAL sum = 0;
        for (int k = 0; k < m; k++)
            sum += a[(p * n + i) * m + k] * b[(k * e + q) * s + j];
        c[t] = sum;
    }
"""
BATCH = """    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < d * n * s) {
        int p = t / (n * s), i = t / s % n, j = t % s;
        REAL sum = 0;
        for (int k = 0; k < m; k++)
            sum += a[(p * n + i) * m + k] * b[(p * m + k) * s + j];
        c[t] = sum;
    }
"""
TWO_LOOPS = """    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n * s) {
        int i = t / s, j = t % s;
        REAL sum = 0;
        for (int k = 0; k < m; k++)
            for (int p = 0; p < d; p++)
                sum += a[(i * m + k) * d + p] * b[(k * d + p) * s + j];
        c[t] = sum;
    }
"""
A, AT, B, BT = "a[i * m + k]", "a[k * n + i]", "b[k * s + j]", "b[j * m + k]"
PRODUCTS = {
    "rows of both": Product(loop(A, BT), "ik", "jk"),
    "rows and columns": Product(loop(A, B)),
    "columns and rows": Product(loop(AT, BT), "ki", "jk"),
    "columns of both": Product(loop(AT, B), "ki", "kj"),
    "threads along two axes": Product(OF_TWO_AXES),
    "two digits a side": Product(DIGITS, "pik", "kqj", "piqj", FEW),
    "a batch": Product(BATCH, "pik", "pkj", "pij", FEW),
    "a sum over two indices": Product(TWO_LOOPS, "ikp", "kpj", sizes=FEW),
    "taken away": Product(loop(A, B, term="sum -= 2 * {a} * {b};"), weight=lambda j: np.full(j.shape, -2.0)),
    "not all terms": Product(loop(A, B, "if (j % 3 != 1) "), weight=lambda j: (j % 3 != 1).astype(float), tiled=1),
}
SEEDS = {name: number for number, name in enumerate(PRODUCTS)}


@functools.cache
def gradient(body: str, real: str, **options: Any) -> hetad.Gradient:
    program = hetad.loads((HEAD + body + "}\n").replace("REAL", real))
    return hetad.gradient(program["k"], wrt=("a", "b"), of=("c",), backend="cpu", **options)


def launch(product: Product, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    n, _, s, d, e = sizes
    if product.body == OF_TWO_AXES:
        return (-(-s // 16) or 1, -(-n // 4) or 1), (16, 4)
    count = {"ij": n * s, "piqj": d * n * e * s, "pij": d * n * s}[product.c]
    return (-(-count // 64) or 1,), (64,)


def check(product: Product, real: str, sizes: tuple[int, ...], missing: int = 0, **options: Any) -> None:
    """The adjoints of a and b, which are not zero before; `missing`: so many blocks fewer than the kernel wants."""
    type_ = {"float": np.float32, "double": np.float64}[real]
    extents = dict(zip("ikjpq", sizes, strict=True))
    rng = np.random.default_rng(sum(sizes))
    a, b, seed, adj_a, adj_b = (
        rng.standard_normal(product.shape(x, extents)).astype(type_)
        for x in (product.a, product.b, product.c, product.a, product.b)
    )
    (*others, blocks), block = launch(product, sizes)[0][::-1], launch(product, sizes)[1]
    grid = (blocks - missing, *others[::-1])
    used = seed.astype(float)
    used.reshape(-1)[(blocks - missing) * 64 if missing else used.size :] = 0
    weight = product.weight(np.arange(extents["j"]))
    right_a = adj_a + np.einsum(f"{product.b},{product.c},j->{product.a}", b.astype(float), used, weight)
    right_b = adj_b + np.einsum(f"{product.a},{product.c},j->{product.b}", a.astype(float), used, weight)
    found = gradient(product.body, real, **options)
    found.execute(np.zeros_like(seed), a, b, *sizes, seed.copy(), adj_a, adj_b, grid=grid, block=block)
    near = {"float": 2e-4, "double": 1e-11}[real]
    np.testing.assert_allclose(adj_a, right_a, rtol=near, atol=near)
    np.testing.assert_allclose(adj_b, right_b, rtol=near, atol=near)


@pytest.fixture(params=list(MODES))
def mode(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in MODES[request.param].items():
        monkeypatch.setenv(name, value)
    gradient.cache_clear()
    return str(request.param)


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str, real: str, mode: str) -> None:
    product = PRODUCTS[name]
    text = gradient(product.body, real).source
    assert text.count("a gather on tiles\n") == product.tiled
    slow = mode == "fibers" or real == "double"
    for sizes in product.sizes[1:2] if slow and product.sizes is SIZES else product.sizes:
        extents = {"piqj": (7, 5), "pij": (3, 1)}.get(product.c, (5, 1))
        check(product, real, (*sizes, *extents))


FEWER: list[dict[str, Any]] = [{"deterministic": True}, {"optimize": ("gather", "tiles", "needed", "tidy", "axes")}]


@pytest.mark.parametrize("options", FEWER, ids=str)
def test_products_otherwise(options: dict[str, Any], mode: str) -> None:
    assert "__shared__" in gradient(PRODUCTS["rows and columns"].body, "float", **options).source
    check(PRODUCTS["rows and columns"], "float", (65, 63, 197, 1, 1), **options)


def test_without_tiles() -> None:
    others = tuple(name for name in OPTIMISATIONS if name != "tiles")
    assert "__shared__" not in gradient(PRODUCTS["rows and columns"].body, "float", optimize=others).source


@pytest.mark.parametrize("sizes", EMPTY, ids=str)
def test_nothing_to_add(sizes: tuple[int, ...], mode: str) -> None:
    check(PRODUCTS["rows and columns"], "float", (*sizes, 1, 1))


def test_no_member_of_a_batch(mode: str) -> None:
    check(PRODUCTS["a batch"], "float", (20, 20, 20, 0, 1))


def test_threads_that_do_not_exist(mode: str) -> None:
    """What they would have added is not added, wherever in a tile they are missing."""
    for missing in (1, 3, 40):
        check(PRODUCTS["rows and columns"], "double", (70, 40, 66, 1, 1), missing)


PADDED = loop("a[i * d + k]", "b[k * e + j]").replace("c[t]", "c[i * e + j]")


def test_what_lies_beyond_the_edges_is_not_read(mode: str) -> None:
    """Rows that are longer than the matrix, filled up with numbers that would spoil any sum."""
    n, m, s = 65, 37, 66
    rng = np.random.default_rng(2)

    def padded(rows: int, columns: int, more: int) -> Array:
        whole = np.full((rows, columns + more), np.nan)
        whole[:, 1:] = np.inf
        whole[:, :columns] = rng.standard_normal((rows, columns))
        return whole

    a, b, seed = padded(n, m, 3), padded(m, s, 5), padded(n, s, 5)
    adj_a, adj_b = np.zeros_like(a), np.zeros_like(b)
    found = gradient(PADDED, "double")
    assert "__shared__" in found.source
    sizes, grid = (n, m, s, m + 3, s + 5), (-(-n * s // 64),)
    found.execute(seed.copy(), a, b, *sizes, seed.copy(), adj_a, adj_b, grid=grid, block=(64,))
    np.testing.assert_allclose(adj_a[:, :m], seed[:, :s] @ b[:, :s].T, rtol=1e-10)
    np.testing.assert_allclose(adj_b[:, :s], a[:, :m].T @ seed[:, :s], rtol=1e-10)
    assert not adj_a[:, m:].any() and not adj_b[:, s:].any()


@pytest.mark.parametrize("name", ["rows and columns", "not all terms"])
def test_numbers_that_are_not_finite(name: str, mode: str) -> None:
    """An infinity spoils the sums of which it is a term, zeros times infinity among them, and no others."""
    n, m, s = 65, 66, 67
    rng = np.random.default_rng(2)
    a, b, seed = rng.standard_normal((n, m)), rng.standard_normal((m, s)), rng.standard_normal((n, s))
    a[3, 7], b[9, 66], b[5, 64], seed[::2, 66] = np.inf, np.inf, np.nan, 0
    adj_a, adj_b = np.zeros_like(a), np.zeros_like(b)
    kept = PRODUCTS[name].weight(np.arange(s)) != 0
    with np.errstate(invalid="ignore"):
        right_a = np.einsum("kj,ij->ik", b[:, kept], seed[:, kept])
        right_b = np.where(kept, np.einsum("ik,ij->kj", a, seed), 0)
    found = gradient(PRODUCTS[name].body, "double")
    found.execute(seed.copy(), a, b, n, m, s, 1, 1, seed, adj_a, adj_b, grid=(-(-n * s // 64),), block=(64,))
    np.testing.assert_allclose(adj_a, right_a, rtol=1e-10)
    np.testing.assert_allclose(adj_b, right_b, rtol=1e-10)


NO_PRODUCTS = {
    "a condition on a row and the sum": loop(A, B, "if (k <= i) "),
    "a factor of row and column": loop(A, "b[(i + j) % 7]"),
    "two products": loop(A, B, term="sum += {a} * {b} + {a} * b[j];"),
    "a sum with an end of its own": loop(A, B).replace("k < m", "k < (i < m ? i : m)"),
    "few terms": OF_TWO_AXES.replace("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x % 4"),
}


@pytest.mark.parametrize("name", NO_PRODUCTS)
def test_no_tiles(name: str) -> None:
    assert "__shared__" not in gradient(NO_PRODUCTS[name], "double").source
