"""Which values all threads of a block have in common."""

from __future__ import annotations

import pytest

import hetad
from hetad import pipeline
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import PointsTo
from hetad.analysis.uniform import Uniformity
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
    program = pipeline.normalized(pipeline.reach(hetad.loads(SOURCE.format(value=value)).unit, "f"))
    kernel = program.functions["f"]
    uniform = Uniformity(Effects(PointsTo(kernel), {}), kernel.body)
    (v,) = (s.symbol for s in walk_stmts(kernel.body) if isinstance(s, ir.Declare) and s.symbol.name == "v")
    assert uniform.uniform(ir.Var(v, span=v.span)) is same
