"""The CUDA backend on a GPU: arrays, streams, errors, agreement with the CPU."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import hetad
from tests.unit.test_memory_safety import MISTAKES, Mistake

pytestmark = pytest.mark.cuda

PROGRAM = """
__global__ void scale_kernel(int n, double a, const double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i] * x[i];
}

void scale(int n, double a, const double *x, double *y)
{
    scale_kernel<<<(n + 127) / 128, 128>>>(n, a, x, y);
}

// host pointers in, a number out
double energy(const double *x, int n)
{
    double *d_x, *d_y;
    double *y = (double *)malloc(n * sizeof(double));
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_y, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, n * sizeof(double));
    for (int step = 0; step < 3; step++) {
        scale(n, 0.5, d_x, d_y);
        cudaMemcpy(d_x, d_y, n * sizeof(double), cudaMemcpyDeviceToDevice);
    }
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += y[i];
    cudaFree(d_x);
    cudaFree(d_y);
    free(y);
    return sum;
}

__global__ void stray(double *x, const long *where) { x[threadIdx.x] *= x[where[threadIdx.x]]; }

void wild(double *x, const long *where) { stray<<<1, 32>>>(x, where); cudaDeviceSynchronize(); }

struct particle { int id; double x; double v[2]; };

__global__ void push_kernel(struct particle *p, double dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += dt * p[i].v[0] * p[i].v[1];
}

