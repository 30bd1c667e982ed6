"""Whole Jacobians and Hessians, dense and from a pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import hetad
from hetad.sparsity import coloured

SOURCE = """
__global__ void react(double *y, const double *u, double k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = i > 0 ? u[i - 1] : 0, right = i + 1 < n ? u[i + 1] : 0;
        y[i] = k * (left - 2 * u[i] + right) + sin(u[i]) * u[i];
    }
}

double energy(const double *u, double k, int n)
{
    double sum = 0;
    for (int i = 0; i + 1 < n; ++i)
        sum += exp(k * u[i]) * u[i + 1];
    return sum;
}
"""
N, K = 11, 0.7
LAUNCH: dict[str, Any] = {"grid": 2, "block": 8}


@pytest.fixture(scope="module")
def program() -> Any:
    return hetad.loads(SOURCE, "react.cu")


@pytest.fixture
def u() -> Any:
    return np.random.default_rng(4).standard_normal(N)


def of_react(u: Any) -> Any:
    diagonal = -2 * K + np.cos(u) * u + np.sin(u)
    return np.diag(diagonal) + K * (np.eye(N, k=1) + np.eye(N, k=-1))


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_dense(program: Any, u: Any, mode: Any, backend: str) -> None:
    found = hetad.jacobian(program["react"], ("u", "k"), "y", backend, mode=mode)(np.zeros(N), u, K, N, **LAUNCH)
    np.testing.assert_allclose(found["y"]["u"], of_react(u), rtol=1e-12, atol=1e-14)
    padded = np.concatenate([[0], u, [0]])
    np.testing.assert_allclose(found["y"]["k"], padded[:-2] - 2 * u + padded[2:], rtol=1e-12, atol=1e-14)


def test_of_a_return_value(program: Any, u: Any) -> None:
    found = hetad.jacobian(program["energy"], ("u", "k"), backend="cpu", mode="forward", directions=3)(u, K, N)
    expected = hetad.gradient(program["energy"], ("u", "k"), backend="cpu")(u, K, N)
    np.testing.assert_allclose(found["u"], expected["u"], rtol=1e-12)
    assert found["k"] == pytest.approx(expected["k"], rel=1e-12)


def test_from_a_pattern(program: Any, u: Any, backend: str) -> None:
    pattern = scipy.sparse.diags_array([np.ones(N - 1), np.ones(N), np.ones(N - 1)], offsets=[-1, 0, 1])
    assert coloured(scipy.sparse.csr_array(pattern)).max() == 2
    found = hetad.jacobian(program["react"], "u", "y", backend, sparsity=pattern)(np.zeros(N), u, K, N, **LAUNCH)
    assert found.nnz == 3 * N - 2
    np.testing.assert_allclose(found.toarray(), of_react(u), rtol=1e-12, atol=1e-14)


def test_a_pattern_that_lacks_entries_is_refused(program: Any, u: Any) -> None:
    pattern = scipy.sparse.eye_array(N)
    made = hetad.jacobian(program["react"], "u", "y", "cpu", sparsity=pattern)
    with pytest.raises(hetad.ArgumentError, match="sparsity lacks a derivative"):
        made(np.zeros(N), u, K, N, **LAUNCH)


def test_columns_of_one_colour_share_no_row() -> None:
    rng = np.random.default_rng(5)
    pattern = scipy.sparse.csr_array(rng.random((20, 30)) < 0.1)
    dense = pattern.toarray()
    for c in range((colours := coloured(pattern)).max() + 1):
        assert dense[:, colours == c].sum(axis=1).max() <= 1


def test_hessian(program: Any, u: Any) -> None:
    found = hetad.hessian(program["energy"], ("u", "k"), backend="cpu")(u, K, N)
    matrix = np.block([[found["u"]["u"], found["u"]["k"][:, None]], [found["k"]["u"][None, :], found["k"]["k"]]])
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-12, atol=1e-14)
    expected = np.diag(np.concatenate([K**2 * np.exp(K * u[:-1]) * u[1:], [0]]))
    expected += (beside := np.diag(K * np.exp(K * u[:-1]), k=1)) + beside.T
    np.testing.assert_allclose(found["u"]["u"], expected, rtol=1e-10, atol=1e-13)
    assert float(found["k"]["k"]) == pytest.approx(float((u[:-1] ** 2 * np.exp(K * u[:-1]) * u[1:]).sum()), rel=1e-10)


def test_hessian_from_a_pattern(program: Any, u: Any, backend: str) -> None:
    pattern = scipy.sparse.diags_array([np.ones(N - 1), np.ones(N), np.ones(N - 1)], offsets=[-1, 0, 1])
    found = hetad.hessian(program["energy"], "u", backend=backend, sparsity=pattern)(u, K, N)
    dense = hetad.hessian(program["energy"], "u", backend=backend)(u, K, N)["u"]["u"]
    assert found.nnz == 3 * N - 2
    np.testing.assert_allclose(found.toarray(), dense, rtol=1e-12, atol=1e-14)
    with pytest.raises(hetad.ArgumentError, match="sparsity lacks a derivative"):
        hetad.hessian(program["energy"], "u", backend=backend, sparsity=np.eye(N))(u, K, N)
    with pytest.raises(hetad.ArgumentError, match="for one input array"):
        hetad.hessian(program["energy"], ("u", "k"), sparsity=np.eye(N + 1))


PAIRS = """
__global__ void springs(double *e, const double *x, const int *left, const int *right, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double d = x[right[i]] - x[left[i]];
        e[i] = exp(d) * (i % 3 == 0 ? x[left[i]] : 1.0);
    }
}
"""


def test_hessian_whose_pattern_is_detected(backend: str) -> None:
    rng = np.random.default_rng(8)
    n, cells, launch = 23, 11, {"grid": 3, "block": 9}
    x, seeds = rng.normal(size=cells), {"e": rng.normal(size=n)}
    ends = [rng.integers(0, cells, n).astype(np.int32) for _ in range(2)]
    springs = hetad.loads(PAIRS)["springs"]
    sparse = hetad.hessian(springs, "x", "e", backend, sparsity="detect")
    dense = hetad.hessian(springs, "x", "e", backend)
    for left, right in (ends, ends[::-1], [(ends[0] + 1) % cells, ends[1]]):
        values = np.zeros(n), x, left, right, n
        found = sparse(*values, seeds=seeds, **launch)
        np.testing.assert_allclose(found.toarray(), dense(*values, seeds=seeds, **launch)["x"]["x"], rtol=1e-11)
        expected = {(a, b) for p in zip(left, right, strict=True) for a in p for b in p}
        assert set(zip(*sparse.pattern(*values, **launch).nonzero(), strict=True)) == expected


def test_no_pattern_of_a_hessian_is_detected_for_a_number(program: Any) -> None:
    with pytest.raises(hetad.ArgumentError, match="ask for the terms before they are summed"):
        hetad.hessian(program["energy"], "u", sparsity="detect")
    with pytest.raises(hetad.ArgumentError, match="ask for this Hessian with sparsity="):
        hetad.hessian(program["energy"], "u", backend="cpu").pattern(np.zeros(N), K, N)


def test_what_does_not_fit(program: Any, u: Any) -> None:
    with pytest.raises(hetad.ArgumentError, match="mode='both'"):
        hetad.jacobian(program["react"], "u", "y", mode="both")  # type: ignore[arg-type]
    with pytest.raises(hetad.ArgumentError, match="one output array"):
        hetad.jacobian(program["react"], ("u", "k"), "y", sparsity=np.eye(N))
    with pytest.raises(hetad.ArgumentError, match="sparsity has the shape"):
        hetad.jacobian(program["react"], "u", "y", "cpu", sparsity=np.eye(3))(np.zeros(N), u, K, N, **LAUNCH)


RELAXED = """
__global__ void relax(double *y, const double *x, int n)
{
    int tries = 0;
    double step = 0.3;
    y[0] = x[0] * x[n - 1] + 1.0;
    while (tries < 10 && y[0] > 0.1) {
        y[0] = y[0] - step * x[1] * y[0] * y[0];
        if (y[0] > 0.5) tries++;
        else step = 0.5 * step + 0.1;
    }
}
__global__ void step(double *v, double k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += k * sin(v[i]);
}
double march(const double *u, double k, int n, int steps)
{
    double *v, *w = (double *)malloc(n * sizeof(double)), sum = 0;
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(v, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) step<<<2, 4>>>(v, k, n);
    cudaMemcpy(w, v, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += w[i] * w[i];
    cudaFree(v);
    free(w);
    return sum;
}
"""


def test_by_columns_where_there_is_no_gradient(backend: str) -> None:
    """Fewer rows than columns, but the loop has no bound that a gradient could save within."""
    relax = hetad.loads(RELAXED)["relax"]
    x, launch = np.array([1.3, 0.7, 0.2]), {"grid": 1, "block": 1}
    found = hetad.jacobian(relax, "x", "y", backend)(np.zeros(1), x, 3, **launch)["y"]["x"]
    for i, step in enumerate(1e-6 * np.eye(3)):
        ends = [np.zeros(1), np.zeros(1)]
        for y, sign in zip(ends, (1, -1), strict=True):
            relax(y, x + sign * step, 3, backend=backend, **launch)
        np.testing.assert_allclose(found[:, i], (ends[0] - ends[1]) / 2e-6, atol=1e-8)
    with pytest.raises(hetad.UnsupportedError):
        hetad.jacobian(relax, "x", "y", backend, mode="reverse")(np.zeros(1), x, 3, **launch)


@pytest.mark.parametrize(
    "options", [{"optimize": False}, {"optimize": ["sums"]}, {"deterministic": True}, {"memory_limit": 1200}]
)
def test_options(options: Any, backend: str) -> None:
    march, u = hetad.loads(RELAXED)["march"], np.linspace(-1, 1, 5)
    arguments = u, 0.1, 5, 20
    for make in (hetad.jacobian, hetad.hessian):
        plain = make(march, ("u", "k"), backend=backend)(*arguments)
        found = make(march, ("u", "k"), backend=backend, **options)(*arguments)
        for name in ("u", "k"):
            np.testing.assert_allclose(
                np.asarray(found[name]["u"] if make is hetad.hessian else found[name]),
                np.asarray(plain[name]["u"] if make is hetad.hessian else plain[name]),
                rtol=1e-12,
            )


def test_limits_are_read_at_once() -> None:
    with pytest.raises(hetad.ArgumentError, match="host_memory"):
        hetad.jacobian(hetad.loads(RELAXED)["march"], "u", host_memory="1MB")
    with pytest.raises(hetad.ArgumentError, match="there are 'cuda', 'cpu'"):
        hetad.jacobian(hetad.loads(RELAXED)["march"], "u", backend="gpu")


def test_sparse_with_floats_on_the_way(backend: str) -> None:
    """Products along several directions agree to the precision of the floats that doubles become."""
    program = hetad.loads("""
    __global__ void k(double *y, const double *x, int n)
    {
        int i = threadIdx.x;
        if (i >= n) return;
        float a = (float)x[i];
        y[i] = (a * a + (float)x[(i + 1) % n]) * 3.0 + expf(a * 0.3f);
    }""")
    x, launch = np.random.default_rng(19).standard_normal(5), {"grid": 1, "block": 8}
    arguments = np.zeros(5), x, 5
    found = hetad.jacobian(program["k"], "x", "y", backend, sparsity="detect")(*arguments, **launch)
    expected = np.diag(6 * x + 0.3 * np.exp(0.3 * x)) + 3 * np.roll(np.eye(5), 1, axis=1)
    np.testing.assert_allclose(found.todense(), expected, rtol=1e-5, atol=1e-6)
    second = hetad.hessian(program["k"], "x", "y", backend, sparsity="detect")
    found = second(*arguments, seeds={"y": np.ones(5)}, **launch)
    np.testing.assert_allclose(found.todense(), np.diag(6 + 0.09 * np.exp(0.3 * x)), rtol=1e-5, atol=1e-6)


CANCELLED = """
__global__ void sizes(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = sqrt(x[i] * x[i]) + (i > 0 ? 0.5 * x[i - 1] : 0.0);
}"""


def test_rounding_is_no_derivative_that_the_pattern_lacks(backend: str) -> None:
    """All second derivatives are zero, and what is computed of them is rounding."""
    sizes = hetad.loads(CANCELLED)["sizes"]
    x, launch = np.array([1.3, -0.7, 0.37, 1.1, 2.7, -0.9]), {"grid": 1, "block": 8}
    for pattern in ("detect", np.eye(6)):
        second = hetad.hessian(sizes, "x", "y", backend, sparsity=pattern)
        found = second(np.zeros(6), x, 6, seeds={"y": np.linspace(1, 2, 6)}, **launch)
        np.testing.assert_allclose(found.todense(), np.zeros((6, 6)), atol=1e-14)
    with pytest.raises(hetad.ArgumentError, match=r"sparsity lacks a derivative .*\n  help: sparsity=\"detect\""):
        hetad.jacobian(sizes, "x", "y", backend, sparsity=np.eye(6))(np.zeros(6), x, 6, **launch)


ARGUMENTS = """
struct Pair { double a, b; int k; };
double of_struct(Pair p, double s) { return p.a * p.a * p.b * s * p.k; }
double of_numbers(double a, float b) { return a * a * b; }
__global__ void square(double *y, const double *x, double a, int n)
{
    if (threadIdx.x < n) y[threadIdx.x] = a * x[threadIdx.x] * x[threadIdx.x];
}
void run(double *y, const double *x, double a, int n) { if (n > 0) square<<<1, 8>>>(y, x, a, n); }
"""


@pytest.fixture(scope="module")
def functions() -> Any:
    return hetad.loads(ARGUMENTS, frontend="cpp")


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_structs_have_no_axis(functions: Any, mode: Any) -> None:
    call = {"a": 1.0, "b": 2.0, "k": 3}, 1.1
    for make in (hetad.jacobian(functions["of_struct"], ("p", "s"), backend="cpu", mode=mode),
                 hetad.hessian(functions["of_struct"], ("p", "s"), backend="cpu")):  # fmt: skip
        with pytest.raises(hetad.ArgumentError, match=r"'p': .* a struct are on none.*\n.*\n  help: take products"):
            make(*call)
    assert hetad.jacobian(functions["of_struct"], "s", backend="cpu", mode=mode)(*call)["s"] == 6.0


def test_of_nothing(functions: Any, backend: str) -> None:
    nothing = np.zeros(0)
    call = nothing, nothing, 1.5, 0
    for mode in ("forward", "reverse"):
        found = hetad.jacobian(functions["run"], ("x", "a"), "y", backend, mode=mode)(*call)["y"]
        assert (found["x"].shape, found["a"].shape) == ((0, 0), (0,))
    assert hetad.hessian(functions["run"], "x", "y", backend)(*call, seeds={"y": nothing})["x"]["x"].shape == (0, 0)


def test_lists_and_whole_numbers_are_arguments(functions: Any, backend: str) -> None:
    found = hetad.jacobian(functions["run"], ("x", "a"), "y", backend)([0.0] * 3, [1, 2, 3], 2, 3)["y"]
    np.testing.assert_array_equal(found["x"], np.diag([4.0, 8.0, 12.0]))
    np.testing.assert_array_equal(found["a"], [1.0, 4.0, 9.0])
    found = hetad.hessian(functions["of_numbers"], ("a", "b"), backend=backend)(1, 2)
    assert (found["a"]["a"], found["a"]["b"], found["b"]["b"]) == (4.0, 2.0, 0.0)


@pytest.mark.parametrize(
    ("x", "a", "said"),
    [
        (np.ones(3), "abc", "argument 'a': expected a number"),
        ("abc", 1.5, "argument 'x': expected an array of float64"),
        (None, 1.5, "argument 'x': there is no array"),
        (np.ones(3, np.float32), 1.5, "argument 'x': expected an array of float64, got float32"),
    ],
)
def test_arguments_that_do_not_fit(functions: Any, x: Any, a: Any, said: str) -> None:
    for mode in ("forward", "reverse"):
        with pytest.raises(hetad.ArgumentError, match=said):
            hetad.jacobian(functions["run"], ("x", "a"), "y", "cpu", mode=mode)(np.zeros(3), x, a, 3)
    with pytest.raises(hetad.ArgumentError, match=said):
        hetad.hessian(functions["run"], ("x", "a"), "y", "cpu")(np.zeros(3), x, a, 3, seeds={"y": np.ones(3)})
