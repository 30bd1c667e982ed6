"""Runs that lanes may have in common; tests/gradient/programs/corners_in_common.cu has the numbers."""

from __future__ import annotations

import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS

PROGRAM = """
struct Vec { double x, y, z; };
__global__ void kernel(double *out, const Vec *at, const int *list, int edge, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    double sum = 0;
    for (int c = FIRST; HEADER) {
        const Vec *v = at + (NODE);
        BODY
    }
    out[e] = sum;
}
"""
UNGATHERED = tuple(name for name in OPTIMISATIONS if name != "gather")  # which would take what is affine
TERM = "sum += v->x * v->y * v->z;"
HEADER = "0; c < 4; ++c"


def chains(node: str, body: str = TERM, header: str = HEADER, **options: object) -> int:
    """How many chains the pullback has."""
    text = PROGRAM.replace("FIRST; HEADER", header).replace("NODE", node).replace("BODY", body)
    program = hetad.loads(text)
    chosen = {"optimize": UNGATHERED, **options}
    gradient = hetad.gradient(program["kernel"], wrt="at", of="out", **chosen)  # type: ignore[arg-type]
    return gradient.source.count("hetad_add_chain_double(&")


@pytest.mark.parametrize(
    "node",
    ["e + (c & 1) + edge * (c >> 1)", "e % edge + c % 2 + (edge + 1) * (e / edge + c / 2)", "e + c", "8 * e + c"],
)
def test_pairs_of_neighbours_are_chains(node: str) -> None:
    assert chains(node) == 1
    assert chains(node, header="3; c >= 0; --c") == 1


def test_several_in_a_loop() -> None:
    assert chains("e + c", TERM + " sum += at[e + 9 + c].x * at[e + 9 + c].y * at[e + 9 + c].z;") == 2


@pytest.mark.parametrize(
    "node",
    ["e - (c & 1)", "e + 2 * c", "e + (c >> 1)", "e + c * c", "list[e] + list[c]", "e + c * edge", "e + (c & 3) / 3"],
)
def test_other_cells_are_not(node: str) -> None:
    assert chains(node) == 0


@pytest.mark.parametrize(
    "header", ["0; c < 3; ++c", "0; c < n; ++c", "1; c < 5; ++c", "0; c < 8; c += 2", "0; c < 18; ++c"]
)
def test_other_loops_are_not(header: str) -> None:
    assert chains("e + c", header=header) == 0


@pytest.mark.parametrize("body", ["if (v->x > 0) " + TERM, "sum += v->x * v->y;"])
def test_other_additions_are_not(body: str) -> None:
    assert chains("e + c", body) == 0


def test_the_option() -> None:
    assert chains("e + c", optimize="tidy") == 0
    assert chains("e + c", deterministic=True) == 0
