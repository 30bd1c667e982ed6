"""`hetad.gradcheck`, `hetad.taylor_test` and `hetad.dot_product_test`: right and wrong gradients, and functions that
have none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.checks.suspects import place
from hetad.cli import main

PROGRAM = """
__host__ __device__ double power(double x) { return x * x * x; }
__global__ void kernel(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * power(x[i]);
}
__global__ void clipped(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? 2 * x[i] : 0;
}
__global__ void race(double *y, const double *x, int n) { if (threadIdx.x < n) y[0] = x[threadIdx.x]; }
double total(const double *x, double unused, double whole, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += power(x[i]) + floor(whole);
    return s;
}
double line(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += 3 * x[i]; return s; }
float single(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i]; return s; }
"""
N = 12
LAUNCH: Mapping[str, Any] = {"grid": 1, "block": 32, "backend": "cpu"}


def program(rule: str | None = None) -> hetad.Program:
    """With a rule of the user's for `power`, which hetad believes."""
    found = hetad.loads(PROGRAM, "hand.cu")
    if rule is not None:
        head = "__host__ __device__ void power_pullback(double x, double seed, double *adj_x)"
        hetad.pullback(found, "power", cuda=f"{head} {{ {rule} }}")
    return found


def point() -> tuple[Any, ...]:
    return np.zeros(N), np.random.default_rng(4).uniform(0.5, 1.5, N), 2, N


def test_a_right_gradient() -> None:
    kernel, arguments = program()["kernel"], point()
    kept = arguments[1].copy()
    report = hetad.gradcheck(kernel, arguments, **LAUNCH)
    assert report
    assert {row.parameter for row in report.rows} == {"x", "a", ""}
    assert report.notes == ()
    np.testing.assert_array_equal(arguments[1], kept)
    assert hetad.dot_product_test(kernel, arguments, **LAUNCH)
    test = hetad.taylor_test(kernel, arguments, **LAUNCH)
    assert test
    assert test.order == pytest.approx(2, abs=0.1)


def test_a_gradient_in_place_of_a_function() -> None:
    g = hetad.gradient(program()["kernel"], wrt="x", of="y", backend="cpu", deterministic=True)
    assert hetad.gradcheck(g, point(), grid=1, block=32)
    assert hetad.taylor_test(g, point(), grid=1, block=32)
    with pytest.raises(hetad.ArgumentError, match="a gradient has its own wrt, of, backend and options"):
        hetad.gradcheck(g, point(), wrt="a", grid=1, block=32)


def test_one_wrong_component_is_found() -> None:
    arguments = point()
    arguments[1][7] = 100.0
    kernel = program("if (x < 50) *adj_x += seed * 3 * x * x;")["kernel"]
    report = hetad.gradcheck(kernel, arguments, samples=1, **LAUNCH)
    assert not report
    failed = [row for row in report.rows if row.verdict == "failed"]
    assert [row.check for row in failed] == ["x"]
    (component,) = failed[0].components
    assert component.place == "x[7]"
    assert component.found == 0
    assert "x[7]: gradient 0, differences" in str(report)


def test_some_of_many_wrong_components_are_told() -> None:
    report = hetad.gradcheck(program("*adj_x += seed * 3.003 * x * x;")["kernel"], point(), samples=1, **LAUNCH)
    (row,) = (row for row in report.rows if row.verdict == "failed")
    assert [c.place for c in row.components] == ["x[0]", "x[1]", "x[2]", "x[3]"]
    assert all(c.found == pytest.approx(1.001 * c.expected) for c in row.components)


def test_a_gradient_that_is_zero_everywhere() -> None:
    report = hetad.gradcheck(program("")["kernel"], point(), wrt="x", samples=1, **LAUNCH)
    assert "the gradient is zero everywhere, the differences are not; wrong at x[0]" in str(report)


def test_a_function_that_is_not_smooth_here_is_no_wrong_gradient() -> None:
    y, x, _, n = point()
    x[3] = 0.0
    report = hetad.gradcheck(program()["clipped"], (y, x, n), samples=1, **LAUNCH)
    assert not report
    (row,) = (row for row in report.rows if row.parameter == "x")
    assert row.verdict == "unsure"
    assert "the function is not smooth here" in row.note
    assert "the gradient lies between; it bends along x[3]" in row.note


