"""Which memory a pointer of host code leads to, told by what is done with it."""

from __future__ import annotations

import pytest

from hetad.analysis.pointers import points_to
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import UnsupportedError
from hetad.ir.build import var
from tests.functions import function, symbols

HEAD = """
#include <stdio.h>
struct View { double *data; int n; };
__global__ void k(double *x) { x[0] = 1; }
"""


def spaces(body: str) -> dict[str, str | None]:
    f = function(f"{HEAD} void f(double *a, double *b, char *text, struct View view, int n) {{ {body} }}")
    found = Spaces(f, points_to(f))
    known = symbols(f)
    return {name: found.behind(var(known[name])) for name in ("a", "b", "text") if name in known}


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        ("cudaMemcpyHostToHost", "host", "host"),
        ("cudaMemcpyDeviceToHost", "host", "device"),
        ("cudaMemcpyHostToDevice", "device", "host"),
        ("cudaMemcpyDeviceToDevice", "device", "device"),
        ("cudaMemcpyDefault", None, None),
    ],
)
def test_the_kind_of_a_copy_says_where_both_sides_are(kind: str, a: str | None, b: str | None) -> None:
    found = spaces(f"cudaMemcpy(a, b, n, {kind});")
    assert (found["a"], found["b"]) == (a, b)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("k<<<1, 1>>>(a);", {"a": "device", "b": None}),
        ("a[0] = b[0];", {"a": "host", "b": "host"}),
        ("cudaMemset(a, 0, n); memset(b, 0, n);", {"a": "device", "b": "host"}),
        ("int m = atoi(text); a[m] = 1;", {"text": "host", "a": "host"}),
        # What a struct on the device holds leads to the device.
        ("struct View v = {a, n}, *d; cudaMalloc((void **)&d, sizeof v);"
         " cudaMemcpy(d, &v, sizeof v, cudaMemcpyHostToDevice);", {"a": "device"}),
        ("struct View v = {a, n}, w; cudaMemcpy(&w, &v, sizeof v, cudaMemcpyHostToHost);", {"a": None}),
    ],
)  # fmt: skip
def test_uses_say_where_memory_is(body: str, where: dict[str, str | None]) -> None:
    found = spaces(body)
    assert {name: found[name] for name in where} == where


@pytest.mark.parametrize(
    "body",
    [
        "double h[4]; cudaMemset(h, 0, sizeof h); a[0] = h[0];",
        "double h[4]; cudaMemcpy(h, a, sizeof h, cudaMemcpyHostToDevice);",
        "double h = 1; cudaMemcpy(a, &h, sizeof h, cudaMemcpyDeviceToDevice);",
        "double *d; cudaMalloc((void **)&d, 8); memset(d, 0, 8);",
        "double *d; cudaMalloc((void **)&d, 8); d[0] = 1;",
    ],
)
def test_memory_of_the_one_side_is_refused_as_that_of_the_other(body: str) -> None:
    with pytest.raises(UnsupportedError, match="memory"):
        spaces(body)
