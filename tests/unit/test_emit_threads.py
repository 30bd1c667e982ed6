"""Kernels whose threads wait for each other, on the CPU: every mode agrees with CUDA's rules."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace

import numpy as np
import pytest

from hetad import frontend, targets
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import map_body
from hetad.run import compiler
from tests.unit import thread_programs
from tests.unit.threads_on_cpu import MODES, Compiled

every_mode = pytest.mark.parametrize("mode", list(MODES))


# --- shuffles ------------------------------------------------------------------------------------


def source_lane(kind: str, lane: int, argument: int, width: int) -> int:
    """PTX's rules: which lane a shuffle reads."""
    first, last = lane & ~(width - 1), lane | (width - 1)
    match kind:
        case "up":
            source = lane - (argument & 31)
            return source if source >= first else lane
        case "down":
            source = lane + (argument & 31)
            return source if source <= last else lane
        case "xor":
            source = lane ^ (argument & 31)
            return source if source <= last else lane
    return first | (argument & (width - 1))


SHUFFLES = "\n".join(
    f"""
__global__ void {kind[1:] or "idx"}_kernel(const double *x, double *y, int width)
{{
    for (int d = 0; d < 40; ++d) {{
        int argument = {"d * 7 + threadIdx.x / 3" if kind == "" else "d"};
        double v = __shfl{kind}_sync(0xffffffff, x[threadIdx.x], argument, width);
        y[d * blockDim.x + threadIdx.x] = v;
    }}
}}
void {kind[1:] or "idx"}(const double *x, double *y, int width, int threads)
{{
    {kind[1:] or "idx"}_kernel<<<1, threads>>>(x, y, width);
}}"""
    for kind in ("", "_up", "_down", "_xor")
)
ADJOINTS = {f"__shfl{kind}_sync": f"hetad_shfl{kind}_adjoint_double" for kind in ("", "_up", "_down", "_xor")}


def transposed(program: ir.Program) -> ir.Program:
    """Every shuffle replaced by its adjoint."""

    def change(s: ir.Stmt) -> ir.Stmt:
        return replace(s, function=ADJOINTS[s.function]) if isinstance(s, ir.Call) and s.function in ADJOINTS else s

    functions = {n: replace(f, body=map_body(change, f.body)) for n, f in program.functions.items()}
    return replace(program, functions=functions)


def matrices(kind: str, width: int, threads: int) -> np.ndarray:
    """For each of 40 arguments the matrix of the shuffle; rows of lanes that read nothing that exists are nan."""
    found = np.zeros((40, threads, threads))
    for d in range(40):
        for t in range(threads):
            argument = d * 7 + t // 3 if kind == "idx" else d
            source = t // 32 * 32 + source_lane(kind, t % 32, argument, width)
            found[d, t, min(source, threads - 1)] = 1 if source < threads else np.nan
    return found


@every_mode
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
@pytest.mark.parametrize("adjoint", [False, True], ids=["shuffle", "adjoint"])
def test_shuffles_of_every_width(kind: str, adjoint: bool, mode: str) -> None:
    entry = kind
    call = Compiled(SHUFFLES, entry, mode, transposed if adjoint else lambda p: p)
    for threads in (32, 45):
        x = np.random.default_rng(3).standard_normal(threads)
        for width in (32, 16, 8, 4, 2, 1):
            y, matrix = np.zeros((40, threads)), matrices(kind, width, threads)
            assert call(x, y, width, threads) == 0, call.message
            if adjoint:  # what reads nothing that exists gives itself
                missing = np.isnan(matrix).any(axis=2)
                matrix[missing] = np.eye(threads)[np.nonzero(missing)[1]]
                matrix = matrix.transpose(0, 2, 1)
            defined = ~np.isnan(matrix).any(axis=2)
            np.testing.assert_allclose(y[defined], (matrix @ x)[defined], atol=1e-13)


# --- votes ---------------------------------------------------------------------------------------

