"""Shared arrays that only hold a copy between two barriers."""

from __future__ import annotations

import pytest

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import points_to
from hetad.analysis.staging import staging_copies
from tests.functions import function

TEXT = """
__global__ void f(double *y, const double *x, int n)
{{
    __shared__ double a[64];
    __shared__ double whole;
    int i = threadIdx.x;
    {body}
}}
"""


def copies(body: str) -> list[str]:
    f = function(TEXT.format(body=body))
    return [copy.array.name for copy in staging_copies(f, Effects(points_to(f), {}))]


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = x[i]; __syncthreads(); y[i] = a[63 - i];",
        "double s = 0; for (int k = 0; k < n; k++) { a[i] = x[64 * k + i]; __syncthreads(); s += a[63 - i];"
        " __syncthreads(); } y[i] = s;",
        "double s = 0; for (int k = 0; k < n; k++) { __syncthreads(); a[i] = x[64 * k + i]; __syncthreads();"
        " s += a[63 - i]; } y[i] = s;",
    ],
)
def test_a_copy_that_is_read_behind_a_barrier(body: str) -> None:
    assert copies(body) == ["a"]


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = x[i]; __syncthreads(); a[i] = x[i + 64]; __syncthreads(); y[i] = a[63 - i];",  # stored twice
        "a[i] = x[i]; __syncthreads(); if (i == 0) a[5] = 1; y[i] = a[63 - i];",
        "a[i] = x[i]; y[i] = a[i]; __syncthreads(); y[64 + i] = a[63 - i];",  # read in front of the barrier
        "y[i] = a[i]; a[i] = x[i]; __syncthreads(); y[64 + i] = a[63 - i];",
        "a[i] = x[i]; __syncthreads(); y[i] = a[63 - i]; if (i < n) a[i] = 0;",
        "if (i < n) { a[i] = x[i]; __syncthreads(); y[i] = a[63 - i]; }",  # not all threads
        "double early = a[i]; a[i] = x[i]; __syncthreads(); y[i] = a[63 - i] + early;",  # read before it is stored
        "a[i] = x[i]; y[i] = a[i];",  # no barrier
        # The next turn stores while this one still reads.
        "double s = 0; for (int k = 0; k < n; k++) { a[i] = x[64 * k + i]; __syncthreads();"
        " s += a[63 - i]; } y[i] = s;",
        "double s = 0; for (int k = 0; k < n; k++) { a[i] = x[64 * k + i]; __syncthreads(); __syncthreads();"
        " s += a[63 - i]; } y[i] = s;",
        "whole = x[0]; __syncthreads(); y[i] = whole;",  # no array
    ],
)
def test_others_stay(body: str) -> None:
    assert copies(body) == []
