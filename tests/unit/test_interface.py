"""What the objects of the Python interface show of themselves, and how they are unpacked, copied and pickled."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hetad
from hetad.results import Result

PROGRAM = """
__host__ __device__ double power(double x) { return x * x * x; }
__global__ void kernel(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * power(x[i]);
}
double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += power(x[i]); return s; }
void in(double lambda, double *y, int n) { for (int i = 0; i < n; i++) y[i] *= lambda; }
"""


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "hand.cu")


# --- results -------------------------------------------------------------------------------------


def test_a_result_is_unpacked_to_its_values(program: hetad.Program) -> None:
    x, y = np.arange(4.0), np.zeros(4)
    r = hetad.gradient(program["kernel"], wrt=("x", "a"), of="y", backend="cpu")(
        y, x, 2.0, 4, grid=1, block=4, seeds={"y": np.ones(4)}
    )
    dx, da = r
    np.testing.assert_allclose(dx, 6 * x**2)
    assert da == pytest.approx((x**3).sum())
    assert r["x"] is dx
    assert r[0] is dx
    assert list(r.keys()) == ["x", "a"]
    assert dict(r)["a"] == da
    assert dict(**r)["a"] == da
    assert "x" in r
    assert "y" not in r
    assert r.get("y") is None
    assert len(r) == 2


def test_a_result_can_be_the_seeds_of_another_call(program: hetad.Program) -> None:
    seeds = Result(("y",), (np.ones(4),))
    g = hetad.gradient(program["kernel"], wrt="x", of="y", backend="cpu")
    (dx,) = g(np.zeros(4), np.ones(4), 2.0, 4, grid=1, block=4, seeds=seeds)  # type: ignore[arg-type]
    np.testing.assert_array_equal(dx, 6)


# --- what is shown -------------------------------------------------------------------------------


def test_a_function_has_the_signature_of_c(program: hetad.Program) -> None:
    found = inspect.signature(program["kernel"])
    assert list(found.parameters)[:4] == ["y", "x", "a", "n"]
    assert [p.annotation for p in found.parameters.values()][:4] == ["double *", "const double *", "double", "int"]
    assert found.parameters["grid"].default is inspect.Parameter.empty
    assert found.parameters["shared_mem"].default == 0
    host = inspect.signature(program["total"]).parameters
    assert "grid" not in host
    assert host["backend"].default is None


def test_a_name_that_python_reserves_goes_by_position(program: hetad.Program) -> None:
    found = inspect.signature(program["in"]).parameters
    assert found["lambda_"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert found["y"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


def test_help_shows_the_declaration(program: hetad.Program) -> None:
    for made in (
        program["kernel"],
        hetad.gradient(program["kernel"], wrt="x", of="y"),
        hetad.jvp(program["kernel"], wrt="x", of="y"),
        hetad.hvp(program["total"], wrt="x"),
    ):
        text = pydoc.plain(pydoc.render_doc(made))
        assert made.function.signature in text if hasattr(made, "function") else made.signature in text
        assert "hand.cu:" in text


def test_notebooks_show_a_table_and_the_source(program: hetad.Program) -> None:
    assert "<code>double total(const double *x, int n)" in program._repr_html_()
    shown = hetad.gradient(program["kernel"], wrt="x", of="y")._repr_html_()
    assert "gradient of y with respect to x" in shown
    assert "kernel_pullback&lt;&lt;&lt;" in shown
    assert program._ipython_key_completions_() == ["power", "kernel", "total", "in"]


def test_a_call_graph_is_a_picture(program: hetad.Program) -> None:
    drawn = hetad.call_graph(program, "kernel")
    assert [node.title for node in drawn.graph.nodes] == ["power", "kernel"]
    assert drawn._repr_html_().startswith("<svg")
    assert "kernel" in drawn.mermaid
    assert "kernel" in drawn.dot
    assert len(hetad.call_graph(program).graph.nodes) == 4


# --- copies --------------------------------------------------------------------------------------

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]


@pytest.mark.parametrize("copied", COPIES)
def test_copies_of_derivatives(program: hetad.Program, copied: Callable[[Any], Any]) -> None:
    x, y, one = np.arange(4.0), np.zeros(4), np.ones(4)
    kernel = program["kernel"]
    call = (y, x, 2.0, 4)
    launch = {"grid": 1, "block": 4}
    g = copied(hetad.gradient(kernel, wrt=("x", "a"), of="y", backend="cpu", deterministic=True, batch=2))
    assert "deterministic" not in g.source
    np.testing.assert_allclose(g(*call, **launch, seeds={"y": np.stack([one, 2 * one])})["x"][1], 12 * x**2)
    j = copied(hetad.jvp(kernel, wrt="x", of="y", backend="cpu"))
    np.testing.assert_allclose(j(*call, **launch, tangents={"x": one})["y"], 6 * x**2)
    h = copied(hetad.hvp(program["total"], wrt="x", backend="cpu"))
    np.testing.assert_allclose(h(x, 4, tangents={"x": one})["x"], 6 * x)
    jacobian = copied(hetad.jacobian(kernel, wrt="x", of="y", backend="cpu"))
    np.testing.assert_allclose(np.diag(jacobian(*call, **launch)["y"]["x"]), 6 * x**2)
    hessian = copied(hetad.hessian(program["total"], wrt="x", backend="cpu"))
    np.testing.assert_allclose(np.diag(hessian(x, 4)["x"]["x"]), 6 * x)


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_program_has_its_rules(copied: Callable[[Any], Any]) -> None:
    program = hetad.loads(PROGRAM, "hand.cu")
    hetad.pullback(program, "power", cuda="__device__ void power_pullback(double x, double seed, double *adj_x)"
                   "{ *adj_x += 100 * seed; }")  # fmt: skip
    again = copied(program)
    assert again is not program
    for kernel in (again["kernel"], copied(program["kernel"])):
        g = hetad.gradient(kernel, wrt="x", of="y", backend="cpu")
        found = g(np.ones(2), np.ones(2), 1.0, 2, grid=1, block=2, seeds={"y": np.ones(2)})["x"]
        np.testing.assert_array_equal(found, 100)


def test_a_derivative_as_a_program_is_pickled(program: hetad.Program) -> None:
    made = pickle.loads(pickle.dumps(hetad.gradient(program["total"], wrt="x", backend="cpu").program))
    (name,) = made
    assert made[name].signature.startswith("double total_grad(")


def test_a_whole_program_as_a_function_is_pickled() -> None:
    program = hetad.loads("double r; int main() { double x = 2; r = x * x; return 0; }", "hand.cu")
    f = pickle.loads(pickle.dumps(program.driver(inputs="x", output="r")))
    assert f(3.0, backend="cpu") == 9


# --- templates -----------------------------------------------------------------------------------

TEMPLATES = """
template <typename T, int N> __global__ void step(T *y, const T *x, T a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] * x[i] + N;
}
template <typename T> __global__ void of_cpp(T *y, const T *x, int n)
{
    auto square = [&](int k) { return x[k] * x[k]; };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = square(i);
}
void plain(double *y) { y[0] *= 2; }
"""


@pytest.mark.parametrize(("name", "dtype", "more"), [
    ("step<double, 3>", np.float64, (2.0,)), ("step<float,3>", np.float32, (2.0,)), ("of_cpp<float>", np.float32, ()),
])  # fmt: skip
def test_an_instance_of_a_template_is_called_by_its_name(name: str, dtype: Any, more: tuple[float, ...]) -> None:
    program = hetad.loads(TEMPLATES, "hand.cu")
    x, y = np.arange(5, dtype=dtype), np.zeros(5, dtype)
    a = more[0] if more else 1.0
    program[name](y, x, *more, 5, grid=1, block=32, backend="cpu")
    np.testing.assert_allclose(y, a * x**2 + 3 * len(more))
    g = pickle.loads(pickle.dumps(hetad.gradient(program[name], wrt="x", of="y", backend="cpu")))
    np.testing.assert_allclose(g(y, x, *more, 5, grid=1, block=32, seeds={"y": np.ones(5, dtype)})["x"], 2 * a * x)


@pytest.mark.parametrize(("name", "message"), [
    ("step", r"^hand\.cu:2:\d+: 'step' is a template.*\n[^$]*help: name an instance of it, as 'step<float, 16>'"),
    ("step<float>", r"'step<float>' is no instance of the template.*\n[^$]*help: name an instance of it, as 'step<"),
    ("step<float, 1, 2>", "'step<float, 1, 2>' is no instance of the template"),
    ("step<colour, 1>", "'step<colour, 1>' is no instance of the template"),
    ("stop<float>", "no function 'stop<float>' in hand.cu  .*\n  help: did you mean step?"),
])  # fmt: skip
def test_a_name_that_is_no_instance(name: str, message: str) -> None:
    program = hetad.loads(TEMPLATES, "hand.cu")
    with pytest.raises(hetad.HetadError, match=message):
        program[name]


# --- arrays of structs ---------------------------------------------------------------------------

VECTORS = """
__global__ void bend(float3 *y, const float3 *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = make_float3(a * x[i].x * x[i].y, x[i].z * x[i].z, x[i].x);
}
"""


def test_vectors_are_arrays_whose_last_axis_has_their_members() -> None:
    bend = hetad.loads(VECTORS, "hand.cu")["bend"]
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(7, 3)).astype(np.float32), np.zeros((7, 3), np.float32)
    call, launch = (y, x, 2.0, 7), {"grid": 1, "block": 32}
    bend(*call, **launch, backend="cpu")
    expected = np.stack([2 * x[:, 0] * x[:, 1], x[:, 2] ** 2, x[:, 0]], axis=1)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    w, v = (rng.normal(size=(7, 3)).astype(np.float32) for _ in range(2))
    dx, da = hetad.gradient(bend, wrt=("x", "a"), of="y", backend="cpu")(*call, **launch, seeds={"y": w})
    assert (dx.shape, dx.dtype) == ((7, 3), np.float32)
    by_hand = np.stack([2 * x[:, 1] * w[:, 0] + w[:, 2], 2 * x[:, 0] * w[:, 0], 2 * x[:, 2] * w[:, 1]], axis=1)
    np.testing.assert_allclose(dx, by_hand, rtol=1e-5)
    assert da == pytest.approx(float((w[:, 0] * x[:, 0] * x[:, 1]).sum()), rel=1e-5)
    along = hetad.jvp(bend, wrt="x", of="y", backend="cpu", directions=2)
    found = along(*call, **launch, tangents={"x": np.stack([v, 2 * v])})["y"]
    assert (found.shape, found.dtype) == ((2, 7, 3), np.float32)
    assert float((found[0] * w).sum()) == pytest.approx(float((dx * v).sum()), rel=1e-5)
    np.testing.assert_allclose(found[1], 2 * found[0], rtol=1e-6)
    product = hetad.hvp(bend, wrt="x", of="y", backend="cpu")(*call, **launch, tangents={"x": v}, seeds={"y": w})
    by_hand = np.stack([2 * v[:, 1] * w[:, 0], 2 * v[:, 0] * w[:, 0], 2 * v[:, 2] * w[:, 1]], axis=1)
    np.testing.assert_allclose(product["x"], by_hand, rtol=1e-5)
    several = hetad.gradient(bend, wrt="x", of="y", backend="cpu", batch=2)
    np.testing.assert_allclose(several(*call, **launch, seeds={"y": np.stack([w, 2 * w])})["x"][1], 2 * dx, rtol=1e-5)


def test_a_vector_in_an_array_that_is_too_short() -> None:
    bend = hetad.loads(VECTORS, "hand.cu")["bend"]
    with pytest.raises(hetad.ArgumentError, match=r"argument 'x': expected at least 7 elements, got 6"):
        bend(np.zeros((7, 3), np.float32), np.zeros((6, 3), np.float32), 2.0, 7, grid=1, block=32, backend="cpu")