VOTES = """
__global__ void k(const int *x, int *y, unsigned *u)
{
    int t = threadIdx.x, n = blockDim.x;
    unsigned low = t % 32 < 20 ? 0x000fffff : 0xfff00000;
    y[t] = __any_sync(0xffffffff, x[t] == 7);
    y[n + t] = __all_sync(low, x[t] > 1);
    u[t] = __ballot_sync(0xffffffff, x[t] & 1);
    u[n + t] = 0;
    if (x[t] % 3 == 0)
        u[n + t] = __activemask();
    y[2 * n + t] = __reduce_add_sync(low, x[t]);
    y[3 * n + t] = __reduce_min_sync(low, x[t] - 5);
    y[4 * n + t] = __reduce_max_sync(0xffffffff, x[t] - 9);
    y[5 * n + t] = __syncthreads_count(x[t] > 4);
    y[6 * n + t] = __syncthreads_and(x[t] > 4);
    y[7 * n + t] = __syncthreads_or(x[t] > 8);
    y[8 * n + t] = __any_sync(0xffffffff, 0.5 * x[t]);
}
void f(const int *x, int *y, unsigned *u, int n) { k<<<1, n>>>(x, y, u); }
"""


@every_mode
def test_votes(mode: str) -> None:
    n = 75
    x = np.random.default_rng(5).integers(0, 10, n).astype(np.int32)
    y, u = np.zeros((9, n), np.int32), np.zeros((2, n), np.uint32)
    call = Compiled(VOTES, "f", mode)
    assert call(x, y, u, n) == 0, call.message
    for warp in range(0, n, 32):
        lanes = np.arange(warp, min(warp + 32, n))
        parts = [lanes[lanes % 32 < 20], lanes[lanes % 32 >= 20]]
        bits = 1 << (lanes % 32)
        assert (y[0, lanes] == (x[lanes] == 7).any()).all()
        for part in (p for p in parts if p.size):
            assert (y[1, part] == (x[part] > 1).all()).all()
            assert (y[2, part] == x[part].sum()).all()
            assert (y[3, part] == x[part].min() - 5).all()
        assert (y[4, lanes] == x[lanes].max() - 9).all()
        assert (y[8, lanes] == (x[lanes] > 1).any()).all()  # the predicate is an int: 0.5 is no
        assert (u[0, lanes] == bits[x[lanes] % 2 == 1].sum()).all()
        threes = x[lanes] % 3 == 0
        assert (u[1, lanes] == np.where(threes, bits[threes].sum(), 0)).all()
    assert (y[5] == (x > 4).sum()).all()
    assert (y[6] == (x > 4).all()).all()
    assert (y[7] == (x > 8).any()).all()


# --- control flow around barriers ----------------------------------------------------------------

SUMS = """
__global__ void k(const double *x, double *y, int n)
{
    __shared__ double s[256];
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int threads = blockDim.x * blockDim.y * blockDim.z;
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), i = block * threads + t;
    if (block * threads >= n) return;
    s[t] = i < n ? x[i] : 0.0;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (half >= threads) continue;
        if (t < half && t + half < threads) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) y[block] = s[0];
}
void f(const double *x, double *y, int n, int a, int b, int c)
{
    dim3 grid(2, 3, 2), block(a, b, c);
    k<<<grid, block>>>(x, y, n);
}
"""


@every_mode
@pytest.mark.parametrize("block", [(64, 1, 1), (8, 8, 1), (5, 3, 4), (1, 1, 1), (1, 7, 2), (128, 2, 1)])
def test_a_tree_of_sums_in_blocks_of_every_shape(mode: str, block: tuple[int, int, int]) -> None:
    threads = int(np.prod(block))
    n = threads * 10 - threads // 2
    x, y = np.random.default_rng(1).standard_normal(threads * 12), np.zeros(12)
    call = Compiled(SUMS, "f", mode)
    assert call(x, y, n, *block) == 0, call.message
    x[n:] = 0
    np.testing.assert_allclose(y, x.reshape(12, threads).sum(axis=1), atol=1e-12)


LEAVING = """
__global__ void k(const int *x, int *y, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, rounds = 0, mine = x[t];
    s[t] = mine;
    if (t >= n) return;
    __syncthreads();
    while (__syncthreads_or(mine > 0)) {
        int left = t > 0 ? s[t - 1] : 0;
        __syncthreads();
        ++rounds;
        if (mine > 0) --mine;
        s[t] = mine;
        __syncthreads();
        if (rounds > 100) break;
        y[64 + t] += left;
    }
    y[t] = rounds * 1000 + s[n - 1 - t];
}
void f(const int *x, int *y, int n) { k<<<1, 64>>>(x, y, n); }
"""


