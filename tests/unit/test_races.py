"""The race detector: each program is written twice over, once right and once with what orders two accesses left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.checks import comparison, subjects
from hetad.diagnostics import ArgumentError, ExecutionError, RaceError
from hetad.problem import parse

# Of each program: the text with HERE in it, the argument's type, what orders the accesses, and what does not.
PAIRS = {
    "neighbours": ("""
__global__ void k(double *x, int n) {
    __shared__ double s[64];
    int i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    double left = s[i == 0 ? 0 : i - 1];
    HERE
    s[i] += left;
    __syncthreads();
    x[i] = s[63 - i];
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "__syncthreads();", "__syncwarp();"),
    "a warp turns a tile": ("""
__global__ void k(double *x, int n) {
    __shared__ double s[8 * 9];
    double *column = &s[threadIdx.x], *row = &s[threadIdx.x * 9];
    for (int i = 0; i < 8; i++) column[i * 9] = x[i * 8 + threadIdx.x];
    HERE
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += (i + 1) * row[i];
    x[threadIdx.x * 8] = sum;
}
void f(double *x, int n) { k<<<1, 8>>>(x, n); }""", "__syncwarp(0xff);", ""),
    "shuffles order no memory": ("""
__global__ void k(double *x, int n) {
    __shared__ double s[32];
    int i = threadIdx.x;
    s[i] = x[i];
    double y = __shfl_xor_sync(0xffffffffu, x[i], 1);
    HERE
    x[i] = y * s[i ^ 1];
}
void f(double *x, int n) { k<<<1, 32>>>(x, n); }""", "__syncwarp();", "y += __ballot_sync(0xffffffffu, i < 3);"),
    "a barrier that asks": ("""
__global__ void k(double *x, int n) {
    __shared__ double s[64];
    int i = threadIdx.x, some = 1;
    s[i] = x[i];
    HERE
    if (some) x[i] = s[63 - i];
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "some = __syncthreads_or(i == 5);", "some = i >= 0;"),
    "the end of an iteration": ("""
__global__ void k(double *x, int n) {
    extern __shared__ double s[];
    int i = threadIdx.x;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        s[i] = x[i] + k;
        __syncthreads();
        sum += s[(i + 1) % blockDim.x];
        HERE
    }
    x[i] = sum;
}
void f(double *x, int n) { k<<<1, 64, 64 * sizeof(double)>>>(x, n); }""", "__syncthreads();", ""),
    "lanes of two halves": ("""
__global__ void k(double *x, int n) {
    __shared__ double s[32];
    int i = threadIdx.x;
    unsigned half = i < 16 ? 0xffffu : 0xffff0000u;
    s[i] = x[i];
    if (i < 16) __syncwarp(0xffffu);
    HERE
    x[i] = s[(i < 16 ? 15 : 47) - i];
}
void f(double *x, int n) { k<<<1, 32>>>(x, n); }""", "__syncwarp();", ""),
    "one kernel for two": ("""
__global__ void k(double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] *= 2; HERE }
}
void f(double *x, int n) { k<<<4, 16>>>(x, n); }""", "x[i] += 1;", "if (i + 16 < n) x[i] += x[i + 16];"),
    "sums": ("""
__device__ void add(double *to, double v) { HERE }
__global__ void k(double *x, int n) { add(x, x[1 + threadIdx.x + blockIdx.x * 4]); }
void f(double *x, int n) { k<<<3, 4>>>(x, n); }""", "atomicAdd(to, v);", "*to += v;"),
    "atomics and plain accesses": ("""
