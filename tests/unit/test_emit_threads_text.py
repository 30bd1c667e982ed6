"""The text of what threads share, in CUDA and in C, and what the CPU makes of launches."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest

import hetad
from hetad import frontend, targets
from hetad.ir import nodes as ir
from hetad.ir.visit import map_body
from hetad.run import compiler, process
from tests import nvrtc
from tests.unit.test_emit_threads import ATOMICS, DIVERGENT, KEPT, LEAVING, SHUFFLES, SUMS, VOTES, transposed
from tests.unit.threads_on_cpu import MODES, Compiled

needs_nvrtc = pytest.mark.skipif(nvrtc.load() is None, reason="no NVRTC (pip install nvidia-cuda-nvrtc)")
every_mode = pytest.mark.parametrize("mode", list(MODES))


def reached(source: str, entry: str = "f") -> ir.Program:
    return frontend.load(source, "x.cu").reach(entry)


# --- CUDA ----------------------------------------------------------------------------------------


def test_shared_memory_and_warp_operations_come_out_as_written() -> None:
    lines = [
        "__shared__ float tile[16][17];",
        "__shared__ int count;",
        "extern __shared__ double part[];",
        "__syncthreads();",
        "__syncwarp(0xff);",
        "v = __shfl_down_sync(0xffffffff, v, 4);",
        "v = __shfl_xor_sync(0xffffffff, v, 1, 8);",
        "int any = __any_sync(0xffffffff, v > 0.5f);",
        "unsigned int votes = __ballot_sync(0xffffffff, any);",
        "int old = atomicAdd(&count, 1);",
        "old = atomicCAS(&count, old, old + 1);",
        "atomicMax(&count, 7);",
        "__threadfence();",
    ]
    source = "__global__ void k(float v, double *x)\n{\n" + "\n".join("    " + line for line in lines) + "\n}\n"
    text = targets.cuda_file(reached(source + "void f(double *x) { k<<<1, 32, 64>>>(1.0f, x); }"), "f")
    for line in lines:
        assert f"    {line}\n".replace("extern __shared__", "extern __shared__ __align__(16)") in text


TWO_TYPES = """
__device__ float g(int i) { extern __shared__ float s[]; return s[i]; }
__global__ void a(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = g(2); }
__global__ void b(double *x) { extern __shared__ double s[]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[2]; }
void f(float *x, double *y) { a<<<1, 4, 16>>>(x); b<<<1, 4, 32>>>(y); }
"""


def test_dynamic_arrays_of_one_name_and_two_types() -> None:
    text = targets.device_source(reached(TWO_TYPES))
    assert text.count("extern __shared__ __align__(16) unsigned char hetad_dynamic[];\n") == 3
    assert text.count("float *const s = (float *)hetad_dynamic;\n") == 2
    x, y = np.array([3, 0], np.float32), np.array([5.0, 0.0])
    assert Compiled(TWO_TYPES, "f", "fibers")(x, y) == 0
    assert x[1] == 3 and y[1] == 5


@needs_nvrtc
@pytest.mark.parametrize("source", [VOTES, SUMS, LEAVING, KEPT, DIVERGENT, ATOMICS, TWO_TYPES])
def test_what_threads_share_compiles_for_a_gpu(source: str) -> None:
    assert nvrtc.compile_device(targets.device_source(reached(source)))


@needs_nvrtc
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
def test_adjoints_of_shuffles_compile_for_a_gpu(kind: str) -> None:
    assert nvrtc.compile_device(targets.device_source(transposed(reached(SHUFFLES, kind))))


# --- loops whose step has no place in their head -------------------------------------------------

STEPS = """
__device__ int next(int i) { return 3 * i + 1; }
__global__ void k(int *x)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    for (int i = 1; i < 200; i = i * 2) {
        int odd = i + t;
        if (odd % 3 == 0) continue;
        for (int j = 0; j < 3; j = j + 1) {
            if (j == 1) continue;
            x[t] += j;
        }
        switch (odd % 5) { case 1: continue; case 2: x[t] += 100; }
        x[t] += i;
    }
    s[t] = x[t];
    __syncthreads();
    for (int i = 1; i < 9; i = i * 2) {
        if (i == 4) continue;
        x[t] += s[(t + i) % 32];
        __syncthreads();
    }
}
void f(int *x) { k<<<1, 32>>>(x); }
"""


def with_long_steps(program: ir.Program) -> ir.Program:
    """Every step that doubles becomes a declaration and an assignment, which C cannot have in a head."""

    def change(s: ir.Stmt) -> ir.Stmt:
        step = s.step[0] if isinstance(s, ir.For) else None
        if not isinstance(s, ir.For) or not isinstance(step, ir.Assign):
            return s
        twice = ir.Symbol("twice", step.target.type, s.span)
        declare = ir.Declare(twice, step.value, span=s.span)
        return replace(s, step=(declare, replace(step, value=ir.Var(twice, span=s.span))))

    functions = {n: replace(f, body=map_body(change, f.body)) for n, f in program.functions.items()}
    return replace(program, functions=functions)


@every_mode
def test_continue_reaches_a_step_at_the_end_of_the_body(mode: str) -> None:
    plain, labelled = np.zeros(32, np.int32), np.zeros(32, np.int32)
    assert Compiled(STEPS, "f", mode)(plain) == 0
    assert Compiled(STEPS, "f", mode, with_long_steps)(labelled) == 0
    first = np.zeros(32, np.int64)
    for t in range(32):
        for i in (2**e for e in range(8)):
            if (i + t) % 3:
                first[t] += 2
                first[t] += 0 if (i + t) % 5 == 1 else i + 100 * ((i + t) % 5 == 2)
    total = first + sum(np.roll(first, -i) for i in (1, 2, 8))
    np.testing.assert_array_equal(plain, total)
    np.testing.assert_array_equal(labelled, total)


@needs_nvrtc
def test_a_labelled_step_compiles_for_a_gpu() -> None:
    text = targets.device_source(with_long_steps(reached(STEPS)))
    assert "goto hetad_step_" in text
    assert nvrtc.compile_device(text)


# --- functions with barriers ---------------------------------------------------------------------

BLOCK_SUM = """
__device__ double block_sum(double v, double *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    double result = s[0];
    __syncthreads();
    return result;
}
__device__ double twice(double v, double *s)
{
    if (blockDim.x == 1) return 2 * v;
    return 2 * block_sum(v, s);
}
__global__ void k(const double *x, double *y, int n)
{
    __shared__ double s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = twice(i < n ? x[i] : 0.0, s);
    double b = block_sum(a, s);
    if (i < n) y[i] = a + b;
}
void f(const double *x, double *y, int n) { k<<<(n + 63) / 64, 64>>>(x, y, n); }
"""


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("mode", ["regions", "fibers"])
def test_barriers_in_functions(mode: str, threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CPU_MODE", mode)
    monkeypatch.setenv("HETAD_CPU_THREADS", threads)
    x, y = np.random.default_rng(4).standard_normal(150), np.zeros(150)
    hetad.loads(BLOCK_SUM)["f"](x, y, 150, backend="cpu")
    blocks = np.concatenate([x, np.zeros(42)]).reshape(3, 64)
    np.testing.assert_allclose(y, np.repeat(2 * 65 * blocks.sum(axis=1), 64)[:150], rtol=1e-12)


@pytest.mark.parametrize("name", ["HETAD_CPU_MODE", "HETAD_CPU_THREADS"])
def test_settings_that_do_not_exist(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "many")
    with pytest.raises(hetad.HetadError, match=f"{name} is 'many'"):
        hetad.loads("void f(int *x) { x[0] = 1; }")["f"](np.zeros(1, np.int32), backend="cpu")


# --- launches ------------------------------------------------------------------------------------

LAUNCHES = """
__global__ void kernel(double *x) { x[threadIdx.x] = 1; }
__global__ void blocks(double *x, int args) { for (int value = 0; value < 2; value++) x[threadIdx.x] += args; }
__global__ void args(double *x) { __shared__ double code[64]; code[threadIdx.x] = x[threadIdx.x]; __syncthreads();
    x[threadIdx.x] = code[63 - threadIdx.x]; }
