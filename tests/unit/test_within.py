"""Which calls are proven to stay within their memory, and which are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad
from hetad.diagnostics import MemoryAccessError
from hetad.run.adaptive import AdaptiveExecutable
from hetad.run.running import Running
from hetad.targets.places import Places


@pytest.fixture(autouse=True)
def where_nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that do not say what is checked have it checked there, as they have for users."""
    monkeypatch.delenv("HETAD_CPU_MODE", raising=False)


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

TREE = """
__global__ void k(double *y, const double *x) {
    __shared__ double s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    for (LOOP) { __syncthreads(); if (GUARD) s[t] += s[INDEX]; }
    __syncthreads();
    if (t == 0) y[0] = s[0];
}
void f(double *y, const double *x) { k<<<1, 64>>>(y, x); }"""
HALVED = TREE.replace("LOOP", "int w = blockDim.x / 2; w > 0; w HALF")
DOUBLED = TREE.replace("LOOP", "int w = 1; w < 64; w TWICE")
TURNS = """
__global__ void k(double *next, const double *now, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) next[i] = now[i - 1] + now[i + MORE];
}
void f(double *y, double *x, int n, int steps) {
    double *now = x, *next = y;
    for (int s = 0; s < steps; s++) {
        k<<<(n + 31) / 32, 32>>>(next, now, n);
        double *last = now;
        now = next;
        next = last;
    }
}"""
IN_A_LOOP = """
__global__ void k(double *y, double *t, const double *x, int n) {
    int i = threadIdx.x;
    if (i < n) { t[i] = x[i] * x[i]; y[i] += t[i]; }
}
void f(double *y, const double *x, int n, int steps) {
    double *t = 0;
    for (int s = 0; s < steps; s++) {
        BEFORE
        cudaMalloc(&t, n * sizeof(double));
        k<<<1, 64>>>(y, t, x, n);
        BETWEEN
        cudaFree(t);
    }
    AFTER
}"""
OF_DATA = """
__global__ void k(double *y, const double *x, const int *at, int n) {
    int i = threadIdx.x;
    int j = at[i];
    if (GUARD) y[i] = x[j];
}
void f(double *y, const double *x, const int *at, int n) { k<<<1, 8>>>(y, x, at, n); }"""
AT = np.array([0, 3, 2, 1, 8, 5, 6, 7], np.int32)
CHOSEN = """
__global__ void k(double *y, const double *x, int which, int n) {
    int i = threadIdx.x;
    switch (which) {
        case 0: y[i] = x[i]; break;
        case 1: y[i] = x[i + 1]; break;
        default: y[i] = x[n - 1 - i];
    }
}
void f(double *y, const double *x, int which, int n) { k<<<1, n>>>(y, x, which, n); }"""

OPTIONAL = "void f(double *y, const double *x, int n) { for (int j = 0; j < n; j++) if (GUARD) y[j] += x[j]; }"

IN_STRUCTS = """
struct Field { double *at; int n; };
struct Model { Field a, b; int steps; };
__global__ void k(const Model *m) {
    int i = threadIdx.x + MORE;
    if (i < m->a.n) m->b.at[i] += 2 * m->a.at[i];
}
void f(double *y, const double *x, int n) {
    Model host, *device;
    host.steps = 3;
    host.a.n = host.b.n = n;
    cudaMalloc(&host.a.at, n * sizeof(double));
    host.b.at = y;
    cudaMemcpy(host.a.at, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMalloc(&device, sizeof(Model));
    BEFORE
    cudaMemcpy(device, &host, sizeof(Model), cudaMemcpyHostToDevice);
    for (int s = 0; s < host.steps; s++) k<<<1, 64>>>(device);
    cudaFree(host.a.at);
    cudaFree(device);
}"""
OWNERS = """
void f(double *y, const double *x, int n, int steps) {
    double *t = (double *)malloc(n * sizeof(double));
    long *owners = (long *)malloc(sizeof(long));
    *owners = 1;
    for (int s = 0; s < steps; s++) {
        *owners += 1;
        for (int i = 0; i < n; i++) t[i] = x[i];
        y[0] += t[n - 1];
        *owners -= LESS;
        if (*owners == 0) free(t);
    }
}"""
SPARSE = """
__global__ void k(double *y, const double *v, const double *x, const int *first, const int *at, int n) {
    int i = threadIdx.x;
    if (i < n)
        for (int j = first[i]; j < first[i + 1]; j++) y[i] += v[j] * x[at[j]];
}
void f(double *y, const double *v, const double *x, const int *first, const int *at, int n) {
    k<<<1, 32>>>(y, v, x, first, at, n);
}"""
FIRST, COLUMNS = np.array([0, 2, 2, 5], np.int32), np.array([0, 3, 1, 2, 0], np.int32)
MOVED = """
void f(double *y, const double *x, int *at, int n) {
    AGAIN
    for (int i = 0; i < n; i++) y[i] = x[at[i]];
}"""
TABLE = """
__constant__ int step[3] = {-1, 0, 1};
__global__ void k(double *y, const double *x, int n) {
    int i = threadIdx.x + 1;
    for (int c = 0; c < 3; c++) if (i != n - MORE) y[i] += x[i + step[c]];
}
void f(double *y, const double *x, int n) { k<<<1, n - 1>>>(y, x, n); }"""
CLAMPED = ELEMENTWISE % "int i = threadIdx.x, j = min(max(i + 2, 0), n - LAST); y[i] += x[j] + x[i > 0 ? i - 1 : i];"

