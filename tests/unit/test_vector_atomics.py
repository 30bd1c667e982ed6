"""Runs of doubles in threads that compute little, or long, for what they add."""

from __future__ import annotations

import pytest

import hetad

PROGRAM = """
struct Vec { double x, y, z; };
__global__ void kernel(double *out, const Vec *table, const double *k, const int *list, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    double sum = 1;
    Vec rows[8];
    for (int turn = 0; turn < TURNS; ++turn) {
        for (int c = 0; c < CORNERS; ++c)
            rows[c] = table[list[8 * e + c]];
        double s = 1;
        for (int m = 0; m < WORK; ++m)
            s += sin(s * k[e]);
        for (int c = 0; c < CORNERS; ++c)
            sum += s * rows[c].x * rows[c].y * rows[c].z;
    }
    out[e] = sum;
}
"""


def additions(turns: str, corners: str, work: int) -> set[str]:
    """How the pullback adds its runs."""
    text = PROGRAM.replace("TURNS", turns).replace("CORNERS", corners).replace("WORK", str(work))
    source = hetad.gradient(hetad.loads(text)["kernel"], wrt="table", of="out").source
    body = source[source.index("kernel_pullback(") : source.index("kernel_grad(")]
    return {name for name in ("run", "each") if f"hetad_add_{name}_double(" in body}


@pytest.mark.parametrize("turns", ["1", "n"])
def test_what_is_done_around_loops_of_known_length_counts(turns: str) -> None:
    assert additions(turns, "8", 1) == {"run"}
    assert additions(turns, "8", 60) == {"each"}


def test_what_is_done_around_other_loops_does_not() -> None:
    assert additions("1", "k[0] > 0 ? 4 : 8", 60) == {"run"}