__global__ void runtime(double *x) { double threads = *x, grid = x[0]; x[1] = threads + grid; }
__global__ void result(double *x) { *x = 1; }
__global__ void value(double *x, int n) { n = n + threadIdx.x; x[threadIdx.x] += n; }
void code(double *x, int n)
{
    kernel<<<1, n>>>(x);
    blocks<<<1, n>>>(x, n);
    args<<<1, 64>>>(x);
    runtime<<<1, 1>>>(x);
    result<<<1, 1>>>(x);
    value<<<1, 64>>>(x, n);
}
void large(double *x, int n) { kernel<<<1, n>>>(x); }
int asked(double *x, int n) { kernel<<<1, n>>>(x); return cudaGetLastError(); }
void empty(double *x, int n) { kernel<<<n, 64>>>(x); }
"""


@every_mode
def test_kernels_with_the_names_of_what_launches_them(mode: str) -> None:
    x, expected = np.zeros(64), np.r_[np.zeros(32), np.full(32, 65.0)]
    assert Compiled(LAUNCHES, "code", mode)(x, 32) == 0
    expected[:2] = 1, 0
    np.testing.assert_array_equal(x, expected + 32 + np.arange(64))


def test_a_refused_launch_that_nobody_asks_about_is_an_error() -> None:
    program, x = hetad.loads(LAUNCHES, "x.cu"), np.zeros(64)
    program["large"](x, 64, backend="cpu")
    with pytest.raises(hetad.HetadError, match=r"kernel kernel<<<\(1, 1, 1\), \(2000, 1, 1\)>>>: .*more than 1024"):
        program["large"](x, 2000, backend="cpu")
    with pytest.raises(hetad.HetadError, match="the block is empty"):
        program["large"](x, 0, backend="cpu")
    program["large"](x, 64, backend="cpu")
    assert program["asked"](x, 2000, backend="cpu") == 9
    program["empty"](x, 0, backend="cpu")


def test_parameters_that_a_kernel_changes_are_each_threads_own() -> None:
    source = """
