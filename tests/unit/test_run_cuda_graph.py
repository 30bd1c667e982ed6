"""Programs that run as CUDA graphs, over a CuPy and a driver made of host memory; tests/gpu has the real ones."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import hetad
from tests.unit import fake_cupy as cp
from tests.unit.test_run_cuda import driver

__all__ = ["driver"]

PROGRAM = """
__global__ void step_kernel(int n, double a, const double *u, double *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = u[i] + a * u[i] * u[i];
}

// two buffers, a temporary, copies and fills on the device, and no word to the host
void march(int n, int steps, double a, double *u, double *v)
{
    double *kept;
    cudaMalloc((void **)&kept, n * sizeof(double));
    for (int t = 0; t < steps; t++) {
        cudaMemset(v, 0, n * sizeof(double));
        step_kernel<<<(n + 15) / 16, 16>>>(n, a, u, v);
        cudaMemcpy(kept, v, n * sizeof(double), cudaMemcpyDeviceToDevice);
        cudaMemcpy2D(u, 8, kept, 8, 8, n, cudaMemcpyDeviceToDevice);
        cudaDeviceSynchronize();
    }
    cudaFree(kept);
}

// numbers go to the host and back between launches
double total(int n, int steps, double a, const double *x)
{
    double *u, *v, sum = 0;
    double *h = (double *)malloc(n * sizeof(double));
    cudaMalloc((void **)&u, n * sizeof(double));
    cudaMalloc((void **)&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        step_kernel<<<(n + 15) / 16, 16>>>(n, a, u, v);
        step_kernel<<<(n + 15) / 16, 16>>>(n, a, v, u);
        cudaMemcpy(h, u, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) sum += h[i] * h[i];
    }
    cudaFree(u);
    cudaFree(v);
    free(h);
    return sum;
}
"""
N = 37


@pytest.fixture
def program(driver: Any) -> hetad.Program:
    driver.fake_journal()
    return hetad.loads(PROGRAM)


def journal(driver: Any) -> list[str]:
    return [line for line in driver.fake_journal().decode().splitlines() if line.startswith("cuGraph")]


def replays(g: Any) -> int:
    """How many graphs a gradient has launched."""
    return sum(plan.executable.replays for _, plan in g._plans.values())


def random(seed: int, n: int = N) -> Any:
    return np.random.default_rng(seed).standard_normal(n)


def march(g: Any, n: int, steps: int, a: float, seed: int) -> list[Any]:
    found = g(n, steps, a, random(seed, n), random(seed + 1, n), seeds={"u": random(seed + 2, n)})
    return list(found.values())


def gradients(program: hetad.Program) -> tuple[Any, Any]:
    wrt = ("u", "a")
    return (
        hetad.gradient(program["march"], wrt, "u", backend="cuda", graph=True),
        hetad.gradient(program["march"], wrt, "u", backend="cpu"),
    )


def assert_same(found: list[Any], expected: list[Any]) -> None:
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14)


def test_the_second_call_captures_and_the_third_replays(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    expected = march(reference, N, 5, 0.1, 1)
    found, lines = [], []
    for _ in range(4):
        found.append(march(g, N, 5, 0.1, 1))
        lines.append(journal(driver))
    for each in found:
        assert_same(each, expected)
    assert lines[0] == []
    kinds = [[line.split()[0] for line in each] for each in lines[1:]]
    assert kinds[1] == kinds[2] == ["cuGraphLaunch"] * len(kinds[1])
    assert sorted(kinds[0]) == sorted(kinds[1] + ["cuGraphInstantiateWithFlags"] * len(kinds[1]))
    assert replays(g) == 3 * len(kinds[1])


def test_no_value_of_an_earlier_call_is_used(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    for n, steps, a, seed in (
        (N, 5, 0.1, 1), (N, 5, 0.1, 7), (N, 5, 0.3, 7), (N, 6, 0.3, 7), (N - 1, 6, 0.3, 9), (N, 5, 0.1, 2),
        (N, 5, 0.1, 3), (N, 5, 0.3, 3), (N, 0, 0.3, 3), (N, 5, 0.3, 4), (200, 5, 0.3, 4), (N, 5, 0.1, 5),
    ):  # fmt: skip
        assert_same(march(g, n, steps, a, seed), march(reference, n, steps, a, seed))
    assert any(line.startswith("cuGraphLaunch") for line in journal(driver))


def test_more_calls_than_are_remembered(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    for _ in range(3):
        for steps in range(1, 12):
            assert_same(march(g, N, steps, 0.1, steps), march(reference, N, steps, 0.1, steps))


def test_long_sweeps_are_cut(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    expected = march(reference, 3, 700, 1e-3, 1)
    for _ in range(3):
        driver.fake_journal()
        assert_same(march(g, 3, 700, 1e-3, 1), expected)
    assert replays(g) > 4


def test_arrays_of_the_user_in_place(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    for k in range(4):
        u, v, adj_u, adj_a = cp.array(random(k)), cp.array(random(k + 1)), cp.array(random(k + 2)), np.zeros(1)
        g.execute(N, 4, 0.2, u, v, adj_u, adj_a)
        expected = [random(k + 2), np.zeros(1)]
        reference.execute(N, 4, 0.2, random(k), random(k + 1), *expected)
        assert_same([adj_u.host, adj_a], expected)


def test_results_as_cupy_arrays_are_the_users_own(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    u, v, kept = cp.array(random(1)), cp.array(random(2)), []
    for k in range(4):
        seed = random(10 + k)
        kept.append((g(N, 4, 0.2, u, v, seeds={"u": cp.array(seed)})["u"], seed))
    assert replays(g) > 0
    for found, seed in kept:
        expected = reference(N, 4, 0.2, random(1), random(2), seeds={"u": seed})
        np.testing.assert_allclose(found.host, expected["u"], rtol=1e-14)


def test_pieces_between_what_the_host_reads(program: hetad.Program, driver: Any) -> None:
    g = hetad.gradient(program["total"], ("x", "a"), backend="cuda", graph=True)
    reference = hetad.gradient(program["total"], ("x", "a"), backend="cpu")
    for k in (1, 1, 1, 2, 2):
        value, found = g.value_and_grad(N, 3, 0.1 * k, random(k))
        expected_value, expected = reference.value_and_grad(N, 3, 0.1 * k, random(k))
        assert value == pytest.approx(expected_value, rel=1e-14)
        assert_same(list(found.values()), list(expected.values()))
    assert replays(g) > 2


def test_a_capture_that_fails_is_an_error(program: hetad.Program, driver: Any) -> None:
    g, reference = gradients(program)
    march(g, N, 2, 0.1, 1)
    driver.fake_fail(b"cuGraphInstantiateWithFlags", 2)
    with pytest.raises(hetad.ExecutionError, match="capturing a graph: CUDA_ERROR_OUT_OF_MEMORY"):
        march(g, N, 2, 0.1, 1)
    driver.fake_fail(b"", 0)
    assert_same(march(g, N, 2, 0.1, 1), march(reference, N, 2, 0.1, 1))


def test_memory_is_given_back(driver: Any) -> None:
    def use() -> int:
        g = hetad.gradient(hetad.loads(PROGRAM)["march"], "u", "u", backend="cuda", graph=True)
        for _ in range(3):
            march(g, N, 2, 0.1, 1)
        return int(driver.fake_outstanding())

    gc.collect()
    before = driver.fake_outstanding()
    assert use() > before
    gc.collect()
    assert driver.fake_outstanding() == before