__global__ void k(double *x, int n) {
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0;
    HERE
    atomicAdd(&sum, x[threadIdx.x]);
    __syncthreads();
    x[threadIdx.x] *= sum;
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "__syncthreads();", ""),
    "the last block sums": ("""
__device__ unsigned done;
__global__ void k(double *x, double *part) {
    __shared__ bool last;
    part[blockIdx.x] = x[blockIdx.x] * 2;
    HERE
    if (threadIdx.x == 0) last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int b = 0; b < (int)gridDim.x; b++) x[0] += part[b];
}
void f(double *x, int n) {
    double *part;
    cudaMalloc((void **)&part, 8 * sizeof(double));
    k<<<8, 1>>>(x, part);
    cudaFree(part);
}""", "__threadfence();", "__threadfence_block();"),
    "equal values": ("""
__device__ double value;
__global__ void k(double *x, int n) {
    __shared__ int some;
    some = 0;
    __syncthreads();
    if (x[threadIdx.x] < 100) some = HERE;
    value = 4;
    __syncthreads();
    x[threadIdx.x] += some + value;
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "1", "threadIdx.x"),
    "what a thread wrote itself": ("""
__global__ void k(double *x, int n) {
    __shared__ int count;
    if (HERE) count = n;
    if (threadIdx.x < (unsigned)count) x[threadIdx.x] *= 2;
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "true", "threadIdx.x < 40"),
    "bytes side by side": ("""
__global__ void k(double *x, int n) {
    __shared__ char c[64];
    __shared__ struct { short a; char b; char d; double v; } r[64];
    int i = threadIdx.x;
    c[i] = (char)i;
    r[i].a = 1;
    r[HERE].b = (char)i;
    x[i] = c[i] + r[i].a;
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "63 - i", "i / 2"),
    "functions that write through pointers": ("""
__global__ void k(double *x, int n) {
    __shared__ double s[64], c[64];
    int i = threadIdx.x;
    sincos(x[i], &s[HERE], &c[i]);
    x[i] = c[i];
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }""", "i", "i & 31"),
    "two axes": ("""
__global__ void k(double *x, int n) {
    __shared__ double t[8][9];
    t[threadIdx.y][threadIdx.x] = x[threadIdx.y * 8 + threadIdx.x];
    HERE
    x[threadIdx.y * 8 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
void f(double *x, int n) { k<<<1, dim3(8, 8)>>>(x, n); }""", "__syncthreads();", "if (threadIdx.y == 9) return;"),
}  # fmt: skip


def call(text: str, **options: Any) -> np.ndarray[Any, Any]:
    x = np.random.default_rng(3).uniform(0.5, 1.5, 64)
    hetad.loads(text, "f.cu")["f"](x, 64, racecheck=True, **options)
    return x


@pytest.mark.parametrize("seed", ["", "3"])
@pytest.mark.parametrize("name", PAIRS)
def test_what_orders_two_accesses(name: str, seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, right, wrong = PAIRS[name]
    monkeypatch.setenv("HETAD_CPU_SEED", seed)
    call(text.replace("HERE", right))
    with pytest.raises(RaceError):
        call(text.replace("HERE", wrong))


def test_volatile_memory_is_that_of_warps_in_step() -> None:
    """As everywhere in hetad: programs from before __syncwarp rely on it."""
    text = """
__device__ void last(volatile int *s, int i) { s[i] += s[i + 32]; s[i] += s[i + 16]; s[i] += s[i + 8]; }
__global__ void k(double *x, int n) {
    __shared__ int s[96];
    int i = threadIdx.x;
    s[i] = i;
    if (i < 32) s[64 + i] = 0;
    BARRIER
    if (i < 32) last(s, i);
    if (i == 0) x[0] *= s[0];
}
void f(double *x, int n) { k<<<1, 64>>>(x, n); }"""
    call(text.replace("BARRIER", "__syncthreads();"))
    with pytest.raises(RaceError):
        call(text.replace("BARRIER", ""))


def test_both_places_are_named() -> None:
    text, _, wrong = PAIRS["neighbours"]
    with pytest.raises(RaceError) as caught:
        call(text.replace("HERE", wrong))
    error = caught.value
    assert error.span is not None
    assert {error.span.line, error.related[0].span.line} == {7, 9}
    shown = str(error)
    assert "thread 32 of block 0" in shown
    assert "thread 31 of block 0" in shown
    assert "double left = s[i == 0 ? 0 : i - 1];" in shown
    assert "s[i] += left;" in shown
    assert "put __syncthreads()" in error.remedy


def test_the_remedy_fits() -> None:
    def remedy(name: str) -> str:
        text, _, wrong = PAIRS[name]
        with pytest.raises(RaceError) as caught:
            call(text.replace("HERE", wrong))
        return caught.value.remedy

    assert "__syncwarp()" in remedy("a warp turns a tile")
    assert "two kernels" in remedy("one kernel for two")
    assert "atomic" in remedy("sums")


def test_the_numbers_are_the_same() -> None:
    text, right, _ = PAIRS["the end of an iteration"]
    program = hetad.loads(text.replace("HERE", right))
    x = np.random.default_rng(3).uniform(0.5, 1.5, 64)
    program["f"](x, 64, backend="cpu")
    np.testing.assert_array_equal(x, call(text.replace("HERE", right)))


def test_a_call_after_a_race_is_watched_again() -> None:
    text, _, wrong = PAIRS["two axes"]
    f = hetad.loads(text.replace("HERE", wrong))["f"]
    for _ in range(2):
        with pytest.raises(RaceError):
            f(np.ones(64), 64, racecheck=True)


def test_launches_are_ordered_and_shared_memory_is_each_blocks_own() -> None:
    text = """
__global__ void k(double *x, int shift) {
    __shared__ double s[16];
    s[threadIdx.x] = x[blockIdx.x * 16 + threadIdx.x];
    x[blockIdx.x * 16 + threadIdx.x] = s[threadIdx.x] + shift;
}
__global__ void turned(double *x) { x[63 - (blockIdx.x * 16 + threadIdx.x)] *= 2; }
void f(double *x, int n) { for (int t = 0; t < 3; t++) { k<<<4, 16>>>(x, t); turned<<<4, 16>>>(x); } }"""
    call(text)


def test_kernels_are_watched_by_themselves() -> None:
    k = hetad.loads("__global__ void k(double *x) { x[threadIdx.x / 2] = threadIdx.x; }")["k"]
    with pytest.raises(RaceError):
        k(np.ones(4), grid=1, block=4, racecheck=True)
    k(np.ones(4), grid=1, block=1, racecheck=True)


def test_the_detector_is_the_cpus() -> None:
    text, right, _ = PAIRS["two axes"]
    with pytest.raises(ArgumentError, match="on the CPU"):
        call(text.replace("HERE", right), backend="cuda")


def test_other_failures_stay_what_they_are() -> None:
    with pytest.raises(ExecutionError, match="divergent"):
        call("__global__ void k(double *x) { if (threadIdx.x < 3) __syncthreads(); else __syncthreads(); }\n"
             "void f(double *x, int n) { k<<<1, 8>>>(x); }")  # fmt: skip


PROBLEM = """
source = "f.cu"
function = "f"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [64], random_uniform = 1, low = 0.5, high = 1.5 }
n = 64
"""
# Right in the order in which a CPU runs threads, and so are its differences: only the detector can tell.
SILENT = """
__global__ void k(double *x, int n) { if (threadIdx.x == 0) x[1] = x[0]; else if (threadIdx.x == 40) x[2] = x[1]; }
void f(double *x, int n) { k<<<1, 64>>>(x, n); }
"""


@pytest.fixture
def problem_file(tmp_path: Path) -> Path:
    (tmp_path / "f.cu").write_text(SILENT)
    (tmp_path / "f.toml").write_text(PROBLEM)
    return tmp_path / "f.toml"


def test_gradcheck_looks_for_races(problem_file: Path) -> None:
    subject, arguments = comparison.from_problem(parse(PROBLEM, problem_file), "cpu")
    with pytest.raises(RaceError):
        comparison.check(subject, arguments)
    assert comparison.check(subject, arguments, racecheck=False).passed


def test_gradcheck_says_that_it_did_not_look(problem_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "RACE_LIMIT", 100)
    subject, arguments = comparison.from_problem(parse(PROBLEM, problem_file), "cpu")
    report = comparison.check(subject, arguments)
    assert report.passed
    assert "races were not looked for" in str(report)


@pytest.mark.parametrize("command", ["run --racecheck", "gradcheck", "check"])
def test_the_commands_fail(command: str, problem_file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hetad", *command.split(), str(problem_file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "a race in kernel k" in done.stdout + done.stderr
