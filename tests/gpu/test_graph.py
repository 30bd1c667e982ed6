"""CUDA graphs on a GPU: the gradient is that of the program as it is, whatever changes between calls."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.checks import comparison
from tests.corpus import Case, cases
from tests.unit.test_run_cuda_graph import PROGRAM, replays

pytestmark = pytest.mark.cuda
N = 1000

NONLINEAR = """
__global__ void advance_kernel(int n, double dt, const double *u, double *v)
{
    extern __shared__ double tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? u[i] : 0;
    __syncthreads();
    double left = threadIdx.x > 0 ? tile[threadIdx.x - 1] : i > 0 && i < n ? u[i - 1] : 0;
    if (i < n) v[i] = tile[threadIdx.x] + dt * tile[threadIdx.x] * (left - tile[threadIdx.x]);
}

__global__ void sum_kernel(int n, const double *u, double *s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(s, u[i] * u[i]);
}

double energy(int n, int steps, double dt, double *u, double *v)
{
    double *s, sum;
    cudaMalloc((void **)&s, sizeof(double));
    cudaMemset(s, 0, sizeof(double));
    for (int t = 0; t < steps; t++) {
        advance_kernel<<<(n + 63) / 64, 64, 64 * sizeof(double)>>>(n, dt, u, v);
        double *w = u;
        u = v;
        v = w;
    }
    sum_kernel<<<(n + 127) / 128, 128>>>(n, u, s);
    cudaMemcpy(&sum, s, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(s);
    return sum;
}
"""


@pytest.fixture(scope="module")
def cp() -> Any:
    return pytest.importorskip("cupy")


def random(seed: int, n: int = N) -> Any:
    return np.random.default_rng(seed).uniform(0.1, 0.8, n)


def both(source: str, name: str, wrt: tuple[str, ...], of: Any = None) -> tuple[Any, Any]:
    function = hetad.loads(source)[name]
    return (
        hetad.gradient(function, wrt, of, backend="cuda", graph=True),
        hetad.gradient(function, wrt, of, backend="cuda"),
    )


def assert_same(found: Any, expected: Any) -> None:
    for name in expected.keys():  # noqa: SIM118 - a result goes through its values
        np.testing.assert_allclose(as_numpy(found[name]), as_numpy(expected[name]), rtol=1e-11, atol=1e-13)


def as_numpy(value: Any) -> Any:
    return value.get() if hasattr(value, "get") else value


@pytest.mark.parametrize("arrays", ["numpy", "cupy"])
def test_changing_arguments(cp: Any, arrays: str) -> None:
    g, plain = both(NONLINEAR, "energy", ("u", "dt"))
    wrap = cp.asarray if arrays == "cupy" else np.array
    for n, steps, dt, seed in (
        (N, 50, 0.1, 1), (N, 50, 0.1, 1), (N, 50, 0.1, 2), (N, 50, 0.1, 3), (N, 50, 0.2, 3), (N, 50, 0.2, 4),
        (N, 51, 0.2, 4), (N, 51, 0.2, 5), (N - 3, 51, 0.2, 5), (N, 50, 0.1, 6), (N, 0, 0.1, 6), (N, 50, 0.1, 7),
    ):  # fmt: skip
        u, v = wrap(random(seed, n)), wrap(np.zeros(n))
        value, found = g.value_and_grad(n, steps, dt, u, v)
        expected_value, expected = plain.value_and_grad(n, steps, dt, u, v)
        assert value == pytest.approx(expected_value, rel=1e-12)
        assert_same(found, expected)


def test_the_same_arrays_with_other_contents(cp: Any) -> None:
    g, plain = both(NONLINEAR, "energy", ("u", "dt"))
    u, v = cp.zeros(N), cp.zeros(N)
    for seed in range(5):
        u[...] = cp.asarray(random(seed))
        assert_same(g(N, 300, 0.1, u, v), plain(N, 300, 0.1, u, v))
    assert replays(g) >= 8  # from the second call on, a piece before and after the sum is read


def test_fills_copies_and_rows(cp: Any) -> None:
    g, plain = both(PROGRAM, "march", ("u", "a"), "u")
    u, v, seed = cp.asarray(random(1)), cp.asarray(random(2)), cp.asarray(random(3))
    results = [g(N, 400, 0.001, u, v, seeds={"u": seed}) for _ in range(4)]
    expected = plain(N, 400, 0.001, u, v, seeds={"u": seed})
    for found in results:
        assert_same(found, expected)
    assert replays(g) > 6


def test_in_place(cp: Any) -> None:
    g, plain = both(PROGRAM, "march", ("u",), "u")
    u, v, adj = cp.asarray(random(1)), cp.asarray(random(2)), cp.empty(N)
    for seed in range(4):
        adj[...] = cp.asarray(random(seed))
        g.execute(N, 100, 0.001, u, v, adj)
        expected = plain(N, 100, 0.001, u, v, seeds={"u": cp.asarray(random(seed))})
        assert_same({"u": adj}, expected)


def test_several_streams(cp: Any) -> None:
    g, plain = both(PROGRAM, "march", ("u",), "u")
    expected = plain(N, 200, 0.001, random(1), random(2), seeds={"u": random(3)})
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
    for k in range(9):
        with streams[k % 3]:
            u, v, seed = (cp.asarray(random(s)) for s in (1, 2, 3))
            found = g(N, 200, 0.001, u, v, seeds={"u": seed})
            assert_same(found, expected)


def test_under_a_memory_limit(cp: Any) -> None:
    function = hetad.loads(NONLINEAR)["energy"]
    g = hetad.gradient(function, ("u",), backend="cuda", memory_limit=20 * N * 8, graph=True)
    plain = hetad.gradient(function, ("u",), backend="cuda")
    u, v = cp.zeros(N), cp.zeros(N)  # at the same address in every call
    for seed in (1, 1, 1, 2):
        u.set(random(seed))
        assert_same(g(N, 100, 0.1, u, v), plain(N, 100, 0.1, u, v))
    assert replays(g) > 0


WHOLE = [
    case
    for path in sorted((Path(__file__).parents[1] / "gradient" / "programs" / "whole").glob("*.cu"))
    for case in cases(path)
]


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case.name)
def test_whole_programs(case: Case) -> None:
    """Where nothing is refused: four calls, the last with other numbers."""
    plain, arguments = comparison.from_problem(case.problem, "cuda")
    try:
        with_graph, _ = comparison.from_problem(case.problem, "cuda", graph=True)
    except hetad.UnsupportedError as refused:
        pytest.skip(refused.message)
    tolerance = 1e-4 if plain.bits == 32 else 1e-9
    for call in range(4):
        seeds = comparison.generic_seeds(plain, arguments)
        if call == 3:
            arguments = [value * 0.99 if isinstance(value, float) else value for value in arguments]
        expected = plain.gradient(copy.deepcopy(arguments), seeds)
        found = with_graph.gradient(copy.deepcopy(arguments), seeds)
        for name, value in expected.items():
            near = comparison.to_vector(value)
            scale = np.abs(near).max(initial=1e-30)
            np.testing.assert_allclose(comparison.to_vector(found[name]), near, rtol=tolerance, atol=tolerance * scale)


def test_no_growth(cp: Any) -> None:
    g, _ = both(PROGRAM, "march", ("u",), "u")
    u, v, adj = cp.asarray(random(1)), cp.asarray(random(2)), cp.zeros(N)
    for _ in range(5):
        g.execute(N, 20, 0.001, u, v, adj)
    cp.cuda.runtime.deviceSynchronize()
    before = cp.cuda.runtime.memGetInfo()[0]
    for k in range(2000):  # each of 20 calls four times, so that its graphs are made, launched and forgotten again
        g.execute(N, 20, 1e-3 + 1e-5 * (k // 4 % 20), u, v, adj)
    cp.cuda.runtime.deviceSynchronize()
    assert before - cp.cuda.runtime.memGetInfo()[0] < 200 << 20


def test_a_failure_on_the_device_is_reported(cp: Any) -> None:
    source = """
    __global__ void kernel(int n, const double *x, double *y)
    {
        extern __shared__ double t[];
        t[threadIdx.x] = x[threadIdx.x];
        y[threadIdx.x] = t[threadIdx.x] * t[threadIdx.x];
    }
    void f(int n, const double *x, double *y) { kernel<<<1, n, n * sizeof(double)>>>(n, x, y); }
    """
    g = hetad.gradient(hetad.loads(source)["f"], "x", "y", backend="cuda", graph=True)
    with pytest.raises(hetad.ExecutionError, match="invalid configuration argument"):
        g(5000, random(1, 5000), random(2, 5000), seeds={"y": random(3, 5000)})