@every_mode
def test_threads_that_return_are_not_waited_for(mode: str) -> None:
    x, y, n = (np.arange(64) * 37 % 11).astype(np.int32), np.zeros(128, np.int32), 50
    call = Compiled(LEAVING, "f", mode)
    assert call(x, y, n) == 0, call.message
    assert (y[:n] == 10000).all() and (y[n:64] == 0).all()
    left = [sum(max(int(x[t - 1]) - r, 0) for r in range(10)) if t else 0 for t in range(n)]
    assert y[64 : 64 + n].tolist() == left


KEPT = """
struct pair { float a; double b[2]; };
__device__ void bump(int *p, int by) { *p += by; }
__global__ void k(const double *x, double *y, int n)
{
    extern __shared__ double dynamic[];
    int *counts = (int *)(dynamic + blockDim.x);
    __shared__ float table[4][8];
    __shared__ int one;
    const double weights[3] = {0.25, 0.5, 0.25};
    double history[700] = {1.0, 2.0};
    struct pair p;
    int t = threadIdx.x, calls = 1;
    const double *row = x + t;
    n = n + t;
    p.a = t;
    p.b[1] = row[0];
    dynamic[t] = row[0] * weights[t % 3];
    counts[t] = t;
    if (t == 3) one = 42;
    if (t < 32) table[t / 8][t % 8] = t;
    __syncthreads();
    for (int r = 0; r < 3; ++r) {
        history[r + 2 + t] = dynamic[(t + r) % blockDim.x] * weights[r];
        bump(&calls, counts[(t + r) % blockDim.x]);
        __syncthreads();
    }
    y[t] = history[0] + history[1] + history[2 + t] + history[3 + t] + history[4 + t] + history[600] + p.a + p.b[1];
    y[blockDim.x + t] = calls + one + n + table[t % 4][t % 8];
}
void f(const double *x, double *y, int n)
{
    k<<<1, n, n * (sizeof(double) + sizeof(int))>>>(x, y, n);
}
"""


@every_mode
def test_variables_of_every_kind_live_across_barriers(mode: str) -> None:
    n = 90
    x, y, t = np.random.default_rng(2).standard_normal(n), np.zeros((2, n)), np.arange(n)
    call = Compiled(KEPT, "f", mode)
    assert call(x, y, n) == 0, call.message
    w = np.array([0.25, 0.5, 0.25])
    d = x * w[t % 3]
    h = sum(d[(t + r) % n] * w[r] for r in range(3))
    np.testing.assert_allclose(y[0], 3 + h + t + x, atol=1e-13)
    table = np.arange(32).reshape(4, 8)
    calls = 1 + sum((t + r) % n for r in range(3))
    np.testing.assert_array_equal(y[1], calls + 42 + n + t + table[t % 4, t % 8])


DIVERGENT = """
__global__ void k(const int *x, int *y)
{
    int t = threadIdx.x, lane = t % 32, v = x[t];
    unsigned here = __ballot_sync(0xffffffff, v % 4 == 0);
    switch (v % 4) {
    case 0:
        v += __shfl_sync(here, t, __ffs(here) - 1);
    case 1:
        v += 1000;
        break;
    default:
        v = -v;
    }
    unsigned mask = __ballot_sync(0xffffffff, v > 0);
    do {
        if (v <= 0) break;
        v += __popc(__ballot_sync(mask, v & 1));
        mask = __ballot_sync(mask, v < 1040);
        if (v % 2) continue;
        ++v;
    } while (v < 1040);
    y[t] = v * 100 + lane;
}
void f(const int *x, int *y) { k<<<1, 64>>>(x, y); }
"""


def divergent(x: list[int], start: int) -> list[int]:
    """One warp of the kernel above."""
    first = next((start + lane for lane, v in enumerate(x) if v % 4 == 0), 0)
    values = [v + first + 1000 if v % 4 == 0 else v + 1000 if v % 4 == 1 else -v for v in x]
    mask = {lane for lane, v in enumerate(values) if v > 0}
    while mask:
        odd = sum(values[lane] & 1 for lane in mask)
        for lane in mask:
            values[lane] += odd
        after = {lane for lane in mask if values[lane] < 1040}
        for lane in mask:
            values[lane] += 1 - values[lane] % 2
        mask = {lane for lane in after if values[lane] < 1040}
    return [v * 100 + lane for lane, v in enumerate(values)]


