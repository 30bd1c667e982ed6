"""A derivative is a program: it is differentiated again where all of its operations have derivatives, or refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from hetad.rules import operations
from hetad.rules.callee import Absorbed, Inactive, InSpace, Means, OfCopy, Passed, Recorded, Refused, Spelled

SECOND = {  # what the derivative does, and y of x and w
    "hetad_launched": """
__global__ void product(double *y, const double *x, const double *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i] * sin(x[i]) * w[n - 1 - i];
}
void f(double *y, const double *x, const double *w, int n) { product<<<(n + 31) / 32, 32>>>(y, x, w, n); }
""",
    "hetad_block_add_double": """
__global__ void scaled(double *y, const double *x, const double *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = w[0] * w[0] * x[i] + exp(x[i] * w[1]);
}
void f(double *y, const double *x, const double *w, int n) { scaled<<<(n + 31) / 32, 32>>>(y, x, w, n); }
""",
    "hetad_warp_add_double": """
__global__ void drawn(double *y, const double *x, const double *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double total = 0;
    for (int k = 0; k < n; ++k) {
        int j = (int)(8 * w[k]) % 16;
        total += x[i] * w[3 * j] * w[3 * j + 1] * x[j] + w[3 * j + 2] * w[3 * j + 2];
    }
    y[i] = total;
}
void f(double *y, const double *x, const double *w, int n) { drawn<<<(n + 31) / 32, 32>>>(y, x, w, n); }
""",
    "hetad_hot_add_double": """
__global__ void drawn(double *y, const double *x, const double *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double total = 0;
    for (int k = 0; k < n; ++k) {
        int j = (7 * i + (int)(8 * w[k])) % 16;
        total += x[i] * w[3 * j] * w[3 * j + 1] * x[j] + w[3 * j + 2] * w[3 * j + 2];
    }
    y[i] = total;
}
void f(double *y, const double *x, const double *w, int n) { drawn<<<(n + 31) / 32, 32>>>(y, x, w, n); }
""",
}

SECOND |= {
    "hetad_take_double": """
__global__ void scale(double *y, const double *x, const double *w, int n) {
    y[(3 * threadIdx.x + (int)(4 * w[0])) % n] = w[1] * x[threadIdx.x] * x[threadIdx.x];
}
void f(double *y, const double *x, const double *w, int n) { scale<<<1, n>>>(y, x, w, n); }
""",
    "hetad_device_zeros": """
