"""Time loops under a memory limit whose steps do not all save the same: more is run again, or nothing fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.emit import support
from tests.host.test_long_runs import _Counting, _resident
from tests.host.test_memory_limit import _assert_same

SOURCE = """
__global__ void part(double *u, double *w, int m, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        u[i] = u[i] + c * u[i] * (1 - u[i]) + 0.01 * w[i] * w[i];
}

__global__ void mix(double *u, double *w, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        w[i] = 0.5 * w[i] * w[i] + 0.1 * u[i];
}

void flat(double *u, double *w, const int *sizes, int steps)
{
    for (int t = 0; t < steps; t++) {
        int m = sizes[t];
        part<<<(m + 31) / 32, 32>>>(u, w, m, 0.01 * (t + 1));
        if (m % 2 == 0)
            mix<<<(m + 31) / 32, 32>>>(u, w, m);
    }
}

static void settle(double *u, double *w, int m, int times)
{
    for (int s = 0; s < times; s++) {
        part<<<(m + 31) / 32, 32>>>(u, w, m, 0.03);
        if (s > 3)
            mix<<<(m + 31) / 32, 32>>>(w, u, m / 2 + 1);
    }
}

void nested(double *u, double *w, const int *sizes, int steps)
{
    for (int t = 0; t < steps; t++) {
        int m = sizes[t];
        mix<<<(m + 31) / 32, 32>>>(u, w, m);
        settle(u, w, m, m % 7);
        if (m % 3 == 0)
            part<<<(m + 31) / 32, 32>>>(u, w, m, 0.02);
        if (m % 11 == 0)
            settle(w, u, m / 2, 8);
    }
    part<<<2, 32>>>(u, w, 40, 0.02);
}