@every_mode
def test_warps_exchange_in_divergent_code(mode: str) -> None:
    x, y = np.random.default_rng(8).integers(1, 40, 64).astype(np.int32), np.zeros(64, np.int32)
    call = Compiled(DIVERGENT, "f", mode)
    assert call(x, y) == 0, call.message
    assert y.tolist() == [*divergent(x[:32].tolist(), 0), *divergent(x[32:].tolist(), 32)]


# --- order, and what the oracle reports ----------------------------------------------------------

ORDER = """
__global__ void k(int *order, int *count)
{
    order[2 * threadIdx.x] = atomicAdd(count, 1);
    __syncthreads();
    order[2 * threadIdx.x + 1] = atomicAdd(count, 1);
}
void f(int *order, int *count) { k<<<1, 40>>>(order, count); }
"""


@pytest.mark.parametrize("mode", ["regions", "fibers"])
def test_regions_run_last_to_first_on_request(mode: str) -> None:
    def reverse(p: ir.Program) -> ir.Program:
        return replace(p, functions={n: replace(f, reverse_threads=True) for n, f in p.functions.items()})

    forward, backward = np.zeros((40, 2), np.int32), np.zeros((40, 2), np.int32)
    assert Compiled(ORDER, "f", mode)(forward, np.zeros(1, np.int32)) == 0
    assert Compiled(ORDER, "f", mode, reverse)(backward, np.zeros(1, np.int32)) == 0
    assert forward[:, 0].tolist() == list(range(40)) and forward[:, 1].tolist() == list(range(40, 80))
    assert backward[::-1, 0].tolist() == list(range(40)) and backward[::-1, 1].tolist() == list(range(40, 80))


def test_a_seed_changes_the_order_but_not_the_phases() -> None:
    order = np.zeros((40, 2), np.int32)
    assert Compiled(ORDER, "f", "seeded fibers")(order, np.zeros(1, np.int32)) == 0
    assert order[:, 0].tolist() != list(range(40)) and sorted(order[:, 0]) == list(range(40))
    assert sorted(order[:, 1]) == list(range(40, 80))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if (t < 9) __syncthreads();\n else x[t] = 1;\n __syncthreads();",
         "x.cu:4:13: __syncthreads in kernel k: barrier in divergent code: thread (0, 0, 0) waits here, "
         "thread (9, 0, 0) at x.cu:6:2: __syncthreads"),
        ("for (int i = 0; i < t; ++i) {\n __syncthreads();\n }\n x[t] = __syncthreads_count(1);",
         "x.cu:7:9: __syncthreads_count in kernel k: barrier in divergent code: thread (0, 0, 0) waits here, "
         "thread (1, 0, 0) at x.cu:5:2: __syncthreads"),
        ("if (t < 9) x[t] = __shfl_sync(0xffffffff, t, 0);\n __syncthreads();",
         "x.cu:5:2: __syncthreads in kernel k: barrier in divergent code: thread (9, 0, 0) waits here, "
         "thread (0, 0, 0) at x.cu:4:20: __shfl_sync"),
        ("x[t] = __any_sync(0x0000ffff, t);",
         "x.cu:4:9: __any_sync in kernel k: the mask 0x0000ffff does not name the calling lane 16"),
        ("if (t < 9) x[t] = __all_sync(0xffffffff, t);\n else x[t] = __any_sync(0xffffffff, t);",
         "x.cu:4:20: __all_sync in kernel k: not all lanes that the mask 0xffffffff names come here"),
    ],
)  # fmt: skip
def test_the_oracle_reports_threads_that_wait_in_vain(body: str, message: str) -> None:
    source = f"__global__ void k(int *x)\n{{\n int t = threadIdx.x;\n {body}\n}}\nvoid f(int *x) {{ k<<<1, 32>>>(x); }}"
    call = Compiled(source, "f", "fibers")
    for _ in range(2):
        assert call(np.zeros(32, np.int32)) == 1
        assert call.message == message


LATE = """
__global__ void k(int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = t, trips = 3 + t % 4;
    for (int i = 0; i < trips; ++i) {
        if (trips - i <= 3) {
            EXCHANGE
            v += 2 * other;
        }
    }
    x[t] = v;
}
void f(int *x) { k<<<1, 64>>>(x); }
"""


