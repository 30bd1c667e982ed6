"""The race detector watches derivatives too: what they do atomically is no race, and what they do plainly is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hetad
from hetad.checks import comparison
from hetad.diagnostics import RaceError
from hetad.ir import nodes as ir
from hetad.ir.visit import map_body

PROGRAM = """
__global__ void meet(double *y, const double *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[at[i]] * x[i] + x[0];
}
void run(double *y, const double *x, const int *at, int n)
{
    meet<<<2, 32>>>(y, x, at, n);
}
"""
AT = np.array([0, 1, 0, 1] * 10, np.int32)


def subject() -> comparison.Subject:
    return comparison.of_function(hetad.loads(PROGRAM, "meet.cu")["run"], ("x",), ("y",), "cpu", {})


def test_increments_that_meet_are_atomic() -> None:
    report = comparison.check(subject(), [np.zeros(40), np.linspace(1, 2, 40), AT, 40])
    assert report.passed, str(report)
    assert not report.notes


def test_plain_increments_that_meet_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    function = hetad.loads(PROGRAM, "meet.cu")["run"]
    gradient = hetad.gradient(function, wrt=["x"], of=["y"], backend="cpu")
    compiled = function.compiled
    derivative = gradient.derivative

    def plain(s: ir.Stmt) -> ir.Stmt:
        if isinstance(s, ir.Call) and s.function == "atomicAdd" and isinstance(s.args[0], ir.AddressOf):
            place = s.args[0].place
            assert isinstance(place, ir.Index)
            return ir.Update("+", place, s.args[1], span=s.span)
        return s

    functions = {n: replace(f, body=map_body(plain, f.body)) for n, f in derivative.program.functions.items()}
    assert functions != derivative.program.functions
    broken = replace(derivative, program=replace(derivative.program, functions=functions))
    monkeypatch.setattr(compiled, "derivative", lambda _choice: broken)
    arguments = [np.zeros(40), np.linspace(1, 2, 40), AT, 40]
    with pytest.raises(RaceError, match=r"a race in kernel meet_pullback"):
        gradient.watched(arguments, {"y": np.ones(40)}, {}, 0)