void in_a_row(double *u, double *w, const int *sizes, int steps)
{
    for (int t = 0; t < steps; t++) {
        int m = sizes[t];
        part<<<(m + 31) / 32, 32>>>(u, w, m, 0.01 * (t + 1));
    }
    mix<<<4, 32>>>(u, w, 90);
    for (int t = 0; t < steps / 2; t++) {
        settle(w, u, sizes[steps - t], 3);
        mix<<<4, 32>>>(w, u, sizes[t]);
    }
    part<<<4, 32>>>(u, w, 100, 0.02);
    mix<<<4, 32>>>(u, w, 100);
    for (int t = 0; t < steps; t++) {
        part<<<4, 32>>>(u, w, 100, 0.001);
        mix<<<4, 32>>>(u, w, 100);
    }
    mix<<<4, 32>>>(w, u, 100);
    part<<<4, 32>>>(w, u, 100, 0.02);
}
"""
N = 100
LIMITS = {"flat": (3565, 5200, 11000), "nested": (6700, 8200, 19000), "in_a_row": (12200, 14000, 30000)}
MESSAGE = re.compile(
    r"(\d+) bytes are saved, and the time loop in line \d+, of \d+ steps, needs (\d+) for its state and (\d+) for what "
    r"one step saves(?:, which is (\d+) at least)?"
)


def profiles(steps: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """How many cells the steps overwrite."""
    few = rng.integers(1, 8, steps + 1)
    few[rng.integers(0, steps + 1, 2)] = N - 1
    for sizes in (
        rng.integers(1, N, steps + 1), np.linspace(1, N - 1, steps + 1), np.linspace(N - 1, 1, steps + 1), few
    ):  # fmt: skip
        yield sizes.astype(np.int32)


def compare(function: str, limit: int, backend: str, seed: int, host_memory: int | None = None) -> tuple[int, int]:
    """How many gradients under the limit were those without one, and how many had no room."""
    program = hetad.loads(SOURCE)[function]
    full = hetad.gradient(program, wrt=("u", "w"), of="u", backend=backend)
    room: Any = {"memory_limit": limit, "host_memory": host_memory}
    limited = hetad.gradient(program, wrt=("u", "w"), of="u", backend=backend, **room)
    assert not any(loop.refused for loop in limited.derivative.explanation.loops)
    rng = np.random.default_rng(seed)
    right = refused = 0
    for steps in (*rng.integers(3, 60, 5), 2, 1, 0):
        for sizes in profiles(int(steps), rng):
            u, w, s = rng.uniform(0.2, 0.8, N), rng.uniform(0.2, 0.8, N), rng.standard_normal(N)
            before = u.copy(), w.copy()
            expected = full(u, w, sizes, int(steps), seeds={"u": s})
            try:
                found = limited(u, w, sizes, int(steps), seeds={"u": s})
            except hetad.ExecutionError as problem:
                _assert_truly_too_small(str(problem), limit)
                np.testing.assert_array_equal((u, w), before)
                refused += 1
                continue
            np.testing.assert_array_equal((u, w), before)
            report = limited.last_report
            assert report is not None and report.saved_bytes <= limit and report.host_bytes <= (host_memory or 0)
            for name in ("u", "w"):
                _assert_same(found[name], expected[name], backend)
            right += 1
    return right, refused


def _assert_truly_too_small(problem: str, limit: int) -> None:
    found = MESSAGE.search(problem)
    assert found is not None, problem
    saved, state, step, least = (int(x or 0) for x in found.groups())
    assert saved < limit < saved + state + (least or step), problem


@pytest.mark.parametrize(("function", "limit"), [(f, limit) for f, limits in LIMITS.items() for limit in limits])
def test_the_same_gradient_where_it_fits(function: str, limit: int, backend: str) -> None:
    right, refused = compare(function, limit, backend, limit)
    assert right > 0
    assert refused == 0 or limit < max(LIMITS[function])


@pytest.mark.parametrize(("function", "limit"), [("flat", 3565), ("nested", 6700), ("in_a_row", 12200)])
def test_checkpoints_in_host_memory(function: str, limit: int, backend: str) -> None:
    """Then steps that need more than is left beside a checkpoint on the device have room, too."""
    right, _ = compare(function, limit, backend, limit, host_memory=9000)
    without, _ = compare(function, limit, backend, limit)
    assert right >= without


@pytest.fixture
def schedules_of_the_cu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The schedules that an emitted .cu makes by itself, in what runs."""
    files = tuple("schedule.cu" if f == "scheduler.c" else f for f in support.C_HOST)
    monkeypatch.setattr(support, "C_HOST", files)
    support._definers.cache_clear()
    yield
    support._definers.cache_clear()


@pytest.mark.usefixtures("schedules_of_the_cu")
@pytest.mark.parametrize(("function", "limit"), [("flat", 5200), ("nested", 9000), ("in_a_row", 14500)])
def test_the_schedules_of_an_emitted_program(function: str, limit: int) -> None:
    right, _ = compare(function, limit, "cpu", 3)
    assert right > 0