@every_mode
@pytest.mark.parametrize(
    ("exchange", "message"),
    [
        ("int other = __shfl_xor_sync(0xffffffff, v, 1);",
         "x.cu:8:25: __shfl_xor_sync: of the lanes that its mask names, 1"),
        ("s[t] = v; __syncwarp(); int other = s[t ^ 1]; __syncwarp();",
         "x.cu:8:23: __syncwarp: of the lanes that its mask names, 1"),
        ("s[t] = v; __syncthreads(); int other = s[t ^ 1]; __syncthreads();", "x.cu:8:23: __syncthreads: thread 1"),
    ],
)  # fmt: skip
def test_threads_that_meet_in_different_iterations(exchange: str, message: str, mode: str) -> None:
    """Threads wait for each other in a mode that has some; in one that has none they go through a loop in step."""
    x, call = np.zeros(64, np.int32), Compiled(LATE.replace("EXCHANGE", exchange), "f", mode)
    code = call(x)
    if "fibers" in mode:
        v = np.arange(64)
        for _ in range(3):
            v = v + 2 * v[np.arange(64) ^ 1]
        assert code == 0 and x.tolist() == v.tolist()
    else:
        assert code == 1
        assert call.message.startswith(f"{message} does not come here in the same iteration of the loops around; ")


def test_the_oracle_poisons_shared_memory() -> None:
    source = """
__global__ void k(float *x) { __shared__ float s[8]; extern __shared__ float d[]; if (threadIdx.x == 0) s[0] = 1;
    __syncthreads(); x[0] = s[0]; x[1] = s[1]; x[2] = d[1]; }
void f(float *x) { k<<<1, 2, 8>>>(x); }
"""
    x = np.zeros(3, np.float32)
    assert Compiled(source, "f", "fibers")(x) == 0
    assert x[0] == 1 and np.isnan(x[1:]).all()


@every_mode
def test_a_failure_in_a_thread_is_reported(mode: str) -> None:
    source = """
__global__ void k(int *x) { __syncthreads(); assert(x[threadIdx.x] < 5); x[threadIdx.x] = 9; }
void f(int *x) { k<<<8, 4>>>(x); }
"""
    call = Compiled(source, "f", mode)
    assert call(np.array([1, 2, 7, 3], np.int32)) == 1
    assert call.message == "x.cu:3:18: assertion failed: x[threadIdx.x] < 5"  # the launch's place
    assert call(np.array([1, 2, 3, 3], np.int32)) == 1  # the second block finds what the first one wrote


# --- atomics -------------------------------------------------------------------------------------

ATOMICS = """
__global__ void k(int *c, unsigned *w, float *r, double *d, int *old, int n)
{
    __shared__ int s;
    __shared__ double total;
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (threadIdx.x == 0) { s = 0; total = 0; }
    __syncthreads();
    old[t] = atomicAdd(&s, 1) + atomicSub(&c[0], 1) * 0;
    atomicMax(&c[1], t * 7 % 100);
    atomicMin(&c[2], t * 7 % 100 - 50);
    atomicOr(&c[3], 1 << t % 30);
    atomicAnd(&c[4], ~(1 << t % 20));
    atomicXor(&c[5], t);
    atomicInc(&w[0], 6);
    atomicDec(&w[1], 6);
    atomicAdd(&r[0], 0.5f);
    atomicAdd(&d[0], 0.25);
    atomicAdd(&total, 2.0);
    atomicExch(&c[6], 77);
    int seen = c[7], expected;
    do {
        expected = seen;
        seen = atomicCAS(&c[7], expected, expected + 3);
    } while (seen != expected);
    __syncthreads();
    if (threadIdx.x == 0) { atomicAdd(&c[8], s); atomicAdd(&d[1], total); }
}
void f(int *c, unsigned *w, float *r, double *d, int *old, int n) { k<<<n, 50>>>(c, w, r, d, old, n); }
"""


@every_mode
def test_atomics(mode: str) -> None:
    blocks, n = 40, 2000
    c, w, r, d = np.zeros(9, np.int32), np.zeros(2, np.uint32), np.zeros(1, np.float32), np.zeros(2)
    c[4], old, t = -1, np.zeros(n, np.int32), np.arange(n)
    call = Compiled(ATOMICS, "f", mode)
    assert call(c, w, r, d, old, blocks) == 0, call.message
    xor = int(np.bitwise_xor.reduce(t))
    assert c.tolist() == [-n, 99, -50, 2**30 - 1, -(2**20), xor, 77, 3 * n, n]
    assert w.tolist() == [n % 7, (7 - n % 7) % 7]
    assert r[0] == n / 2 and d.tolist() == [n / 4, 2 * n]
    assert (np.sort(old.reshape(blocks, 50), axis=1) == np.arange(50)).all()