PROVEN = {
    "pointers in a struct on the device": (
        IN_STRUCTS.replace("MORE", "0").replace("BEFORE", ""),
        (ones(20), ones(20), 20),
    ),
    "memory that has a last owner": (OWNERS.replace("LESS", "1"), (ones(1), ones(5), 5, 3)),
    "rows and columns of data": (SPARSE, (ones(3), ones(5), ones(4), FIRST, COLUMNS, 3)),
    "places in an array that is read": (MOVED.replace("AGAIN", ""), (ones(8), ones(9), AT.copy(), 8)),
    "steps of a table": (TABLE.replace("MORE", "1"), (ones(9), ones(9), 9)),
    "indices that are clamped": (CLAMPED.replace("LAST", "1"), (ones(32), ones(32), 1.0, 32)),
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
    "a tree that is halved": (
        HALVED.replace("HALF", "/= 2").replace("GUARD", "t < w").replace("INDEX", "t + w"),
        (ones(1), ones(64)),
    ),
    "a tree that is shifted": (
        HALVED.replace("HALF", ">>= 1").replace("GUARD", "t < w").replace("INDEX", "t + w"),
        (ones(1), ones(64)),
    ),
    "a scan": (
        DOUBLED.replace("TWICE", "*= 2").replace("GUARD", "t >= w").replace("INDEX", "t - w"),
        (ones(1), ones(64)),
    ),
    "buffers that take turns": (TURNS.replace("MORE", "1"), (ones(50), ones(50), 50, 3)),
    "memory of each step": (
        IN_A_LOOP.replace("BEFORE", "").replace("BETWEEN", "").replace("AFTER", ""),
        (ones(9), ones(9), 9, 3),
    ),
    "an index of data within a guard": (OF_DATA.replace("GUARD", "j >= 0 && j < n"), (ones(8), ones(8), AT, 8)),
    "a choice of the host": (CHOSEN, (ones(8), ones(9), 1, 8)),
    "an empty launch": (ELEMENTWISE % "y[threadIdx.x] = x[threadIdx.x];", (ones(0), ones(0), 1.0, 0)),
}
NOT_PROVEN = {
    "a pointer in a struct that leads elsewhere": (
        IN_STRUCTS.replace("MORE", "0").replace("BEFORE", "host.b.at = y + 1;"), (ones(20), ones(20), 20),
    ),
    "memory that has no owner": (OWNERS.replace("LESS", "2"), (ones(1), ones(5), 5, 3)),
    "a column too many": (SPARSE, (ones(3), ones(5), ones(3), FIRST, COLUMNS, 3)),
    "a row too many": (SPARSE, (ones(3), ones(4), ones(4), FIRST, COLUMNS, 3)),
    "the end of the last row": (SPARSE, (ones(3), ones(5), ones(4), FIRST[:-1].copy(), COLUMNS, 3)),
    "places in an array that is set": (MOVED.replace("AGAIN", "at[3] += 8;"), (ones(8), ones(9), AT.copy(), 8)),
    "a place below zero": (MOVED.replace("AGAIN", ""), (ones(8), ones(9), AT - 1, 8)),
    "steps of a table that end later": (TABLE.replace("MORE", "2"), (ones(9), ones(9), 9)),
    "indices that are clamped too late": (CLAMPED.replace("LAST", "0"), (ones(32), ones(32), 1.0, 32)),
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
    "a tree that is too wide": (
        HALVED.replace("HALF", "/= 2").replace("GUARD", "t <= w").replace("INDEX", "t + w").replace("s[64]", "s[63]"),
        (ones(1), ones(64)),
    ),
    "a scan that begins before": (
        DOUBLED.replace("TWICE", "*= 2").replace("GUARD", "t >= w - 1").replace("INDEX", "t - w"), (ones(1), ones(64)),
    ),
    "one of the buffers that take turns is too short": (TURNS.replace("MORE", "1"), (ones(50), ones(49), 50, 3)),
    "one of the buffers is too short, in the second turn": (TURNS.replace("MORE", "1"), (ones(48), ones(50), 50, 2)),
    "buffers that take turns are overrun": (TURNS.replace("MORE", "2"), (ones(50), ones(50), 50, 1)),
    "memory of the step before": (
        IN_A_LOOP.replace("BEFORE", "if (s > 0) k<<<1, 64>>>(y, t, x, n);").replace("BETWEEN", "").replace("AFTER", ""),
        (ones(9), ones(9), 9, 3),
    ),
    "memory of the last step": (
        IN_A_LOOP.replace("BEFORE", "").replace("BETWEEN", "").replace("AFTER", "k<<<1, 64>>>(y, t, x, n);"),
        (ones(9), ones(9), 9, 3),
    ),
    "memory that a loop frees": (
        """void f(double *y, const double *x, int n) {
    double *t = (double *)malloc(n * sizeof(double));
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < n; i++) t[i] = x[i];
        y[0] += t[0];
        if (s == 0) free(t);
    }
}""",
        (ones(4), ones(4), 4),
    ),
    "an index of data within half a guard": (OF_DATA.replace("GUARD", "j < n"), (ones(8), ones(8), -AT, 8)),
    "an index of data within a guard that is too wide": (
        OF_DATA.replace("GUARD", "j >= 0 && j <= n"), (ones(8), ones(8), AT, 8),
    ),
    "one row too many": (ROWS.replace("GUARD", "a > 0 || x[i] > 5"), (ones(15, 7), ones(15, 7), 7, 15)),
    "an overrun under a condition on data": (ON_DATA, (ones(8), ones(8), 1.0, 8)),
}  # fmt: skip


