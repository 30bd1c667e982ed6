"""Fresh names are identifiers of C, each another."""

from __future__ import annotations

import numpy as np

import hetad
from hetad.ir.build import Names


def test_fresh_names_are_identifiers() -> None:
    names = Names({"t_1", "t_1c", "x"})
    made = [names.fresh(wanted) for _ in range(800) for wanted in ("t_1", "x")]
    assert len({*made, "t_1", "t_1c", "x"}) == len(made) + 3
    assert all(name.isidentifier() and name.isascii() for name in made)
    assert made[:6] == ["t_1b", "x_2", "t_1d", "x_3", "t_1e", "x_4"]


def test_many_variables_of_one_name() -> None:
    """Each block has a `t_1` of its own, and so has each of their adjoints."""
    blocks = " ".join(f"{{ double t_1 = sin({k + 1} * x[i]); s += t_1 * t_1; }}" for k in range(40))
    program = hetad.loads(
        "__global__ void k(const double *x, double *y, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    if (i < n) {{ double s = 0; {blocks} y[i] = s; }}\n}}\n"
        "void run(const double *x, double *y, int n) { k<<<(n + 31) / 32, 32>>>(x, y, n); }\n"
    )
    x = np.random.default_rng(3).random(40)
    for optimize in (True, False):
        gradient = hetad.gradient(program["run"], wrt="x", of="y", backend="cpu", optimize=optimize)
        found = gradient(x, np.zeros(40), 40, seeds={"y": np.ones(40)})["x"]
        each = np.arange(1, 41)
        np.testing.assert_allclose(found, (each * np.sin(2 * each * x[:, None])).sum(axis=1), rtol=1e-10)


def test_many_calls_of_a_function() -> None:
    """Each call has variables of its own."""
    calls = " ".join(f"s += f(x[i] + {k});" for k in range(30))
    program = hetad.loads(
        "__device__ double f(double a) { double t_1 = sin(a); double t = t_1 * a; return t * t_1; }\n"
        "__global__ void k(const double *x, double *y, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    if (i < n) {{ double s = 0; {calls} y[i] = s; }}\n}}\n"
        "void run(const double *x, double *y, int n) { k<<<(n + 31) / 32, 32>>>(x, y, n); }\n"
    )
    x = np.random.default_rng(4).random(40)
    for optimize in (True, False):
        gradient = hetad.gradient(program["run"], wrt="x", of="y", backend="cpu", optimize=optimize)
        found = gradient(x, np.zeros(40), 40, seeds={"y": np.ones(40)})["x"]
        a = x[:, None] + np.arange(30)
        np.testing.assert_allclose(found, (np.sin(a) ** 2 + a * np.sin(2 * a)).sum(axis=1), rtol=1e-10)
