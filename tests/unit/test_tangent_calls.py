"""Calls of tangents and of products of Hessians: what is done with the arrays of the user."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hetad

SOURCE = r"""
__global__ void squares(double *y, const double *x, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] += x[i] * x[i];
}
void twice(double *y, const double *x, int n) {
    squares<<<1, 32>>>(y, x, n);
    squares<<<1, 32>>>(y, x, n);
}
__global__ void numbers(double *y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = 7 + i;
}
void constants(double *y, const double *x, int n) {
    numbers<<<1, 32>>>(y, n);
}
void through(double *y, const double *x, double *work, int n) {
    squares<<<1, 32>>>(work, x, n);
    squares<<<1, 32>>>(y, work, n);
}
__global__ void scaled(double *y, const double *x, double a, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = a * x[i] * x[i];
}
void bent(double *y, const double *x, double a, int n) {
    scaled<<<1, 32>>>(y, x, a, n);
}
"""
X, N = np.array([1.0, 2.0, -0.5]), 3


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(SOURCE)


def test_arguments_must_be_distinct_although_they_are_copied(program: hetad.Program) -> None:
    tangent = hetad.jvp(program["twice"], wrt=["x"], of=["y"], backend="cpu")
    with pytest.raises(hetad.ArgumentError, match="'y' and 'x' share memory"):
        tangent(X, X, N, tangents={"x": X})


def test_tangents_in_place_must_be_distinct(program: hetad.Program) -> None:
    tangent = hetad.jvp(program["twice"], wrt=["x"], of=["y"], backend="cpu")
    shared = np.zeros(N)
    with pytest.raises(hetad.ArgumentError, match="'dot_x' and 'dot_y' share memory"):
        tangent.execute(np.zeros(N), X, N, shared, shared)
    with pytest.raises(hetad.ArgumentError, match="'x' and 'dot_x' share memory"):
        tangent.execute(np.zeros(N), X, N, X, shared)


def test_an_array_may_be_its_own_tangent(program: hetad.Program) -> None:
    """Tangents are copied where arguments stay as they are."""
    found = hetad.jvp(program["twice"], wrt=["x"], of=["y"], backend="cpu")(np.zeros(N), X, N, tangents={"x": X})
    np.testing.assert_allclose(found["y"], 4 * X * X)


def test_an_array_may_be_its_own_direction_and_that_of_another() -> None:
    """Of a product too: Σ x² y³, where the program overwrites both."""
    text = "double f(double *x, double *y, int n) { double s = 0; for (int i = 0; i < n; i++)" \
        " { x[i] *= x[i]; y[i] *= y[i] * y[i]; s += x[i] * y[i]; } return s; }"  # fmt: skip
    product = hetad.hvp(hetad.loads(text)["f"], wrt=["x", "y"], backend="cpu")
    x, y = X.copy(), X[::-1].copy()
    found = product(x, y, N, tangents={"x": x, "y": x})
    np.testing.assert_allclose(found["x"], 2 * y**3 * x + 6 * x * y**2 * x)
    np.testing.assert_allclose(found["y"], 6 * x * y**2 * x + 6 * x**2 * y * x)
    np.testing.assert_array_equal(x, X)


def test_the_tangent_of_an_output_without_dependence_is_zero(program: hetad.Program) -> None:
    tangent = hetad.jvp(program["constants"], wrt=["x"], of=["y"], backend="cpu")
    y, dot_y = np.zeros(N), np.full(N, 3.0)
    tangent.execute(y, X, N, np.ones(N), dot_y)
    np.testing.assert_array_equal(y, [7, 8, 9])
    np.testing.assert_array_equal(dot_y, np.zeros(N))


def test_products_where_a_buffer_is_neither_asked_for_nor_moved(program: hetad.Program) -> None:
    """Σ wᵢ (workᵢ + xᵢ²)²: the second derivative is 4 (workᵢ + xᵢ²) + 8 xᵢ², times wᵢ."""
    product = hetad.hvp(program["through"], wrt=["x"], of=["y"], backend="cpu")
    work, w, v = np.array([0.1, 0.2, 0.3]), np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.7, -1.1])
    found = product(np.zeros(N), X, work, N, tangents={"x": v}, seeds={"y": w})
    np.testing.assert_allclose(found["x"], w * (4 * (work + X * X) + 8 * X * X) * v)


def test_products_where_an_output_holds_what_is_not_a_number(program: hetad.Program) -> None:
    """Its tangent is zero all the same."""
    product = hetad.hvp(program["constants"], wrt=["x"], of=["y"], backend="cpu")
    found = product(np.full(N, np.nan), X, N, tangents={"x": X}, seeds={"y": np.ones(N)})
    np.testing.assert_array_equal(found["x"], np.zeros(N))


def test_products_refuse_what_is_no_array(program: hetad.Program) -> None:
    product = hetad.hvp(program["twice"], wrt=["x"], of=["y"], backend="cpu")
    with pytest.raises(hetad.ArgumentError, match="argument 'y': expected an array"):
        product("000", X, N, tangents={"x": X}, seeds={"y": np.ones(N)})


def test_products_refuse_arrays_that_are_too_short(program: hetad.Program) -> None:
    product = hetad.hvp(program["scaled"], wrt=["x", "a"], of=["y"], backend="cpu")
    call = {"tangents": {"x": X[:2], "a": 1.0}, "seeds": {"y": np.ones(N)}, "grid": 1, "block": 4}
    with pytest.raises(hetad.ArgumentError, match="'x'"):
        product(np.zeros(N), X[:2], 0.5, N, **call)


@pytest.mark.parametrize("given", [1.0, [1.0], "ab", np.array(1.0)])
def test_a_number_needs_a_tangent_for_each_direction(program: hetad.Program, given: object) -> None:
    tangent = hetad.jvp(program["scaled"], wrt=["a"], of=["y"], backend="cpu", directions=2)
    with pytest.raises(hetad.ArgumentError, match="expected 2 values, one for each direction"):
        tangent(np.zeros(N), X, 0.5, N, tangents={"a": given}, grid=1, block=4)


@pytest.mark.parametrize("directions", [0, -1, 2.5])
def test_directions_are_counted(program: hetad.Program, directions: int) -> None:
    with pytest.raises(hetad.ArgumentError, match="expected a positive integer"):
        hetad.jvp(program["twice"], wrt=["x"], of=["y"], backend="cpu", directions=directions)


def test_shared_memory_for_all_directions() -> None:
    """What fits along one direction need not fit along two."""
    large = hetad.loads(
        "__global__ void k(double *y, const double *x) {\n"
        "    __shared__ double s[2900];\n"
        "    s[threadIdx.x * 40] = x[threadIdx.x];\n"
        "    y[threadIdx.x] = s[threadIdx.x * 40] * x[threadIdx.x];\n"
        "}\n"
    )
    found = hetad.jvp(large["k"], wrt="x", of="y", backend="cpu")(np.zeros(N), X, tangents={"x": X}, grid=1, block=N)
    np.testing.assert_allclose(found["y"], 2 * X * X)
    with pytest.raises(hetad.UnsupportedError, match="69600 bytes of static shared memory"):
        hetad.jvp(large["k"], wrt="x", of="y", backend="cpu", directions=2)


@pytest.mark.parametrize(
    ("tangents", "seeds", "said"),
    [
        ({"x": np.ones(2), "a": 1.0}, np.ones(3), r"tangents\['x'\]: expected the shape \(3,\) of x, got \(2,\)"),
        ({"x": np.ones(3, int), "a": 1.0}, np.ones(3), r"tangents\['x'\]: expected an array of float64, got int64"),
        ({"x": np.ones(3), "a": "1"}, np.ones(3), r"tangents\['a'\]: expected a number"),
        ({"x": np.ones(3), "a": None}, np.ones(3), r"tangents\['a'\]: expected a number"),
        ({"x": np.ones(3), "a": 1.0}, np.ones(2), r"seeds\['y'\]: expected the shape \(3,\) of y, got \(2,\)"),
        ({"x": np.ones(3), "a": 1.0}, np.ones(3, "f4"), r"seeds\['y'\]: expected an array of float64, got float32"),
    ],
)
def test_products_refuse_by_the_names_of_the_user(program: hetad.Program, tangents: Any, seeds: Any, said: str) -> None:
    product = hetad.hvp(program["bent"], wrt=["x", "a"], of=["y"], backend="cpu")
    with pytest.raises(hetad.ArgumentError, match=said):
        product(np.zeros(3), np.ones(3), 2.0, 3, tangents=tangents, seeds={"y": seeds})
