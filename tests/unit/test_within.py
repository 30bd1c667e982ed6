"""Which calls are proven to stay within their memory, and which are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.diagnostics import MemoryAccessError
from hetad.run.adaptive import AdaptiveExecutable
from hetad.run.on_cpu import OnCpu


def ones(*shape: int) -> Any:
    return np.ones(shape)


GUARDED = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i];"
ELEMENTWISE = "__global__ void k(double *y, const double *x, double a, int n) { %s }\n" \
    "void f(double *y, const double *x, double a, int n) { k<<<(n + 31) / 32, 32>>>(y, x, a, n); }"  # fmt: skip
TILES = """
#define T 8
__global__ void mm(double *c, const double *a, const double *b, int n) {
    __shared__ double s[T][T], t[T][T];
    int i = blockIdx.y * T + threadIdx.y, j = blockIdx.x * T + threadIdx.x;
    double v = 0;
    for (int k = 0; k < n; k += T) {
        s[threadIdx.y][threadIdx.x] = a[i * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + j];
        __syncthreads();
        for (int q = 0; q < T + MORE; q++) v += s[threadIdx.y][q] * t[q][threadIdx.x];
        __syncthreads();
    }
    c[i * n + j] = v;
}
void f(double *c, const double *a, const double *b, int n) {
    dim3 grid(n / T, n / T), block(T, T);
    mm<<<grid, block>>>(c, a, b, n);
}"""
COPIES = """
__global__ void k(double *y, const double *x, int n) { int i = threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
void f(double *y, const double *x, int n, int more) {
    double *t;
    cudaMalloc(&t, n * sizeof(double));
    cudaMemcpy(t, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int s = 0; s < 3; s++) k<<<1, 64>>>(t, t, n + more);
    cudaMemcpy(y, t, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(t);
}"""
STRIDES = """
__global__ void k(double *y, const double *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[n - i - LAST];
}
void f(double *y, const double *x, int n) { k<<<2, 16>>>(y, x, n); }"""
LOCAL = "void f(double *y, int n) { double a[4]; for (int j = 0; j < n; j++) a[j] = j; y[0] = a[0] * y[0]; }"
FREED = """
void f(double *y, int n) {
    double *t = (double *)malloc(n * sizeof(double));
    for (int j = 0; j < n; j++) t[j] = y[j] * y[j];
    BEFORE
    y[0] = t[n - 1];
    AFTER
}"""
ON_DATA = """
__global__ void k(double *y, const double *x, double a, int n) { int i = threadIdx.x; if (a > 0) y[i] = x[i + 1]; }
void f(double *y, const double *x, double a, int n) { k<<<1, n>>>(y, x, a, n); }"""
ROWS = """
__global__ void k(double *y, const double *x, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h) {
        int a = i % w, b = i / w;
        if (GUARD) y[b * w + a] = x[(b + 1) * w + a - 1];
    }
}
void f(double *y, const double *x, int w, int h) { k<<<(w * h + 31) / 32, 32>>>(y, x, w, h); }"""
SHARED_NUMBER = """
__global__ void k(double *y, const double *x, int n) {
    __shared__ int last;
    last = threadIdx.x;
    __syncthreads();
    y[last] = x[threadIdx.x];
}
void f(double *y, const double *x, int n) { k<<<1, n>>>(y, x, n); }"""

OPTIONAL = "void f(double *y, const double *x, int n) { for (int j = 0; j < n; j++) if (GUARD) y[j] += x[j]; }"

PROVEN = {
    "an array that may be None, and is": (OPTIONAL.replace("GUARD", "x"), (ones(4), None, 4)),
    "an array that may be None, and is not": (OPTIONAL.replace("GUARD", "x"), (ones(4), ones(4), 4)),
    "a guard": (ELEMENTWISE % GUARDED, (ones(50), ones(50), 2.0, 50)),
    "a guard that returns": (
        ELEMENTWISE % "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; y[i] += a * x[i];",
        (ones(50), ones(50), 2.0, 50),
    ),
    "a guard beside a condition on data": (
        ELEMENTWISE % "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && x[i] > a) y[i] = x[i];",
        (ones(50), ones(50), 2.0, 50),
    ),
    "tiles": (TILES.replace("MORE", "0"), (ones(16, 16), ones(16, 16), ones(16, 16), 16)),
    "allocations and copies": (COPIES, (ones(9), ones(9), 9, 0)),
    "a loop over the grid": (STRIDES.replace("LAST", "1"), (ones(70), ones(70), 70)),
    "an array of its own": (LOCAL, (ones(2), 4)),
    "memory that is freed at the end": (FREED.replace("BEFORE", "").replace("AFTER", "free(t);"), (ones(5), 5)),
    "an access under a condition on data": (ON_DATA, (ones(8), ones(9), 1.0, 8)),
    "a row and a column of a thread": (ROWS.replace("GUARD", "a > 0 && b < h - 1"), (ones(15, 7), ones(15, 7), 7, 15)),
    "an empty launch": (ELEMENTWISE % "y[threadIdx.x] = x[threadIdx.x];", (ones(0), ones(0), 1.0, 0)),
}
NOT_PROVEN = {
    "an array that is None where data decides": (OPTIONAL.replace("GUARD", "y[j] > 0"), (ones(4), None, 4)),
    "a guard beside a condition on data, in the wrong order": (
        ELEMENTWISE % "int i = blockIdx.x * blockDim.x + threadIdx.x; if (x[i] > a && i < n) y[i] = x[i];",
        (ones(50), ones(50), -2.0, 50),
    ),
    "either of two conditions": (
        ELEMENTWISE % "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n || a > 0) y[i] = 1;",
        (ones(50), ones(50), 2.0, 50),
    ),
    "tiles that are overrun": (TILES.replace("MORE", "1"), (ones(16, 16), ones(16, 16), ones(16, 16), 16)),
    "an allocation that is overrun": (COPIES, (ones(9), ones(9), 9, 1)),
    "one before the start": (STRIDES.replace("LAST", "1 - 70"), (ones(70), ones(70), 70)),
    "an array of its own that is overrun": (LOCAL, (ones(2), 5)),
    "memory that is freed before": (FREED.replace("BEFORE", "free(t);").replace("AFTER", ""), (ones(5), 5)),
    "one row too many": (ROWS.replace("GUARD", "a > 0 || x[i] > 5"), (ones(15, 7), ones(15, 7), 7, 15)),
    "an overrun under a condition on data": (ON_DATA, (ones(8), ones(8), 1.0, 8)),
}  # fmt: skip


def plan_of(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[hetad.Function, AdaptiveExecutable]:
    monkeypatch.setenv("HETAD_CPU_MODE", "safe")
    function = hetad.loads(text)["f"]
    executable = function.compiled.primal_plan("cpu", OnCpu()).executable
    assert isinstance(executable, AdaptiveExecutable)
    return function, executable


@pytest.mark.parametrize("case", PROVEN.values(), ids=PROVEN)
def test_proven_calls_run_unchecked(case: tuple[str, tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    text, args = case
    function, executable = plan_of(text, monkeypatch)
    function(*args, backend="cpu")
    assert executable.proven


@pytest.mark.parametrize("case", NOT_PROVEN.values(), ids=NOT_PROVEN)
def test_others_are_checked(case: tuple[str, tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    text, args = case
    function, executable = plan_of(text, monkeypatch)
    with pytest.raises((MemoryAccessError, hetad.ArgumentError)):
        function(*args, backend="cpu")
    assert not executable.proven


def test_what_another_thread_sets_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    function, executable = plan_of(SHARED_NUMBER, monkeypatch)
    function(ones(4), ones(4), 4, backend="cpu")
    assert not executable.proven


def test_each_call_of_a_gradient_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CPU_MODE", "safe")
    gradient = hetad.gradient(hetad.loads(ON_DATA)["f"], wrt="x", of="y", backend="cpu")
    for _ in range(2):
        found = gradient(ones(8), ones(9), 1.0, 8, seeds={"y": np.arange(8.0)})
        np.testing.assert_allclose(found["x"], [0, *range(8)])
        assert gradient.last_report is not None
        with pytest.raises(MemoryAccessError, match="element 8 of"):
            gradient(ones(8), ones(8), 1.0, 8, seeds={"y": ones(8)})
        found = gradient(ones(8), ones(8), -1.0, 8, seeds={"y": ones(8)})
        np.testing.assert_allclose(found["x"], np.zeros(8))