void push(struct particle *p, double dt, int n) { push_kernel<<<1, 64>>>(p, dt, n); }
"""


@pytest.fixture(scope="module")
def cp() -> Any:
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "gpu.cu")


@pytest.fixture
def x() -> Any:
    return np.random.default_rng(1).standard_normal(1000)


def test_cuda_is_the_default(program: hetad.Program) -> None:
    assert hetad.gradient(program["scale"], "x", "y").backend == "cuda"


def test_cupy_arrays_are_used_as_they_are(program: hetad.Program, cp: Any, x: Any) -> None:
    d_x, d_y = cp.asarray(x), cp.ones(1000)
    address = d_y.data.ptr
    assert program["scale"](1000, 2.0, d_x, d_y) is None
    assert d_y.data.ptr == address
    cp.testing.assert_allclose(d_y, 1 + 2 * d_x**2, rtol=1e-15)


def test_numpy_arrays_are_copied_there_and_back(program: hetad.Program, x: Any) -> None:
    y = np.ones(1000)
    program["scale"](1000, 2.0, x, y, backend="cuda")
    np.testing.assert_allclose(y, 1 + 2 * x**2, rtol=1e-15)


def test_both_kinds_in_one_call(program: hetad.Program, cp: Any, x: Any) -> None:
    y = np.ones(1000)
    program["scale"](1000, 2.0, cp.asarray(x), y)
    np.testing.assert_allclose(y, 1 + 2 * x**2, rtol=1e-15)


def test_host_pointers(program: hetad.Program, cp: Any, x: Any) -> None:
    on_cpu = program["energy"](x, 1000, backend="cpu")
    assert program["energy"](x, 1000, backend="cuda") == pytest.approx(on_cpu, rel=1e-13)
    with pytest.raises(hetad.ArgumentError, match="argument 'x': this is a host pointer, and the array lies in device"):
        program["energy"](cp.asarray(x), 1000)
    with pytest.raises(hetad.ArgumentError, match="the CPU backend cannot take an array that lies in GPU memory"):
        program["scale"](1000, 2.0, cp.asarray(x), np.ones(1000), backend="cpu")


def test_gradients_have_the_type_of_the_argument(program: hetad.Program, cp: Any, x: Any) -> None:
    g = hetad.gradient(program["scale"], wrt=("a", "x", "y"), of="y")
    seed = np.arange(1000.0)
    host = g(1000, 2.0, x, np.ones(1000), seeds={"y": seed})
    d_x, d_y, d_seed = cp.asarray(x), cp.ones(1000), cp.asarray(seed)
    device = g(1000, 2.0, d_x, d_y, seeds={"y": d_seed})
    assert [type(v) for v in host.values()] == [float, np.ndarray, np.ndarray]
    assert [type(v) for v in device.values()] == [float, cp.ndarray, cp.ndarray]
    np.testing.assert_allclose(host["x"], 4 * x * seed, rtol=1e-14)
    assert host["a"] == pytest.approx(float(x**2 @ seed))
    for name in host.keys():  # noqa: SIM118 - a result goes through its values
        np.testing.assert_allclose(cp.asnumpy(device[name]), host[name], rtol=1e-13)
    cp.testing.assert_array_equal(d_seed, seed)
    cp.testing.assert_array_equal(d_y, cp.ones(1000))
    mixed = g(1000, 2.0, d_x, d_y, seeds={"y": seed})  # a NumPy seed for a CuPy array
    np.testing.assert_allclose(cp.asnumpy(mixed["x"]), host["x"], rtol=1e-14)


def test_the_seed_of_a_name_in_both_is_not_consumed(program: hetad.Program, x: Any) -> None:
    g = hetad.gradient(program["scale"], wrt="y", of="y", backend="cuda")
    seed = np.arange(1000.0)
    r = g(1000, 2.0, x, np.ones(1000), seeds={"y": seed})
    assert not np.shares_memory(r["y"], seed)
    np.testing.assert_array_equal(seed, np.arange(1000.0))


def test_cpu_and_gpu_agree(program: hetad.Program, x: Any) -> None:
    results = [hetad.gradient(program["energy"], "x", backend=b).value_and_grad(x, 1000) for b in ("cpu", "cuda")]
    assert results[0][0] == pytest.approx(results[1][0], rel=1e-13)
    np.testing.assert_allclose(results[0][1]["x"], results[1][1]["x"], rtol=1e-12)


def test_in_place_without_a_copy(program: hetad.Program, cp: Any, x: Any) -> None:
    g = hetad.gradient(program["scale"], wrt=("x", "y"), of="y")
    d_x, d_y, adj_y, adj_x = cp.asarray(x), cp.ones(1000), cp.ones(1000), cp.ones(1000)
    g.execute(1000, 2.0, d_x, d_y, adj_y, adj_x)
    pool = cp.get_default_memory_pool()
    used = pool.total_bytes()
    g.execute(1000, 2.0, d_x, d_y, adj_y, adj_x)
    assert pool.total_bytes() == used
    np.testing.assert_allclose(cp.asnumpy(adj_x), 1 + 2 * 4 * x, rtol=1e-13)
    host = np.ones(1000)
    g.execute(1000, 2.0, d_x, d_y, adj_y, host)  # a NumPy adjoint is copied there and back
    np.testing.assert_allclose(host, 1 + 4 * x, rtol=1e-13)


GATHER = """
__global__ void gather(double *y, const double *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { double v = x[at[i]]; y[i] = v * v; }
}
void f(double *y, const double *x, const int *at, int n) { gather<<<(n + 31) / 32, 32>>>(y, x, at, n); }
"""


@pytest.mark.parametrize("kind", ["numpy", "cupy"])
def test_an_access_that_leaves_its_memory_is_told(cp: Any, kind: str) -> None:
    g = hetad.gradient(hetad.loads(GATHER, "gather.cu")["f"], wrt="x", of="y", backend="cuda", debug=True)
    x, y, at = np.arange(1.0, 9.0), np.zeros(40), np.arange(40, dtype=np.int32) % 8
    make = cp.asarray if kind == "cupy" else np.asarray
    found = g(make(y), make(x), make(at), 40, seeds={"y": make(np.ones(40))})["x"]
    np.testing.assert_allclose(cp.asnumpy(found), 10 * x)
    at[37] = 8
    with pytest.raises(
        hetad.MemoryAccessError, match=r"gather\.cu:5:\d+: x\[at\[i\]\] reads element 8 of x, .*8 elements"
    ) as caught:
        g(make(y), make(x), make(at), 40, seeds={"y": make(np.ones(40))})
    assert caught.value.thread == ((1, 0, 0), (5, 0, 0))
    found = g(make(y), make(x), make(at * 0), 40, seeds={"y": make(np.ones(40))})["x"]  # nothing was hurt
    np.testing.assert_allclose(cp.asnumpy(found), [80, *[0] * 7])


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_checked_kernels_find_each_mistake(cp: Any, mistake: Mistake) -> None:
    function = hetad.loads(mistake.source, "f.cu")["f"]
    with pytest.raises(hetad.MemoryAccessError) as raised:
        function(*mistake.args(), backend="cuda", checked=True)
    assert raised.value.span is not None
    assert (raised.value.span.line, raised.value.span.column) == mistake.place
    if mistake.gradient:
        gradient = hetad.gradient(function, wrt=mistake.wrt, of=mistake.of, backend="cuda", checked=True)
        seeds = None if mistake.of is None else {mistake.of: np.ones_like(mistake.args()[0])}
        with pytest.raises(hetad.MemoryAccessError):
            gradient(*mistake.args(), seeds=seeds)


def test_a_kernel(program: hetad.Program, cp: Any, x: Any) -> None:
    y = cp.zeros(1000)
    program["scale_kernel"](1000, 2.0, cp.asarray(x), y, grid=8, block=(128, 1))
    np.testing.assert_allclose(cp.asnumpy(y), 2 * x**2, rtol=1e-15)
    g = hetad.gradient(program["scale_kernel"], "x", "y")
    r = g(1000, 2.0, cp.asarray(x), y, seeds={"y": cp.ones(1000)}, grid=8, block=128)
    np.testing.assert_allclose(cp.asnumpy(r["x"]), 4 * x, rtol=1e-15)


def test_streams(program: hetad.Program, cp: Any, x: Any) -> None:
    g = hetad.gradient(program["scale_kernel"], ("a", "x"), "y")
    for stream in (cp.cuda.Stream(non_blocking=True), cp.cuda.Stream.null):
        with stream:
            y = cp.ones(1000)
            for _ in range(20):
                program["scale"](1000, 2.0, cp.asarray(x), y)
            np.testing.assert_allclose(y.get(), 1 + 40 * x**2, rtol=1e-13)
    named = cp.cuda.Stream(non_blocking=True)
    with named:
        d_x, y, seed = cp.asarray(x), cp.zeros(1000), cp.ones(1000)
    for stream in (named, named.ptr):
        r = g(1000, 2.0, d_x, y, seeds={"y": seed}, grid=8, block=128, stream=stream)
        assert r["a"] == pytest.approx(float((x**2).sum()))
        named.synchronize()
        np.testing.assert_allclose(cp.asnumpy(r["x"]), 4 * x, rtol=1e-15)


def test_threads(program: hetad.Program, cp: Any, x: Any) -> None:
    g = hetad.gradient(program["scale"], "x", "y")
    found: list[Any] = []

    def work() -> None:
        with cp.cuda.Stream(non_blocking=True):
            for _ in range(20):
                r = g(1000, 2.0, cp.asarray(x), cp.zeros(1000), seeds={"y": cp.ones(1000)})
            found.append(r["x"].get())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for gradient in found:
        np.testing.assert_allclose(gradient, 4 * x, rtol=1e-15)


def test_no_elements(program: hetad.Program, cp: Any) -> None:
    empty = cp.zeros(0)
    program["scale"](0, 2.0, empty, cp.zeros(0))
    r = hetad.gradient(program["scale"], ("a", "x"), "y")(0, 2.0, empty, cp.zeros(0), seeds={"y": cp.zeros(0)})
    assert r["a"] == 0
    assert r["x"].shape == (0,)
    assert program["energy"](np.zeros(0), 0, backend="cuda") == 0


def test_structs(program: hetad.Program) -> None:
    dtype = np.dtype([("id", "i4"), ("x", "f8"), ("v", "f8", 2)], align=True)
    p = np.array([(i, 1.0, (i, 2.0)) for i in range(5)], dtype)
    for backend in ("cpu", "cuda"):
        moved = p.copy()
        program["push"](moved, 0.5, 5, backend=backend)
        np.testing.assert_allclose(moved["x"], 1 + np.arange(5))
        assert moved["id"].tolist() == list(range(5))


def test_arrays_on_another_device(program: hetad.Program, cp: Any, x: Any) -> None:
    if cp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    with cp.cuda.Device(1):
        d_x, d_y = cp.asarray(x), cp.zeros(1000)
        program["scale"](1000, 2.0, d_x, d_y)
        np.testing.assert_allclose(cp.asnumpy(d_y), 2 * x**2, rtol=1e-15)
    # Other libraries in this process may have made another device current.
    with (
        cp.cuda.Device(0),
        pytest.raises(hetad.ArgumentError, match="the array lies on device 1, but the current device is 0"),
    ):
        program["scale"](1000, 2.0, d_x, d_y)


def test_arrays_that_share_memory(program: hetad.Program, cp: Any) -> None:
    z = cp.zeros(100)
    program["scale"](50, 2.0, z[:50], z[50:])
    with pytest.raises(hetad.ArgumentError, match="'x' and 'y' share memory"):
        program["scale"](50, 2.0, z[:51], z[50:])
    with pytest.raises(hetad.ArgumentError, match="not C-contiguous"):
        program["scale"](50, 2.0, z[::2], cp.zeros(50))


# --- what goes wrong -----------------------------------------------------------------------------


def test_a_launch_that_cuda_refuses() -> None:
    program = hetad.loads(
        "__global__ void k(double *y) { y[threadIdx.x] = 1; }\nvoid f(double *y, int n) { k<<<1, n>>>(y); }", "f.cu"
    )
    with pytest.raises(hetad.ExecutionError, match=r"f.cu:2:28: kernel k<<<\(1, 1, 1\), \(2000, 1, 1\)>>>"):
        program["f"](np.zeros(2000), 2000, backend="cuda")
    program["f"](y := np.zeros(20), 20, backend="cuda")  # nothing is left over from the failure
    assert y.tolist() == [1] * 20


def test_no_memory(cp: Any) -> None:
    program = hetad.loads("void f(size_t n) { double *p; cudaMalloc((void **)&p, n); cudaFree(p); }", "m.cu")
    with pytest.raises(hetad.ExecutionError, match=r"allocating \d+ bytes of device memory: CUDA_ERROR_OUT_OF_MEMORY"):
        program["f"](1 << 50, backend="cuda")
    program["f"](1 << 20, backend="cuda")


MARCH = """
__global__ void step(double *y, const double *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sin(x[i]) * x[i];
}

