"""Cells of local arrays that are read behind a store to them; tests/gradient/programs/stored_cells.cu has numbers."""

from __future__ import annotations

import pytest

import hetad


def pullback(loop: str) -> str:
    text = f"""
__global__ void kernel(double *y, const double *x, const int *at, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = 1;
    double a[4] = {{0, 0, 0, 0}}, b[4] = {{0, 0, 0, 0}}, s = 0;
    double *p = b;
    {loop}
    y[i] = s + a[1] + p[1];
}}
"""
    source = hetad.gradient(hetad.loads(text)["kernel"], wrt="x", of="y", backend="cpu").source
    return source[source.index("kernel_pullback(") : source.index("kernel_grad(")]


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 0; k < 4; k++) { a[k] = sin(x[k]); s += a[k] * a[k] * x[i]; }",
        "for (int k = 0; k < 4; k++) { a[k] = sin(x[k]); if (k > 1) s += exp(a[k]); while (s > 9) s = a[k]; }",
        "for (int k = 0; k < 4; k++) { a[(k + j) % 4] = sin(x[k]); b[k] = 1; s += a[(k + j) % 4] * a[(k + j) % 4]; }",
    ],
)  # fmt: skip
def test_nothing_is_taken_back(loop: str) -> None:
    assert "a_kept" not in pullback(loop)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 0; k < 4; k++) { a[k] = sin(x[k]); a[j] = x[i]; s += a[k] * a[k]; }",
        "for (int k = 0; k < 4; k++) { a[j] = sin(x[k]); j = (j + 1) % 4; s += a[j] * a[j]; }",
        "for (int k = 0; k < 4; k++) { p[k] = sin(x[k]); b[j] = x[k]; s += b[k] * b[k]; }",
        "for (int k = 0; k < 4; k++) { a[at[k]] = sin(x[k]); s += a[at[k]] * a[at[k]]; }",
    ],
)
def test_cells_that_may_be_others_stay_cells(loop: str) -> None:
    assert "_here" not in pullback(loop)
