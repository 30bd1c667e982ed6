"""Which values all threads of a block have in common, and along which axes others differ."""

from __future__ import annotations

import pytest

import hetad
from hetad import pipeline
from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import PointsTo
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts

SOURCE = """
__global__ void f(double *y, const double *x, int *count, int n)
{{
    int t = threadIdx.x;
    int v = {value};
    y[t] = v * x[t];
}}
"""


NOW: list[ir.Function] = []


def divergence(source: str) -> Divergence:
    program = pipeline.normalized(pipeline.reach(hetad.loads(source).unit, "f"))
    NOW[:] = [program.functions["f"]]
    return Divergence(NOW[0].body, Effects(PointsTo(NOW[0]), {}))


def variable(name: str) -> ir.Var:
    (symbol,) = {s.symbol for s in walk_stmts(NOW[0].body) if isinstance(s, ir.Declare) and s.symbol.name == name}
    return ir.Var(symbol, span=symbol.span)


@pytest.mark.parametrize(
    ("value", "same"),
    [
        ("2 * n", True),
        ("t", False),
        ("__syncthreads_count(t < 5)", True),
        ("__syncthreads_or(n > 5)", True),
        ("__any_sync(0xffffffff, t < 5)", False),
        ("__activemask()", False),  # the last warp may have fewer lanes
        ("__reduce_add_sync(0xffffffff, n)", False),
        ("__shfl_sync(0xffffffff, t, 0)", False),
        ("atomicAdd(count, 1)", False),
    ],
)
def test_uniform(value: str, same: bool) -> None:
    assert divergence(SOURCE.format(value=value)).uniform(variable("v")) is same


@pytest.mark.parametrize(
    ("body", "axes"),
    [
        ("v = blockIdx.x + n;", ""),
        ("v = threadIdx.x * n;", "x"),
        ("v = t + threadIdx.z;", "xz"),
        ("if (threadIdx.y < 2) v = 1;", "y"),
        ("for (int k = 0; k < t; ++k) ++v;", "x"),  # runs for as long as each thread says
        ("for (int k = 0; k < n; ++k) { if (t > k) break; ++v; }", "x"),
        ("if (t > n) return; v = n;", "x"),  # the others keep what they had
        ("int a[2] = {0, 0}; a[t % 2] = 1; v = a[0];", "x"),  # each thread has an array of its own
        ("s[t] = n; __syncthreads(); v = s[n];", ""),  # one for all
        ("s[t] = threadIdx.y; __syncthreads(); v = s[0];", "y"),
        ("if (t == 0) s[0] = n; __syncthreads(); v = s[0];", "x"),
        ("atomicAdd(&s[0], 1); __syncthreads(); v = s[0];", "*xyz"),
        ("v = atomicAdd(count, 1);", "*xyz"),
        ("count[t] = 1; v = count[0];", "*xyz"),  # not all threads need have stored theirs
        ("v = __shfl_sync(0xffffffff, n, 0);", "*xyz"),
        ("int *p = &v; *p = t;", "x"),
    ],
)
def test_axes(body: str, axes: str) -> None:
    text = "__global__ void f(double *y, int *count, int n) { __shared__ int s[32]; int t = threadIdx.x; int v = 0; %s"
    found = divergence(text % body + " y[t] = v; }")
    assert "".join(sorted(found.axes(variable("v")))) == axes


def test_positions_of_blocks() -> None:
    text = "__global__ void f(double *y, const int *x) { int v = __syncthreads_or(x[threadIdx.x]); y[v] = 1.0; }"
    found = divergence(text)
    assert found.uniform(variable("v"))
    assert found.of(variable("v")) == {("blockIdx", axis) for axis in "xyz"}  # another block may have another value
