"""Shuffles whose lanes may change in a loop; volatile data that has a derivative; what pointers may lead to."""

from __future__ import annotations

import pytest

from hetad.analysis.divergence import exchanges_among_changing_lanes
from hetad.analysis.pointers import points_to
from hetad.analysis.volatile import refuse_active_volatile
from hetad.analysis.webs import pointed_at
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import walk_stmts
from tests.functions import function, symbols

KERNEL = """
__global__ void f(double *x, const unsigned *masks, unsigned given, int n)
{{
    unsigned m = given, fixed = 15u;
    double v = x[threadIdx.x];
    for (int k = 0; k < n; k++) {{ {body} }}
    x[threadIdx.x] = v;
}}
"""


@pytest.mark.parametrize(
    ("body", "changing"),
    [
        ("v += __shfl_down_sync(0xffffffffu, v, 1);", False),
        ("v += __shfl_down_sync(15u, v, 1);", False),
        ("v += __shfl_down_sync(given, v, 1);", False),
        ("v += __shfl_down_sync(m, v, 1);", False),
        ("unsigned own = given | 1u; v += __shfl_down_sync(own, v, 1);", False),
        ("v += __shfl_down_sync(m, v, 1); m >>= 1;", True),
        ("m = given << k; v += __shfl_down_sync(m, v, 1);", True),
        ("unsigned own = 1u << k; v += __shfl_down_sync(own, v, 1);", True),
        ("v += __shfl_down_sync(masks[k], v, 1);", True),
        ("v += __shfl_down_sync(m, -1, 1); m >>= 1;", True),
        ("if (v > 1) m = 3u; v += __shfl_down_sync(m, v, 1);", True),
    ],
)
def test_lanes_that_exchange_in_a_loop(body: str, changing: bool) -> None:
    f = function(KERNEL.format(body=body))
    (loop,) = (s for s in walk_stmts(f.body) if isinstance(s, ir.For))
    assert (exchanges_among_changing_lanes(loop) is not None) == changing


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ("x[0] = y[0] * v[0];", True),
        ("x[0] = v[0] * y[0];", True),
        ("x[0] = y[0] * w[0];", False),  # which has no derivative
        ("x[0] = y[0] * n[0];", False),  # a whole number
    ],
)
def test_active_volatile_data_is_refused_wherever_it_stands(body: str, refused: bool) -> None:
    head = "double *x, const double *y, volatile double *v, volatile double *w, volatile int *n"
    f = function(f"__global__ void f({head}) {{ {body} }}")
    pointers, known = points_to(f), symbols(f)
    active = {pointers.parameter_roots[known[name]] for name in "xyv"} | ({known["s"]} if "s" in known else set())
    if not refused:
        refuse_active_volatile(f, pointers, active)
        return
    with pytest.raises(UnsupportedError, match="active data is volatile"):
        refuse_active_volatile(f, pointers, active)


@pytest.mark.parametrize(
    ("body", "pointed"),
    [
        ("int a = 1; int *p = &a; p[0] = n;", {"a"}),
        ("int *p; cudaMalloc((void **)&p, 4); cudaMemset(p, 0, 4);", set()),  # which only puts a pointer there
        ("int a = n; cudaMemcpy(x, &a, 4, cudaMemcpyHostToDevice);", set()),
        ("int a; cudaMemcpy(&a, x, 4, cudaMemcpyDeviceToHost);", {"a"}),
    ],
)
def test_variables_that_pointers_may_lead_to(body: str, pointed: set[str]) -> None:
    f = function(f"void f(int *x, int n) {{ {body} }}")
    assert {x.name for x in pointed_at(f.body, lambda _: True)} == pointed