__global__ void scale(double *y, const double *x, const double *w, int n) {
    if (threadIdx.x < n) y[threadIdx.x] = w[1] * x[threadIdx.x] * x[threadIdx.x];
}
void f(double *y, const double *x, const double *w, int n) {
    double *t;
    cudaMalloc(&t, n * sizeof(double));
    cudaMemcpy(t, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    scale<<<1, 96>>>(y, t, w, n);
    cudaFree(t);
}
""",
    "hetad_shfl_xor_adjoint_double": """
__global__ void exchange(double *y, const double *x, const double *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = i < n ? x[i] : 1;
    v *= __shfl_xor_sync(0xffffffff, v * w[i % 3], 1, 32);
    if (i < n) y[i] = v;
}
void f(double *y, const double *x, const double *w, int n) { exchange<<<3, 32>>>(y, x, w, n); }
""",
}

TIME_LOOP = """
__global__ void square(double *x, double *y) { y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }
void f(double *y, double *x, double a, int n) {
    for (int i = 0; i < n; ++i) {
        square<<<1, 32>>>(x, y);
        square<<<1, 32>>>(y, x);
    }
}
"""
REFUSED = {
    "hetad_table_on_device": ("""
__global__ void square(double *y, double **rows) { y[threadIdx.x] = rows[threadIdx.x % 2][0] * rows[0][0]; }
void f(double *y, double *x, double a, int n) {
    double **rows, *both[2] = {x, x + 1};
    cudaMalloc(&rows, 2 * sizeof(double *));
    cudaMemcpy(rows, both, 2 * sizeof(double *), cudaMemcpyHostToDevice);
    square<<<1, 32>>>(y, rows);
    cudaFree(rows);
}
""", {}),
}  # fmt: skip


WAYS = {"program": lambda g: g.program, "text": lambda g: hetad.loads(g.source, "emitted.cu")}


def called(text):
    """The names that a program calls, but for what hetad's own functions call."""
    return set(re.findall(r"\b(hetad_\w+)\(", text.split("// ---- hetad's own")[0]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("operation", SECOND)
def test_a_derivative_of_a_derivative(operation, way):
    n = 70
    x, w, seed, direction = np.random.default_rng(1).uniform(0.5, 1.5, (4, n))
    g = hetad.gradient(hetad.loads(SECOND[operation], "twice.cu")["f"], wrt=("x", "w"), of="y", backend="cpu")
    assert operation in called(g.source)
    f = WAYS[way](g)["f_grad"]
    given = {"x": x, "w": w, "n": n, "adj_y": seed}
    sizes = {p.name: 8 * n for p in f.parameters if p.name.endswith("_bytes")}
    arguments = [{**given, **sizes}.get(p.name, np.zeros(n)) for p in f.parameters]
    of = {"adj_x": direction, "adj_w": direction[::-1].copy()}
    second = hetad.gradient(f, wrt=("x", "w", "adj_y"), of=tuple(of), backend="cpu")(*arguments, seeds=of)

    def gradient(x, w, adj_y):
        found = g(np.zeros(n), x, w, n, seeds={"y": adj_y})
        return found["x"] @ direction + found["w"] @ direction[::-1]

    steps = dict(zip(second.keys(), np.random.default_rng(2).uniform(-1, 1, (3, n)), strict=True))
    ends = (gradient(**{k: given[k] + h * s for k, s in steps.items()}) for h in (1e-6, -1e-6))
    slope = (next(ends) - next(ends)) / 2e-6
    assert sum(second[k] @ s for k, s in steps.items()) == pytest.approx(slope, rel=1e-7)
    j = hetad.jvp(f, wrt=tuple(steps), of=tuple(of), backend="cpu")
    along = j(*arguments, tangents=steps)
    assert sum(along[k] @ v for k, v in of.items()) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("operation", REFUSED)
def test_an_operation_without_a_derivative_is_refused(operation, way):
    text, options = REFUSED[operation]
    g = hetad.gradient(hetad.loads(text, "twice.cu")["f"], wrt="x", of="y", backend="cpu", **options)
    with pytest.raises(hetad.UnsupportedError, match=f"'{operation}' in it has no derivative") as refused:
        hetad.gradient(WAYS[way](g)["f_grad"], wrt="x", of="adj_x")
    file, shown = ("twice.cu", text) if way == "program" else ("emitted.cu", g.source)
    assert refused.value.span.file == file
    assert 1 < refused.value.span.line < shown.count("\n")
    assert "take hetad.hvp of the program itself" in str(refused.value)


def test_a_third_derivative_of_what_saves_something_is_refused():
    g = hetad.gradient(hetad.loads(TIME_LOOP)["f"], wrt="x", of="y", backend="cpu")
    second = hetad.gradient(g.program["f_grad"], wrt="x", of="adj_x", backend="cpu")
    with pytest.raises(hetad.UnsupportedError, match="'hetad_keep' in it has no derivative"):
        hetad.gradient(second.program["f_grad_grad"], wrt="x", of="adj_x_2", backend="cpu")


RECORDS = """
#include <string.h>
typedef struct { double w; int k; } record;
void f(record *y, const record *x, int bytes) { memcpy(y, x, bytes); y[0].w *= y[0].w; }
"""


def test_a_copy_of_part_of_a_struct_has_no_second_derivative():
    g = hetad.gradient(hetad.loads(RECORDS)["f"], wrt="x", of="y", backend="cpu")
    f = g.program["f_grad"]
    second = hetad.gradient(f, wrt=("x", "adj_y"), of="adj_x", backend="cpu")
    x = np.zeros(3, np.dtype([("w", float), ("k", np.int32)], align=True))
    x["w"] = 1, 2, 3
    zeros = np.zeros_like(x)
    given = {"y": zeros, "x": x, "adj_y": x.copy(), "adj_x": zeros.copy(), "y_bytes": x.nbytes, "x_bytes": x.nbytes}

    def at(size):
        return second(*({**given, "bytes": size}[p.name] for p in f.parameters), seeds={"adj_x": x})

    found = at(2 * x.itemsize)
    assert found["x"]["w"].tolist() == [2, 0, 0]  # adj_x = (2 x₀ adj_y₀, adj_y₁, 0)
    assert found["adj_y"]["w"].tolist() == [2, 2, 0]
    with pytest.raises(hetad.ExecutionError, match="a copy of part of a struct 'record'"):
        at(2 * x.itemsize + 8)


ZEROS = """
__global__ void curved(double *y, const double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = exp(x[i] * x[(i + 1) % n]) + sqrt(x[i] + 2) / (1 + x[i]) + pow(x[i] + 1, 1.5);
}
void f(double *y, const double *x, int n) { curved<<<(n + 31) / 32, 32>>>(y, x, n); }
"""


def test_what_is_zero_has_derivatives():
    """Where a seed or a tangent happens to be zero, what it is multiplied by matters to a derivative."""
    n = 6
    x, v, w = np.array([1.0, 0, 2, 0, 0, 3]), np.array([1.0, 0, 0, 0, 1, 0]), np.array([1.0, 0, 0, 2, 0, 0])
    f = hetad.loads(ZEROS)["f"]
    g = hetad.gradient(f, wrt="x", of="y", backend="cpu")
    y = np.zeros(n)

    def gradient(x, w):
        return g(y, x, n, seeds={"y": w})["x"]

    first, second = hetad.hvp(f, wrt="x", of="y", backend="cpu").grad_and_hvp(
        y, x, n, tangents={"x": v}, seeds={"y": w}
    )
    np.testing.assert_allclose(first["x"], gradient(x, w), rtol=1e-12)
    wanted = (gradient(x + 1e-6 * v, w) - gradient(x - 1e-6 * v, w)) / 2e-6
    np.testing.assert_allclose(second["x"], wanted, rtol=1e-7, atol=1e-7)
    of_gradient = g.program["f_grad"]
    extra = [8 * n for _ in of_gradient.parameters[5:]]
    j = hetad.jvp(of_gradient, wrt=("x", "adj_y"), of="adj_x", backend="cpu")
    along = j(y, x, n, w, np.zeros(n), *extra, tangents={"x": v, "adj_y": v[::-1].copy()})
    wanted += gradient(x, v[::-1].copy())
    np.testing.assert_allclose(along["adj_x"], wanted, rtol=1e-7, atol=1e-7)


USERS = """
__device__ double hetad_take_double(const double *p) { return *p * *p; }
__global__ void hetad_team(double *y, const double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = hetad_take_double(&x[i]) * sin(x[i]);
}
void hetad_release(double *y, const double *x, int n) { hetad_team<<<(n + 31) / 32, 32>>>(y, x, n); }
void f(double *y, const double *x, int n) { hetad_release(y, x, n); }
"""


def test_functions_of_the_program_may_be_called_as_operations_are():
    x = np.linspace(1, 2, 70)
    g = hetad.gradient(hetad.loads(USERS)["f"], wrt="x", of="y", backend="cpu")
    found = g(np.zeros(70), x, 70, seeds={"y": np.ones(70)})
    np.testing.assert_allclose(found["x"], 2 * x * np.sin(x) + x * x * np.cos(x), rtol=1e-12)


def test_every_operation_has_a_derivative_or_is_refused():
    """What carries no numbers is named; what is not named is refused.  Memory that serves once stays as it is."""
    kept = {row.name for row in operations.rows() if isinstance(row.pullback, Inactive | Absorbed)}
    writes = {row.name for row in operations.rows() if row.writes and row.params is not None}
    assert kept & writes == {"hetad_retire", "hetad_revive_zeros"}
    said = Inactive | Absorbed | Passed | Means | Spelled | InSpace | OfCopy | Recorded | Refused
    assert all(isinstance(row.pullback, said) for row in operations.rows())


EITHER_SIDE = """
__global__ void k(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sin(x[i]) + y[i];
}
void f(double *y, const double *x, int n, int there)
{
    double *dx, *near = (double *)malloc(n * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    double *held = there ? dx : near;
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    k<<<(n + 15) / 16, 16>>>(y, dx, n);
    if (there)
        cudaMemset(held, 0, n * sizeof(double));
    k<<<(n + 15) / 16, 16>>>(y, dx, n);
    cudaFree(dx);
    free(near);
}
"""


@pytest.mark.parametrize("way", WAYS)
def test_a_fill_of_memory_on_either_side_has_no_second_derivative(way):
    g = hetad.gradient(hetad.loads(EITHER_SIDE, "twice.cu")["f"], wrt="x", of="y", backend="cpu")
    with pytest.raises(hetad.UnsupportedError, match="memory that is set lies on the device or the host") as refused:
        hetad.gradient(WAYS[way](g)["f_grad"], wrt="adj_y", of="adj_x")
    assert refused.value.span.line == (16 if way == "program" else 1 + _line(g.source, "hetad_clear(adj_held"))
    assert "set each in a branch of its own" in str(refused.value)


def _line(text, words):
    return next(i for i, line in enumerate(text.splitlines()) if words in line)
