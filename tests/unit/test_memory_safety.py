"""Checked programs: each deliberate mistake is an error with its place, in the program and in its derivatives."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad import targets
from hetad.cli import main
from hetad.diagnostics import MemoryAccessError, Span
from hetad.targets.places import Places


@pytest.fixture(autouse=True)
def where_nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that do not say what is checked have it checked there, as they have for users."""
    monkeypatch.delenv("HETAD_CPU_MODE", raising=False)


def ones(*shape: int) -> Any:
    return np.ones(shape)


CHECKED = {"everywhere": True, "where nothing is proven": None}


def rows(count: int, bad: int, value: int) -> Any:
    index = np.arange(count, dtype=np.int32)
    index[bad] = value
    return index


@dataclass(frozen=True)
class Mistake:
    """`text` has the mistake between marks.  `message`: of the program; `gradient`: a pattern that finds that of the
    gradient, None where that does not make the mistake."""

    text: str
    args: Callable[[], tuple[Any, ...]]
    message: str
    gradient: str | None = ""
    wrt: str = "x"
    of: str | None = "y"

    @property
    def source(self) -> str:
        return self.text.replace("«", "").replace("»", "")

    @property
    def place(self) -> tuple[int, int]:
        """Line and column."""
        before = self.text[: self.text.index("«")]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


GATHER = """
__global__ void k(double *y, const double *x, const int *at, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { double v = «x»[at[i]]; y[i] = v * v; }
}
void f(double *y, const double *x, const int *at, int n) { k<<<2, 16>>>(y, x, at, n); }"""

