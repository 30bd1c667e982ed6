"""Programs emitted as C and run on the CPU: CUDA in, numbers out."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hetad import frontend, targets
from hetad.ir import nodes as ir
from hetad.run import compiler, process

Run = Callable[..., int]


class Compiled:
    """A function of a CUDA source behind `hetad_call`."""

    def __init__(self, source: str, entry: str, change: Callable[[ir.Program], ir.Program] = lambda p: p) -> None:
        program = change(frontend.load(source, "x.cu").reach(entry))
        self.code = ctypes.CDLL(str(compiler.shared_library(targets.cpu_source(program, entry))))
        process.connect(self.code)
        self.code.hetad_cpu_runtime.restype = ctypes.c_void_p
        self.code.hetad_message.restype = ctypes.c_char_p

    def __call__(self, *args: Any, result: Any = None) -> int:
        values = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in args]
        values = [ctypes.c_int(v) if isinstance(v, int) else v for v in values]
        values = [ctypes.c_double(v) if isinstance(v, float) else v for v in values]
        addresses = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(v) for v in values])
        table = ctypes.c_void_p(self.code.hetad_cpu_runtime())
        code: int = self.code.hetad_call(table, addresses, None if result is None else ctypes.byref(result))
        return code

    @property
    def message(self) -> str:
        text: bytes = self.code.hetad_message()
        return text.decode()


AXPY = """
__global__ void axpy(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] += a * x[i];
}
double run(int n, double a, const double *x, double *y)
{
    axpy<<<(n + 127) / 128, 128>>>(n, a, x, y);
    return cudaDeviceSynchronize() == cudaSuccess ? a : 0.0;
}
"""


def test_a_launch_and_a_return_value() -> None:
    x, y = np.random.default_rng(1).standard_normal((2, 1000))
    expected, result = y + 1.5 * x, ctypes.c_double()
    assert Compiled(AXPY, "run")(1000, 1.5, x, y, result=result) == 0
    np.testing.assert_array_equal(y, expected)
    assert result.value == 1.5


def test_host_and_kernels_compile_apart() -> None:
    program = frontend.load(AXPY, "x.cu").reach("run")
    host = ctypes.CDLL(str(compiler.shared_library(targets.host_source(program, "run", targets.kernels(program)))))
    kernels = ctypes.CDLL(str(compiler.shared_library(targets.cpu_kernels(program))))
    process.connect(host)
    process.connect(kernels)
    kernels.hetad_cpu_runtime.restype = ctypes.c_void_p
    x, y = np.ones(5), np.ones(5)
    values = [ctypes.c_int(5), ctypes.c_double(2), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data)]
    args, result = (ctypes.c_void_p * 4)(*[ctypes.addressof(v) for v in values]), ctypes.c_double()
    assert host.hetad_call(ctypes.c_void_p(kernels.hetad_cpu_runtime()), args, ctypes.byref(result)) == 0
    np.testing.assert_array_equal(y, np.full(5, 3.0))


def test_an_empty_grid_is_an_error_and_nothing_runs() -> None:
    source = AXPY.replace("return cudaDeviceSynchronize() == cudaSuccess ? a : 0.0;", "return cudaGetLastError();")
    result = ctypes.c_double()
    call = Compiled(source, "run")
    assert call(0, 1.5, np.ones(1), np.ones(1), result=result) == 0
    assert result.value == 9
    assert call(1, 1.5, np.ones(1), np.ones(1), result=result) == 0
    assert result.value == 0


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("exit(3);", 2, "the program called exit(3)"),
        ("abort();", 1, "x.cu:1:59: the program called abort()"),
        ("assert(n > 9);", 1, "x.cu:1:59: assertion failed: n > 9"),
    ],
)
def test_leaving_the_program_comes_back(statement: str, code: int, message: str) -> None:
    call = Compiled(f"void f(int n) {{ float *p; cudaMalloc(&p, 4); if (n > 0) {{ {statement} }} cudaFree(p); }}", "f")
    assert call(0) == 0
    assert call(1) == code
    assert call.message == message
    assert call(0) == 0 and call.message == ""


THREADS = """
__device__ int flat() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ int global_index()
{
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return block * blockDim.x * blockDim.y * blockDim.z + flat();
}
__global__ void k(int *order, int *count)
{
    for (int j = 0; j < 3; ++j) {
        if (j == 1 && global_index() % 7 == 3) return;
        order[global_index()] = atomicAdd(count, 1);
    }
}
void f(int *order, int *count)
{
    dim3 grid(3, 2, 2), block(4, 3, 2);
    k<<<grid, block>>>(order, count);
}
"""


def test_threads_run_in_order_or_last_to_first() -> None:
    def reverse(p: ir.Program) -> ir.Program:
        return replace(p, functions={n: replace(f, reverse_threads=True) for n, f in p.functions.items()})

    forward, backward = np.zeros(288, np.int32), np.zeros(288, np.int32)
    assert Compiled(THREADS, "f")(forward, np.zeros(1, np.int32)) == 0
    assert Compiled(THREADS, "f", reverse)(backward, np.zeros(1, np.int32)) == 0
    turns = np.where(np.arange(288) % 7 == 3, 1, 3)
    np.testing.assert_array_equal(forward, np.cumsum(turns) - 1)
    np.testing.assert_array_equal(backward, np.cumsum(turns[::-1])[::-1] - 1)


def test_more_blocks_than_the_fast_version_takes() -> None:
    source = """