# --- what is not there ---------------------------------------------------------------------------


def test_a_function_with_a_barrier_that_returns_early_is_refused() -> None:
    source = """
__device__ int g(int v) { if (v > 3) return 0; __syncthreads(); return v; }
__global__ void k(int *x) { x[0] = g(x[1]); }
void f(int *x) { k<<<1, 2>>>(x); }
"""
    program = frontend.load(source, "x.cu").reach("f")
    with pytest.raises(UnsupportedError, match="g, in which threads wait for each other, is not normalised"):
        targets.cpu_source(program, "f")
    assert Compiled(source, "f", "fibers")(np.zeros(2, np.int32)) == 0


# --- random kernels ------------------------------------------------------------------------------

BLOCKS = [(48, 1, 1), (64, 1, 1), (5, 3, 2), (33, 1, 1), (8, 8, 1), (1, 1, 1)]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(s, marks=pytest.mark.slow) for s in range(2, 24))])
def test_random_kernels_agree_in_every_mode(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "FLAGS", tuple("-O1" if f == "-O3" else f for f in compiler.FLAGS))
    block, kernels = BLOCKS[seed % len(BLOCKS)], 2
    source, total = thread_programs.program(seed, kernels, block), 3 * int(np.prod(block))
    x = np.random.default_rng(seed).integers(0, 50, total).astype(np.int32)
    results = {}
    for mode in MODES:
        out, sums = np.zeros((kernels, total, 4), np.int32), np.zeros((kernels, 4), np.int32)
        call = Compiled(source, "f", mode)
        assert call(x, out, sums, seed % 5, total) == 0, call.message
        results[mode] = out, sums
    for mode, (out, sums) in results.items():
        np.testing.assert_array_equal(out, results["fibers"][0], err_msg=mode)
        np.testing.assert_array_equal(sums, results["fibers"][1], err_msg=mode)


# --- sums over a block ---------------------------------------------------------------------------

BLOCK_SUMS = """
__global__ void k(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = 0.0;
    LEAVE
    if (i < n) v = x[i] * 2.0;
    atomicAdd(y, v);
}
void f(const double *x, double *y, int n) { k<<<(n + 49) / 50, 50>>>(x, y, n); }
"""


def with_block_sums(program: ir.Program) -> ir.Program:
    def change(s: ir.Stmt) -> ir.Stmt:
        if not isinstance(s, ir.Call) or s.function != "atomicAdd":
            return s
        return replace(s, function="hetad_block_add_double")

    functions = {n: replace(f, body=map_body(change, f.body)) for n, f in program.functions.items()}
    return replace(program, functions=functions)


@every_mode
def test_a_block_adds_to_one_number(mode: str) -> None:
    x, y = np.random.default_rng(6).standard_normal(1234), np.ones(1)
    assert Compiled(BLOCK_SUMS.replace("LEAVE", ""), "f", mode, with_block_sums)(x, y, 1234) == 0
    np.testing.assert_allclose(y, 1 + 2 * x.sum(), atol=1e-11)


def test_the_oracle_wants_all_threads_to_come_to_a_block_sum() -> None:
    call = Compiled(BLOCK_SUMS.replace("LEAVE", "if (i == 7) return;"), "f", "fibers", with_block_sums)
    assert call(np.zeros(50), np.zeros(1), 50) == 1
    assert call.message == "x.cu:8:5: hetad_block_add_double in kernel k: threads have returned before"


@pytest.mark.slow
@every_mode
def test_the_compiler_that_pip_installs_compiles_every_mode(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ziglang")
    monkeypatch.setenv("HETAD_CC", f"{shlex.quote(sys.executable)} -m ziglang cc")
    x, y, total = np.zeros(1000), np.zeros(2000), 999
    x[:total] = 1
    assert Compiled(BLOCK_SUMS.replace("LEAVE", ""), "f", mode, with_block_sums)(x, y, total) == 0
    assert y[0] == 2 * total
    test_votes(mode)
    test_a_tree_of_sums_in_blocks_of_every_shape(mode, (5, 3, 4))
