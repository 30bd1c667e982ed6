"""Pictures of call graphs."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetad.cli import main
from hetad.draw.graph import Edge, Graph, Node
from hetad.draw.layout import layout
from hetad.draw.svg import svg
from hetad.draw.text import dot, mermaid

SVG = "{http://www.w3.org/2000/svg}"

EXAMPLE = Graph(
    (
        Node("end", "host", 30),
        Node("step", "host", 20),
        Node("kernel", "kernel", 10),
        Node("helper", "device", 1),
        Node("thrust_sort", "unsupported"),
    ),
    (
        Edge("end", "step", "call", (31,)),
        Edge("step", "kernel", "launch", (21, 22)),
        Edge("kernel", "helper", "call", (11,)),
        Edge("end", "kernel", "launch", (32,)),
        Edge("helper", "helper", "call", (2,)),
    ),
)


def test_callees_are_right_of_their_callers() -> None:
    column = layout(EXAMPLE).column
    assert column["end"] < column["step"] < column["kernel"] < column["helper"]


def test_an_arrow_over_several_columns_has_waypoints() -> None:
    placed = layout(EXAMPLE)
    assert [column for column, _ in placed.waypoints[3]] == [1]
    assert placed.backward == {4}


def test_mutual_recursion_is_laid_out() -> None:
    graph = Graph(
        (Node("a", "host", 1), Node("b", "host", 2)), (Edge("a", "b", "call", (1,)), Edge("b", "a", "call", (2,)))
    )
    placed = layout(graph)
    assert placed.column == {"a": 0, "b": 1}
    assert placed.backward == {1}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25, unique=True))
def test_no_two_boxes_overlap(pairs: list[tuple[int, int]]) -> None:
    nodes = tuple(Node(f"f{i}", "host", i) for i in range(10))
    graph = Graph(nodes, tuple(Edge(f"f{a}", f"f{b}", "call", (1,)) for a, b in pairs))
    placed = layout(graph)
    for i, edge in enumerate(graph.edges):
        assert (i in placed.backward) or placed.column[edge.caller] < placed.column[edge.callee]
    spots = sorted((placed.column[n.name], placed.row[n.name]) for n in nodes)
    for (c, r), (d, s) in itertools.pairwise(spots):
        assert c != d or s - r > 0.999


def test_svg_shows_every_function_and_arrow() -> None:
    root = ET.fromstring(svg(EXAMPLE, "a <title>"))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {node.name for node in EXAMPLE.nodes} <= set(texts)
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert titles[0] == "a <title>"
    assert "step launches kernel (lines 21, 22)" in titles
    assert "end calls step (line 31)" in titles
    arrows = [e for e in root.iter(f"{SVG}path") if e.find(f"{SVG}title") is not None]
    assert len(arrows) == len(EXAMPLE.edges)
    assert sum("launch" in arrow.get("marker-end", "") for arrow in arrows) == 2


def test_boxes_lie_within_the_picture() -> None:
    root = ET.fromstring(svg(EXAMPLE, "t"))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for box in root.iter(f"{SVG}rect"):
        if box.get("x") is not None:
            x, y, w, h = (float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
            assert 0 <= x < x + w <= width
            assert 0 <= y < y + h <= height


def test_an_empty_graph_is_drawn() -> None:
    ET.fromstring(svg(Graph((), ()), "nothing"))


def test_mermaid() -> None:
    text = mermaid(EXAMPLE)
    assert text.startswith("flowchart LR\n")
    assert "f_step ==>|launch| f_kernel" in text
    assert "f_kernel --> f_helper" in text
    assert 'f_end(["end<br/><small>host, line 30</small>"])' in text, "a word of Mermaid's own needs a prefix"


@pytest.mark.parametrize("part", ['"step" -> "kernel" [style=bold', '"kernel" -> "helper";', "digraph program {"])
def test_dot(part: str) -> None:
    assert part in dot(EXAMPLE)


# --- names as users write them, and what is hetad's own ---------------------------------------------

OWN = """
#include <algorithm>
template <typename T, int N> __global__ void scale(T *x) { x[threadIdx.x] *= N; }
template <typename T> __device__ T half_of(T v) { return v / 2; }
struct Pair { double a, b; __host__ __device__ double sum() const { double s = a; s += b; return s; } };
__global__ void halves(float *x) { x[threadIdx.x] = half_of(x[threadIdx.x]); }
void run(float *x, double *y, int n)
{
    scale<float, 3><<<1, 8>>>(x);
    halves<<<1, 8>>>(x);
    Pair p{y[0], y[1]};
    std::for_each(y, y + n, [&](double &v) { v *= p.sum(); });
}
"""


def test_names_are_as_the_user_wrote_them_and_nothing_is_hetads_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "own.cu"
    source.write_text(OWN, encoding="utf-8")
    assert main(["graph", str(source), "run", "--format", "dot"]) == 0
    text = capsys.readouterr().out
    labels = re.findall(r'label="([^"\\]*)\\n', text)
    assert labels == ["scale<float, 3>", "half_of<float>", "Pair::sum", "halves", "run", "lambda"]
    arrows = re.findall(r'"(\w+)" -> "(\w+)"', text)
    assert ("run", "run_lambda_call") in arrows
    assert ("run_lambda_call", "Pair_sum") in arrows
    assert main(["graph", str(source), "run", "--format", "svg"]) == 0
    ET.fromstring(capsys.readouterr().out)
