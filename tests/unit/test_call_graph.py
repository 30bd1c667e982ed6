"""Who calls whom."""

from __future__ import annotations

import networkx as nx

import hetad
from hetad.analysis.callgraph import bottom_up, call_sites
from hetad.ir.visit import walk_stmts
from hetad.pipeline import reach
from tests.functions import written

TEXT = """
__device__ double square(double v) { return v * v; }
__device__ double twice(double v) { return square(v) + square(v + 1); }
__global__ void k(double *y, const double *x) { y[0] = twice(x[0]) + square(x[1]); }
void f(double *y, const double *x) { k<<<1, 1>>>(y, x); }
"""


def test_callees_come_before_callers() -> None:
    program = reach(hetad.loads(TEXT).unit, "f")
    assert bottom_up(program, "f") == ("square", "twice", "k", "f")


def test_as_a_graph_of_networkx() -> None:
    network = hetad.call_graph(hetad.loads(TEXT)).network
    assert nx.descendants(network, "f") == {"k", "twice", "square"}
    assert network.edges["twice", "square"] == {"call": (3,)}
    assert network.edges["f", "k"] == {"launch": (5,)}
    assert network.nodes["k"] == {"kind": "kernel", "line": 4}


def test_calls_inside_expressions_are_sites() -> None:
    f = written(TEXT, "k")
    sites = [site for s in walk_stmts(f.body) for site in call_sites(s)]
    assert [(name, kind) for name, kind, _ in sites] == [("twice", "call"), ("square", "call")]
    assert {span.line for _, _, span in sites} == {4}
