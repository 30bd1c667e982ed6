"""The Python side of the CUDA backend over a CuPy and a driver made of host memory; tests/gpu has the real ones."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hetad
from hetad import targets
from hetad.run import cuda, cuda_routines, cuda_table
from hetad.run.compile_log import refused_lines
from hetad.run.executable import library
from tests.adapters import need
from tests.corpus import cases
from tests.unit import fake_cupy as cp
from tests.unit import kernels_on_host
from tests.unit.test_memory_safety import MISTAKES, Mistake

needs_cpp = pytest.mark.skipif(kernels_on_host.COMPILER is None, reason="no C++ compiler")

PROGRAM = """
__global__ void scale_kernel(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i] * x[i];
}

void scale(int n, double a, const double *x, double *y) { scale_kernel<<<(n + 31) / 32, 32>>>(n, a, x, y); }

void scale_blocks(int n, double a, const double *x, double *y, int threads)
{
    scale_kernel<<<1, threads>>>(n, a, x, y);
}

double total(const double *x, int n)
{
    double *d_x, *d_y;
    double y[100];
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_y, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, n * sizeof(double));
    scale_kernel<<<1, 100>>>(n, 2.0, d_x, d_y);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += y[i];
    return sum;
}
"""


@contextlib.contextmanager
def driven() -> Iterator[Any]:
    """What stands for CuPy and the driver does while this lasts."""
    with pytest.MonkeyPatch.context() as patch:
        fake = library((Path(__file__).parent / "fake_cuda.c").read_text() + "// of test_run_cuda").handle
        fake.fake_journal.restype = ctypes.c_char_p
        signature = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 2, ctypes.c_size_t, *[ctypes.c_void_p] * 2
        )
        launcher = signature(cp.launch)
        fake.fake_launcher(launcher)
        cp.register[:] = [fake.fake_parameters]
        device_source, source = targets.device_source, cuda_table.table_source()

        def recorded(program: Any, accesses: Any = None) -> str:
            text = device_source(program, accesses)
            cp.programs[text] = program
            return text

        patch.setattr(targets, "device_source", recorded)
        patch.setattr(cuda, "cupy_module", lambda: cp)
        patch.setattr(cuda, "driver", lambda: fake)
        patch.setattr(cuda, "unusable_reason", lambda: None)
        patch.setattr(cuda, "bring_in_libraries", lambda: None)
        patch.setattr(cuda_routines, "find", lambda _: None)
        patch.setattr(cuda_table, "table_source", lambda: source + "// of test_run_cuda")
        patch.delenv("HETAD_CUDA_OPTIONS", raising=False)
        cuda_table.table.cache_clear()
        yield fake
        fake.fake_launcher(None)
    cuda_table.table.cache_clear()


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with driven() as fake:
        yield fake


@pytest.fixture(scope="module")
def program(driver: Any) -> hetad.Program:
    return hetad.loads(PROGRAM, "cuda.cu")


@pytest.fixture(autouse=True)
def _fresh(driver: Any) -> None:
    driver.fake_fail(b"", 0)
    driver.fake_journal()


X = np.arange(100.0)


def test_device_arrays_are_used_as_they_are(program: hetad.Program) -> None:
    y = cp.zeros(100)
    program["scale"](100, 2.0, cp.asarray(X), y)
    np.testing.assert_array_equal(cp.asnumpy(y), 2 * X**2)


def test_numpy_arrays_are_staged(program: hetad.Program) -> None:
    x, y = X.copy(), np.ones(100)
    x.flags.writeable = False
    program["scale"](100, 2.0, x, y)
    np.testing.assert_array_equal(y, 1 + 2 * X**2)
    program["scale"](100, 2.0, cp.asarray(X), y)
    np.testing.assert_array_equal(y, 1 + 4 * X**2)
    program["scale"](0, 2.0, np.zeros(0), np.zeros(0))


def test_host_pointers(program: hetad.Program) -> None:
    assert program["total"](X, 100) == 2 * (X**2).sum()
    with pytest.raises(hetad.ArgumentError, match="argument 'x': this is a host pointer"):
        program["total"](cp.asarray(X), 100)


def test_gradients_have_the_type_of_the_argument(program: hetad.Program) -> None:
    g = hetad.gradient(program["scale"], wrt=("a", "x", "y"), of="y")
    seed = np.arange(100.0)
    for wrap in (np.array, cp.array):
        for wrap_seed in (np.array, cp.array):
            s = wrap_seed(seed)
            r = g(100, 2.0, wrap(X), wrap(np.ones(100)), seeds={"y": s})
            assert [type(v) for v in r.values()] == [float, type(wrap(X)), type(wrap(X))]
            found = [v if isinstance(v, np.ndarray) else cp.asnumpy(v) for v in (r["x"], r["y"])]
            np.testing.assert_array_equal(found[0], 4 * X * seed)
            np.testing.assert_array_equal(found[1], seed)
            assert r["a"] == X**2 @ seed
            assert r["y"] is not s
            np.testing.assert_array_equal(s if isinstance(s, np.ndarray) else s.host, seed)


def test_the_gradient_of_a_program_with_copies(program: hetad.Program) -> None:
    value, r = hetad.gradient(program["total"], "x").value_and_grad(X, 100)
    assert value == 2 * (X**2).sum()
    np.testing.assert_array_equal(r["x"], 4 * X)


def test_in_place(program: hetad.Program) -> None:
    g = hetad.gradient(program["scale"], wrt=("a", "x", "y"), of="y")
    adj_y, adj_a, adj_x = cp.array(np.ones(100)), np.ones(1), np.ones(100)
    g.execute(100, 2.0, X, cp.zeros(100), adj_y, adj_a, adj_x)
    np.testing.assert_array_equal(adj_x, 1 + 4 * X)
    assert adj_a[0] == 1 + (X**2).sum()
    with pytest.raises(hetad.ArgumentError, match="argument 'adj_a': this is a host pointer"):
        g.execute(100, 2.0, X, cp.zeros(100), adj_y, cp.zeros(1), adj_x)


def test_work_goes_to_the_current_stream(program: hetad.Program, driver: Any) -> None:
    with cp.Stream(0x500):
        program["scale"](100, 2.0, cp.asarray(X), cp.zeros(100))
    assert b"cuLaunchKernel 1280" in driver.fake_journal()
    for stream in (cp.Stream(0x600), 0x600):
        y = np.zeros(100)
        program["scale_kernel"](100, 2.0, X, y, grid=1, block=100, stream=stream)
        np.testing.assert_array_equal(y, 2 * X**2)
        assert driver.fake_journal().splitlines() == [b"cuLaunchKernel 1536"]


class Tensor:
    """As much of one of PyTorch's on a GPU as hetad looks at."""

    __module__ = "torch"
    is_cuda, requires_grad, dtype = True, False, "float64"

    def __init__(self, host: Any, device: int = 0) -> None:
        self.host = host
        self.ndim = host.ndim
        self.device = SimpleNamespace(type="cuda", index=device)

    def __dlpack__(self) -> None:
        raise AssertionError("only CuPy reads it")


