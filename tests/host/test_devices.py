"""Programs on several devices, which the CPU stands for: the oracle is the same program on one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad

PROGRAM = Path(__file__).parents[1] / "gradient" / "programs" / "devices_in_turn.cu"
N, STEPS = 37, 30
WRONG = """
__global__ void add(double *y, const double *x) { y[threadIdx.x] += x[threadIdx.x] * x[threadIdx.x]; }

void f(double *y, const double *x, int where)
{
    double *a, *b;
    cudaMalloc(&a, 8 * sizeof(double));
    cudaMemcpy(a, x, 8 * sizeof(double), cudaMemcpyHostToDevice);
    cudaSetDevice(where);
    cudaMalloc(&b, 8 * sizeof(double));
    cudaMemset(b, 0, 8 * sizeof(double));
    add<<<1, 8>>>(b, a);
    cudaMemcpy(y, b, 8 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
"""
ASKING = """
int count(void)
{
    int devices = 0;
    cudaGetDeviceCount(&devices);
    return devices;
}

int current(int to)
{
    int device = -1;
    if (cudaSetDevice(to) != cudaSuccess)
        cudaGetLastError();
    cudaGetDevice(&device);
    return device;
}
"""

TOGETHER = """
#include <nccl.h>
#define D 3

__global__ void square(double *a, const double *b, int n)
{
    int i = threadIdx.x;
    if (i < n) a[i] = b[i] * b[i];
}

void f(double *y, const double *x, int n, int wrong)
{
    ncclComm_t comms[D];
    double *a[D], *b[D], *c[D];
    ncclCommInitAll(comms, D, NULL);
    for (int d = 0; d < D; d++) {
        cudaSetDevice(d);
        cudaMalloc(&a[d], D * n * sizeof(double));
        cudaMalloc(&b[d], D * n * sizeof(double));
        cudaMalloc(&c[d], n * sizeof(double));
        cudaMemset(b[d], 0, D * n * sizeof(double));
        cudaMemcpy(a[d], x + d * n, n * sizeof(double), cudaMemcpyHostToDevice);
        square<<<1, n>>>(b[d], a[d], n);
    }
    ncclGroupStart();
    for (int d = 0; d < D - wrong; d++)
        ncclAllReduce(b[d], c[d], n, ncclDouble, ncclAvg, comms[d], 0);
    ncclGroupEnd();
    for (int d = 0; d < D; d++) {
        cudaSetDevice(d);
        square<<<1, n>>>(b[d], c[d], n);
    }
    ncclGroupStart();
    for (int d = 0; d < D; d++) {
        ncclSend(a[d], n, ncclDouble, (d + 1) % D, comms[d], 0);
        ncclRecv(c[d], n, ncclDouble, (d + D - 1) % D, comms[d], 0);
    }
    ncclGroupEnd();
    ncclGroupStart();
    for (int d = 0; d < D; d++)
        ncclAllGather(c[d], a[d], n, ncclDouble, comms[d], 0);
    for (int d = 0; d < D; d++)
        ncclReduce(b[d], b[d], n, ncclDouble, ncclSum, 1, comms[d], 0);
    ncclGroupEnd();
    ncclGroupStart();
    for (int d = 0; d < D; d++) {
        ncclReduceScatter(a[d], c[d], n, ncclDouble, ncclSum, comms[d], 0);
        ncclBcast(b[d], n, ncclDouble, 1, comms[d], 0);
    }
    ncclGroupEnd();
    for (int d = 0; d < D; d++) {
        cudaSetDevice(d);
        cudaMemcpy(y + d * n, c[d], n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(y + (D + d) * n, b[d], n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(a[d]);
        cudaFree(b[d]);
        cudaFree(c[d]);
    }
    for (int d = 0; d < D; d++)
        ncclCommDestroy(comms[d]);
}
"""


def arguments() -> list[Any]:
    return [np.zeros(N), np.random.default_rng(3).random(N) * 0.3, 0.2, N, STEPS]


def gradient(function: hetad.Function, **options: Any) -> np.ndarray:
    g = hetad.gradient(function, wrt=["x", "a"], of="y", backend="cpu", **options)
    seeds = {"y": np.random.default_rng(4).standard_normal(N)}
    for _ in range(2):
        result = g(*arguments(), seeds=seeds)
    return np.concatenate([result["x"], [result["a"]]])


@pytest.fixture(scope="module")
def function() -> hetad.Function:
    return hetad.load(PROGRAM)["driver"]


@pytest.fixture(scope="module")
def on_one_device() -> np.ndarray:
    text = PROGRAM.read_text().replace("cudaSetDevice(d)", "cudaSetDevice(0)")
    return gradient(hetad.loads(text, "one.cu")["driver"])


@pytest.mark.parametrize(
    "options",
    [
        {}, {"memory_limit": 6000}, {"memory_limit": 4000}, {"memory_limit": 3000, "host_memory": "1MB"},
        {"deterministic": True}, {"cpu_threads": 3}, {"optimize": False}, {"checked": True}, {"measure": True},
    ],
    ids=str,
)  # fmt: skip
def test_gradients_are_those_of_one_device(
    function: hetad.Function, on_one_device: np.ndarray, options: dict[str, Any]
) -> None:
    np.testing.assert_allclose(gradient(function, **options), on_one_device, rtol=1e-11, atol=1e-13)


def test_tangents_and_batches(function: hetad.Function, on_one_device: np.ndarray) -> None:
    direction = np.random.default_rng(5).standard_normal(N + 1)
    seed = np.random.default_rng(4).standard_normal(N)
    along = hetad.jvp(function, wrt=["x", "a"], of="y", backend="cpu")
    moved = along(*arguments(), tangents={"x": direction[:N], "a": direction[N]})["y"]
    assert seed @ moved == pytest.approx(on_one_device @ direction)
    g = hetad.gradient(function, wrt=["x", "a"], of="y", backend="cpu", batch=2)
    result = g(*arguments(), seeds={"y": np.stack([seed, -2 * seed])})
    np.testing.assert_allclose(result["x"], np.outer([1, -2], on_one_device[:N]), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("mode", ["regions", "blocks", "checked", "fibers"])
def test_a_kernel_reaches_memory_of_its_own_device(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CPU_MODE", mode)
    f = hetad.loads(WRONG, "wrong.cu")["f"]
    g = hetad.gradient(f, wrt="x", of="y", backend="cpu")
    x, seeds = np.arange(8.0), {"y": np.ones(8)}
    for call in (lambda where: f(np.zeros(8), x, where), lambda where: g(np.zeros(8), x, where, seeds=seeds)):
        call(0)
        with pytest.raises(
            hetad.ExecutionError, match=r"wrong.cu:12:5: .*\n?.*add\w* on device 2 is given memory of device 0"
        ):
            call(2)
        call(0)
    np.testing.assert_array_equal(g(np.zeros(8), x, 0, seeds=seeds)["x"], 2 * x)


def test_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    program = hetad.loads(ASKING, "asking.cu")
    monkeypatch.delenv("HETAD_CPU_DEVICES", raising=False)
    assert program["count"](backend="cpu") == 4
    assert [program["current"](to, backend="cpu") for to in (3, 4, -1, 0)] == [3, 0, 0, 0]
    monkeypatch.setenv("HETAD_CPU_DEVICES", "2")
    assert program["count"](backend="cpu") == 2
    assert [program["current"](to, backend="cpu") for to in (1, 2)] == [1, 0]


def test_graphs_and_the_debugger_are_of_one_device(function: hetad.Function) -> None:
    with pytest.raises(hetad.UnsupportedError, match="a graph is of one device"):
        hetad.gradient(function, wrt="x", of="y", backend="cpu", graph=True)


def test_nccl_on_the_devices_of_a_process() -> None:
    """c holds the neighbour's x, then three times that of the own place; b the square of the mean square, summed."""
    n, rng = 5, np.random.default_rng(6)
    x, seed = rng.standard_normal((3, n)), rng.standard_normal((6, n))
    f = hetad.loads(TOGETHER, "together.cu")["f"]
    y = np.zeros((6, n))
    f(y, x, n, 0, backend="cpu")
    mean = (x**2).mean(axis=0)
    np.testing.assert_allclose(y[:3], 3 * np.roll(x, 1, axis=0))
    np.testing.assert_allclose(y[3:], np.tile(3 * mean**2, (3, 1)))
    g = hetad.gradient(f, wrt="x", of="y", backend="cpu")
    expected = 3 * np.roll(seed[:3], -1, axis=0) + seed[3:].sum(axis=0) * 6 * mean * 2 * x / 3
    for _ in range(2):
        np.testing.assert_allclose(g(np.zeros((6, n)), x, n, 0, seeds={"y": seed})["x"], expected)
    moved = hetad.jvp(f, wrt="x", of="y", backend="cpu")(np.zeros((6, n)), x, n, 0, tangents={"x": x + 1})["y"]
    assert np.vdot(seed, moved) == pytest.approx(np.vdot(expected, x + 1))
    for call in (lambda: f(y, x, n, 1, backend="cpu"), lambda: g(y, x, n, 1, seeds={"y": seed})):
        with pytest.raises(hetad.ExecutionError, match="a device waits for others of its communicator"):
            call()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("ncclSend(a[d], n,", "ncclSend(a[d], n - 1,"), "a device waits for others of its communicator"),
        (("ncclSend(a[d], n,", "ncclSend(a[0], n,"), "a communicator of device 1 is given memory of device 0"),
        (("ncclReduce(b[d], b[d], n, ncclDouble, ncclSum, 1", "ncclReduce(b[d], b[d], n, ncclDouble, ncclSum, d"),
         "the devices of a communicator are to do different things"),
        (("comms, D, NULL", "comms, 9, NULL"), "ncclCommInitAll names a device that is not there"),
    ],
    ids=["length", "memory", "root", "device"],
)  # fmt: skip
def test_what_goes_wrong_between_devices(change: tuple[str, str], message: str) -> None:
    f = hetad.loads(TOGETHER.replace(*change).replace("comms[D]", "comms[9]"), "together.cu")["f"]
    with pytest.raises(hetad.ExecutionError, match=rf"together.cu:\d+:\d+: {message}"):
        f(np.zeros((6, 5)), np.ones((3, 5)), 5, 0, backend="cpu")
