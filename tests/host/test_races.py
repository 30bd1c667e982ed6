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


POINTERS = """
typedef struct { double *to; const double *from; } Pair;
typedef struct { double *at[2]; } Rows;

__global__ void whole(Pair given, int n)
{
    Pair pair = given;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        pair.to[i] = sin(pair.from[i]);
}

__global__ void by_number(Rows rows, int n, int from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rows.at[0][i] = sin(rows.at[from][i]);
}

__global__ void beside(double *to, Pair given, const double *other, int n)
{
    Pair pair = given;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = sin(pair.from[i]) * other[i];
}

__global__ void listed(double **rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rows[0][i] = sin(rows[1][i]);
}

__global__ void beside_list(double *to, double **rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = sin(rows[1][i]);
}

__global__ void behind(Pair *pairs, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        pairs[1].to[i] = sin(pairs->from[i]);
}

__global__ void stored_beside(double *to, double *other, double *seen, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = sin(from[i]);
        seen[i] = to[i] * to[i];
        other[i] = 2.0;
    }
}

void members(double *x, double *y, int n, int k)
{
    double *both[2] = {x, y};
    Pair pair = {both[0], both[k]};
    whole<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(pair, n);
}

void elements(double *x, double *y, int n, int k)
{
    double *both[2] = {x, y};
    Rows rows = {{both[0], both[1]}};
    by_number<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(rows, n, k);
}

void member_beside_pointer(double *x, double *y, int n, int k)
{
    double *both[2] = {x, y};
    Pair pair = {both[0], both[k]};
    beside<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(x, pair, both[1], n);
}

void table(double *x, double *y, int n, int k)
{
    double *both[2] = {x, y}, *rows[2] = {both[0], both[k]}, **d_rows;
    cudaMalloc(&d_rows, sizeof rows);
    cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
    listed<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(d_rows, n);
    cudaFree(d_rows);
}

void table_beside_pointer(double *x, double *y, int n, int k)
{
    double *both[2] = {x, y}, *rows[2] = {both[0], both[k]}, **d_rows;
    cudaMalloc(&d_rows, sizeof rows);
    cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
    beside_list<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(x, d_rows, n);
    cudaFree(d_rows);
}

void table_of_structs(double *x, double *y, int n, int k)
{
    double *both[2] = {x, y};
    Pair pairs[2] = {{y, both[k]}, {x, x}}, *d_pairs;
    cudaMalloc(&d_pairs, sizeof pairs);
    cudaMemcpy(d_pairs, pairs, sizeof pairs, cudaMemcpyHostToDevice);
    behind<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(d_pairs, n);
    cudaFree(d_pairs);
}

void third(double *x, double *y, int n, int k)
{
    double *seen, *other;
    cudaMalloc(&seen, n * sizeof(double));
    cudaMalloc(&other, n * sizeof(double));
    stored_beside<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(x, k ? other : x, seen, y, n);
    cudaFree(seen);
    cudaFree(other);
}

void of_an_allocation(double *x, const double *y, int n, int k)
{
    double *held[2];
    cudaMalloc(&held[0], n * sizeof(double));
    cudaMalloc(&held[1], n * sizeof(double));
    cudaMemcpy(held[1], y, n * sizeof(double), cudaMemcpyDeviceToDevice);
    Pair pair = {held[0], held[k]};
    whole<<<(n + 3) / 4 + 1, dim3(4, 2)>>>(pair, n);
    cudaMemcpy(x, held[0], n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaFree(held[0]);
    cudaFree(held[1]);
}
"""
SINES = ("members", "elements", "table", "table_beside_pointer", "table_of_structs", "third", "of_an_allocation")


@pytest.mark.parametrize("options", [{}, {"optimize": False}, {"optimize": ("sums", "zeros")}, {"deterministic": True}])
@pytest.mark.parametrize("function", [*SINES, "member_beside_pointer"])
def test_pointers_that_only_the_run_tells_apart(function: str, options: dict[str, Any]) -> None:
    g = hetad.gradient(hetad.loads(POINTERS, "races.cu")[function], wrt="y", of="x", backend="cpu", **options)
    for n in (N, 4, 1):
        x, y, seed = np.linspace(0.3, 1.8, n), np.linspace(1.1, 2.2, n), np.linspace(0.5, 1.0, n)
        right = np.cos(y) if function in SINES else np.cos(y) * y + np.sin(y)
        for _ in range(2):
            np.testing.assert_allclose(g(x, y, n, 1, seeds={"x": seed})["y"], seed * right)
        perhaps = ", unless the kernel keeps its pointers apart" if function == "third" else ""
        said = rf"races\.cu:\d+:9: a race{perhaps}: threads that differ in threadIdx\.y"
        with pytest.raises(hetad.HetadError, match=said):
            g(x, y, n, 0, seeds={"x": seed})


@pytest.mark.parametrize("function", SINES)
def test_empty_arrays_do_not_race(function: str) -> None:
    g = hetad.gradient(hetad.loads(POINTERS)[function], wrt="y", of="x", backend="cpu", optimize=False)
    assert g(np.zeros(0), np.zeros(0), 0, 1, seeds={"x": np.zeros(0)})["y"].shape == (0,)


DIVIDED = """
__global__ void k(double *a, const double *b, const int *flag, int n, int q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flag[0] > 0)
        if (n / q > 100)
            a[i] += b[i];
}
void run(double *y, const double *x, const int *flag, int n, int rows)
{
    k<<<(n + 3) / 4, dim3(4, rows)>>>(y, x, flag, n, n - 19);
}
"""


def test_a_condition_that_divides_by_zero_where_it_is_not_asked() -> None:
    """It is not asked in front of the launch either."""
    g = hetad.gradient(hetad.loads(DIVIDED, "k.cu")["run"], wrt="x", of="y", backend="cpu")
    x, y, seed = np.random.default_rng(2).uniform(0.3, 0.9, (3, 19))
    np.testing.assert_array_equal(g(y, x, np.zeros(1, np.int32), 19, 1, seeds={"y": seed})["x"], np.zeros(19))
    with pytest.raises(hetad.HetadError, match=r"k\.cu:7:13: a race: threads that differ in threadIdx\.y"):
        g(y, x, np.zeros(1, np.int32), 19, 2, seeds={"y": seed})
