"""Pointers that are another name for memory of the caller's (adjoint/pointer_copies.py)."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from tests.oracle import check_gradient

TEMPLATE = """
struct Pair { double a, b; };

__global__ void k(Pair *y, const Pair *x, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double held[4] = {w, 2 * w, w * w, 1};
    if (i < n) {
        %s
    }
}

void run(Pair *y, const Pair *x, double w, int n)
{
    k<<<(n + 7) / 8, 8>>>(y, x, w, n);
}
"""
GONE = {
    "a copy": "const Pair *p = x; y[i].a += sin(p[i].a) * w;",
    "a cell": "const Pair *p = x + i; Pair *q = &y[n - 1 - i]; q->a += p->a * p->b; q->b = p->a * q->b;",
    "a copy of one that leads to a cell": "Pair *p = y + i; Pair *q = p; q->a *= w; q->b += p->a;",
    "an element of an array": "double *p = held + i % 3; *p += x[i].a; y[i].a = *p * held[0]; y[i].b = held[2];",
    "an array that decays": "double *p = held; for (int j = 0; j < 3; j++) y[i].a += p[j] * *(p + j + 1) * x[i].b;",
    "a variable": "double s = x[i].a, *p = &s; *p *= w; y[i].a = s * s; y[i].b = *p;",
    "in a loop": "for (int j = 0; j < n; j++) { const Pair *p = x + j; y[i].a += p->a * p->b * w; }",
}
STAY = {
    "a pointer that moves": "const Pair *p = x; for (int j = 0; j < n; j++, p++) y[i].a += p->a * p->b;",
    "a row": "const Pair *p = x + i; for (int j = 0; j < n - i; j++) y[i].a += p[j].a * w;",
    "an index that changes": "int at = i; const Pair *p = x + at; at = n - 1 - at; y[at].a += p->a * p->b;",
    "two ways": "const Pair *p = i % 2 ? x + i : x + (n - 1); y[i].a += p->a * p->b;",
}


def text(body: str) -> str:
    """The pullback, without what it quotes."""
    program = hetad.loads(TEMPLATE % body, "p.cu", frontend="cpp")
    source = hetad.gradient(program["run"], wrt=("x", "y", "w"), of="y", backend="cuda").source
    found = re.search(r"void k_pullback\w*\(.*?\n}", source, re.DOTALL)
    assert found is not None
    return re.sub("//.*", "", found[0])


@pytest.mark.parametrize("name", GONE)
def test_gone(name: str) -> None:
    assert "*p" not in text(GONE[name])
    assert "*q" not in text(GONE[name])


@pytest.mark.parametrize("name", STAY)
def test_stays(name: str) -> None:
    assert "*p" in text(STAY[name])


@pytest.mark.parametrize("name", [*GONE, *STAY])
def test_gradient(name: str, backend: str) -> None:
    rng = np.random.default_rng(5)
    pair = np.dtype([("a", "f8"), ("b", "f8")])
    y, x = (rng.uniform(0.4, 1.3, (13, 2)).view(pair)[:, 0] for _ in range(2))
    check_gradient(
        TEMPLATE % {**GONE, **STAY}[name], "run", [y, x, 0.7, 13], wrt=("x", "y", "w"), of=("y",), backend=backend
    )