__global__ void k(unsigned *last) { if (blockIdx.x == gridDim.x - 1) last[0] = blockIdx.x * blockDim.x + threadIdx.x; }
void f(unsigned *last) { k<<<3000000, 2>>>(last); }
"""
    last = np.zeros(1, np.uint32)
    assert Compiled(source, "f")(last) == 0
    assert last[0] == 5999999


def test_structs_by_value_in_memory_and_in_launches() -> None:
    source = """
struct Inner { double v[2]; };
typedef struct { int n; Inner inner; float3 color; } Big;
__constant__ double scale[2] = {2.0, 3.0};
__device__ double weigh(Inner inner) { return inner.v[0] * scale[0] + inner.v[1] * scale[1]; }
__global__ void k(Big *out, Big one) {
    Big *p = &out[threadIdx.x];
    p->inner.v[0] = weigh(one.inner) + threadIdx.x;
    p->color = one.color;
    p->n = one.n;
}
void f(Big *out, Big one) { Big copy = one; copy.n += 1; k<<<1, 3>>>(out, copy); }
"""
    inner = np.dtype([("v", np.float64, 2)], align=True)
    color = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32)], align=True)
    big = np.dtype([("n", np.int32), ("inner", inner), ("color", color)], align=True)
    out, one = np.zeros(3, big), np.zeros(1, big)
    one[0] = (4, ([1.0, 2.0],), (1, 2, 3))
    value = (ctypes.c_char * big.itemsize).from_buffer(one)
    assert Compiled(source, "f")(out, value) == 0
    np.testing.assert_array_equal(out["inner"]["v"][:, 0], [8, 9, 10])
    assert out["n"].tolist() == [5, 5, 5] and out["color"]["z"].tolist() == [3, 3, 3]


def test_the_output_of_printf_is_not_held_back(capfd: pytest.CaptureFixture[str]) -> None:
    source = """
__global__ void k(float v) { printf("%d %g\\n", threadIdx.x, v); }
void f(float v) { k<<<1, 2>>>(v); printf("done %s\\n", cudaGetErrorString(cudaSuccess)); }
"""
    assert Compiled(source, "f")(ctypes.c_float(1.5)) == 0
    assert capfd.readouterr().out == "0 1.5\n1 1.5\ndone no error\n"


def test_names_of_the_c_library_and_of_c_are_free() -> None:
    source = """