MISTAKES = {
    "a gather with an index that is too large": Mistake(
        GATHER, lambda: (ones(20), ones(20), rows(20, 17, 20), 20),
        "x[at[i]] reads element 20 of x, which has 20 elements, in thread 1 of block 1 of kernel k",
        "element 20 of (adj_)?x, which has 20 elements, in thread 1 of block 1 of kernel k_pullback",
    ),
    "a gather with a negative index": Mistake(
        GATHER, lambda: (ones(20), ones(20), rows(20, 3, -2), 20),
        "x[at[i]] reads element -2 of x, which has 20 elements, in thread 3 of block 0 of kernel k",
        "element -2 of (adj_)?x, which has 20 elements, in thread 3 of block 0",
    ),
    "an array of indices that is too short for the number of rows": Mistake("""
__global__ void k(double *y, const double *x, const int *first) {
    int i = threadIdx.x;
    double sum = 0;
    for (int j = first[i]; j < first[i + 1]; j++) sum += «x»[j] * x[j];
    y[i] = sum;
}
void f(double *y, const double *x, const int *first) { k<<<1, 4>>>(y, x, first); }""",
        lambda: (ones(4), ones(7), np.array([0, 2, 4, 6, 8], np.int32)),
        "x[j] reads element 7 of x, which has 7 elements, in thread 3 of block 0 of kernel k",
        "element 7 of (adj_)?x, which has 7 elements, in thread 3",
    ),
    "off by one in a stencil under a condition on data": Mistake("""
__global__ void k(double *y, const double *x, int n) {
    int i = threadIdx.x;
    double v = x[i];
    if (v > 0) y[i] = v * «x»[i + 1];
}
void f(double *y, const double *x, int n) { k<<<1, n>>>(y, x, n); }""",
        lambda: (ones(8), ones(8), 8),
        "x[i + 1] reads element 8 of x, which has 8 elements, in thread 7 of block 0 of kernel k",
        "element 8 of (adj_)?x, which has 8 elements, in thread 7",
    ),
    "a wrong stride": Mistake("""
__global__ void k(double *y, const double *x, int stride) {
    int i = threadIdx.x, j = threadIdx.y;
    double v = x[i];
    y[j * 4 + i] = v > 0 ? v * «x»[j * stride + i] : 0;
}
void f(double *y, const double *x, int stride) { dim3 b(4, 3); k<<<1, b>>>(y, x, stride); }""",
        lambda: (ones(12), ones(12), 5),
        "x[j * stride + i] reads element 12 of x, which has 12 elements, in thread (2, 2, 0) of block 0 of kernel k",
        "element 1[2-4] of (adj_)?x, which has 12 elements, in thread",
    ),
    "shared memory that is overrun": Mistake("""
__global__ void k(double *y, const double *x, int shift) {
    __shared__ double s[8];
    int i = threadIdx.x;
    s[i] = x[i] * x[i];
    __syncthreads();
    y[i] = «s»[i + shift] * x[i];
}
void f(double *y, const double *x, int shift) { k<<<1, 8>>>(y, x, shift); }""",
        lambda: (ones(8), ones(8), 1),
        "s[i + shift] reads element 8 of s, which has 8 elements, in thread 7 of block 0 of kernel k",
        r"s\[i \+ shift\]",
    ),
    "an array of a thread that is overrun": Mistake("""
__global__ void k(double *y, const double *x, int m) {
    double a[4];
    for (int j = 0; j < m; j++) «a»[j] = x[threadIdx.x] * j;
    double sum = 0;
    for (int j = 0; j < 4; j++) sum += a[j] * a[j];
    y[threadIdx.x] = sum;
}
void f(double *y, const double *x, int m) { k<<<1, 8>>>(y, x, m); }""",
        lambda: (ones(8), ones(8), 5),
        "a[j] writes element 4 of a, which has 4 elements, in thread 0 of block 0 of kernel k",
        "element 4 of",
    ),
    "an allocation that is too short": Mistake("""
__global__ void k(double *t, const double *x, int n) {
    if (threadIdx.x < n && x[0] > 0) «t»[threadIdx.x] = x[threadIdx.x];
}
__global__ void k2(double *y, const double *t) { y[threadIdx.x] = t[threadIdx.x] * t[threadIdx.x]; }
void f(double *y, const double *x, int n) {
    double *t;
    cudaMalloc(&t, (n - 1) * sizeof(double));
    k<<<1, 8>>>(t, x, n);
    k2<<<1, n - 1>>>(y, t);
    cudaFree(t);
}""",
        lambda: (ones(8), ones(8), 8),
        "t[threadIdx.x] writes element 7 of t, which has 7 elements, in thread 7 of block 0 of kernel k",
        "element 7 of t, which has 7 elements, in thread 7 of block 0",
    ),
    "memory that has been freed": Mistake("""
__global__ void k(double *y, const double *t) { y[threadIdx.x] = «t»[threadIdx.x] * t[threadIdx.x]; }
void f(double *y, const double *x, int n) {
    double *t;
    cudaMalloc(&t, n * sizeof(double));
    cudaMemcpy(t, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaFree(t);
    k<<<1, n>>>(y, t);
}""",
        lambda: (ones(8), ones(8), 8),
        "t[threadIdx.x] reads element 0 of t, whose memory has been freed, in thread 0 of block 0 of kernel k",
        None,
    ),
    "a copy of more than there is": Mistake("""
void f(double *y, const double *x, int n) {
    double *t = (double *)malloc(n * sizeof(double));
    memcpy(«t», x, (n + 1) * sizeof(double));
    for (int i = 0; i < n; i++) y[i] = t[i] * t[i];
    free(t);
}""",
        lambda: (ones(8), ones(8), 7),
        "writes element 7 of t, which has 7 elements",
        "writes element 7 of t, which has 7 elements",
    ),
    "a copy at the end, of which the gradient needs the adjoint alone": Mistake("""
__global__ void k(double *t, const double *x) { t[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }
void f(double *y, const double *x, const int *count) {
    double *t;
    cudaMalloc(&t, 8 * sizeof(double));
    k<<<1, 8>>>(t, x);
    cudaMemcpy(«y», t, count[0] * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(t);
}""",
        lambda: (ones(8), ones(8), np.array([9], np.int32)),
        "y[0] writes element 8 of y, which has 8 elements",
        "writes element 8 of adj_y, which has 8 elements",
    ),
    "a fill, of which the gradient needs the adjoint alone": Mistake("""
void f(double *y, const double *x, const int *count) {
    for (int i = 0; i < 8; i++) y[i] = x[i] * 2;
    memset(«y», 0, count[0] * sizeof(double));
    y[0] += x[0];
}""",
        lambda: (ones(8), ones(8), np.array([9], np.int32)),
        "y[0] writes element 8 of y, which has 8 elements",
        "writes element 8 of adj_y, which has 8 elements",
    ),
    "a scatter, whose values the gradient does not need": Mistake("""
__global__ void k(double *y, const double *x, const int *at) { «y»[at[threadIdx.x]] = 3 * x[threadIdx.x]; }
void f(double *y, const double *x, const int *at) { k<<<1, 8>>>(y, x, at); }""",
        lambda: (ones(8), ones(8), rows(8, 5, 1 << 30)),
        "y[at[threadIdx.x]] writes element 1073741824 of y, which has 8 elements, in thread 5 of block 0 of kernel k",
        "element 1073741824 of adj_y, which has 8 elements, in thread 5 of block 0 of kernel k_pullback",
    ),
    "an addition to a cell that is not there": Mistake("""
__global__ void k(double *y, const double *x, const int *at) {
    atomicAdd(«y» + at[threadIdx.x], x[threadIdx.x] * x[threadIdx.x]);
}
void f(double *y, const double *x, const int *at) { k<<<1, 8>>>(y, x, at); }""",
        lambda: (ones(8), ones(8), rows(8, 5, 8)),
        "writes element 8 of y, which has 8 elements, in thread 5 of block 0 of kernel k",
        "element 8 of adj_y, which has 8 elements, in thread 5 of block 0",
    ),
    "a loop of the host": Mistake(
        "void f(double *y, const double *x, const int *in)\n{ for (int i = 0; i < 8; i++) y[i] = 2 * «x»[in[i]]; }",
        lambda: (ones(8), ones(8), rows(8, 5, -9)),
        "x[in[i]] reads element -9 of x, which has 8 elements",
        "element -9 of (adj_)?x, which has 8 elements",
    ),
    "pointers in a struct": Mistake("""
struct Arrays { const double *in; double *out; };
__global__ void k(Arrays a, const int *at) { a.out[threadIdx.x] = «a».in[at[threadIdx.x]] * a.in[threadIdx.x]; }
void f(double *y, const double *x, const int *at) {
    Arrays a;
    a.in = x;
    a.out = y;
    k<<<1, 8>>>(a, at);
}""",
        lambda: (ones(8), ones(8), rows(8, 5, 8)),
        "a.in[at[threadIdx.x]] reads element 8 of a, which has 8 elements, in thread 5 of block 0 of kernel k",
        "element 8 of",
    ),
    "a pointer that runs ahead": Mistake("""
double f(const double *x, int n) {
    const double *p = x;
    double sum = 0;
    for (int i = 0; i < n; i++) { sum += *«p» * *p; if (sum > 0) p += 2; }
    return sum;
}""",
        lambda: (ones(8), 5),
        "p[0] reads element 8 of p, which has 8 elements",
        "element 8 of (adj_)?p, which has 8 elements", of=None,
    ),
    "a table of pointers to rows": Mistake("""
__global__ void k(double *y, double **row, int n) { y[threadIdx.x] = «row»[1][n + threadIdx.x]; }
void f(double *y, double *x, int n) {
    double *at[2] = {x, x + n};
    double **row;
    cudaMalloc(&row, 2 * sizeof(double *));
    cudaMemcpy(row, at, 2 * sizeof(double *), cudaMemcpyHostToDevice);
    k<<<1, n>>>(y, row, n);
    cudaFree(row);
}""",
        lambda: (ones(4), ones(8), 4),
        "reads element 8 of row, which has 8 elements, in thread 0 of block 0 of kernel k",
        "element (8|11) of (adj_)?row, which has 8 elements",
    ),
}  # fmt: skip


