"""`hetad.scipy`: objectives, residuals and linear operators, in SciPy's own optimisers and solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, least_squares, lsq_linear, minimize
from scipy.sparse.linalg import aslinearoperator, lsmr

import hetad
import hetad.scipy

PROGRAM = """
double valley(const double *x, const float *w, double a, int n)
{
    double s = 0;
    for (int i = 0; i + 1 < n; i++) {
        double d = x[i + 1] - x[i] * x[i];
        s += a * d * d + (1 - x[i]) * (1 - x[i]);
    }
    for (int i = 0; i < 2; i++) s += (w[i] - 3) * (w[i] - 3) * (w[i] - 3) * (w[i] - 3) + w[i] * w[i];
    return s + (a - 2) * (a - 2);
}
__global__ void decay_kernel(double *y, const double *t, const double *c, double k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c[0] + c[1] * exp(-k * t[i]);
}
void decay(double *y, const double *t, const double *c, double k, int n)
{
    decay_kernel<<<(n + 31) / 32, 32>>>(y, t, c, k, n);
}
"""
X, W = np.array([-1.2, 1.0, 0.7]), np.array([1.0, 4.0], np.float32)
T = np.linspace(0, 3, 40)


@pytest.fixture(scope="module")
def program() -> hetad.Program:
    return hetad.loads(PROGRAM, "scipy.cu")


def valley(program: hetad.Program, wrt: Any = ("x", "w", "a"), **options: Any) -> Any:
    g = hetad.gradient(program["valley"], wrt=wrt, backend="cpu")
    return hetad.scipy.objective(g, X, W, 1.5, n=3, **options)


def test_the_gradient_and_the_hessian_of_a_vector(program: hetad.Program) -> None:
    problem = valley(program)
    assert problem.x0.tolist() == [*X, *W, 1.5]
    value, slope = problem(problem.x0)
    assert value == program["valley"](X, W, 1.5, 3, backend="cpu")
    differences = approx_fprime(problem.x0, lambda v: problem(v)[0], 1e-3)  # w is of floats
    np.testing.assert_allclose(slope, differences, rtol=0.02, atol=0.02)
    direction = np.linspace(-1, 1, 6)
    step = 1e-3 * direction
    second = (problem(problem.x0 + step)[1] - problem(problem.x0 - step)[1]) / 2e-3
    np.testing.assert_allclose(problem.hessp(problem.x0, direction), second, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(problem.hess(problem.x0) @ direction, problem.hessp(problem.x0, direction))
    found = problem.unpack(problem.x0 + 1)
    assert (found["w"].dtype, found["a"]) == (np.float32, 2.5)
    np.testing.assert_array_equal(problem.pack(found), problem.x0 + 1)


@pytest.mark.parametrize("method", ["L-BFGS-B", "BFGS", "Newton-CG", "trust-ncg", "trust-constr"])
def test_minimize(program: hetad.Program, method: str) -> None:
    problem = valley(program, ("x", "a"))
    second = {"hessp": problem.hessp} if method in ("Newton-CG", "trust-ncg") else {}
    second |= {"hess": problem.hess} if method == "trust-constr" else {}
    found = minimize(problem, problem.x0, jac=True, method=method, **second)
    best = problem.unpack(found.x)
    np.testing.assert_allclose(best["x"], np.ones(3), atol=2e-3)
    assert best["a"] == pytest.approx(2, abs=2e-3)


def test_bounds_and_fixed_parts(program: hetad.Program) -> None:
    fixed = {"x": np.array([False, True, False]), "a": True}
    problem = valley(program, bounds={"x": (None, [9.0, 9.0, 0.25]), "w": (2.0, None)}, fixed=fixed)
    assert problem.x0.tolist() == [X[0], X[2], *W]
    assert problem.bounds.lb.tolist() == [-np.inf, -np.inf, 2, 2]
    assert problem.bounds.ub.tolist() == [9.0, 0.25, np.inf, np.inf]
    start = np.clip(problem.x0, problem.bounds.lb, problem.bounds.ub)
    found = problem.unpack(minimize(problem, start, jac=True, method="L-BFGS-B", bounds=problem.bounds).x)
    assert (found["a"], found["x"][1], found["x"][2]) == (1.5, 1.0, 0.25)
    assert found["w"].tolist() == [2.0, 2.0]
    direction = np.array([1.0, 2.0, 3.0, 4.0])
    full = valley(program)
    every = np.array([1.0, 0.0, 2.0, 3.0, 4.0, 0.0])
    np.testing.assert_allclose(
        problem.hessp(problem.x0, direction), full.hessp(full.x0, every)[[0, 2, 3, 4]], rtol=1e-12
    )


def test_outputs_with_weights(program: hetad.Program) -> None:
    g = hetad.gradient(program["decay"], wrt=("c", "k"), of="y", backend="cpu")
    weights, y = np.cos(T), np.full(40, 7.0)
    problem = hetad.scipy.objective(g, y, T, np.array([0.5, 2.0]), 0.8, 40, seeds={"y": weights})
    value, slope = problem(problem.x0)
    assert value == pytest.approx(weights @ (0.5 + 2 * np.exp(-0.8 * T)))
    np.testing.assert_allclose(slope, approx_fprime(problem.x0, lambda v: problem(v)[0], 1e-6), rtol=1e-4, atol=1e-5)
    assert (y == 7).all()
    with pytest.raises(hetad.ArgumentError, match="the outputs y become one number by weights: pass seeds="):
        hetad.scipy.objective(g, y, T, np.array([0.5, 2.0]), 0.8, 40)


def test_a_weighted_return_value(program: hetad.Program) -> None:
    one, three = valley(program), valley(program, seeds={"return": 3.0})
    assert three(three.x0)[0] == 3 * one(one.x0)[0]
    np.testing.assert_allclose(three(three.x0)[1], 3 * one(one.x0)[1], rtol=1e-6)


def test_a_jacobian_is_a_linear_operator(program: hetad.Program) -> None:
    arguments = np.zeros(40), T, np.array([0.5, 2.0]), 0.8, 40
    operator = hetad.scipy.jacobian(program["decay"], ("c", "k"), "y", *arguments, backend="cpu")
    e = np.exp(-0.8 * T)
    matrix = np.stack([np.ones(40), e, -2 * T * e], 1)
    np.testing.assert_allclose(operator @ np.eye(3), matrix, rtol=1e-12)
    np.testing.assert_allclose(operator.T @ np.eye(40), matrix.T, rtol=1e-12)
    v, w = np.array([1.0, -2.0, 0.5]), np.sin(T)
    assert w @ (operator @ v) == pytest.approx((operator.H @ w) @ v, rel=1e-12)
    right = matrix @ v
    np.testing.assert_allclose(lsmr(operator, right, atol=1e-14, btol=1e-14)[0], v, rtol=1e-8)
    np.testing.assert_allclose(lsq_linear(aslinearoperator(operator), right, tol=1e-12).x, v, rtol=1e-6)


def test_least_squares(program: hetad.Program) -> None:
    measured = 0.3 + 1.7 * np.exp(-1.1 * T)
    r = hetad.scipy.residuals(
        program["decay"], ("c", "k"), "y", np.zeros(40), T, np.array([0.5, 1.0]), 0.8, 40, data={"y": measured},
        bounds={"k": (0, 5)}, backend="cpu",
    )  # fmt: skip
    found = r.unpack(least_squares(r, r.x0, jac=r.jac, bounds=r.bounds, xtol=1e-12, ftol=1e-12).x)
    np.testing.assert_allclose(found["c"], [0.3, 1.7], rtol=1e-5)
    assert found["k"] == pytest.approx(1.1, rel=1e-5)
    one = hetad.scipy.residuals(
        program["decay"], "k", "y", np.zeros(40), T, np.array([0.3, 1.7]), 0.8, 40, data={"y": measured}, backend="cpu"
    )
    assert least_squares(one, one.x0, jac=one.jac).x[0] == pytest.approx(1.1, rel=1e-5)


def test_a_kernel(program: hetad.Program) -> None:
    launch = {"grid": 2, "block": 20}
    operator = hetad.scipy.jacobian(
        program["decay_kernel"], "k", "y", np.zeros(40), T, np.array([0.5, 2.0]), 0.8, 40, backend="cpu", **launch
    )
    np.testing.assert_allclose(operator @ [1.0], -2 * T * np.exp(-0.8 * T), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bounds": {"n": (0, 1)}}, "bounds: 'n' is no unknown"),
        ({"fixed": {"v": True}}, "fixed: 'v' is no unknown"),
        ({"bounds": {"x": 3}}, r"bounds: expected a pair for 'x', as in \(0, None\), got 3"),
        ({"bounds": {"x": (np.zeros(2), None)}}, r"bounds: expected the shape \(3,\) for 'x', got \(2,\)"),
        ({"fixed": {"x": [True, False]}}, r"fixed: expected the shape \(3,\) for 'x', got \(2,\)"),
    ],
)
def test_what_does_not_fit(program: hetad.Program, options: dict[str, Any], message: str) -> None:
    with pytest.raises(hetad.ArgumentError, match=message):
        valley(program, **options)


def test_vectors_of_another_length(program: hetad.Program) -> None:
    with pytest.raises(hetad.ArgumentError, match="expected a vector of 6 unknowns, got 2"):
        valley(program)(np.zeros(2))
    with pytest.raises(hetad.ArgumentError, match="expected a gradient, got a Function"):
        hetad.scipy.objective(program["valley"], X, W, 1.5, 3)  # type: ignore[arg-type]
    with pytest.raises(hetad.ArgumentError, match="data: 'z' is no output"):
        hetad.scipy.residuals(program["decay"], "k", "y", np.zeros(40), T, np.zeros(2), 1.0, 40, data={"z": T})
