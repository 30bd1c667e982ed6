"""Counts of owners that the text tells are gone from a derivative; tests/gradient/programs/counted_owners.cu has the
numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.ir.printer import function_text
from hetad.passes.manager import Pass, watched

PROGRAM = """
__global__ void square(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}
struct Shared { double *data; long *owners; };
void f(const double *x, double *y, int n, int m, long *given)
{
    struct Shared s;
    cudaMalloc((void **)&s.data, n * sizeof(double));
    s.owners = (long *)malloc(sizeof(long));
    *s.owners = 1;
    struct Shared t = s, u = s;
    %s
    square<<<1, 64>>>(t.data, x, n);
    square<<<1, 64>>>(y, t.data, n);
    if (t.owners != 0 && --*t.owners == 0) {
        cudaFree(t.data);
        free(t.owners);
    }
}
"""


def text_behind(statements: str) -> str:
    """The function as the pass leaves it."""
    found: list[str] = []

    def look(step: Pass[Any], _before: object, after: Any, _seconds: float) -> None:
        if step.name == "known-counts":
            found.append(function_text(after.function))

    with watched(look):
        hetad.gradient(hetad.loads(PROGRAM % statements)["f"], wrt=["x"], of=["y"], backend="cpu")
    return found[0]


@pytest.mark.parametrize(
    "statements",
    [
        "",
        "++*t.owners; --*s.owners;",
        "for (int k = 0; k < m; k++) { ++*u.owners; square<<<1, 64>>>(y, x, n); --*u.owners; }",
        "if (m > 3) *u.owners += 2; else { *t.owners = 5; *s.owners = 3; }  *s.owners -= 2;",
        "if (*t.owners == 1) *t.owners = 2; else *t.owners = m; --*s.owners;",
        "long *alias = s.owners; *alias += 7; *t.owners -= 7;",
        "u.owners = 0; if (u.owners != 0) *t.owners = 2;",
    ],
)
def test_known_counts_are_gone(statements: str) -> None:
    text = text_behind(statements)
    assert "owners[0]" not in text and "malloc(sizeof" not in text


@pytest.mark.parametrize(
    "statements",
    [
        "*t.owners = m;",
        "for (int k = 0; k < m; k++) ++*u.owners;",
        "if (m > 3) ++*u.owners;",
        "for (int k = 0; k < m; k++) { s.owners = (long *)malloc(sizeof(long)); *s.owners = k; t.owners = s.owners; }",
        "long *other = m > 3 ? s.owners : given; *other += 1;",
        "long more[2] = {1, 1}; long *other = m > 3 ? s.owners : more; other[0] = 2;",
        "memcpy(t.owners, given, sizeof(long));",
        "struct Shared *way = &t; if (m > 3) way->owners = given;",
    ],
)
def test_unknown_counts_stay(statements: str) -> None:
    text = text_behind(statements)
    assert "owners[0] == 0" in text and "malloc(sizeof" in text


@pytest.mark.parametrize(
    "statements",
    [
        "given[0] = *t.owners + m;",
        "memcpy(given, t.owners, sizeof(long));",
        "if (t.owners == given) square<<<1, 64>>>(y, y, n);",
        "square<<<1, 64>>>(y, y, (int)*t.owners - m);",
    ],
)
def test_counts_that_are_used_stay(statements: str) -> None:
    """What is known of them is said all the same: the branch at the end is taken."""
    text = text_behind(statements)
    assert "malloc(sizeof" in text and "free(t.owners)" in text
    assert "owners[0] == 0" not in text


def test_owners_leave_when_a_lambda_has_run() -> None:
    """A lambda for the device is no owner of the views that it captures."""
    text = """
#include <Kokkos_Core.hpp>
int owners(double *y, int n)
{
    Kokkos::View<double *> v("v", n), w("w", n);
    Kokkos::parallel_for(n, KOKKOS_LAMBDA(const int i) { v(i) = w(i) + i; });
    for (int t = 0; t < 3; ++t)
        Kokkos::parallel_for(n, KOKKOS_LAMBDA(const int i) { v(i) += 1.0; });
    Kokkos::deep_copy(Kokkos::View<double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(y, n), v);
    return v.use_count() * 10 + w.use_count();
}
"""
    y = np.zeros(5)
    assert hetad.loads(text)["owners"](y, 5, backend="cpu") == 11
    assert np.array_equal(y, np.arange(5) + 3.0)
