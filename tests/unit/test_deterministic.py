"""`deterministic=True`: sums of fixed order, or a refusal that names the access."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from tests.fixed_order import PROGRAMS, Problem


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("optimize", [True, False])
def test_equal_bits_with_several_threads(name: str, optimize: bool) -> None:
    problem = Problem(name, 5000)
    gradient = problem.gradient("cpu", deterministic=True, optimize=optimize, cpu_threads=4)
    assert "atomicAdd" not in gradient.source
    first = problem.bits(gradient)
    for _ in range(5):
        assert problem.bits(gradient) == first
    for found, expected in zip(
        problem.numbers(gradient), problem.numbers(problem.gradient("cpu", optimize=False)), strict=True
    ):
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * scale)


@pytest.mark.parametrize("name", PROGRAMS)
def test_how_the_sums_are_made(name: str) -> None:
    problem = Problem(name, 10)
    found = [a.how for a in problem.gradient("cpu", deterministic=True).derivative.explanation.accumulated]
    assert any(how.startswith(PROGRAMS[name].how) for how in found), found
    assert not any("atomic" in how for how in found), found


def test_the_sums_of_blocks_meet_in_a_second_kernel() -> None:
    source = Problem("a scalar", 10).gradient("cpu", deterministic=True).source
    assert re.search(r"hetad_block_sum_double\(&parts\[block_number\], c_sum\)", source)
    assert re.search(r"k_totals<<<1, 256", source)


SHARED = """
__global__ void total(double *y, const double *x, int n)
{
    __shared__ double part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] * x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        double s = 0;
        for (int k = 0; k < 64; k++) s += part[k];
        y[blockIdx.x] = s;
    }
}
"""


def test_what_has_no_fixed_order_is_refused() -> None:
    program = hetad.loads(SHARED, "total.cu")
    with pytest.raises(hetad.UnsupportedError, match=r"total.cu:10:43: with deterministic=True: several") as caught:
        hetad.gradient(program["total"], "x", "y", deterministic=True)
    assert "let each thread read cells of its own here" in str(caught.value)
    hetad.gradient(program["total"], "x", "y")


def test_a_launch_along_one_axis_tells_that_threads_do_not_meet() -> None:
    launches = """
void along_one(double *y, const double *x, int n) { total<<<(n + 63) / 64, 64>>>(y, x, n); }
void along_any(double *y, const double *x, int n, dim3 block) { total<<<(n + 63) / 64, block>>>(y, x, n); }
"""
    program = hetad.loads(SHARED + launches, "total.cu")
    x, seeds = np.random.default_rng(4).normal(size=150), np.array([1.3, -0.7, 2.1])
    g = hetad.gradient(program["along_one"], wrt="x", of="y", backend="cpu", deterministic=True)
    assert "atomicAdd" not in g.source
    np.testing.assert_allclose(g(np.zeros(3), x, 150, seeds={"y": seeds})["x"], 2 * x * np.repeat(seeds, 64)[:150])
    with pytest.raises(hetad.UnsupportedError, match=r"total.cu:10:43: with deterministic=True: several"):
        hetad.gradient(program["along_any"], wrt="x", of="y", backend="cpu", deterministic=True)


TREE = """
__global__ void total(double *y, const double *x, int n)
{
    extern __shared__ char bytes[];
    double *part = (double *)bytes;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] * x[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = part[0];
}

void run(double *y, const double *x, int n) { total<<<(n + 63) / 64, 64, 64 * sizeof(double)>>>(y, x, n); }
"""


def test_a_tree_in_dynamic_shared_memory_has_a_fixed_order() -> None:
    gradient = hetad.gradient(hetad.loads(TREE)["run"], wrt="x", of="y", backend="cpu", deterministic=True)
    assert "adj_part[t + k] += " in gradient.source
    rng = np.random.default_rng(5)
    x, seed = rng.standard_normal(150), rng.standard_normal(3)
    found = gradient(np.zeros(3), x, 150, seeds={"y": seed})
    np.testing.assert_allclose(found["x"], 2 * x * seed.repeat(64)[:150], rtol=1e-14)
