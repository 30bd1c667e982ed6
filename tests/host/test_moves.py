"""Variables that swap their values are swapped back: what a time loop over two lattices saves of them is nothing."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS

KERNEL = """
__global__ void step(double *next, const double *now, int n) {
    int i = threadIdx.x;
    if (i < n) next[i] = 0.5 * now[i] + 0.25 * now[(i + 1) % n];
}
"""
SAVED = tuple(name for name in OPTIMISATIONS if name != "moves")


def _program(moves: str, before: str = "") -> hetad.Program:
    return hetad.loads(f"""{KERNEL}
void march(double *u, double *v, double *w, int n, int steps) {{
    double *now = u, *next = v, *last = w;
    {before}
    for (int t = 0; t < steps; t++) {{
        step<<<1, 32>>>(next, now, n);
        {moves}
    }}
    step<<<1, 32>>>(last, now, n);
}}
""")


def _saved(program: hetad.Program, steps: int, optimize: bool | tuple[str, ...]) -> int:
    gradient = hetad.gradient(program["march"], wrt="u", of="w", backend="cpu", optimize=optimize)
    rng = np.random.default_rng(1)
    u, v, w, seed = rng.standard_normal((4, 20))
    gradient(u, v, w, 20, steps, seeds={"w": seed})
    assert gradient.last_report is not None
    return gradient.last_report.saved_bytes


@pytest.mark.parametrize(
    ("moves", "before", "pointers"),
    [
        ("double *t0 = now; now = next; next = t0;", "", 0),
        ("t0 = now; now = next; next = t0;", "double *t0;", 0),
        ("double *t0 = last; last = now; now = next; next = t0;", "", 0),
        ("last = now; now = next; next = last;", "", 1),  # the last but one falls out, each time
    ],
)
def test_only_what_no_variable_holds_any_more_is_saved(moves: str, before: str, pointers: int) -> None:
    program = _program(moves, before)
    more = _saved(program, 9, True) - _saved(program, 5, True)
    assert more <= 4 * pointers * 16  # a pointer and its shadow
    assert more < _saved(program, 9, SAVED) - _saved(program, 5, SAVED)


def test_the_text_of_a_swap() -> None:
    text = hetad.gradient(_program("double *t0 = now; now = next; next = t0;")["march"], wrt="u", of="w").source
    reverse = text.split("t >= 0")[1]
    assert re.search(r"double \*adj_aside = adj_now;\s+adj_now = adj_next;\s+adj_next = adj_aside;", reverse)
    assert "hetad_pop" not in reverse


@pytest.mark.parametrize(
    "moves",
    [
        "int held = a; a = b; b = c; c = held;",
        "c = b; b = a; a = t;",
        "if (t % 2) { int held = a; a = b; b = held; } else { int held = c; c = b; b = held; }",
        "int held = a; a = a; b = held; c = b;",
    ],
)
def test_numbers_that_change_places(moves: str, backend: str) -> None:
    """They are exponents of a product, so that each of them matters in each step."""
    program = hetad.loads(f"""
__global__ void turn(double *x, int a, int b, int c, int n) {{
    int i = threadIdx.x;
    if (i < n) x[i] = x[i] * (1 + 0.1 * a) + 0.01 * b * sin(x[i]) + c * 0.001 * x[i] * x[i];
}}
void march(double *x, int a, int b, int c, int n, int steps) {{
    for (int t = 0; t < steps; t++) {{
        turn<<<1, 32>>>(x, a, b, c, n);
        {moves}
    }}
}}
""")
    rng = np.random.default_rng(3)
    x, seed, towards = rng.uniform(0.2, 0.9, (3, 12))
    numbers = (3, -2, 5, 12, 6)
    gradient = hetad.gradient(program["march"], wrt="x", of="x", backend=backend)
    found = gradient(x, *numbers, seeds={"x": seed})["x"]
    ends = []
    for sign in (1, -1):
        moved = x + sign * 1e-6 * towards
        program["march"](moved, *numbers, backend=backend)
        ends.append(moved @ seed)
    assert found @ towards == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-7)