@pytest.mark.parametrize("checked", CHECKED.values(), ids=CHECKED)
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_an_error_of_the_program(mistake: Mistake, checked: bool | None) -> None:
    program = hetad.loads(mistake.source, "f.cu")
    with pytest.raises(MemoryAccessError) as raised:
        program["f"](*mistake.args(), backend="cpu", checked=checked)
    span = raised.value.span
    assert mistake.message in raised.value.message
    assert span is not None
    assert (span.file, span.line, span.column) == ("f.cu", *mistake.place)
    assert raised.value.source_line == mistake.source.splitlines()[span.line - 1]


@pytest.mark.parametrize("checked", CHECKED.values(), ids=CHECKED)
@pytest.mark.parametrize(
    "mistake", [m for m in MISTAKES.values() if m.gradient], ids=[k for k, m in MISTAKES.items() if m.gradient]
)
def test_it_is_one_of_the_gradient(mistake: Mistake, checked: bool | None) -> None:
    program = hetad.loads(mistake.source, "f.cu")
    gradient = hetad.gradient(program["f"], wrt=mistake.wrt, of=mistake.of, backend="cpu", checked=checked)
    seeds = None if mistake.of is None else {mistake.of: np.ones_like(mistake.args()[0])}
    with pytest.raises(MemoryAccessError) as raised:
        gradient(*mistake.args(), seeds=seeds)
    assert mistake.gradient is not None
    assert re.search(mistake.gradient, raised.value.message)
    assert raised.value.span is not None
    assert raised.value.span.line == mistake.place[0]


