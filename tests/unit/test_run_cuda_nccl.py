"""Programs that call NCCL, on the CUDA backend over an NCCL, a CuPy and a driver made of host memory.

Those of several ranks are in tests/mpi/test_nccl_on_gpus.py, and of real GPUs in tests/gpu/test_nccl.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.run import nccl
from tests.host.test_devices import TOGETHER
from tests.unit import fake_cupy as cp
from tests.unit.fake_nccl import Calls, in_place_of_nccl
from tests.unit.test_run_cuda import driver

__all__ = ["driver"]
D, N = 3, 5


@pytest.fixture
def calls(driver: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Calls]:
    monkeypatch.setattr(cp.runtime, "getDeviceCount", lambda: D)
    with in_place_of_nccl("devices") as found:
        yield found


def check_together(f: hetad.Function, devices: int, backend: str) -> None:
    """TOGETHER on so many: c holds the neighbour's x times their number, b the sum of squares of mean squares."""
    rng = np.random.default_rng(6)
    x, seed = rng.standard_normal((devices, N)), rng.standard_normal((2 * devices, N))
    y = np.zeros((2 * devices, N))
    f(y, x, N, 0, backend=backend)
    mean = (x**2).mean(axis=0)
    np.testing.assert_allclose(y[:devices], devices * np.roll(x, 1, axis=0))
    np.testing.assert_allclose(y[devices:], np.tile(devices * mean**2, (devices, 1)))
    g = hetad.gradient(f, wrt="x", of="y", backend=backend)
    expected = devices * np.roll(seed[:devices], -1, axis=0) + seed[devices:].sum(axis=0) * 4 * mean * x
    for _ in range(2):
        np.testing.assert_allclose(g(np.zeros((2 * devices, N)), x, N, 0, seeds={"y": seed})["x"], expected)


@pytest.mark.parametrize("first", range(D))
def test_all_devices_of_a_process(first: int, calls: Calls) -> None:
    """Whichever is the one on which the program starts; each is given work on its own stream."""
    with cp.cuda.Device(first), cp.Stream(0x500):
        check_together(hetad.loads(TOGETHER, "together.cu")["f"], D, "cuda")
    streams = [stream or 0 for stream in calls.streams]
    assert sorted(streams[:D]) == [0, 0, 0x500]
    assert streams.count(0x500) == len(streams) // D


def test_an_error_has_the_program_s_line(calls: Calls) -> None:
    f = hetad.loads(TOGETHER, "together.cu")["f"]
    y, x = np.zeros((2 * D, N)), np.ones((D, N))
    g = hetad.gradient(f, wrt="x", of="y", backend="cuda")
    calls.error = 5
    for call in (lambda: f(y, x, N, 0, backend="cuda"), lambda: g(y, x, N, 0, seeds={"y": y + 1})):
        with pytest.raises(hetad.ExecutionError, match=r"together\.cu:27:9: invalid argument"):
            call()
    calls.after = D  # in the reverse sweep
    with pytest.raises(hetad.ExecutionError, match=r"together\.cu:27:9: invalid argument"):
        g(y, x, N, 0, seeds={"y": y + 1})


def test_a_device_that_is_not_there(calls: Calls) -> None:
    f = hetad.loads(TOGETHER.replace("#define D 3", "#define D 4"), "together.cu")["f"]
    with pytest.raises(hetad.ExecutionError, match=r"together\.cu:15:5: ncclCommInitAll names a device that is not"):
        f(np.zeros((8, N)), np.ones((4, N)), N, 0, backend="cuda")


def test_without_nccl(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nccl, "candidates", lambda _: iter(["/nowhere/libnccl.so.2"]))
    for function in (nccl.find, nccl.functions):
        function.cache_clear()
    f = hetad.loads(TOGETHER, "together.cu")["f"]
    with pytest.raises(
        hetad.BackendError, match=r"(?s)there is no libnccl\.so\.2: `pip install nvidia-nccl-cu1.*HET604"
    ):
        f(np.zeros((6, N)), np.ones((3, N)), N, 0, backend="cuda")
    for function in (nccl.find, nccl.functions):
        function.cache_clear()
