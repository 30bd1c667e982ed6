"""Tangents and products of Hessians from Python.  That they are right, the corpus shows (tests/gradient): gradcheck
compares each gradient with the tangent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad

SOURCE = """
__device__ double act(double v)
{
    return v > 0 ? exp(-v) * v * v : sqrt(-v);
}

__global__ void layer(double *y, const double *x, double a, int n)
{
    __shared__ double tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] * a : 0;
    __syncthreads();
    if (i < n) {
        double s = 0;
        for (int j = 0; j < 3; ++j)
            s += tile[(threadIdx.x + j) % 64] * x[i];
        y[i] = act(s) / (1 + s * s);
    }
}

double energy(const double *x, double a, int n)
{
    double *in, *out, *host = (double *)malloc(n * sizeof(double)), sum = 0;
    cudaMalloc(&in, n * sizeof(double));
    cudaMalloc(&out, n * sizeof(double));
    cudaMemcpy(in, x, n * sizeof(double), cudaMemcpyHostToDevice);
    layer<<<(n + 63) / 64, 64>>>(out, in, a, n);
    cudaMemcpy(host, out, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        sum += host[i] * host[i] * x[i];
    free(host);
    cudaFree(in);
    cudaFree(out);
    return sum;
}

void steps(double *u, double *v, double *w, int n, int count)
{
    for (int k = 0; k < count; ++k) {
        layer<<<(n + 63) / 64, 64>>>(v, u, 0.9, n);
        double *held = u;
        u = v;
        v = w;
        w = held;
    }
}

__device__ double state[4];

__global__ void keep(double *y, const double *x)
{
    state[threadIdx.x] += x[threadIdx.x];
    y[threadIdx.x] = state[threadIdx.x] * state[threadIdx.x];
}

void remember(double *y, const double *x)
{
    keep<<<1, 4>>>(y, x);
}
"""
N = 100
A = 1.3


@pytest.fixture(scope="module")
def program() -> Any:
    return hetad.loads(SOURCE, "tangents.cu")


@pytest.fixture
def point() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    return rng.standard_normal(N), rng.standard_normal(N), rng.standard_normal(N)


def differences(f: Any, h: float = 1e-6) -> Any:
    return (f(h) - f(-h)) / (2 * h)


def test_value_and_tangent_of_a_return_value(program: Any, point: Any, backend: str) -> None:
    x, v, _ = point
    j = hetad.jvp(program["energy"], wrt=("x", "a"), backend=backend)
    kept = x.copy()
    value, tangent = j.value_and_jvp(x, A, N, tangents={"x": v, "a": 0.7})
    assert np.array_equal(x, kept)
    assert value == pytest.approx(program["energy"](x, A, N, backend=backend), rel=1e-12)
    expected = differences(lambda e: program["energy"](x + e * v, A + e * 0.7, N, backend=backend))
    assert tangent == pytest.approx(expected, rel=1e-6)
    assert j(x, A, N, tangents={"x": v, "a": 0.7}) == tangent


def test_several_directions_are_those_one_by_one(program: Any, point: Any, backend: str) -> None:
    x, v, w = point
    one = hetad.jvp(program["energy"], wrt=("x", "a"), backend=backend)
    three = hetad.jvp(program["energy"], wrt=("x", "a"), backend=backend, directions=3)
    along, scalars = np.stack([v, w, 0 * v]), [0.2, -0.4, 1.0]
    found = three(x, A, N, tangents={"x": along, "a": scalars})
    singles = [one(x, A, N, tangents={"x": t, "a": s}) for t, s in zip(along, scalars, strict=True)]
    np.testing.assert_allclose(found, singles, rtol=1e-12)


def test_directions_of_arrays(program: Any, point: Any, backend: str) -> None:
    x, v, w = point
    launch: dict[str, Any] = {"grid": 2, "block": 64}
    one = hetad.jvp(program["layer"], wrt="x", of="y", backend=backend)
    two = hetad.jvp(program["layer"], wrt="x", of="y", backend=backend, directions=2)
    y = np.full(N, np.nan)
    outputs, found = two.value_and_jvp(y, x, A, N, tangents={"x": np.stack([v, w])}, **launch)
    assert np.isnan(y).all()
    assert found["y"].shape == (2, N)
    for t, expected in zip(found["y"], (v, w), strict=True):
        np.testing.assert_allclose(t, one(y, x, A, N, tangents={"x": expected}, **launch)["y"], rtol=1e-12)
    program["layer"](y, x, A, N, backend=backend, **launch)
    np.testing.assert_allclose(outputs["y"], y, rtol=1e-12)


@pytest.mark.parametrize("count", range(4))
def test_parameters_that_trade_places(program: Any, point: Any, count: int, backend: str) -> None:
    """The tangents of `w`, which nobody asks for, have memory that is freed, wherever its pointer leads in the end."""
    x, v, _ = point
    j = hetad.jvp(program["steps"], wrt="u", of=("u", "v"), backend=backend)

    def run(e: float) -> Any:
        u, y, w = x + e * v, np.zeros(N), np.zeros(N)
        program["steps"](u, y, w, N, count, backend=backend)
        return np.stack([u, y])

    found = j(x, np.zeros(N), np.zeros(N), N, count, tangents={"u": v})
    np.testing.assert_allclose(np.stack([found["u"], found["v"]]), differences(run), rtol=1e-6, atol=1e-8)


def test_in_place(program: Any, point: Any) -> None:
    x, v, _ = point
    j = hetad.jvp(program["layer"], wrt=("x", "a"), of="y", backend="cpu")
    y, dot_y = np.zeros(N), np.full(N, 7.0)
    j.execute(y, x, A, N, v, 0.5, dot_y, grid=2, block=64)
    values, tangents = j.value_and_jvp(y, x, A, N, tangents={"x": v, "a": 0.5}, grid=2, block=64)
    np.testing.assert_array_equal(y, values["y"])
    np.testing.assert_array_equal(dot_y, tangents["y"])


def test_a_call_leaves_device_variables_as_they_were(program: Any, backend: str) -> None:
    x, v = np.arange(1.0, 5.0), np.array([0.3, -0.1, 0.7, 2.0])
    j = hetad.jvp(program["remember"], wrt="x", of="y", backend=backend)
    for _ in range(2):
        np.testing.assert_allclose(j(np.zeros(4), x, tangents={"x": v})["y"], 2 * x * v, rtol=1e-14)


def test_hessian_product(program: Any, point: Any, backend: str) -> None:
    x, v, u = point
    h = hetad.hvp(program["energy"], wrt=("x", "a"), backend=backend)
    g = hetad.gradient(program["energy"], wrt=("x", "a"), backend=backend)
    found = h(x, A, N, tangents={"x": v, "a": 0.7})
    for name in ("x", "a"):
        expected = differences(lambda e: g(x + e * v, A + e * 0.7, N)[name])  # noqa: B023
        np.testing.assert_allclose(found[name], expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max())
    other = h(x, A, N, tangents={"x": u, "a": -0.2})
    there, back = u @ found["x"] - 0.2 * found["a"], v @ other["x"] + 0.7 * other["a"]
    assert there == pytest.approx(back, rel=1e-10)


def test_hessian_product_of_a_kernel(program: Any, point: Any, backend: str) -> None:
    x, v, w = point
    launch: dict[str, Any] = {"grid": 2, "block": 64}
    h = hetad.hvp(program["layer"], wrt="x", of="y", backend=backend)
    g = hetad.gradient(program["layer"], wrt="x", of="y", backend=backend)
    y = np.zeros(N)
    found = h(y, x, A, N, tangents={"x": v}, seeds={"y": w}, **launch)["x"]
    expected = differences(lambda e: g(y, x + e * v, A, N, seeds={"y": w}, **launch)["x"])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max())


def test_hessian_product_within_a_memory_limit(program: Any, point: Any) -> None:
    x, v, w = point
    free = hetad.hvp(program["steps"], wrt="u", of="v", backend="cpu")
    limited = hetad.hvp(program["steps"], wrt="u", of="v", backend="cpu", memory_limit=14 * N * 8)
    arguments = (x, np.zeros(N), np.zeros(N), N, 12)
    expected = free(*arguments, tangents={"u": v}, seeds={"v": w})["u"]
    found = limited(*arguments, tangents={"u": v}, seeds={"v": w})["u"]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    assert limited.last_report is not None
    assert 0 < limited.last_report.saved_bytes <= 14 * N * 8
    assert limited.last_report.extra_steps > 0


@pytest.mark.parametrize(
    ("tangents", "message"),
    [
        ({"x": np.zeros(N)}, "there is no tangent of 'a'"),
        ({"x": np.zeros(N - 1), "a": 0.0}, "expected the shape"),
        ({"x": np.zeros(N, np.float32), "a": 0.0}, "expected an array of float64"),
        ({"x": np.zeros(N), "a": "1"}, "expected a number"),
        ({"x": np.zeros(N), "a": 0.0, "n": 1}, "tangents: there is no 'n'"),
        ([1.0], "tangents must be a mapping"),
    ],
)
def test_wrong_tangents(program: Any, tangents: Any, message: str) -> None:
    j = hetad.jvp(program["energy"], wrt=("x", "a"), backend="cpu")
    with pytest.raises(hetad.ArgumentError, match=message):
        j(np.zeros(N), A, N, tangents=tangents)


def test_wrong_requests(program: Any) -> None:
    with pytest.raises(hetad.ArgumentError, match="directions=0"):
        hetad.jvp(program["energy"], wrt="x", directions=0)
    with pytest.raises(hetad.ArgumentError, match="of is omitted"):
        hetad.jvp(program["layer"], wrt="x")
    h = hetad.hvp(program["layer"], wrt="x", of="y", backend="cpu")
    with pytest.raises(hetad.ArgumentError, match="its Hessian needs a seed"):
        h(np.zeros(N), np.zeros(N), A, N, tangents={"x": np.zeros(N)}, grid=2, block=64)


def test_nothing_of_the_run_time_is_needed(program: Any) -> None:
    """A tangent is a program of CUDA's own operations."""
    assert "hetad_" not in hetad.jvp(program["energy"], wrt=("x", "a")).source


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from hetad.cli import main

    path = tmp_path / "tangents.cu"
    path.write_text(SOURCE)
    assert main(["grad", str(path), "energy", "--wrt", "x,a", "--mode", "tangent"]) == 0
    assert 'extern "C" double energy_tangent(' in capsys.readouterr().out
    assert main(["grad", str(path), "energy", "--wrt", "x", "--mode", "hvp"]) == 0
    assert "energy_tangent_grad(" in capsys.readouterr().out
    assert main(["grad", str(path), "energy", "--wrt", "x", "--mode", "tangent", "--emit", "activity"]) == 0
    assert "layer_tangent: " in capsys.readouterr().out
    assert main(["grad", str(path), "energy", "--wrt", "x", "--mode", "tangent", "--memory-limit", "1MB"]) == 2


def test_gradient_and_product_of_one_run(program: Any, point: Any, backend: str) -> None:
    x, v, _ = point
    h = hetad.hvp(program["energy"], wrt=("x", "a"), backend=backend)
    gradient, product = h.grad_and_hvp(x, A, N, tangents={"x": v, "a": 0.7})
    alone = hetad.gradient(program["energy"], wrt=("x", "a"), backend=backend)(x, A, N)
    np.testing.assert_allclose(gradient["x"], alone["x"], rtol=1e-12)
    assert gradient["a"] == pytest.approx(alone["a"], rel=1e-12)
    again = h(x, A, N, tangents={"x": v, "a": 0.7})
    np.testing.assert_allclose(product["x"], again["x"], rtol=1e-12)
    assert product["a"] == pytest.approx(again["a"], rel=1e-12)


def test_product_in_place(program: Any, point: Any, backend: str) -> None:
    x, v, w = point
    h = hetad.hvp(program["layer"], wrt="x", of="y", backend=backend)
    launch: dict[str, Any] = {"grid": 2, "block": 64}
    expected = h(np.zeros(N), x, A, N, tangents={"x": v}, seeds={"y": w}, **launch)["x"]
    assert h.execute_names == ("y", "x", "a", "n", "dot_x", "dot_y", "adj_dot_y", "adj_x")
    start = np.linspace(0, 1, N)
    found = start.copy()
    h.execute(np.zeros(N), x, A, N, v, np.zeros(N), w.copy(), found, **launch)
    np.testing.assert_allclose(found - start, expected, rtol=1e-9, atol=1e-9)


def test_constant_numbers_beside_active_pointers() -> None:
    """The kernel takes the whole struct: the tangents of its numbers are zeros, not what lay on the stack."""
    source = """
    typedef struct { double *data; double scale; } Field;
    __global__ void grow(Field f) { f.data[threadIdx.x] *= f.scale; }
    void run(double *x, double scale)
    {
        Field f;
        f.data = x;
        f.scale = scale;
        grow<<<1, 8>>>(f);
    }
    """
    j = hetad.jvp(hetad.loads(source)["run"], "x", "x", "cpu")
    assert "Field dot_f = {};" in j.source
    np.testing.assert_array_equal(j(np.ones(8), 3.0, tangents={"x": np.arange(8.0)})["x"], 3 * np.arange(8.0))


def test_products_are_added_one_by_one(tmp_path: Path) -> None:
    """So that each is one instruction, but for a sum that is read in them; a number in front of all terms of a sum is
    multiplied once."""
    source = tmp_path / "pull.cu"
    source.write_text(
        """
        __global__ void pull(float *f, const float *x, const float *m, int n)
        {
            float s = 0;
            for (int j = 0; j < n; ++j) {
                float r = rsqrtf(x[j] * x[j] + m[j] * m[j]);
                s += m[j] * r * x[j];
                s -= s * r;
            }
            f[threadIdx.x] = s;
        }
        """
    )
    text = hetad.jvp(hetad.load(source)["pull"], wrt=["x", "m"], of=["f"]).source
    assert "2.0f * (x[j] * dot_x[j] + m[j] * dot_m[j])" in text
    assert "dot_s += x[j] * (r * dot_m[j] + m[j] * dot_r);\n        dot_s += m[j] * r * dot_x[j];" in text
    assert "dot_s -= r * dot_s + s * dot_r;" in text