__device__ double gamma(double x) { return x + 1; }
__global__ void index(double *register_, double *j1) { j1[0] = gamma(register_[0]) + erf(0.0) + rsqrt(4.0); }
void remove(double *stdin_, double *typeof_) { index<<<1, 1>>>(stdin_, typeof_); }
void f(double *linux, double *new_) { remove(linux, new_); }
"""
    out = np.zeros(1)
    assert Compiled(source, "f")(np.array([2.0]), out) == 0
    assert out[0] == 3.5


@pytest.mark.parametrize("name", ["kernel", "args", "blocks", "result", "value", "code", "shared", "rt"])
def test_names_that_the_frame_around_a_program_might_use_are_free(name: str) -> None:
    source = f"""
__device__ double value_of(const double *p) {{ return p[0]; }}
__global__ void {name}(double *args_, const double *{name}_blocks) {{ args_[0] = value_of({name}_blocks) + 1; }}
double {name}_large(double *rt_, double *in) {{ {name}<<<1, 1>>>(rt_, in); return rt_[0]; }}
"""
    result = ctypes.c_double()
    assert Compiled(source, f"{name}_large")(np.zeros(1), np.array([2.0]), result=result) == 0
    assert result.value == 3


def test_control_flow() -> None:
    source = """
int f(int n)
{
    int s = 0, i = 0, *p = &s;
    for (i = 0, s = 1; i < n; i++, s += 2) { if (i == 3) continue; if (i == 7) break; s += i; }
    do { s--; if (s % 5 == 0) break; } while (s > 3);
    switch (n % 4) { case 0: case 1: s += 100; case 2: s += 10; break; default: { int t = s; s = t * 2; } }
    while (s > 1000) s /= 2;
    for (;;) { if (++i > 20) break; }
    return *p + (n > 2 ? n << 1 : -n) + i++ + --i;
}
"""
    call = Compiled(source, "f")
    for n in range(12):
        result = ctypes.c_int()
        assert call(n, result=result) == 0
        assert result.value == control_flow(n), n


def control_flow(n: int) -> int:
    s = 1
    i = 0
    while i < n:
        if i == 7:
            break
        if i != 3:
            s += i
        i, s = i + 1, s + 2
    while True:
        s -= 1
        if s % 5 == 0 or s <= 3:
            break
    s = s + 110 if n % 4 < 2 else s + 10 if n % 4 == 2 else 2 * s
    while s > 1000:
        s //= 2
    return s + (n << 1 if n > 2 else -n) + 21 + 21


TYPES = {
    "c": "char", "s": "short", "us": "unsigned short", "i": "int", "u": "unsigned int", "l": "long", "z": "size_t",
    "f": "float", "d": "double",
}  # fmt: skip
CTYPES = {
    "char": ctypes.c_byte, "short": ctypes.c_short, "unsigned short": ctypes.c_ushort, "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint, "long": ctypes.c_long, "size_t": ctypes.c_size_t, "float": ctypes.c_float,
    "double": ctypes.c_double,
}  # fmt: skip


class Generator:
    """Random C expressions over variables of every type, without undefined conversions."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def leaf(self, integer: bool) -> str:
        literals = ["1", "2", "3u", "7", "0x1F", "10ul", "3l", "(-1)"]
        floating = ["1.5", "2.0f", ".5f", "1e-3", "4"]
        if self.draw.random() < 0.3:
            return self.draw.choice(literals if integer else literals + floating)
        names = [n for n, t in TYPES.items() if not integer or t not in ("float", "double")]
        return self.draw.choice(names)

    def expr(self, depth: int, integer: bool) -> str:
        if depth == 0:
            return self.leaf(integer)
        a, b = self.expr(depth - 1, integer), self.expr(depth - 1, integer)
        m, n = self.expr(depth - 1, True), self.expr(depth - 1, True)
        forms = {
            f"({a} {self.draw.choice('+-*')} {b})": 45,
            f"({a} {self.draw.choice(['<', '>', '<=', '>=', '==', '!='])} {b})": 10,
            f"({m} {self.draw.choice('&|^')} {n})": 8,
            f"({m} {self.draw.choice(['<<', '>>'])} (l & 7))": 4,
            f"({m} {self.draw.choice('/%')} (({n} & 7) + 1))": 4,
            f"(- {a})": 5,
            f"(!{a})": 2,
            f"(~{m})": 2,
            f"({a} ? {b} : {self.expr(depth - 1, integer)})": 8,
            f"(({self.draw.choice(['char', 'short', 'int', 'unsigned int', 'long'])}){m})": 5,
            f"({a} {self.draw.choice(['&&', '||'])} {b})": 6,
        }
        if not integer:
            forms[f"(({self.draw.choice(['float', 'double'])}){a})"] = 6
        return self.draw.choices(list(forms), list(forms.values()))[0]

    def statements(self, count: int) -> list[str]:
        lines = []
        for k in range(count):
            type_ = self.draw.choice([*TYPES.values(), "float", "double", "double"])
            integer = type_ not in ("float", "double")
            a, b = self.expr(self.draw.randint(1, 4), integer), self.expr(self.draw.randint(0, 3), integer)
            op = self.draw.choice(["=", "+=", "-=", "*="])
            lines.append(f"  {{ {type_} r = {a}; r {op} {b}; out[{k}] = r; }}")
        return lines

    def values(self) -> list[Any]:
        result = []
        for type_ in TYPES.values():
            real = self.draw.choice([self.draw.uniform(-3, 3), 0.1, self.draw.uniform(-1e4, 1e4)])
            whole = self.draw.choice([self.draw.randint(-100, 100), -1, 127, self.draw.getrandbits(31)])
            result.append(CTYPES[type_](real if type_ in ("float", "double") else whole))
        return result