void march(double *x, double *y, size_t n, int steps)
{
    for (int t = 0; t < steps; t++) {
        step<<<(n + 255) / 256, 256>>>(y, x, n);
        double *z = x;
        x = y;
        y = z;
    }
}
"""


def test_a_gradient_runs_out_of_memory(cp: Any) -> None:
    """Sizes are told, all is freed, and the next call works."""
    gradient = hetad.gradient(hetad.loads(MARCH)["march"], wrt="x", of="x", backend="cuda")
    n = 1 << 27  # a gibibyte
    x, y = cp.linspace(0, 1, n), cp.zeros(n)
    expected = gradient(x, y, n, 4, seeds={"x": x})["x"][:5].get()
    cp.get_default_memory_pool().free_all_blocks()
    free, total = cp.cuda.runtime.memGetInfo()
    with pytest.raises(hetad.ExecutionError, match=r"out of device memory: \d+ bytes are saved"):
        gradient(x, y, n, 4 + 2 * (total >> 30), seeds={"x": x})
    cp.get_default_memory_pool().free_all_blocks()
    if "PYTEST_XDIST_WORKER" not in os.environ:  # others come and go
        assert abs(cp.cuda.runtime.memGetInfo()[0] - free) < 1 << 30
    np.testing.assert_array_equal(gradient(x, y, n, 4, seeds={"x": x})["x"][:5].get(), expected)


def test_more_than_two_to_the_31_elements(cp: Any) -> None:
    n = 2**31 + 1000
    if cp.cuda.runtime.memGetInfo()[0] < 6 * 4 * n:
        pytest.skip("the device has too little free memory")
    program = hetad.loads(MARCH.replace("double", "float"))["march"]
    gradient = hetad.gradient(program, wrt="x", of="y", backend="cuda")
    x, y, adj_y, adj_x = (cp.zeros(n, "f4") for _ in range(4))
    at = np.array([0, 1, 2**31 - 1, 2**31, n - 1])
    for a in (x, adj_y):
        a[at] = cp.asarray([0.5, 1, 1.5, 2, 2.5], "f4")
    gradient.execute(x, y, n, 1, adj_y, adj_x)
    values = x[at].get()
    np.testing.assert_allclose(adj_x[at].get(), values * (np.cos(values) * values + np.sin(values)), rtol=1e-5)
    assert int(cp.count_nonzero(adj_x)) == at.size


def test_device_code_that_does_not_compile(monkeypatch: pytest.MonkeyPatch, x: Any) -> None:
    """What was emitted is shown, and the line of the program that it was made of."""
    from hetad import targets

    emitted = "// line 7: y = x;\n__global__ void scale_kernel() { oops = 1; }\n"
    monkeypatch.setattr(targets, "device_source", lambda _: emitted)
    shown = r"oops(.|\n)*\n  its line 2: __global__ void scale_kernel\(\) .*\n  made of line 7: y = x;\n  the source is"
    with pytest.raises(hetad.BackendError, match=shown):
        hetad.loads(PROGRAM)["scale"](x.size, 2.0, x, np.zeros(x.size), backend="cuda")


def test_another_context_is_current(program: hetad.Program, x: Any) -> None:
    """Whatever happens in it is right or an error, and behind it all is as before."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    gradient = hetad.gradient(program["energy"], wrt="x", backend="cuda")
    expected = gradient(x, x.size)["x"]
    assert driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    try:
        try:
            found = gradient(x, x.size)["x"]
        except (hetad.HetadError, RuntimeError):
            pass
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    finally:
        driver.cuCtxDestroy_v2(context)
    np.testing.assert_allclose(gradient(x, x.size)["x"], expected, rtol=1e-12)