def test_an_error_tells_what_and_where() -> None:
    program = hetad.loads(MISTAKES["a gather with an index that is too large"].source)
    with pytest.raises(MemoryAccessError) as raised:
        program["f"](ones(20), ones(20), rows(20, 17, 20), 20, backend="cpu", checked=True)
    error = raised.value
    assert (error.array, error.index, error.extent, error.thread) == ("x", 20, 20, ((1, 0, 0), (1, 0, 0)))


def test_the_call_after_an_error_is_as_any_other() -> None:
    program = hetad.loads(MISTAKES["a gather with an index that is too large"].source)
    gradient = hetad.gradient(program["f"], wrt="x", of="y", backend="cpu", checked=True)
    x = np.random.default_rng(1).normal(size=20)
    for _ in range(2):
        with pytest.raises(MemoryAccessError):
            gradient(ones(20), x, rows(20, 17, 99), 20, seeds={"y": ones(20)})
        found = gradient(ones(20), x, rows(20, 17, 17), 20, seeds={"y": ones(20)})
        np.testing.assert_allclose(found["x"], 2 * x)


@pytest.mark.parametrize("checked", CHECKED.values(), ids=CHECKED)
@pytest.mark.parametrize("make", [hetad.jvp, hetad.hvp])
def test_tangents_and_hessians_are_checked(make: Any, checked: bool | None) -> None:
    program = hetad.loads(MISTAKES["a gather with an index that is too large"].source)
    derivative = make(program["f"], wrt="x", of="y", backend="cpu", checked=checked)
    more = {"seeds": {"y": ones(20)}} if make is hetad.hvp else {}
    with pytest.raises(MemoryAccessError, match="element 20 of"):
        derivative(ones(20), ones(20), rows(20, 17, 20), 20, tangents={"x": ones(20)}, **more)


def test_null_is_no_memory() -> None:
    text = (
        "__global__ void k(double *y, const double *x, const int *on) { if (on[0]) y[threadIdx.x] = x[threadIdx.x]; }"
    )
    program = hetad.loads(text)
    with pytest.raises(MemoryAccessError, match="through x, which is NULL, in thread 0 of block 0 of kernel k"):
        program["k"](ones(4), None, np.ones(1, np.int32), grid=1, block=4, backend="cpu", checked=True)


def test_what_is_right_gives_the_same_numbers() -> None:
    """Pointers just past the end, before the start, in the middle; a tile that is counted through beyond
    the end of a row."""
    text = """
__global__ void k(double *y, const double *x, int n) {
    __shared__ double tile[2][4];
    const double *end = x + n, *last = &x[n - 1], *before = x - 1;
    int i = threadIdx.x;
    (&tile[0][0])[i] = x[i];
    __syncthreads();
    y[i] = end[-1 - i] * before[i + 1] + last[-i] * (&tile[0][0])[i] + tile[1][i % 4];
}
void f(double *y, const double *x, int n) { k<<<1, 8>>>(y, x, n); }"""
    gradients = []
    x = np.random.default_rng(3).normal(size=8)
    for checked in (True, False):
        gradient = hetad.gradient(hetad.loads(text)["f"], wrt="x", of="y", backend="cpu", checked=checked)
        gradients.append(gradient(ones(8), x, 8, seeds={"y": np.arange(8.0)})["x"])
    np.testing.assert_allclose(*gradients)