__global__ void k(int n, int *x) { n = n / 2 + threadIdx.x; int *p = &n; *p += 1; x += threadIdx.x; *x = n; }
void f(int n, int *x) { k<<<1, 8>>>(n, x); }
"""
    for mode in MODES:
        x = np.zeros(8, np.int32)
        assert Compiled(source, "f", mode)(100, x) == 0
        assert x.tolist() == list(range(51, 59))


def test_dereferences_and_elements() -> None:
    source = "void f(double *p) { double a[2] = {1, 2}; p[0] += 1.0; *a = 2.0; p[1] = a[0]; }"
    text = targets.cuda_file(reached(source), "f")
    for line in ("p[0] += 1.0;", "a[0] = 2.0;", "p[1] = a[0];"):
        assert line in text


def test_a_failure_in_kernels_compiled_apart_is_a_launch_error() -> None:
    source = "__global__ void k(int *x) { assert(x[0] == 1); } void f(int *x) { k<<<1, 1>>>(x); }"
    kernels = ctypes.CDLL(str(compiler.shared_library(targets.cpu_kernels(reached(source)))))
    process.connect(kernels)
    for value, error in ((1, 0), (2, 719)):
        x, one = np.full(1, value, np.int32), (ctypes.c_uint * 3)(1, 1, 1)
        pointer = ctypes.c_void_p(x.ctypes.data)
        args = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
        assert kernels.hetad_cpu_launch(0, one, one, ctypes.c_size_t(0), None, args) == error