def test_a_kernel_that_never_ends_can_be_stopped(program: hetad.Program, x: Any) -> None:
    """By Ctrl-C where the driver allows, by SIGTERM anyway; the device is free again."""
    script = """if True:
        import numpy as np, hetad
        source = "__global__ void k(volatile int *x) { while (x[0] == 0) ; }\\nvoid f(int *x) { k<<<1, 1>>>(x); }"
        print("begins", flush=True)
        hetad.loads(source)["f"](np.zeros(1, "i4"), backend="cuda")
    """
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(20)  # it compiles, and runs
        assert process.poll() is None
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            process.send_signal(number)
            try:
                process.wait(10)
                break
            except subprocess.TimeoutExpired:
                continue
        assert number != signal.SIGKILL
    gradient = hetad.gradient(program["energy"], wrt="x", backend="cuda")
    assert np.isfinite(gradient(x, x.size)["x"]).all()


def test_an_illegal_address_is_named() -> None:
    # in a process of its own, which it leaves without a usable GPU
    script = f"""if True:
        import numpy as np, hetad
        program = hetad.loads({PROGRAM!r}, "gpu.cu")
        try:
            program["wild"](np.zeros(32), np.full(32, 1 << 45), backend="cuda")
        except hetad.ExecutionError as problem:
            assert "CUDA_ERROR_ILLEGAL_ADDRESS" in str(problem), problem
            print("named")
    """
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=os.environ, timeout=300
    )
    assert "named" in done.stdout, done.stderr


def test_device_and_compiler_are_described() -> None:
    from hetad.run import cuda

    assert "compute capability" in cuda.device_description()
    assert cuda.compiler_description().count(".") == 1
