"""Rules that users give for their own device functions."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

SOURCE = """
__device__ double bump(double x, double width) { return x > width ? 0.0 : exp(-x * x / (width * width)); }
__global__ void apply(double *y, const double *x, double width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0 * bump(x[i] * x[i], width) + x[i];
}
"""
CUDA = """
__device__ void bump_pullback(double x, double width, double seed, double *adj_x, double *adj_width)
{
    double r = exp(-x * x / (width * width));
    *adj_x += seed * r * -2.0 * x / (width * width);
    *adj_width += seed * r * 2.0 * x * x / (width * width * width);
}
"""
PARTIALS = {"x": "-2 * x / (width * width) * r", "width": "2 * x * x / (width * width * width) * r"}


def gradient(program: hetad.Program, backend: str, optimize: bool = True) -> tuple[np.ndarray, float]:
    rng = np.random.default_rng(3)
    n = 70
    x = rng.uniform(-1.5, 1.5, n)
    g = hetad.gradient(program["apply"], wrt=("x", "width"), of="y", backend=backend, optimize=optimize)
    r = g(np.zeros(n), x, 3.0, n, seeds={"y": rng.normal(size=n)}, grid=3, block=32)
    return r["x"], r["width"]


@pytest.mark.parametrize("rule", [{"partials": PARTIALS}, {"cuda": CUDA}], ids=["partials", "cuda"])
@pytest.mark.parametrize("optimize", [True, False])
def test_rule_gives_the_same_gradient(rule: dict[str, object], optimize: bool, backend: str) -> None:
    plain = gradient(hetad.loads(SOURCE), backend)
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", **rule)
    ruled = gradient(program, backend, optimize)
    np.testing.assert_allclose(ruled[0], plain[0], rtol=1e-12)
    assert ruled[1] == pytest.approx(plain[1], rel=1e-12)


def test_rule_is_used(backend: str) -> None:
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", {"x": "7"})
    x = np.array([0.5])
    g = hetad.gradient(program["apply"], wrt=("x", "width"), of="y", backend=backend)
    r = g(np.zeros(1), x, 3.0, 1, seeds={"y": np.ones(1)}, grid=1, block=1)
    assert r["x"][0] == pytest.approx(2 * 7 * 2 * 0.5 + 1)
    assert r["width"] == 0


@pytest.mark.parametrize("rule", [{"partials": PARTIALS}, {"cuda": CUDA}], ids=["partials", "cuda"])
@pytest.mark.parametrize("optimize", [True, False])
def test_rule_gives_the_same_tangents_and_products(rule: dict[str, object], optimize: bool, backend: str) -> None:
    rng = np.random.default_rng(5)
    n, launch = 70, {"grid": 3, "block": 32}
    x, v, seeds = rng.uniform(-1.5, 1.5, n), rng.normal(size=(2, n)), rng.normal(size=n)

    def found(program: hetad.Program) -> list[np.ndarray]:
        asked = {"wrt": ("x", "width"), "of": "y", "backend": backend, "optimize": optimize}
        j = hetad.jvp(program["apply"], directions=2, **asked)
        h = hetad.hvp(program["apply"], **asked)
        tangents = j(np.zeros(n), x, 3.0, n, tangents={"x": v, "width": np.array([0.3, -0.7])}, **launch)
        product = h(np.zeros(n), x, 3.0, n, tangents={"x": v[0], "width": 0.3}, seeds={"y": seeds}, **launch)
        return [tangents["y"], product["x"], np.array(product["width"])]

    ruled = hetad.loads(SOURCE)
    hetad.pullback(ruled, "bump", **rule)
    for a, b in zip(found(ruled), found(hetad.loads(SOURCE)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def test_rule_is_used_by_tangents(backend: str) -> None:
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", {"x": "7 * x"})
    launch = {"grid": 1, "block": 2}
    j = hetad.jvp(program["apply"], wrt=("x", "width"), of="y", backend=backend)
    x, v = np.array([0.5, 0.8]), np.array([0.2, -0.4])
    slope = 2 * 7 * x**2 * 2 * x + 1
    found = j(np.zeros(2), x, 3.0, 2, tangents={"x": v, "width": 1.0}, **launch)
    np.testing.assert_allclose(found["y"], slope * v)
    h = hetad.hvp(program["apply"], wrt="x", of="y", backend=backend)
    product = h(np.zeros(2), x, 3.0, 2, tangents={"x": v}, seeds={"y": np.ones(2)}, **launch)
    np.testing.assert_allclose(product["x"], 2 * 7 * 2 * 3 * x**2 * v)
    hetad.pullback(program, "bump", inactive=True)
    j = hetad.jvp(program["apply"], wrt=("x", "width"), of="y", backend=backend)
    np.testing.assert_array_equal(j(np.zeros(2), x, 3.0, 2, tangents={"x": v, "width": 1.0}, **launch)["y"], v)


def test_rule_tells_the_pattern() -> None:
    """What a rule gives no slope for, nothing depends on."""
    source = """
    __device__ double mix(double a, double b) { return a * b; }
    __global__ void pairs(double *y, const double *x, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n - 1) y[i] = mix(x[i], x[i + 1]);
    }
    """
    program, n, launch = hetad.loads(source), 7, {"grid": 1, "block": 8}
    values = np.zeros(n - 1), np.linspace(1, 2, n), n

    def pattern() -> np.ndarray:
        j = hetad.jacobian(program["pairs"], wrt="x", of="y", sparsity="detect", backend="cpu")
        found: np.ndarray = j.pattern(*values, **launch).toarray()
        return found

    both = np.eye(n - 1, n) + np.eye(n - 1, n, 1)
    np.testing.assert_array_equal(pattern(), both > 0)
    hetad.pullback(program, "mix", {"b": "a"})
    np.testing.assert_array_equal(pattern(), np.eye(n - 1, n, 1) > 0)


def test_inactive(backend: str) -> None:
    program = hetad.loads(SOURCE)
    hetad.pullback(program, "bump", inactive=True)
    dx, dwidth = gradient(program, backend)
    seeds = np.random.default_rng(3)
    seeds.uniform(-1.5, 1.5, 70)
    np.testing.assert_allclose(dx, seeds.normal(size=70))
    assert dwidth == 0


def test_bad_rules() -> None:
    program = hetad.loads(SOURCE)
    with pytest.raises(hetad.ArgumentError, match="no parameter 'z'"):
        hetad.pullback(program, "bump", {"z": "1"})
    with pytest.raises(hetad.ArgumentError, match="__device__ function of values"):
        hetad.pullback(program, "apply", {"x": "1"})
    with pytest.raises(hetad.ArgumentError, match="one of"):
        hetad.pullback(program, "bump")


FORMULAS = """
__device__ double two(double r, double q) { return r * q; }
__device__ double power(double x, int m) { return m > 1 ? x * x : x; }
struct Pair { double a, b; };
__device__ double product(Pair p) { return p.a * p.b; }
__device__ double root(double x) { return sqrt(x); }
__global__ void apply(double *y, const double *x, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = root(two(x[i], x[i])) + power(x[i], m) + product(Pair{x[i], x[i]});
}
"""


@pytest.mark.parametrize(
    ("function", "partials", "message"),
    [
        ("two", {"r": "q", "q": "r"}, "'r' is the result, and a parameter too"),
        ("root", {"x": "sigmoid(x)"}, "the function 'sigmoid' is unknown"),
        ("root", {"x": "exq(x)"}, "did you mean exp"),
        ("root", {"x": "pow(x)"}, "'pow' takes 2 numbers, not 1"),
        ("root", {"x": "sincos(x, x, x)"}, "stands for no number"),
        ("root", {"x": "z + 1"}, "'z' is unknown: it may use x, r"),
        ("root", {"x": "1 +"}, "in the formula '1 \\+' for 'x', there is a syntax error"),
        ("root", {"x": "x ** 2"}, "is not of the form of a formula"),
        ("root", {"x": "x > 1"}, "is not of the form of a formula"),
        ("root", {"x": "'x'"}, "is not of the form of a formula"),
        ("root", {"x": "x if 0 < x < 1 else 1"}, "is not of the form of a formula"),
        ("power", {"m": "1"}, "there is no derivative in 'm', a 'int'"),
        ("product", {}, "no rule can give the derivative in 'p', a 'Pair'"),
    ],
)
def test_a_formula_is_checked_when_it_is_given(function: str, partials: dict[str, str], message: str) -> None:
    program = hetad.loads(FORMULAS)
    with pytest.raises(hetad.ArgumentError, match=message):
        hetad.pullback(program, function, partials or {"p": "1"})


@pytest.mark.parametrize(
    "parameters",
    ["double x, double *adj_x", "double x, float seed, double *adj_x", "double x, double seed, float *adj_x",
     "double x, double seed, const double *adj_x", "double seed"],
)  # fmt: skip
def test_the_parameters_of_a_pullback_are_checked(parameters: str, backend: str) -> None:
    program = hetad.loads(FORMULAS, "formulas.cu")
    wanted = r"formulas.cu:\d+:\d+: write it as __device__ void root_pullback\(double x, double seed, double \*adj_x\)"
    with pytest.raises(hetad.ArgumentError, match=wanted):
        hetad.pullback(program, "root", cuda=f"__device__ void root_pullback({parameters}) {{ }}")
    with pytest.raises(hetad.HetadError, match="root_pullback"):
        hetad.pullback(program, "root", cuda="__device__ int other(int i) { return i; }")
    assert slopes(program, backend, {}) == pytest.approx([1 + 2 * 0.3 + 2 * 0.3, 1 + 2 * 1.3 + 2 * 1.3])


def slopes(program: hetad.Program, backend: str, rules: dict[str, dict[str, object]], **given: object) -> np.ndarray:
    for function, rule in rules.items():
        hetad.pullback(program, function, **rule)  # type: ignore[arg-type]
    g = hetad.gradient(program["apply"], wrt="x", of="y", backend=backend)
    x, seed = given.get("x", np.array([0.3, 1.3])), given.get("seed", np.ones(2))
    return g(np.zeros(2), x, given.get("m", 2), 2, seeds={"y": seed}, grid=1, block=2)["x"]


POLE = "__device__ void root_pullback(const double v, double s, double *adj_v) { *adj_v += s * 0.5 / sqrt(v); }"


@pytest.mark.parametrize("rule", [{"partials": {"x": "0.5 / r"}}, {"cuda": POLE}], ids=["partials", "cuda"])
def test_where_the_seed_is_zero_a_pole_gives_zero(rule: dict[str, object], backend: str) -> None:
    source = FORMULAS.replace("two(x[i], x[i])", "x[i]")
    x, seed = np.array([0.0, 0.25]), np.array([0.0, 1.0])
    found = slopes(hetad.loads(source), backend, {"root": rule}, x=x, seed=seed)
    assert found == pytest.approx([0, 1 + 4 * 0.25])


@pytest.mark.parametrize("rule", [{"partials": {"x": "0.5 / r"}}, {"cuda": POLE}], ids=["partials", "cuda"])
def test_where_the_tangent_is_zero_a_pole_gives_zero(rule: dict[str, object], backend: str) -> None:
    program = hetad.loads(FORMULAS.replace("two(x[i], x[i])", "x[i]"))
    hetad.pullback(program, "root", **rule)  # type: ignore[arg-type]
    j = hetad.jvp(program["apply"], wrt="x", of="y", backend=backend)
    given = {"x": np.array([0.0, 1.0])}
    found = j(np.zeros(2), np.array([0.0, 0.25]), 2, 2, tangents=given, grid=1, block=2)
    assert found["y"] == pytest.approx([0, 1 + 4 * 0.25])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [("x / m", 0.1), ("1 / m", 1 / 3), ("0.5 * m", 1.5), ("m - 0.25", 2.75), ("m / 2", 1.5), ("2 * m + 1", 7),
     ("m if x < 1 else 0.5", 3), ("1 if m > 3.5 else 0", 0), ("1 if m > 2.5 else 0", 1)],
)  # fmt: skip
def test_integers_in_a_formula_are_numbers(formula: str, expected: float, backend: str) -> None:
    source = FORMULAS.replace("root(two(x[i], x[i])) +", "").replace("+ product(Pair{x[i], x[i]})", "")
    assert slopes(hetad.loads(source), backend, {"power": {"partials": {"x": formula}}}, m=3)[0] == pytest.approx(
        expected
    )


ROWS = """
__device__ double weighted(double x) { return x * (1.0 + threadIdx.y); }
__global__ void add(double *y, const double *x, int n)
{
    if (threadIdx.x < n) atomicAdd(&y[threadIdx.x], weighted(x[threadIdx.x]));
}
__global__ void store(double *y, const double *x, int n)
{
    if (threadIdx.x < n) y[threadIdx.x + n * (int)weighted(1.0)] = weighted(x[threadIdx.x]) * x[0];
}
"""
ROWS_PULLBACK = """
__device__ void weighted_pullback(double x, double seed, double *adj_x) { *adj_x += seed * (1.0 + threadIdx.y); }
"""


@pytest.mark.parametrize("kernel", ["add", "store"])
@pytest.mark.parametrize("optimize", [True, False])
def test_an_axis_that_only_a_function_with_a_rule_asks_for(kernel: str, optimize: bool, backend: str) -> None:
    n, rows = 5, 3
    x, seeds = np.linspace(0.4, 1.9, n), {"y": np.random.default_rng(5).normal(size=n * (rows + 1))}

    def gradient(program: hetad.Program) -> np.ndarray:
        g = hetad.gradient(program[kernel], wrt="x", of="y", backend=backend, optimize=optimize)
        found: np.ndarray = g(np.zeros(n * (rows + 1)), x, n, seeds=seeds, grid=1, block=(8, rows))["x"]
        return found

    ruled = hetad.loads(ROWS)
    hetad.pullback(ruled, "weighted", cuda=ROWS_PULLBACK)
    np.testing.assert_allclose(gradient(ruled), gradient(hetad.loads(ROWS)), rtol=1e-12)
