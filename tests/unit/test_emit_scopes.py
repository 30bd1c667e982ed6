"""No emitted code uses a variable where it is not declared: what would is refused before it is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import hetad
from hetad import pipeline, targets
from hetad.diagnostics import InternalError
from hetad.emit import scopes
from hetad.ir import nodes as ir
from hetad.ir.types import INT
from hetad.targets.cpu import strip_mining

SOURCE = """
__device__ double twice(double v) { double t = 2 * v; return t; }
__global__ void apart(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 2 * i;
    if (j < n)
        y[j] = twice(x[j] * x[j]);
}
__global__ void together(double *y, const double *x, int n)
{
    __shared__ double s[32];
    int i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    double v = s[31 - i];
    for (int k = 0; k < 3; k++) {
        __syncthreads();
        s[i] += v * k;
    }
    y[i] = s[i];
}
void run(double *y, const double *x, int n)
{
    int blocks = (n + 31) / 32;
    apart<<<blocks, 32>>>(y, x, n);
    together<<<1, 32>>>(y, x, n);
}
"""
TEXTS: dict[str, Callable[[ir.Program], str]] = {
    "a file for nvcc": lambda p: targets.cuda_file(p, "run"),
    "kernels for NVRTC": targets.device_source,
    "host code": lambda p: targets.host_source(p, "run"),
    "one thread": lambda p: targets.cpu_source(p, "run"),
    "several threads": lambda p: targets.cpu_source(p, "run", targets.CpuOptions(parallel=True)),
    "fibers": lambda p: targets.cpu_source(p, "run", targets.CpuOptions(fibers=True)),
}
HOST, DEVICE = {"run"}, {"twice", "apart", "together"}


def program() -> ir.Program:
    return pipeline.primal(hetad.loads(SOURCE)["run"].compiled.unit, "run").program


def without_declaration(program: ir.Program, function: str, variable: str) -> ir.Program:
    """A pass loses the declaration of a variable."""
    whole = program.functions[function]
    body = tuple(s for s in whole.body if not (isinstance(s, ir.Declare) and s.symbol.name == variable))
    assert len(body) < len(whole.body)
    return replace(program, functions={**program.functions, function: replace(whole, body=body)})


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("function", "variable"), [("run", "blocks"), ("twice", "t"), ("apart", "j"), ("together", "v"), ("together", "i")]
)
def test_a_lost_declaration(text: str, function: str, variable: str) -> None:
    printed = {"kernels for NVRTC": DEVICE, "host code": HOST}.get(text, HOST | DEVICE)
    TEXTS[text](program())
    lost = without_declaration(program(), function, variable)
    if function not in printed:
        TEXTS[text](lost)
        return
    with pytest.raises(InternalError, match=f"internal error: the code that hetad made of '{function}' uses "
                       f"'{variable}' where it is not declared") as problem:  # fmt: skip
        TEXTS[text](lost)
    assert problem.value.span is not None and problem.value.span.line > 1


def test_strips_that_lose_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops that run for many threads are checked as they are printed, not as they were before."""
    monkeypatch.setattr(strip_mining._Strips, "_again", lambda self, body, needed: None)
    gradient = hetad.gradient(hetad.loads(SOURCE)["apart"], wrt="x", of="y", backend="cpu")
    derivative = gradient.function.compiled.derivative(gradient._choice)
    with pytest.raises(InternalError, match="where it is not declared"):
        targets.cpu_source(derivative.program, derivative.entry)


def test_scopes() -> None:
    span = hetad.diagnostics.Span("s.cu", 1, 1)
    x, i = (ir.Symbol(name, INT, span) for name in "xi")
    one, vx = ir.Const(1, INT, span=span), ir.Var(x, span=span)
    declare, use = ir.Declare(x, one, span=span), ir.Assign(vx, one, span=span)
    truth = ir.Binary("<", vx, one, INT, span=span)
    good: list[ir.Body] = [
        (declare, use),
        (declare, ir.Block((use,), span=span), use),
        (ir.For((declare,), truth, (use,), (use,), span=span),),
        (ir.Block((declare, use), span=span), ir.Block((declare, use), span=span)),
        (ir.Declare(x, vx, span=span),),  # as C has it: sizeof and addresses may stand there
    ]
    bad: list[ir.Body] = [
        (use, declare),
        (ir.Block((declare,), span=span), use),
        (ir.For((declare,), truth, (use,), (), span=span), use),
        (ir.For((ir.Declare(i, one, span=span),), None, (use,), (declare,), span=span),),
        (ir.DoWhile((declare,), truth, span=span),),
        (ir.If(one, (declare,), (use,), span=span),),
    ]
    for body in good:
        scopes.require_declared("f", body, ())
    for body in bad:
        with pytest.raises(InternalError):
            scopes.require_declared("f", body, ())
    scopes.require_declared("f", (use,), (x,))