def test_tensors_are_worked_on_where_they_lie_on_their_stream(
    program: hetad.Program, driver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = SimpleNamespace(
        bfloat16="bfloat16", is_grad_enabled=lambda: True, from_dlpack=lambda array: Tensor(array.host),
        cuda=SimpleNamespace(current_stream=lambda device: SimpleNamespace(cuda_stream=0x700 + device)),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", torch)
    y = Tensor(np.zeros(100), 1)
    program["scale"](100, 2.0, Tensor(X, 1), y)
    np.testing.assert_array_equal(y.host, 2 * X**2)
    assert b"cuLaunchKernel 1793" in driver.fake_journal()
    y = Tensor(np.zeros(100))
    program["scale_kernel"](100, 2.0, Tensor(X), y, grid=1, block=100, stream=0x600)
    assert b"cuLaunchKernel 1536" in driver.fake_journal()
    seeds, tangents = {"y": Tensor(np.ones(100))}, {"x": Tensor(X)}
    r = hetad.gradient(program["scale"], wrt="x", of="y")(100, 2.0, Tensor(X), y, seeds=seeds)
    assert isinstance(r["x"], Tensor)
    np.testing.assert_array_equal(r["x"].host, 4 * X)
    t = hetad.jvp(program["scale"], wrt="x", of="y")(100, 2.0, Tensor(X), y, tangents=tangents)
    np.testing.assert_array_equal(t["y"].host, 4 * X * X)
    h = hetad.hvp(program["scale"], wrt="x", of="y")(100, 2.0, Tensor(X), y, tangents=tangents, seeds=seeds)
    np.testing.assert_array_equal(h["x"].host, 4 * X)
    launches = [line for line in driver.fake_journal().splitlines() if line.startswith(b"cuLaunchKernel")]
    assert set(launches) == {b"cuLaunchKernel 1792"}
    with pytest.raises(hetad.ArgumentError, match="the CPU backend cannot take an array that lies in GPU memory"):
        program["scale"](100, 2.0, Tensor(X), y, backend="cpu")


def test_calls_of_xla_on_a_device(program: hetad.Program, driver: Any) -> None:
    """On the memory and the stream that they say, with results where XLA wants them."""
    need("jax")
    from hetad.jax import ffi
    from hetad.jax.products import Subject, work
    from hetad.products import HVP, JVP, VALUE, VJP, Product

    f = hetad.jax.function(program["scale"], of={"y": "x"})
    subject = Subject(f.functional, "scale")

    def called(product: Product, wrt: tuple[int, ...], operands: list[Any], results: list[Any]) -> int:
        ffi._calls["key"] = work(product, subject, (100,), wrt)
        arrays = [(a, np.array(a.shape, np.int64)) for a in (*operands, *results)]
        read = (ffi._Array * len(arrays))(
            *(ffi._Array(a.ctypes.data, dims.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), a.ndim, 12)
              for a, dims in arrays)
        )  # fmt: skip
        key, message = ctypes.create_string_buffer(b"key"), ctypes.create_string_buffer(4096)
        call = ffi._Call(
            ctypes.addressof(key), 3, read, ctypes.cast(ctypes.byref(read, ctypes.sizeof(ffi._Array) * len(operands)),
            ctypes.POINTER(ffi._Array)), len(operands), len(results), 0x700, 1, ctypes.addressof(message),
        )  # fmt: skip
        failed: int = ffi._serve(ctypes.pointer(call))
        return failed or message.value != b""

    a, y, number = np.array(2.0), np.full(100, 7.0), np.array(7.0)
    one = np.ones(100)
    assert not called(VALUE, (1, 2), [a, X], [y])
    np.testing.assert_array_equal(y, 2 * X**2)
    assert not called(VJP, (1, 2), [a, X, one], [number, y])
    assert number == (X**2).sum()
    np.testing.assert_array_equal(y, 4 * X)
    assert not called(JVP, (1, 2), [a, X, np.array(1.0), one], [y])
    np.testing.assert_array_equal(y, X**2 + 4 * X)
    assert not called(HVP, (1, 2), [a, X, np.array(1.0), one, one], [number, y])
    assert number == (2 * X).sum()
    np.testing.assert_array_equal(y, 2 * X + 4)
    launches = [line for line in driver.fake_journal().splitlines() if line.startswith(b"cuLaunchKernel")]
    assert set(launches) == {b"cuLaunchKernel 1792"}
    assert called(VALUE, (1, 2), [a, X[:3]], [y[:3]])


def test_devices(program: hetad.Program) -> None:
    theirs = cp.ndarray(np.zeros(100), device=1)
    with pytest.raises(
        hetad.ArgumentError, match=r"device 1, but the current device is 0.*\n.*\n.*cupy.cuda.Device\(1\)"
    ):
        program["scale"](100, 2.0, X, theirs)
    with cp.cuda.Device(1):
        program["scale"](100, 2.0, X, theirs)
    np.testing.assert_array_equal(theirs.host, 2 * X**2)


def test_what_goes_wrong_on_the_device_is_named(program: hetad.Program, driver: Any) -> None:
    driver.fake_fail(b"cuLaunchKernel", 700)
    with pytest.raises(hetad.ExecutionError, match=r"^cuda\.cu:8:\d+: kernel scale_kernel<<<.*ILLEGAL_ADDRESS"):
        program["scale"](100, 2.0, X, np.zeros(100))
    driver.fake_fail(b"cuMemAllocFromPoolAsync", 2)
    with pytest.raises(hetad.ExecutionError, match=r"CUDA_ERROR_OUT_OF_MEMORY"):
        hetad.gradient(program["total"], "x")(X, 100)
    driver.fake_fail(b"", 0)
    with pytest.raises(hetad.ExecutionError, match=r"cuda\.cu:12:\d+: .*(more threads|too large for the device)"):
        program["scale_blocks"](100, 2.0, X, np.zeros(100), 2000)
    program["scale"](100, 2.0, X, np.zeros(100))


def test_device_code_that_does_not_compile(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "device_source", lambda _: "not CUDA")
    shown = r"NVRTC failed.*\n.*error\n  its line 1: not CUDA\n  the source is kept in (.*\.cu)"
    with pytest.raises(hetad.BackendError, match=shown) as caught:
        hetad.loads(PROGRAM)["scale"](100, 2.0, X, np.zeros(100))
    assert Path(str(caught.value).split("kept in ")[1]).read_text() == "not CUDA"


def test_lines_that_do_not_compile_are_shown_with_what_they_were_made_of() -> None:
    source = "__global__ void k_pullback(double *x)\n{\n    // line 7: x[0] = y;\n    x[0] = oops;\n    x[1] = 2;\n}\n"
    log = 'hetad.cu(4): error: identifier "oops" is undefined\nhetad.cu(4): error: again\nhetad.cu(1): error: here'
    assert list(refused_lines(log, source)) == [
        "its line 1: __global__ void k_pullback(double *x)", "its line 4: x[0] = oops;", "made of line 7: x[0] = y;",
    ]  # fmt: skip


SYMBOLS = """
__constant__ double weights[3];
__device__ double total = 1.0;
__device__ int unused[4];

__global__ void add(const double *x) { atomicAdd(&total, weights[threadIdx.x] * x[threadIdx.x]); }

void load(const double *w)
{
    int zeros[4] = {0, 0, 0, 0};
    cudaMemcpyToSymbol(unused, zeros, sizeof(zeros));
    cudaMemcpyToSymbol(weights, w, 3 * sizeof(double));
}

double dot(const double *x, const double *w)
{
    double result;
    load(w);
    add<<<1, 3>>>(x);
    cudaMemcpyFromSymbol(&result, total, sizeof(double));
    return result;
}
"""


def test_device_variables(driver: Any) -> None:
    program = hetad.loads(SYMBOLS, "symbols.cu")
    x, w = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    dot = program["dot"]
    assert [dot(x, w), dot(x, w)] == [33, 65]  # they keep their values between calls
    gradient = hetad.gradient(dot, wrt=("x", "w"))
    for _ in range(2):  # a gradient has its own, and leaves them as they were
        value, found = gradient.value_and_grad(x, w)
        assert value == 33
        np.testing.assert_array_equal(found["x"], w)
        np.testing.assert_array_equal(found["w"], x)
    assert dot(x, w) == 97


GATHER = """
__global__ void gather(double *y, const double *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { double v = x[at[i]]; y[i] = v * v; }
}
void f(double *y, const double *x, const int *at, int n) { gather<<<(n + 31) / 32, 32>>>(y, x, at, n); }
"""


@needs_cpp
def test_with_debug_kernels_on_the_device_are_checked(driver: Any) -> None:
    g = hetad.gradient(hetad.loads(GATHER, "gather.cu")["f"], wrt="x", of="y", backend="cuda", debug=True)
    x, y, at = np.arange(1.0, 9.0), cp.zeros(40), np.arange(40, dtype=np.int32) % 8
    seeds = {"y": cp.asarray(np.ones(40))}
    np.testing.assert_allclose(g(y, cp.asarray(x), cp.asarray(at), 40, seeds=seeds)["x"], 10 * x)
    at[37] = 8
    with pytest.raises(hetad.MemoryAccessError, match=r"gather\.cu:5:\d+: x\[at\[i\]\] reads element 8 of x") as caught:
        g(y, cp.asarray(x), cp.asarray(at), 40, seeds=seeds)
    assert (caught.value.index, caught.value.extent) == (8, 8)
    assert caught.value.thread == ((1, 0, 0), (5, 0, 0))


WITHOUT_BARRIERS = {k: m for k, m in MISTAKES.items() if "__sync" not in m.text}


@needs_cpp
@pytest.mark.parametrize("mistake", WITHOUT_BARRIERS.values(), ids=WITHOUT_BARRIERS)
def test_checked_kernels_find_what_the_cpu_finds(mistake: Mistake, driver: Any) -> None:
    function = hetad.loads(mistake.source, "f.cu")["f"]
    wrap = cp.array if "int *at" in mistake.text else np.array
    args = [wrap(a) if isinstance(a, np.ndarray) else a for a in mistake.args()]
    with pytest.raises(hetad.MemoryAccessError) as raised:
        function(*args, backend="cuda", checked=True)
    assert mistake.message in raised.value.message
    assert raised.value.span is not None
    assert (raised.value.span.line, raised.value.span.column) == mistake.place
    if mistake.gradient:
        gradient = hetad.gradient(function, wrt=mistake.wrt, of=mistake.of, backend="cuda", checked=True)
        seeds = None if mistake.of is None else {mistake.of: np.ones_like(mistake.args()[0])}
        if "__shfl" not in gradient.source:  # lanes are more than one thread after another can show
            with pytest.raises(hetad.MemoryAccessError, match=mistake.gradient):
                gradient(*args, seeds=seeds)


@needs_cpp
def test_checked_kernels_reach_the_variables_of_the_device(driver: Any) -> None:
    text = """
__constant__ double c[4];
__device__ double d[3];
__device__ double third(const double *p, int i) { return p[i]; }
__global__ void k(double *y, const double *x, const int *at)
{
    d[threadIdx.x % 3] = x[threadIdx.x];
    y[threadIdx.x] = third(threadIdx.x > 1 ? c : d, at[threadIdx.x]);
}
void f(double *y, const double *x, const int *at)
{
    cudaMemcpyToSymbol(c, x, 4 * sizeof(double), 0, cudaMemcpyDeviceToDevice);
    k<<<1, 4>>>(y, x, at);
}
"""
    f, x = hetad.loads(text, "f.cu")["f"], np.arange(1.0, 5.0)
    y = np.zeros(4)
    with pytest.raises(
        hetad.MemoryAccessError, match=r"p\[i\] reads element 4 of p, which has 4 elements, in thread 3"
    ):
        f(y, x, np.array([0, 1, 2, 4], np.int32), backend="cuda", checked=True)
    with pytest.raises(
        hetad.MemoryAccessError, match=r"p\[i\] reads element 3 of p, which has 3 elements, in thread 1"
    ):
        f(y, x, np.array([0, 3, 2, 3], np.int32), backend="cuda", checked=True)


def test_graphs_are_not_checked(driver: Any) -> None:
    g = hetad.gradient(hetad.loads(GATHER)["f"], wrt="x", of="y", backend="cuda", checked=True, graph=True)
    with pytest.raises(hetad.ArgumentError, match="leave out graph=True"):
        g(cp.zeros(8), cp.asarray(X[:8]), cp.asarray(np.zeros(8, np.int32)), 8, seeds={"y": cp.asarray(np.ones(8))})


@pytest.mark.parametrize("name", ["devices_in_turn", "devices_and_peers"])
@pytest.mark.parametrize("first", [0, 1])
def test_programs_on_several_devices(driver: Any, monkeypatch: pytest.MonkeyPatch, name: str, first: int) -> None:
    """Kernels are given memory of the device on which they run, which the driver checks."""
    monkeypatch.setattr(cp.runtime, "getDeviceCount", lambda: 3)
    path = Path(__file__).parents[1] / "gradient" / "programs" / f"{name}.cu"
    problem = cases(path)[0].problem
    f = hetad.load(path)[problem.function]
    found = []
    for backend in ("cuda", "cpu"):
        g = hetad.gradient(f, wrt=problem.wrt, of=problem.of, backend=backend)
        before = driver.fake_outstanding()
        with cp.device(first):
            for _ in range(2):
                arguments = problem.arguments(f.parameters)
                seeds = {"y": np.random.default_rng(0).standard_normal(arguments[0].shape)}
                result = g(*arguments, seeds=seeds)
        assert driver.fake_outstanding() == before
        found.append(result)
    for of_cuda, of_cpu in zip(*(r.values() for r in found), strict=True):
        assert str(of_cuda) == str(of_cpu)
