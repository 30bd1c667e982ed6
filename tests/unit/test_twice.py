"""A derivative is a program: it is differentiated again where all of its operations have derivatives, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from hetad import pipeline
from hetad.host.derivation import Derivation, Request, parameters_of
from hetad.host.derivative import Derivative, Parameter
from hetad.ir import nodes as ir
from hetad.ir.names import called as names
from hetad.passes.manager import run
from hetad.rules import operations
from hetad.rules.callee import Absorbed, Inactive, Means, Passed, Refused
from hetad.run import cpu
from hetad.run.call import Plan
from hetad.run.signature import bind, signature_of

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

REFUSED = {
    "hetad_take_double": """
__global__ void scale(double *y, const double *x, double a, int n) {
    y[(int)x[threadIdx.x]] = a * x[threadIdx.x];
}
void f(double *y, const double *x, double a, int n) { scale<<<1, 32>>>(y, x, a, n); }
""",
    "hetad_device_zeros": """
void f(double *y, const double *x, double a, int n) {
    double *t;
    cudaMalloc(&t, n * sizeof(double));
    cudaMemcpy(t, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaMemcpy(y, t, n * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaFree(t);
}
""",
    "hetad_shfl_xor_adjoint_double": """
__global__ void exchange(double *y, const double *x) {
    int i = threadIdx.x;
    double v = x[i];
    v *= __shfl_xor_sync(0xffffffff, v, 1, 32);
    y[i] = v;
}
void f(double *y, const double *x, double a, int n) { exchange<<<1, 32>>>(y, x); }
""",
}


def once(text, *wrt):
    return pipeline.differentiate(hetad.loads(text, "twice.cu").unit, Request(function="f", wrt=wrt, of=("y",)))


def again(made, wrt, of):
    program = made.program
    asked = Request(function=made.entry, wrt=wrt, of=of)
    given = Derivation(
        program.functions, program.globals, program.structs, program.sources, entry=made.entry, ruled=frozenset(),
        request=asked,
    )  # fmt: skip
    done = run(pipeline.DIFFERENTIATE, given)
    closed = ir.Program(done.functions, done.globals, done.structs, done.sources)
    return Derivative(closed, done.name, parameters_of(done), done.explanation)


def called(made):
    """The entry of a derivative, as a function of its parameters."""
    entry = made.program.functions[made.entry]
    parameters = [Parameter(p, "primal", p.name, "device") for p in entry.params]
    signature = signature_of(entry)
    plan = Plan(cpu.build(made.program, made.entry), parameters, signature, {p.name for p in entry.params})
    return lambda *args: plan.primal(bind(signature, args, {}), None)


@pytest.mark.parametrize("operation", SECOND)
def test_a_derivative_of_a_derivative(operation):
    n, text = 70, SECOND[operation]
    x, w, seed, direction = np.random.default_rng(1).uniform(0.5, 1.5, (4, n))
    first = once(text, "x", "w")
    assert any(operation in names(f.body) for f in first.program.functions.values())
    second = again(first, ("x", "w", "adj_y"), ("adj_x", "adj_w"))
    given = {"x": x, "w": w, "n": n, "adj_y": seed, "adj_adj_x": direction.copy(), "adj_adj_w": direction[::-1].copy()}
    adjoints = {p.symbol.name: given.get(p.symbol.name, np.zeros(n)) for p in second.parameters}
    called(second)(*adjoints.values())
    g = hetad.gradient(hetad.loads(text)["f"], wrt=("x", "w"), of="y", backend="cpu")

    def gradient(x, w, seed):
        found = g(np.zeros(n), x, w, n, seeds={"y": seed})
        return found["x"] @ direction + found["w"] @ direction[::-1]

    steps = np.random.default_rng(2).uniform(-1, 1, (3, n))
    ends = (gradient(*(v + h * s for v, s in zip((x, w, seed), steps, strict=True))) for h in (1e-6, -1e-6))
    slope = (next(ends) - next(ends)) / 2e-6
    wanted = (p.symbol.name for p in second.parameters if p.role == "adjoint" and p.primal in ("x", "w", "adj_y"))
    assert sum(adjoints[name] @ s for name, s in zip(wanted, steps, strict=True)) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("operation", REFUSED)
def test_an_operation_without_a_derivative_is_refused(operation):
    text = REFUSED[operation]
    made = once(text, "x", "a")
    with pytest.raises(hetad.UnsupportedError, match=f"'{operation}' in it has no derivative") as refused:
        again(made, ("x",), ("adj_x",))
    assert refused.value.span.file == "twice.cu"
    assert 1 < refused.value.span.line < text.count("\n")
    assert "take hetad.hvp of the program itself" in str(refused.value)


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
    """What carries no numbers is named; what is not named is refused."""
    kept = {row.name for row in operations.ROWS if isinstance(row.pullback, Inactive | Absorbed)}
    writes = {row.name for row in operations.ROWS if row.writes and row.params is not None}
    assert kept.isdisjoint(writes)
    assert all(isinstance(row.pullback, Inactive | Absorbed | Passed | Means | Refused) for row in operations.ROWS)