def test_what_has_no_influence_is_told() -> None:
    _, x, _, n = point()
    report = hetad.gradcheck(program()["total"], (x, 1.0, 1.5, n), backend="cpu", samples=1)
    assert report
    assert report.notes == (
        "warning: unused has no influence: no derivative of the return value leads to it",
        "warning: whole has no influence here: gradient and differences are zero; try other inputs",
    )


def test_a_zero_gradient_where_differences_are_rounding() -> None:
    """The sum changes with x in its last bits, up and down, and else not."""
    source = """
    double f(const double *x, int n)
    {
        double s = 0;
        for (int i = 0; i < n; i++) s = (s + 7.7) + floor(x[i]);
        return s + 4e-15 * fmod(floor(1e12 * x[0]), 7.0);
    }
    """
    report = hetad.gradcheck(hetad.loads(source)["f"], (point()[1], N), backend="cpu", samples=1)
    (row,) = (row for row in report.rows if row.parameter == "x")
    assert (row.verdict, row.found) == ("passed", 0.0)
    assert row.expected


def test_a_race_is_a_failure() -> None:
    y, x, _, n = point()
    with pytest.raises(hetad.RaceError, match="a race in kernel race"):
        hetad.gradcheck(program()["race"], (y, x, n), **LAUNCH)


def test_the_taylor_test_of_a_wrong_gradient_a_linear_function_and_of_floats() -> None:
    wrong = hetad.taylor_test(program("*adj_x += seed * 3.1 * x * x;")["kernel"], point(), **LAUNCH)
    assert not wrong
    assert wrong.order == pytest.approx(1, abs=0.1)
    _, x, _, n = point()
    straight = hetad.taylor_test(program()["line"], (x, n), backend="cpu")
    assert straight
    assert straight.order == np.inf
    assert hetad.taylor_test(program()["single"], (x.astype(np.float32), n), backend="cpu")


def test_the_plot_of_a_taylor_test(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    axes = hetad.taylor_test(program()["kernel"], point(), **LAUNCH).plot()
    labels = [line.get_label() for line in axes.get_lines()]
    assert labels[:2] == ["change of the function", "less the gradient's part: order 2.00"]
    path = tmp_path / "taylor.svg"
    sample = Path(__file__).parents[2] / "samples" / "axpy.toml"
    assert main(["gradcheck", str(sample), "--backend", "cpu", "--no-racecheck", "--plot", str(path)]) == 0
    assert path.read_text().startswith("<?xml")


def test_what_cannot_be_moved_is_refused() -> None:
    kernel = program()["kernel"]
    y, x, a, n = point()
    with pytest.raises(hetad.ArgumentError, match=r"argument 'x': expected an array, to be moved"):
        hetad.gradcheck(kernel, (y, list(x), a, n), **LAUNCH)
    with pytest.raises(hetad.ArgumentError, match=r"batch=: sets are checked one at a time"):
        hetad.gradcheck(kernel, (y, x, a, n), batch=2, **LAUNCH)
    with pytest.raises(hetad.ArgumentError, match="expected a function of a loaded program"):
        hetad.gradcheck(lambda x: x, (x,))  # type: ignore[arg-type]


def test_components_are_named_as_in_c() -> None:
    assert place("x", np.zeros((2, 3)), 4) == "x[1, 1]"
    assert place("p", {"a": 1.0, "b": np.zeros(2)}, 2) == "p.b[1]"
    records = np.zeros(3, [("m", "f8"), ("n", "i4"), ("v", "f8", (2,))])
    assert place("b", records, 1) == "b[1].m"
    assert place("b", records, 4) == "b[0].v[1]"
    assert place("a", 1.0, 0) == "a"


def test_what_a_program_keeps_is_named_where_differences_are_of_calls() -> None:
    program = hetad.loads("""
    double counted(double x) { static int calls; calls++; return x * x * calls; }
    double cached(double x) { static double w; static int made; if (!made) { w = 3; made = 1; } return w * x * x; }
    """)
    report = hetad.gradcheck(program["counted"], (1.5,), wrt="x", backend="cpu")
    assert not report
    (note,) = report.notes
    assert note.startswith("note: counted keeps calls from call to call")
    report = hetad.gradcheck(program["cached"], (1.5,), wrt="x", backend="cpu")
    assert report
    assert not report.notes
