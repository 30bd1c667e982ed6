"""Fresh names are identifiers of C, each another."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from hetad.checks import comparison
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


TWO_KERNELS = """
__global__ void f(double *y, const double *x, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = x[i];
    for (int k = 0; k < steps; ++k) v = sin(v) + 0.1 * v;
    y[i] = v;
}
__global__ void NAME(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) y[i] = 3 * x[i] * x[i - 1];
}
void run(double *y, double *t, const double *x, int n, int steps)
{
    NAME<<<(n + 63) / 64, 64>>>(t, x, n);
    f<<<(n + 63) / 64, 64>>>(y, t, n, steps);
}
"""
GENERATED = ("f_tape_size", "f_pullback", "f_recording", "f_gather_x", "f_totals", "run_grad", "f_pullback_pullback")


@pytest.mark.parametrize("name", GENERATED)
def test_kernels_named_as_generated_ones(name: str) -> None:
    """`f_tape_size` is a kernel of the user's beside f, whose pullback needs a kernel that sizes its tape."""
    program = hetad.loads(TWO_KERNELS.replace("NAME", name))
    arguments = [np.zeros(10), np.zeros(10), np.linspace(0.1, 0.9, 10), 10, 40]
    for optimize in (True, False):
        subject = comparison.of_function(program["run"], ("x",), ("y",), "cpu", {}, optimize=optimize)
        report = comparison.check(subject, arguments)
        assert report.passed, str(report)


STEP = """
__global__ void bend(double *v, const double *u, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = u[i] + a * u[i] * u[(i + 1) % n];
}
void step(double *u, double *v, double dt, double *last, int n)
{
    double NAME = *last;
    for (int k = 0; k < 3; ++k)
        NAME = NAME * dt + 1;
    bend<<<1, 64>>>(v, u, NAME, n);
    bend<<<1, 64>>>(u, v, dt, n);
    bend<<<1, 64>>>(v, u, dt, n);
    bend<<<1, 64>>>(u, v, dt, n);
    *last = NAME;
}
void run(double *u, double *v, double dt, double *last, int n)
{
    step(u, v, dt, last, n);
    step(u, v, 2 * dt, last, n);
    step(u, v, 3 * dt, last, n);
}
"""


def test_variables_named_as_adjoints() -> None:
    """What a variable is called does not tell of which sweep a statement is."""
    texts = []
    for name in ("adj_half", "the_half"):
        program = hetad.loads(STEP.replace("NAME", name))
        gradient = hetad.gradient(program["run"], wrt="u", of="u", backend="cpu")
        texts.append(gradient.source.replace(name, "half"))
    assert texts[0] == texts[1]
    assert "step_pullback(" in texts[0]


def test_a_kernel_named_as_a_gather() -> None:
    text = "__global__ void NAME(double *y, const double *x) { int i = threadIdx.x; y[i] = x[i] * x[i]; }"
    explained = []
    for name in ("my_gather_of", "my_square_of"):
        made = hetad.gradient(hetad.loads(text.replace("NAME", name))[name], wrt="x", of="y", backend="cpu")
        explained.append([a.how for a in made.derivative.explanation.accumulated])
    assert explained[0] == explained[1]
