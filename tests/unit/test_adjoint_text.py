"""What emitted adjoints show of the machine that writes them: as little as a person's would."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import hetad


def source_of(text: str, wrt: str = "x", of: str = "y") -> str:
    """The derivative, without the run-time support below it."""
    gradient = hetad.gradient(hetad.loads(text)["f"], wrt=wrt, of=of, backend="cpu")
    return gradient.source.split("// ---- hetad's own", maxsplit=1)[0]


ROOTS = """
__global__ void k(const double *x, double *y, double NAME)
{
    int i = threadIdx.x;
    double a = sqrt(x[i]), b = log(a) * NAME, c = a / b;
    y[i] = exp(c) * b / x[i + 1];
}
void f(const double *x, double *y) { k<<<1, 8>>>(x, y, 3.0); }
"""


def test_seeds_are_numbered_in_order() -> None:
    found = list(dict.fromkeys(re.findall(r"const double (seed\w*) =", source_of(ROOTS.replace("NAME", "w")))))
    assert len(found) == 3
    assert found == ["seed", *(f"seed_{n}" for n in range(2, len(found) + 1))]


def test_a_variable_of_the_program_keeps_its_name() -> None:
    text = ROOTS.replace("NAME", "seed_3")
    assert "double seed_3" in source_of(text)
    gradient = hetad.gradient(hetad.loads(text)["f"], wrt="x", of="y", backend="cpu")
    plain = hetad.gradient(hetad.loads(ROOTS.replace("NAME", "w"))["f"], wrt="x", of="y", backend="cpu")
    x, y, seeds = np.linspace(2, 3, 9), np.zeros(8), {"y": np.arange(1.0, 9.0)}
    np.testing.assert_array_equal(gradient(x, y, seeds=seeds)["x"], plain(x, y, seeds=seeds)["x"])


def test_nothing_is_asked_of_calls_that_are_not_made() -> None:
    text = """
#define CHECK(call) do { cudaError_t s = call; if (s != cudaSuccess) exit(1); } while (0)
__global__ void k(double *y, const double *x) { y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }
void f(double *y, const double *x, int n)
{
    double *t;
    CHECK(cudaMalloc(&t, n * sizeof(double)));
    k<<<1, n>>>(t, x);
    CHECK(cudaMemcpy(y, t, n * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(t));
}
"""
    source = source_of(text)
    assert "= cudaSuccess;" not in source
    assert "exit(1)" in source  # of calls that are


def test_steps_of_a_counter_are_one() -> None:
    text = """
__global__ void k(double *w, int n)
{
    int i = threadIdx.x;
    for (int j = 0; j < 3; ++j) {
        if (w[(i + 1) % n] > 0.2) w[i] = 0.5 * w[(i + 1) % n] * w[(i + 1) % n] / (1.5 + w[(i + 2) % n] * w[i]);
        else w[i] = sin(w[(i + 1) % n]);
    }
}
void f(double *w, int n) { k<<<1, n>>>(w, n); }
"""
    assert not re.search(r"\+\+(\w+);\n\s+\+\+\1;", source_of(text, "w", "w"))


TOTALS = """
struct Inner { double used[2], idle; };
struct Model { double first; Inner inner; double none; };
__global__ void k(double *y, const double *x, Model m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += m.first * x[i] + m.inner.used[i % 2] * x[i] * x[i];
}
void f(double *y, const double *x, double a, double b, int n)
{
    Model m = {a, {{b, a * b}, a}, b};
    k<<<2, 8>>>(y, x, m, n);
}
"""


def test_nothing_is_summed_of_members_to_which_nothing_is_added() -> None:
    gradient = hetad.gradient(hetad.loads(TOTALS)["f"], wrt=("a", "b"), of="y", backend="cpu")
    sums = re.findall(r"hetad_block_add_double\(&adj_m->([\w.]+)", gradient.source)
    assert "first" in sums
    assert "inner.used" in sums
    assert not {"inner.idle", "none"} & set(sums)
    x, seed = np.linspace(0.5, 2, 13), np.linspace(-1, 2, 13)
    a, b, square = 0.7, 1.3, x**2 * seed
    r = gradient(np.zeros(13), x, a, b, 13, seeds={"y": seed})
    np.testing.assert_allclose(r["a"], seed @ x + b * square[1::2].sum())
    np.testing.assert_allclose(r["b"], square[::2].sum() + a * square[1::2].sum())


def test_a_seed_that_stays_is_not_stored() -> None:
    program = hetad.load(Path(__file__).parents[1] / "gradient" / "programs" / "whole" / "cahn_hilliard.cu")
    gradient = hetad.gradient(program["separate"], wrt=("c", "parameters"), of="c", backend="cpu")
    assert not re.search(r"adj_\w+\[.*\] = seed;", gradient.source)


def test_a_pointer_that_is_moved_is_indexed() -> None:
    text = """
__global__ void k(double *y, const double *x) { atomicAdd(y + threadIdx.x % 3, sin(x[threadIdx.x])); }
void f(const double *x, double *y) { k<<<1, 8>>>(y, x); }
"""
    assert "*(adj_y" not in source_of(text)
