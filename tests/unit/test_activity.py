"""Where derivatives flow: from what, to what, and where numbers may lie at all."""

from __future__ import annotations

import pytest

import hetad
from hetad.analysis.activity import Activity
from hetad.analysis.pointers import Location, Root, points_to
from hetad.ir import nodes as ir
from hetad.pipeline import normalized, reach
from tests.functions import symbols

HEAD = """
struct View { double *data; double w; int n; };
struct Rows { struct View view; double scale; };
__global__ void product(double *y, const double *a, const double *b, double *aside)
{ y[0] = a[0] * b[0]; aside[0] = 3; }
"""


def activity(parameters: str, body: str, kind: str) -> tuple[Activity, dict[str, ir.Symbol]]:
    program = normalized(reach(hetad.loads(f"{HEAD} {kind} void f({parameters}) {{ {body} }}").unit, "f"))
    f = program.functions["f"]
    return Activity(f, points_to(f), program.functions), symbols(f)


def names(locations: set[Location]) -> set[str]:
    return {x.symbol.name if isinstance(x, Root) else x.name for x in locations}


@pytest.mark.parametrize(
    ("body", "varied"),
    [
        ("y[0] = x[0];", {"x", "y"}),
        ("atomicAdd(y, x[0]);", {"x", "y"}),
        ("double old = atomicAdd(x, 1.0); y[0] = old;", {"x", "y", "old"}),
        ("double old = atomicAdd(y, x[0]);", {"x", "y", "old"}),
        ("int n = (int)x[0]; y[n] = 1;", {"x"}),
        ("double v = sin(x[0]); y[0] = v;", {"x", "y", "v"}),
        ("struct Rows r; r.view.w = x[0]; y[0] = r.view.w;", {"x", "y", "r"}),
        ("struct Rows r; r.view.data = y; r.view.data[0] = x[0];", {"x", "y"}),
        ("double v = x[0]; v = 3; y[0] = 1;", {"x", "v"}),
    ],
)
def test_what_depends_on_a_buffer(body: str, varied: set[str]) -> None:
    found, known = activity("double *y, double *x", body, "__global__")
    root = found.pointers.parameter_roots[known["x"]]
    assert names(found.varied({root})) == varied
    if "y" in varied:
        assert "x" in names(found.useful({found.pointers.parameter_roots[known["y"]]}))


def test_a_launch_passes_on_what_its_kernel_makes_of_it() -> None:
    found, known = activity(
        "double *y, double *a, double *b, double *aside, double *other", "product<<<1, 1>>>(y, a, b, aside);", ""
    )
    roots = found.pointers.parameter_roots
    assert names(found.varied({roots[known["a"]]})) == {"a", "y"}
    assert names(found.useful({roots[known["y"]]})) == {"y", "a", "b"}
    assert names(found.varied({roots[known["other"]]})) == {"other"}


def test_memory_of_whole_numbers_holds_no_derivatives() -> None:
    found, known = activity("double *y, int *at, void *bytes", "y[at[0]] = 1; cudaMemset(bytes, 0, 8);", "")
    roots = found.pointers.parameter_roots
    assert names(found.holding([roots[known[name]] for name in ("y", "at", "bytes")])) == {"y", "bytes"}
