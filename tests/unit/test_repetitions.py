"""Loops that repeat what they do run once; tests/gradient/programs/repetitions.cu has the numbers."""

from __future__ import annotations

import re

import pytest

import hetad


def pullback(loop: str, **options: object) -> str:
    text = f"""
__global__ void kernel(double *y, const double *x, const double *k, const volatile int *turns, double *z, int n)
{{
    __shared__ double tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = 0;
    double now = x[i], other = 1;
    double list[2] = {{0, 1}};
    const double *at = &other;
    {loop}
    y[i] = now * now + other + list[0] + tile[threadIdx.x];
}}
"""
    source = hetad.gradient(hetad.loads(text)["kernel"], wrt="x", of="y", backend="cpu", **options).source  # type: ignore[arg-type]
    text = source[source.index("kernel_pullback(") : source.index("kernel_grad(")]
    return re.sub(r" *// line .*\n", "", text)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int j = 0; j < n; j++) now = sin(x[i]) * k[i];",
        "for (int j = n; j >= 0; j -= 3) if (k[i] > 0) now = sin(x[i]) * k[i];",
        "for (int j = 0; j < 9; j++) { double t = sin(x[i]); t *= t; now = t * t; }",
        "for (int j = 0; j < n; j++) { now = x[i]; now = sin(now); if (now < k[i]) { now = now * now; } }",
        "for (int j = 0; j < n; j++) for (int m = 0; m < n; m++) now = sin(x[i]);",
    ],
)
def test_repetitions_run_once(loop: str) -> None:
    assert "for (" in pullback(loop, optimize=False)
    assert "for (" not in pullback(loop)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int j = 0; j < n; j++) now = sin(now);",
        "for (int j = 0; j < n; j++) now *= sin(x[i]);",
        "for (int j = 0; j < n; j++) { double t = now; now = sin(x[i]) * t; }",
        "for (int j = 0; j < n; j++) { if (k[i] > 0) now = x[i]; now = sin(now); }",
        "for (int j = 0; j < n; j++) now = sin(x[i] * j);",
        "for (int j = 0; j < turns[i]; j++) now = sin(x[i]);",
        "for (int j = 0; j < n; j++) { now = other * other; other = sin(x[i]); }",
        "for (int j = 0; j < n; j++) other = sin(*at) * x[i];",
        "for (int j = 0; j < n; j++) { now = list[0] * x[i]; list[0] = sin(now); }",
        "for (int j = 0; j < n; j++) { now = z[i] * x[i]; z[i] = sin(now); }",
        "for (int j = 0; j < n; j++) { tile[threadIdx.x] = sin(x[i]); __syncthreads(); }",
        "for (int j = 0; j < n && now > 0; j++) now = sin(x[i]) - 2;",
        "for (int j = 0; j < n; j++) { for (int m = 0; m < n; m++) other += x[i] * k[m]; }",
    ],
)
def test_other_loops_stay(loop: str) -> None:
    assert "for (" in pullback(loop, optimize="repetitions")
