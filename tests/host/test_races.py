"""Launches with several threads that read and write one cell: refused where the text shows them, or where they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.cli import main

PROGRAM = """
__global__ void add(double *x, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += a[i] * a[i];
}

__global__ void scale(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}

__global__ void count(double *y, double *seen, int *hits, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        seen[i] += 1.0;
        hits[i]++;
        y[i] = x[i] * x[i];
    }
}

__global__ void by_hits(double *y, int *hits, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = hits[i];
        hits[i] = k + 1;
        y[i] = x[i] * k;
    }
}

__global__ void kept_if(double *x, const double *a, double *y, int n, double level, int keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (keep > 0 && level < 0.5)
            x[i] += a[i];
        else
            y[i] = x[i] * a[i];
    }
}

void rows_if(double *x, const double *a, double *y, int n, double level, int keep)
{
    kept_if<<<(n + 7) / 8, dim3(8, 2)>>>(x, a, y, n, level, keep + 1);
}

void rows(double *x, const double *a, int n, int height)
{
    dim3 block(8, height);
    add<<<(n + 7) / 8, block>>>(x, a, n);
}

void two_pointers(double *x, double *y, int n, int height)
{
    dim3 block(8, height);
    double *p = n > 3 ? x : y;
    scale<<<(n + 7) / 8, block>>>(x, p, n);
}

__global__ void product(double *y, const double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] * b[i];
}

void square_of_one(double *x, double *y, int n)
{
    double *p = n > 100 ? x : y;
    product<<<2, dim3(8, 2)>>>(x, p, p, n);
}

void counted(double *y, double *seen, int *hits, const double *x, int n)
{
    count<<<2, dim3(8, 2)>>>(y, seen, hits, x, n);
}

void weighed(double *y, int *hits, const double *x, int n)
{
    by_hits<<<2, dim3(8, 2)>>>(y, hits, x, n);
}
"""
N = 13


def gradient(function: str, wrt: str, of: str, *args: Any, optimize: bool = True, **launch: Any) -> np.ndarray:
    g = hetad.gradient(hetad.loads(PROGRAM, "races.cu")[function], wrt=wrt, of=of, backend="cpu", optimize=optimize)
    found: np.ndarray = g(*args, seeds={of: np.ones(N)}, **launch)[wrt]
    return found


@pytest.mark.parametrize("optimize", [True, False])
def test_a_shape_that_only_the_call_tells(optimize: bool) -> None:
    a = np.linspace(0.3, 1.8, N)
    np.testing.assert_allclose(gradient("rows", "a", "x", np.zeros(N), a, N, 1, optimize=optimize), 2 * a)
    with pytest.raises(hetad.HetadError, match=r"races\.cu:6:9: a race: threads that differ in threadIdx\.y alone"):
        gradient("rows", "a", "x", np.zeros(N), a, N, 3, optimize=optimize)


def test_an_empty_grid_does_not_race() -> None:
    g = hetad.gradient(hetad.loads(PROGRAM, "races.cu")["rows"], wrt="a", of="x", backend="cpu")
    assert not np.any(g(np.zeros(N), np.ones(N), 0, 3, seeds={"x": np.ones(N)})["a"])


@pytest.mark.parametrize(
    ("grid", "block", "racing"), [(2, 8, False), (2, (8, 2), True), ((2, 1, 2), 8, True), ((2, 1), (8, 1, 1), False)]
)
def test_a_kernel_by_itself(grid: Any, block: Any, racing: bool) -> None:
    a = np.linspace(0.3, 1.8, N)
    if racing:
        with pytest.raises(hetad.HetadError, match=r"threads that differ in threadIdx\.y, threadIdx\.z, blockIdx"):
            gradient("add", "a", "x", np.zeros(N), a, N, grid=grid, block=block)
    else:
        np.testing.assert_allclose(gradient("add", "a", "x", np.zeros(N), a, N, grid=grid, block=block), 2 * a)


def test_stores_that_arguments_rule_out() -> None:
    x, a = np.linspace(1.1, 2.2, N), np.linspace(0.3, 1.8, N)
    for level, keep in ((0.4, -1), (0.7, 3)):
        np.testing.assert_allclose(gradient("rows_if", "a", "y", x, a, np.zeros(N), N, level, keep), x)
    with pytest.raises(hetad.HetadError, match=r"a race: threads that differ in threadIdx\.y alone"):
        gradient("rows_if", "a", "y", x, a, np.zeros(N), N, 0.4, 0)


def test_stores_of_one_value_need_no_look() -> None:
    source = hetad.gradient(hetad.loads(PROGRAM)["scale"], wrt="x", of="y").source
    assert "a race" not in source
    x = np.linspace(0.3, 1.8, N)
    np.testing.assert_allclose(gradient("scale", "x", "y", np.zeros(N), x, N, grid=(2, 2), block=(8, 3)), 2 * x)


def test_two_pointers_that_may_be_one() -> None:
    x, y = np.linspace(0.3, 1.8, N), np.linspace(1.1, 2.2, N)
    first = gradient("two_pointers", "x", "x", x.copy(), y, N, 1)
    np.testing.assert_allclose(first, 2 * x)
    with pytest.raises(hetad.HetadError, match="a race"):
        gradient("two_pointers", "x", "x", x.copy(), y, N, 2)
    np.testing.assert_allclose(gradient("two_pointers", "y", "x", x.copy(), y, 3, 2)[:3], 2 * y[:3])


def test_an_array_that_is_read_twice() -> None:
    x, y = np.linspace(0.3, 1.8, N), np.linspace(1.1, 2.2, N)
    np.testing.assert_allclose(gradient("square_of_one", "y", "x", x, y, N), 2 * y)


def test_what_enters_no_derivative_may_race() -> None:
    x = np.linspace(0.3, 1.8, N)
    hits = np.zeros(N, np.int32)
    np.testing.assert_allclose(gradient("counted", "x", "y", np.zeros(N), np.zeros(N), hits, x, N), 2 * x)
    with pytest.raises(hetad.UnsupportedError, match=r"races\.cu:31:9: a race: .* one cell of 'hits'"):
        gradient("weighed", "x", "y", np.zeros(N), hits, x, N)


def test_check_finds_races(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "program.cu"
    path.write_text(PROGRAM + "\nvoid three(double *x, const double *a, int n) { add<<<2, dim3(8, 3)>>>(x, a, n); }\n")
    assert main(["check", str(path), "three"]) == 1
    said = capsys.readouterr().out.replace("\n", " ")
    assert "program.cu:6:9" in said
    assert "a race: threads that differ in threadIdx.y alone read and write one cell of 'x'" in said
    assert main(["check", str(path), "rows"]) == 0
