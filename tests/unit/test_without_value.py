"""A gradient whose value nobody asks for: what only leads to the value is not run."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from hetad import pipeline
from hetad.host.derivation import Request
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts

PROGRAM = """
#include <stdio.h>
__global__ void step(double *v, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = 0.5 * u[i] + POWER;
}
__global__ void sum(double *out, const double *u, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            *out += u[i];
}
double total(const double *x, int n, int steps)
{
    double *u, *v, *s, value = 0;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMalloc(&s, sizeof(double));
    cudaMemset(s, 0, sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        step<<<(n + 31) / 32, 32>>>(v, u, n);
        double *swapped = u;
        u = v;
        v = swapped;
    }
    sum<<<1, 32>>>(s, u, n);
    cudaMemcpy(&value, s, sizeof(double), cudaMemcpyDeviceToHost);
    printf("total\\n");
    cudaFree(u);
    cudaFree(v);
    cudaFree(s);
    return value;
}
"""


def _launched(program: hetad.Program, value: bool) -> set[str]:
    derivative = pipeline.differentiate(program.unit, Request(function="total", wrt=("x",), value=value))
    body = derivative.program.functions[derivative.entry].body
    return {s.kernel for s in walk_stmts(body) if isinstance(s, ir.Launch) and s.kernel in ("step", "sum")}


@pytest.mark.parametrize(
    ("power", "left"), [pytest.param("0.0", set(), id="linear"), pytest.param("u[i] * u[i]", {"step"}, id="nonlinear")]
)
def test_what_leads_to_the_value_is_left_out(power: str, left: set[str], capfd: pytest.CaptureFixture[str]) -> None:
    program = hetad.loads(PROGRAM, defines={"POWER": power})
    assert _launched(program, value=True) == {"step", "sum"}
    assert _launched(program, value=False) == left
    x = np.linspace(0.1, 0.2, 50)
    gradient = hetad.gradient(program["total"], wrt="x", backend="cpu")
    alone = gradient(x, 50, 4)["x"]
    value, beside = gradient.value_and_grad(x, 50, 4)
    np.testing.assert_array_equal(alone, beside["x"])
    assert value == program["total"](x, 50, 4, backend="cpu")
    assert capfd.readouterr().out.count("total") == 3
