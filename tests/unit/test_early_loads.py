"""What a pullback reads of memory, asked for before it computes (device/early_loads.py)."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from tests.oracle import check_gradient

TEMPLATE = """
__global__ void k(double *y, double *z, const double *x, const int *kind, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        %s
    }
}

void run(double *y, double *z, const double *x, const int *kind, int n)
{
    k<<<(n + 7) / 8, 8>>>(y, z, x, kind, n);
}
"""
COMPUTED = "double u = x[i], v = exp(u) / (1 + sqrt(u)), w = v; if (v > 2) w = log(v) * u;"
MOVED = {
    "a seed": (f"{COMPUTED} y[i] = sin(w);", "adj_y[i]"),
    "seeds": (f"{COMPUTED} y[i] = sin(w); z[i] = w * v;", "adj_z[i]"),
    "a condition": (f"{COMPUTED} if (kind[i] > 0) y[i] = sin(w) * u;", "kind[i]"),
}
TURNS = "double sum = 0; for (int j = 0; j < 4; j++) sum += x[i] * sin(x[(i + j) % n]) + j * x[i]; y[i] = sum;"
DIVIDED = "double s[3]; for (int j = 0; j < 3; j++) s[j] = z[i] * (j + 1) / x[(i + 1) % n]; y[i] = s[0] * s[1] + s[2];"
KEPT = {
    "nothing is computed before": ("y[i] = x[i] * x[i];", "adj_y[i]"),
    "under a condition": (f"{COMPUTED} if (u < 1) y[i] = sin(w) * u;", "adj_y[i]"),
    "where it is computed": (f"{COMPUTED} y[(int)(w * 0.0) + i] = sin(w);", "adj_y[(int)(w * 0.0) + i]"),
}
# A variable that has been given what memory holds, and goes on to other values.
CHANGED = {
    "later": f"{COMPUTED} double t = x[i]; t += sin(w); y[i] = t * x[i];",
    "in a loop": f"{COMPUTED} double t = x[i]; for (int j = 0; j < 3; j++) t += sin(w) * t; y[i] = t * x[i] + t * u;",
    "in the loop that reads": f"{COMPUTED} double t = x[i]; for (int j = 0; j < 3; j++) t += sin(t) * x[i]; y[i] = t;",
    "in one branch": f"{COMPUTED} double t = x[i]; if (w > 1) t = exp(v); y[i] = sin(t) * x[i] + x[i];",
    "memory, too": f"{COMPUTED} double t = y[i]; y[i] = y[i] * sin(w) + t; t += y[i]; y[i] += t * y[i] * x[i];",
    "one of two": f"{COMPUTED} double t = x[i], r = x[i]; t *= w; y[i] = x[i] * t + r * x[i]; r = t; y[i] += r * x[i];",
    "by address": f"{COMPUTED} double t = x[i]; double *p = &t; *p *= sin(w); y[i] = t * x[i] + x[i];",
}


def kernel(body: str) -> str:
    program = hetad.loads(TEMPLATE % body, "k.cu")
    source = hetad.gradient(program["run"], wrt=("x", "y", "z"), of=("y", "z"), backend="cuda").source
    found = re.search(r"void k_pullback\w*\(.*?\n}", source, re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("name", MOVED)
def test_moved(name: str) -> None:
    body, load = MOVED[name]
    text = kernel(body)
    assert text.index(f"= {load};") < text.index("exp(")


def test_what_each_turn_of_a_loop_reads() -> None:
    text = re.sub("//.*", "", kernel(TURNS))
    assert text.index("const double x_i = x[i];") < text.index("for (int j")
    assert "x[i]" not in text[text.index("for (int j") :].replace("adj_x[i]", "")


def test_what_seeds_are_divided_by_in_each_turn() -> None:
    """It is read whatever the seed is, as the program has read it; one division is left."""
    text = re.sub("//.*", "", kernel(DIVIDED))
    assert text.index("= x[(i + 1) % n];") < text.index("for (int j")
    assert set(re.findall(r"\S+ / \w+;", text[text.index("adj_y[i]") :])) <= {"1.0 / x_here;"}


@pytest.mark.parametrize("name", KEPT)
def test_stays_where_it_was(name: str) -> None:
    body, load = KEPT[name]
    text = kernel(body)
    assert "exp(" not in text or text.index(load) > text.index("exp(")


@pytest.mark.parametrize("name", [*MOVED, *KEPT, *CHANGED, "turns", "divided"])
def test_gradient(name: str, backend: str) -> None:
    rng = np.random.default_rng(3)
    y, z, x = rng.uniform(0.3, 2.4, (3, 21))
    kind = rng.integers(-1, 2, 21).astype(np.int32)
    bodies = {**{each: body for each, (body, _) in {**MOVED, **KEPT}.items()}, **CHANGED}
    bodies |= {"turns": TURNS, "divided": DIVIDED}
    source = TEMPLATE % bodies[name]
    check_gradient(
        source, "run", [y, z, x, kind, 21], wrt=("x", "y", "z"), of=("y", "z"), backend=backend,
        settings=[{}, {"optimize": "early"}, {"optimize": ("needed", "tidy", "early")}, {"optimize": False}],
    )  # fmt: skip
