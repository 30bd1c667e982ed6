"""The class of each increment of an adjoint: a plain `+=` only where a proof holds, atomics where it must fail."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad

HEAD = "__global__ void k(double *y, const double *x, const int *at, int n, int m, int s)\n{\n"
ROW = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
PLANE = ROW + "    int j = blockIdx.y * blockDim.y + threadIdx.y;\n"

PLAIN = {
    "own cell": ROW + "    if (i < n) y[i] = sin(x[i]);",
    "own cell behind an offset": ROW + "    if (i < n) y[i] = sin(x[i + s]);",
    "own cell, backwards": ROW + "    if (i < n) y[i] = sin(x[n - 1 - i]);",
    "every third cell": ROW + "    if (i < n) y[i] = sin(x[3 * i + 1]);",
    "rows below their extent": PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[j * m + i]);",
    "rows wider than they are used": PLANE + "    if (i < m - 2 && j < n) y[j * m + i] = sin(x[j * m + i + 2]);",
    "quotient and remainder": ROW + "    if (i < n * m) y[i] = sin(x[(i / m) * m + i % m]);",
    "a pointer of its own": ROW + "    const double *p = x + i; if (i < n) y[i] = sin(p[s]);",
    "the fields of a pair": ROW + "    if (i < n) y[i] = sin(x[2 * i]) * x[2 * i + 1];",
    "strided over the grid": "    if (blockIdx.x >= 0) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
    " i += blockDim.x * gridDim.x) y[i] = sin(x[i]);",
}
ATOMIC = {
    "stride smaller than the extent": PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[j * s + i]);",
    "a bound that is not what the index needs": PLANE + "    if (i < s && j < n) y[j * s + i] = sin(x[j * m + i]);",
    "half the index": ROW + "    if (i < n) y[i] = sin(x[i / 2]);",
    "an index from memory": ROW + "    if (i < n) y[i] = sin(x[at[i]]);",
    "a square": ROW + "    if (i < n) y[i] = sin(x[i * i]);",
    "a product of two axes": PLANE + "    if (i < m && j < n) y[j * m + i] = sin(x[i * j]);",
    "blocks that overlap": "    int i = blockIdx.x * s + threadIdx.x;\n    if (i < n) y[i] = sin(x[i]);",
    "a bit of it": ROW + "    if (i < n) y[i] = sin(x[i & 7]);",
    "an index that a branch changed": ROW + "    int c = i; if (at[0] > 0) c = s;\n    if (i < n) y[i] = sin(x[c]);",
    "an index changed through a pointer": ROW + "    int c = i; int *p = &c; *p = s;\n    if (i < n) y[i] = sin(x[c]);",
}
GATHER = {
    "two reads that meet": ROW + "    if (i + 1 < n) y[i] = sin(x[i]) * x[i + 1];",
    "a stencil": PLANE + "    if (i > 0 && j > 0 && i < m - 1 && j < n - 1)"
    " y[j * m + i] = x[j * m + i - 1] + x[j * m + i + 1] + x[(j - 1) * m + i];",
    "the index modulo something": ROW + "    if (i < n) y[i] = sin(x[i % s]);",
    "one vector for all rows": PLANE + "    if (i < m && j < n) y[j * m + i] = 2 * x[i];",
    "a product of matrices": PLANE + "    if (i < m && j < n) { double t = 0; for (int k = 0; k < s; k++)"
    " t += x[j * s + k] * at[k * m + i]; y[j * m + i] = t; }",
}


def pullback(body: str) -> str:
    """The kernels of the pullback."""
    program = hetad.loads(f"{HEAD}{body}\n}}\n")
    source = hetad.gradient(program["k"], wrt="x", of="y").source
    return "".join(re.findall(r"static __global__ void k_\w+\(.*?^}", source, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("name", PLAIN)
def test_plain_update_with_a_proof(name: str) -> None:
    text = pullback(PLAIN[name])
    # In a loop an atomic addition does not wait for the one before.
    assert "atomicAdd" not in text or "for (int i" in text, text
    assert re.search(r"adj_x\[[^\n]*\] [+-]=|adj_p\[[^\n]*\] [+-]=", text) or "for (int i" in text, text
    assert "k_gather" not in text, text


@pytest.mark.parametrize("name", ATOMIC)
def test_atomic_update_without_one(name: str) -> None:
    text = pullback(ATOMIC[name])
    assert re.search(r"atomicAdd\(\s*&?adj_x", text), text
    assert not re.search(r"adj_x\[[^\n]*\] [+-]=", text), text


@pytest.mark.parametrize("name", GATHER)
def test_gather(name: str) -> None:
    assert "k_gather_x" in pullback(GATHER[name])


@pytest.mark.parametrize("body", [*PLAIN.values(), *GATHER.values()])
@pytest.mark.parametrize("launch", [((3, 2), (8, 4)), ((2, 1), (5, 3))])
def test_same_gradient_without_proofs(body: str, launch: tuple[tuple[int, int], tuple[int, int]]) -> None:
    """Also where the launch does not reach every cell."""
    rng = np.random.default_rng(5)
    n, m, s = 6, 9, 4
    x, seed = rng.standard_normal(300), rng.standard_normal(300)
    at = rng.integers(1, 5, 300).astype(np.int32)
    program = hetad.loads(f"{HEAD}{body}\n}}\n")
    grid, block = launch
    if "threadIdx.y" not in body:
        grid, block = grid[:1], block[:1]
    found = []
    for optimize in (True, False):
        g = hetad.gradient(program["k"], wrt="x", of="y", backend="cpu", optimize=optimize)
        found.append(g(np.zeros(300), x, at, n, m, s, seeds={"y": seed}, grid=grid, block=block)["x"])
    assert np.any(found[0] != 0)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-14)


def test_overlapping_arguments_are_not_taken_apart() -> None:
    """A buffer that is read and written by neighbouring threads keeps its atomics."""
    program = hetad.loads(
        "__global__ void k(double *y, const double *x, int n)\n{\n" + ROW + "    if (i < n) y[i] = sin(x[i]);\n}\n"
        "void run(double *a, int n) { k<<<(n + 7) / 8, 8>>>(a + 1, a, n); }\n"
    )
    source = hetad.gradient(program["run"], wrt="a", of="a").source
    text = "".join(re.findall(r"static __global__ void k_\w+\(.*?^}", source, re.DOTALL | re.MULTILINE))
    assert "atomicAdd" in text
    assert "__restrict__ adj_" not in text