def test_device_memory_keeps_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers of many sizes wait for snapshots: all together, they are not more than the limit."""
    monkeypatch.setenv("HETAD_CPU_MODE", "regions")  # one executable runs all calls
    limit = 7000
    program = hetad.loads(SOURCE)["flat"]
    gradient = hetad.gradient(program, wrt=("u", "w"), of="u", backend="cpu", memory_limit=limit)
    u, w = np.linspace(0.2, 0.8, N), np.linspace(0.7, 0.3, N)
    sizes = np.linspace(1, N - 1, 61).astype(np.int32)
    gradient(u, w, sizes, 1, seeds={"u": u})
    counting = _Counting.of(gradient)
    gradient(u, w, sizes, 0, seeds={"u": u})
    beside, counting.peak = counting.peak, 0  # for adjoints
    expected = gradient(u, w, sizes, 60, seeds={"u": u})["u"]
    assert 4000 < counting.peak - beside <= limit
    assert not counting.alive
    np.testing.assert_array_equal(gradient(u, w, sizes, 60, seeds={"u": u})["u"], expected)


def test_growing_steps_take_few_extra_steps(backend: str) -> None:
    """Nearly as few as if all of them were as the last, which is known from the start."""
    found: list[int] = []
    gradient = hetad.gradient(hetad.loads(SOURCE)["flat"], wrt="u", of="u", backend=backend, memory_limit=20000)
    for sizes in (np.linspace(2, N - 1, 301), np.linspace(N - 1, N - 1, 301)):
        u, w = np.linspace(0.2, 0.8, N), np.linspace(0.7, 0.3, N)
        gradient(u, w, sizes.astype(np.int32) // 2 * 2 + 1, 300, seeds={"u": u})
        report: Any = gradient.last_report
        found.append(report.extra_steps)
    assert found[0] < 1.5 * found[1], found


EQUAL = """
__global__ void spread(double *w, const double *u, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        w[i] = u[i % n] * (1 + 1e-5 * i);
}

__global__ void square(double *w, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        w[i] = w[i] * w[i];
}

__global__ void collect(double *u, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = u[i] - 1e-3 * w[i] * w[i];
}

void march(double *u, double *w, int n, int m, int steps)
{
    for (int t = 0; t < steps; t++) {
        spread<<<(m + 63) / 64, 64>>>(w, u, n, m);
        square<<<(m + 63) / 64, 64>>>(w, m);
        collect<<<(n + 63) / 64, 64>>>(u, w, n);
    }
}
"""


@pytest.mark.parametrize(
    ("steps", "checkpoints", "extra"),
    [(10, 3, 15), (10, 2, 20), (56, 3, 210), (57, 3, 216), (100, 5, 316), (210, 4, 1008)],
)
def test_extra_steps_are_those_of_revolve(steps: int, checkpoints: int, extra: int, backend: str) -> None:
    """r n - b(s + 1, r - 1) as in the paper on Algorithm 799, where one step takes as much as several checkpoints."""
    u, w = np.linspace(0.2, 0.8, 300), np.zeros(20000)
    program = hetad.loads(EQUAL)["march"]

    def run(limit: int) -> hetad.Report:
        gradient = hetad.gradient(program, wrt="u", of="u", backend=backend, memory_limit=limit)
        gradient(u, w, u.size, w.size, steps, seeds={"u": u})
        assert gradient.last_report is not None
        return gradient.last_report

    with pytest.raises(hetad.ExecutionError) as problem:
        run(2 * w.nbytes // 3 * 2)
    found = MESSAGE.search(str(problem.value))
    assert found is not None, problem.value
    entry, state, step, _ = (int(x or 0) for x in found.groups())
    after, record = state, 1000  # room that is left for what is saved after the loop
    report = run(entry + step + checkpoints * state + after + record)
    assert (report.steps, report.extra_steps) == (steps, extra)


def test_many_calls_take_no_more_memory() -> None:
    """Steps given up, schedules made again and buffers of many sizes leave nothing behind."""
    program = hetad.loads(SOURCE)["nested"]
    gradient = hetad.gradient(program, wrt="u", of="u", backend="cpu", memory_limit=12000)
    u, w = np.linspace(0.2, 0.8, N), np.linspace(0.7, 0.3, N)
    rng = np.random.default_rng(7)
    lists = [sizes for _ in range(4) for sizes in profiles(20, rng)]
    resident = []
    for _ in range(5):
        for call in range(400):
            gradient(u, w, lists[call % len(lists)], 20, seeds={"u": u})
        resident.append(_resident())
    assert resident[-1] - resident[1] < 1536 * 1024, resident  # Python takes memory in pieces of a mebibyte
    counting = _Counting.of(gradient)
    for sizes in lists:
        gradient(u, w, sizes, 20, seeds={"u": u})
        assert not counting.alive