@pytest.mark.parametrize("seed", [1, 2])
def test_random_expressions_keep_their_value(seed: int, tmp_path: Path) -> None:
    # the reference is the text as written, compiled as C; the text emitted for nvcc is compiled as C++ where possible
    generator, count = Generator(seed), 150
    params = ", ".join(f"{t} {n}" for n, t in TYPES.items())
    source = f"void f(double *out, {params})\n{{\n" + "\n".join(generator.statements(count)) + "\n}\n"
    program = frontend.load(source, "x.cu").reach("f")
    reference = ctypes.CDLL(str(compiler.shared_library("#include <stddef.h>\n" + source)))
    emitted = Compiled(source, "f")
    cuda = None
    if shutil.which("g++") is not None:
        text, library = tmp_path / "f.cpp", tmp_path / "f.so"
        text.write_text("#include <cstddef>\n" + targets.cuda_file(program, "f"))
        flags = ["-O1", "-fwrapv", "-ffp-contract=off", "-shared", "-fPIC", "-w"]
        subprocess.run(["g++", *flags, str(text), "-o", str(library)], check=True)
        cuda = ctypes.CDLL(str(library))
    for _ in range(20):
        values = generator.values()
        expected, actual = np.zeros(count), np.zeros(count)
        reference.f(ctypes.c_void_p(expected.ctypes.data), *values)
        assert emitted(actual, *values) == 0
        np.testing.assert_array_equal(actual, expected)
        if cuda is not None:
            cuda.f(ctypes.c_void_p(actual.ctypes.data), *values)
            np.testing.assert_array_equal(actual, expected)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
@pytest.mark.parametrize(("source", "entry"), [(AXPY, "run"), (THREADS, "f")])
def test_nvcc_compiles_what_is_emitted(source: str, entry: str, tmp_path: Path) -> None:
    file = tmp_path / "x.cu"
    file.write_text(targets.cuda_file(frontend.load(source, "x.cu").reach(entry), entry))
    subprocess.run(["nvcc", "-arch=sm_90", "-c", str(file), "-o", str(tmp_path / "x.o")], check=True)