@pytest.mark.parametrize("how", ["file", "option"])
def test_a_problem_file_asks_for_it(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.cu").write_text(GATHER.replace("«", "").replace("»", ""))
    (tmp_path / "f.toml").write_text(
        f'source = "f.cu"\nfunction = "f"\nwrt = ["x"]\nof = ["y"]\n{"checked = true" if how == "file" else ""}\n'
        "[inputs]\ny = { zeros = [4] }\nx = { shape = [4], random = 1 }\nat = { values = [0, 1, 2, 4] }\nn = 4\n"
    )
    words = ["run", str(tmp_path / "f.toml"), "--backend", "cpu", *(["--checked"] if how == "option" else [])]
    assert main(words) != 0
    assert "element 4 of" in capsys.readouterr().err


def test_a_copy_of_part_of_a_number_has_its_place() -> None:
    text = """
void f(double *y, const double *x)
{
    void *m = malloc(32);
    int n = 3;
    memcpy(m, x, 32);
    memcpy((char *)m + 3, &n, 4);
    memcpy(y, m, 32);
    free(m);
}
"""
    g = hetad.gradient(hetad.loads(text, "part.cu")["f"], wrt="x", of="y", backend="cpu")
    x = np.random.default_rng(4).standard_normal(4)
    with pytest.raises(hetad.ExecutionError, match="part of a number is copied or set") as error:
        g(np.zeros(4), x, seeds={"y": x})
    assert str(error.value).startswith("part.cu:7:5: ")


def test_a_launch_of_a_derivative_that_fails_has_its_place() -> None:
    text = """__global__ void k(double *y, const double *x) { y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }
void f(double *y, const double *x, int n) {
    if (n > 0) k<<<1, n>>>(y, x);
}"""
    gradient = hetad.gradient(hetad.loads(text, "f.cu")["f"], wrt="x", of="y", backend="cpu")
    with pytest.raises(hetad.ExecutionError, match=r"f\.cu:3:16: invalid configuration argument"):
        gradient(ones(4), ones(4), 2000, seeds={"y": ones(4)})


IN_BLOCKS = ("a gather", "shared memory", "an array of a thread", "a wrong stride")
THREADS = [mistake for what, mistake in MISTAKES.items() if what.startswith(IN_BLOCKS)]


@pytest.mark.parametrize("mistake", THREADS, ids=lambda m: m.message[:20])
def test_blocks_that_run_at_the_same_time_are_checked(mistake: Mistake) -> None:
    program = hetad.loads(mistake.source, "f.cu")
    for _ in range(2):
        with pytest.raises(MemoryAccessError) as raised:
            program["f"](*mistake.args(), backend="cpu", cpu_threads=3)
        assert mistake.message in raised.value.message
    gradient = hetad.gradient(program["f"], wrt=mistake.wrt, of=mistake.of, backend="cpu", cpu_threads=3)
    with pytest.raises(MemoryAccessError) as raised:
        gradient(*mistake.args(), seeds={mistake.of or "": np.ones_like(mistake.args()[0])})
    assert re.search(mistake.gradient or "", raised.value.message)


ROWS = """
__global__ void k(double *y, const double *x, const int *first, int shift) {
    int i = threadIdx.x;
    double sum = 0;
    LOOP sum += i > 0 ? x[j + shift] * x[j] : x[j];
    y[i] = sum;
}
void f(double *y, const double *x, const int *first, int shift) { k<<<1, 3>>>(y, x, first, shift); }"""
LOOPS = {
    "up to a bound": ("for (int j = first[i]; j < first[i + 1]; j++)", [0, 2, 4, 9], 8, 2),
    "a bound that is reached": ("for (int j = first[i]; j <= first[i + 1]; j++)", [0, 2, 4, 8], 8, 2),
    "in steps": ("for (int j = first[i]; j < first[i + 1]; j += 3)", [0, 2, 5, 12], 8, 2),
    "below zero": ("for (int j = first[i]; j < first[i + 1]; j++)", [0, 2, -1, 6], -1, 2),
}


@pytest.mark.parametrize("case", LOOPS.values(), ids=LOOPS)
def test_the_first_iteration_that_leaves_is_told(case: tuple[str, list[int], int, int]) -> None:
    """What all iterations access is checked before the loop."""
    loop, first, index, thread = case
    program = hetad.loads(ROWS.replace("LOOP", loop), "f.cu")
    right = np.clip(first, 0, 7).astype(np.int32)
    program["f"](ones(3), ones(8), right - (right == 7), 0, backend="cpu")
    with pytest.raises(MemoryAccessError) as raised:
        program["f"](ones(3), ones(8), np.array(first, np.int32), 0, backend="cpu")
    assert (raised.value.array, raised.value.index, raised.value.thread) == ("x", index, ((0, 0, 0), (thread, 0, 0)))


def test_a_loop_that_may_end_early_is_not_checked_before() -> None:
    """Whatever comes after a stop, or in a branch that no iteration takes, is not accessed."""
    text = """
__global__ void k(double *y, const double *x, const int *first, const int *until) {
    int i = threadIdx.x;
    double sum = 0;
    for (int j = first[i]; j < first[i + 1]; j++) {
        if (j >= until[0]) break;
        sum += x[j];
    }
    for (int j = first[i]; j < first[i + 1]; j++)
        if (j < until[0]) sum += x[j] * x[j];
    for (int j = first[i]; j < first[i + 1]; j += 4) sum += x[j];
    y[i] = sum;
}
void f(double *y, const double *x, const int *first, const int *until) { k<<<1, 2>>>(y, x, first, until); }"""
    x = np.arange(6.0)
    y, first, until = np.zeros(2), np.array([0, 3, 9], np.int32), np.array([6], np.int32)
    with pytest.raises(MemoryAccessError, match="element 7 of x"):
        hetad.loads(text)["f"](y, x, first, until, backend="cpu")
    hetad.loads(text.replace("j += 4", "j += 6"))["f"](y, x, first, until, backend="cpu")
    np.testing.assert_allclose(y, [0 + 1 + 2 + 1 + 4 + 0, 3 + 4 + 5 + 9 + 16 + 25 + 3])


def test_a_width_that_is_data() -> None:
    """The gradient of a window is gathered where nothing is checked."""
    text = """
__global__ void k(double *y, const double *x, const int *width) {
    int i = threadIdx.x;
    double sum = 0;
    for (int j = 0; j < width[0]; j++) sum += x[i + j];
    y[i] = sum;
}
void f(double *y, const double *x, const int *width) { k<<<1, 8>>>(y, x, width); }"""
    program = hetad.loads(text)
    with pytest.raises(MemoryAccessError, match="element 11 of x, which has 11 elements, in thread 7 of block 0"):
        program["f"](ones(8), ones(11), np.array([5], np.int32), backend="cpu")
    gradient = hetad.gradient(program["f"], wrt="x", of="y", backend="cpu")
    found = gradient(ones(8), ones(11), np.array([4], np.int32), seeds={"y": ones(8)})
    np.testing.assert_allclose(found["x"], [1, 2, 3, 4, 4, 4, 4, 4, 3, 2, 1])
    with pytest.raises(MemoryAccessError, match=r"element 11 of adj_x, which has 11 elements, in .*kernel k") as raised:
        gradient(ones(8), ones(11), np.array([5], np.int32), seeds={"y": ones(8)})
    assert raised.value.span is not None
    assert raised.value.span.line == 5


def test_what_is_proven_has_no_checks() -> None:
    """Neither has any text that users read."""
    text = GATHER.replace("«", "").replace("»", "")
    program = hetad.loads(text)
    gradient = hetad.gradient(program["f"], wrt="x", of="y", backend="cpu")
    assert "hetad_thread_" not in gradient.source
    derivative = gradient.derivative
    places = Places(frozenset({Span("<string>", 4, 29)}))
    checked = targets.cpu_source(derivative.program, derivative.entry, targets.CpuOptions(checked=places))
    assert "adj_x[hetad_thread_item(" in checked
    assert "y[hetad_thread_item(" not in checked.replace("adj_x", "x")
    assert "hetad_thread_item(" not in targets.cpu_source(derivative.program, derivative.entry)


def test_a_gather_reads_nothing_of_threads_that_are_not_there() -> None:
    """What is read before a guard is not where the guard alone tells that there is a thread."""
    text = """
__global__ void k(double *r, const double *u, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = i > 0 && i < n - 1 ? u[i - 1] - 2.0 * u[i] + u[i + 1] : 0.0;
}
void f(double *r, const double *u, int n) { k<<<(n + 31) / 32, 32>>>(r, u, n); }"""
    gradient = hetad.gradient(hetad.loads(text)["f"], wrt="u", of="r", backend="cpu", checked=True)
    found = gradient(ones(9), ones(9), 9, seeds={"r": np.arange(9.0)})
    assert "gather" in gradient.source
    np.testing.assert_allclose(found["u"], [1, 0, 0, 0, 0, 0, 0, -8, 7])
