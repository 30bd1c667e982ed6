"""Ctrl-C, progress, and many calls."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad.run.progress import Watch, seen
from tests.executables import running
from tests.host.test_memory_limit import HEAT, N, _vectors


def _interrupt_after(seconds: float) -> threading.Timer:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("the shell has this process ignore Ctrl-C, as it does for jobs in the background")
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def assert_same(found: np.ndarray, expected: np.ndarray, backend: str) -> None:
    """On a GPU the order of floating additions may differ."""
    np.testing.assert_allclose(found, expected, rtol=1e-12 if backend == "cuda" else 0)


@pytest.mark.parametrize("limit", [None, "24kB"])
def test_an_interrupted_gradient_leaves_everything_usable(limit: str | None, backend: str) -> None:
    u, v = _vectors(2)
    before = u.copy(), v.copy()
    gradient = hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", backend=backend, memory_limit=limit)
    expected = gradient(u, v, N, 40, seeds={"u": u})["u"]
    started = time.monotonic()
    timer = _interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        gradient(u, v, N, 400_000 if limit else 3_000_000, seeds={"u": u})
    timer.join()
    assert time.monotonic() - started < 20
    np.testing.assert_array_equal((u, v), before)
    assert_same(gradient(u, v, N, 40, seeds={"u": u})["u"], expected, backend)


def test_an_interrupted_program(backend: str) -> None:
    u, v = _vectors(2)
    march = hetad.loads(HEAT)["march"]
    march(u, v, N, 1, backend=backend)
    timer = _interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        march(u, v, N, 2**31 - 1, backend=backend)
    timer.join()
    march(u, v, N, 1, backend=backend)


def test_a_handler_of_the_user(backend: str) -> None:
    """It is called once, and what it lets pass is still no result."""
    u, v = _vectors(2)
    march = hetad.loads(HEAT)["march"]
    march(u, v, N, 1, backend=backend)
    calls: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        timer = _interrupt_after(0.3)
        with pytest.raises(hetad.ExecutionError, match="interrupted"):
            march(u, v, N, 2**31 - 1, backend=backend)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == [signal.SIGINT]


def test_other_threads_leave_ctrl_c_alone(backend: str) -> None:
    u, v = _vectors(2)
    march = hetad.loads(HEAT)["march"]
    march(u, v, N, 1, backend=backend)
    worker = threading.Thread(target=march, args=(u, v, N, 200_000), kwargs={"backend": backend})
    worker.start()
    timer = _interrupt_after(0.01)
    with pytest.raises(KeyboardInterrupt):
        time.sleep(10)
    timer.join()
    worker.join()


def test_progress(backend: str, capfd: pytest.CaptureFixture[str]) -> None:
    u, v = _vectors(2)
    march = hetad.loads(HEAT)["march"]
    quiet = hetad.gradient(march, wrt="u", of="u", backend=backend)
    loud = hetad.gradient(march, wrt="u", of="u", backend=backend, progress=True)
    expected = quiet(u, v, N, 30, seeds={"u": u})["u"]
    assert capfd.readouterr().err == ""
    assert_same(loud(u, v, N, 30, seeds={"u": u})["u"], expected, backend)
    assert "sweep" in capfd.readouterr().err


def test_what_progress_tells() -> None:
    assert seen(Watch(5, 0, 0, 0)) == ("forward sweep", 5, None)
    assert seen(Watch(15, 10, 0, 0)) == ("reverse sweep", 5, 10)
    assert seen(Watch(25, 10, 0, 0)) == ("reverse sweep", 15, 15)
    assert seen(Watch(25, 10, 7, 90)) == ("time steps", 7, 90)


def test_steps_are_all_counted(backend: str) -> None:
    u, v = _vectors(2)
    gradient = hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", backend=backend, memory_limit=9 * u.nbytes)
    gradient(u, v, N, 100, seeds={"u": u})
    watch = running(gradient)._watch
    report = gradient.last_report
    assert watch.steps == watch.all_steps == 2 * 100 + report.extra_steps - 1  # the first step is run before


class _Runtime(ctypes.Structure):
    """`struct hetad_runtime`, as far as memory goes."""

    _fields_ = (("device_malloc", ctypes.c_void_p), ("device_free", ctypes.c_void_p), ("rest", ctypes.c_void_p * 10))


class _Counting:
    """The CPU's runtime table with an account of device memory, of which there are `total` bytes."""

    def __init__(self, own: _Runtime, total: int = 2**40) -> None:
        allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(own.device_malloc)
        release = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(own.device_free)
        self.alive: dict[int, int] = {}
        self.made = self.peak = 0

        @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
        def device_malloc(size: int) -> int | None:
            if sum(self.alive.values()) + size > total:
                return None
            p: int = allocate(size)
            self.made += 1
            self.alive[p] = size
            self.peak = max(self.peak, sum(self.alive.values()))
            return p

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        def device_free(p: int) -> int:
            del self.alive[p]
            return release(p)

        self.keep = device_malloc, device_free
        self.table = _Runtime()
        ctypes.memmove(ctypes.byref(self.table), ctypes.byref(own), ctypes.sizeof(_Runtime))
        self.table.device_malloc = ctypes.cast(device_malloc, ctypes.c_void_p).value
        self.table.device_free = ctypes.cast(device_free, ctypes.c_void_p).value

    @staticmethod
    def of(gradient: hetad.Gradient, total: int = 2**40) -> _Counting:
        executable = running(gradient)
        counting = _Counting(_Runtime.from_address(executable._runtime), total)
        executable._runtime = ctypes.addressof(counting.table)
        return counting


@pytest.mark.parametrize("limit", [None, 9 * N * 8])
def test_many_calls_take_no_more_memory(limit: int | None) -> None:
    """Every allocation of a call is freed in it, whatever the calls before were; and the process does not grow."""
    u, v = _vectors(2)
    gradient = hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", backend="cpu", memory_limit=limit)
    gradient(u, v, N, 30, seeds={"u": u})
    counting = _Counting.of(gradient)
    counts = []
    for steps in (30, 3, 30, 0, 30):
        counting.made = 0
        gradient(u, v, N, steps, seeds={"u": u})
        assert not counting.alive
        counts.append(counting.made)
    assert counts[0] == counts[2] == counts[4] > counts[1] > counts[3]
    sizes = []
    for _ in range(4):
        for _ in range(300):
            gradient(u, v, N, 30, seeds={"u": u})
        sizes.append(_resident())
    assert sizes[-1] - sizes[1] < 1536 * 1024, sizes  # Python takes memory in pieces of a mebibyte


def test_out_of_device_memory() -> None:
    u, v = _vectors(2)
    before = u.copy(), v.copy()
    gradient = hetad.gradient(hetad.loads(HEAT)["march"], wrt="u", of="u", backend="cpu")
    expected = gradient(u, v, N, 5, seeds={"u": u})["u"]
    counting = _Counting.of(gradient, 12 * u.nbytes)
    message = r"out of device memory: 1\d+ bytes are saved .* needs 1200 more, .* are free; .*memory limit"
    with pytest.raises(hetad.ExecutionError, match=message):
        gradient(u, v, N, 30, seeds={"u": u})
    assert not counting.alive
    np.testing.assert_array_equal((u, v), before)
    np.testing.assert_array_equal(gradient(u, v, N, 5, seeds={"u": u})["u"], expected)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