def plan_of(text: str) -> tuple[hetad.Function, AdaptiveExecutable]:
    function = hetad.loads(text)["f"]
    executable = function.compiled.primal_plan("cpu", Running()).executable
    assert isinstance(executable, AdaptiveExecutable)
    return function, executable


@pytest.mark.parametrize("case", PROVEN.values(), ids=PROVEN)
def test_proven_calls_run_unchecked(case: tuple[str, tuple[Any, ...]]) -> None:
    text, args = case
    function, executable = plan_of(text)
    function(*args, backend="cpu")
    assert executable.unproven is None


@pytest.mark.parametrize("case", NOT_PROVEN.values(), ids=NOT_PROVEN)
def test_of_others_some_accesses_are_checked(case: tuple[str, tuple[Any, ...]]) -> None:
    text, args = case
    function, executable = plan_of(text)
    executable.unproven = Places()
    with pytest.raises((MemoryAccessError, hetad.ArgumentError)):
        function(*args, backend="cpu")
    assert executable.unproven is not None


def test_what_another_thread_sets_is_not_known() -> None:
    function, executable = plan_of(SHARED_NUMBER)
    function(ones(4), ones(4), 4, backend="cpu")
    assert executable.unproven is not None


def test_each_call_of_a_gradient_is_looked_at() -> None:
    gradient = hetad.gradient(hetad.loads(ON_DATA)["f"], wrt="x", of="y", backend="cpu")
    for _ in range(2):
        found = gradient(ones(8), ones(9), 1.0, 8, seeds={"y": np.arange(8.0)})
        np.testing.assert_allclose(found["x"], [0, *range(8)])
        assert gradient.last_report is not None
        with pytest.raises(MemoryAccessError, match="element 8 of"):
            gradient(ones(8), ones(8), 1.0, 8, seeds={"y": ones(8)})
        found = gradient(ones(8), ones(8), -1.0, 8, seeds={"y": ones(8)})
        np.testing.assert_allclose(found["x"], np.zeros(8))


def test_what_arrays_hold_may_differ_from_call_to_call() -> None:
    function, executable = plan_of(MOVED.replace("AGAIN", ""))
    for last, proven in ((8, True), (3, True), (9, False), (8, True), (-1, False)):
        at = AT.copy()
        at[2] = last
        if proven:
            function(ones(8), ones(9), at, 8, backend="cpu")
        else:
            with pytest.raises(MemoryAccessError, match=f"element {last} of x"):
                function(ones(8), ones(9), at, 8, backend="cpu")
        assert (executable.unproven is None) is proven


def test_nothing_is_checked_where_a_call_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetad.loads(MOVED.replace("AGAIN", ""))["f"]
    assert not isinstance(function.compiled.primal_plan("cpu", Running(checked=False)).executable, AdaptiveExecutable)
    monkeypatch.setenv("HETAD_CPU_MODE", "regions")
    function = hetad.loads(MOVED.replace("AGAIN", ""))["f"]
    assert not isinstance(function.compiled.primal_plan("cpu", Running()).executable, AdaptiveExecutable)
