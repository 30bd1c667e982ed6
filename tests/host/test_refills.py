"""Buffers that a cheap launch fills again in the reverse sweep, instead of saves."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hetad
from hetad.adjoint.options import OPTIMISATIONS

SAVED = tuple(name for name in OPTIMISATIONS if name != "refills")
KERNELS = """
__global__ void square(double *f, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] = u[i] * u[i];
}
__global__ void square_above(double *f, const double *u, double least, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && u[i] > least)
        f[i] = u[i] * u[i];
}
__global__ void summed(double *f, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += u[k] * u[i];
        f[i] = sum / n;
    }
}
__global__ void added(double *f, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&f[i], u[i] * u[i]);
}
__global__ void step(double *u, const double *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] += 0.01 * f[i] * f[i];
}
"""
STEP = "step<<<3, 16>>>(u, f, n);"
# What is in a step of a loop, and how many of its buffers are filled again.
LOOPS = {
    "as it is": ("square<<<3, 16>>>(f, u, n);" + STEP, 1),
    "twice the same": (("square<<<3, 16>>>(f, u, n);" + STEP) * 2, 2),
    "in a branch": ("if (t % 2) { square<<<3, 16>>>(f, u, n);" + STEP + "}", 1),
    "what it read is changed": ("square<<<3, 16>>>(f, u, n); step<<<3, 16>>>(u, u, n);" + STEP, 0),
    "some cells": ("square_above<<<3, 16>>>(f, u, 0.5, n);" + STEP, 0),
    "other cells each time": ("square<<<3, 16>>>(f, u, n - t);" + STEP, 0),
    "elsewhere each time": ("square<<<1, 8>>>(f + t, u, 8);" + STEP, 0),
    "from what it holds": ("added<<<3, 16>>>(f, u, n);" + STEP, 0),
    "with a loop": ("summed<<<3, 16>>>(f, u, n);" + STEP, 0),
    "by two": ("square<<<3, 16>>>(f, u, n); square<<<1, 16>>>(f, u, 16);" + STEP, 0),
    "read later": ("square<<<3, 16>>>(f, u, n);" + STEP + "if (t > 2) " + STEP, 0),
    "set elsewhere": ("square<<<3, 16>>>(f, u, n);" + STEP + "if (t == 3) cudaMemset(f, 0, n * sizeof(double));", 0),
    "no more threads than half": ("square<<<1, 16>>>(f, u, n);" + STEP, 1),
}


def _program(name: str) -> hetad.Program:
    return hetad.loads(
        KERNELS
        + """
    void march(double *x, int n, int steps)
    {
        double *u, *f;
        cudaMalloc(&u, n * sizeof(double));
        cudaMalloc(&f, n * sizeof(double));
        CLEAR
        cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
        for (int t = 0; t < steps; t++) {
            LOOP
        }
        cudaMemcpy(x, u, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(u);
        cudaFree(f);
    }
    """.replace("LOOP", LOOPS[name][0]).replace("CLEAR", CLEAR.get(name, ""))
    )


_WHOLE = "cudaMemset(f, 0, n * sizeof(double));"
CLEAR = dict.fromkeys(("some cells", "other cells each time", "elsewhere each time", "from what it holds"), _WHOLE)


@pytest.mark.parametrize("name", LOOPS)
def test_where_it_is_right(name: str, backend: str) -> None:
    march = _program(name)["march"]
    x = np.random.default_rng(1).uniform(0.2, 0.9, 32 if name.startswith("no more") else 40)
    n = 16 if name.startswith("no more") else 40
    seeds = {"x": np.random.default_rng(2).standard_normal(len(x))}
    found = []
    for options in ({"optimize": False}, {"optimize": SAVED}, {}, {"memory_limit": "3kB"}):
        gradient = hetad.gradient(march, wrt="x", of="x", backend=backend, **options)
        found.append(gradient(x, n, 7, seeds=seeds)["x"])
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-12)
    explanation = hetad.gradient(march, wrt="x", of="x", backend=backend).derivative.explanation
    assert len(explanation.refilled) == LOOPS[name][1]
    assert all(re.search("filled again by 'square'", saved.how) for saved in explanation.refilled)


def test_less_is_saved(backend: str) -> None:
    march = _program("twice the same")["march"]
    x = np.linspace(0.1, 0.9, 4000)
    saved = {}
    for name, options in (("with", {}), ("without", {"optimize": SAVED})):
        gradient = hetad.gradient(march, wrt="x", of="x", backend=backend, **options)
        gradient(x, 4000, 10, seeds={"x": x})
        assert gradient.last_report is not None
        saved[name] = gradient.last_report.saved_bytes
    assert saved["with"] < 0.6 * saved["without"]


def test_state_without_the_buffer(backend: str) -> None:
    """What is filled in each step is none of what steps hand on."""
    gradient = hetad.gradient(_program("as it is")["march"], wrt="x", of="x", backend=backend, memory_limit="1MB")
    body = gradient.source[gradient.source.index("march_grad(") :]
    checkpoint = body[body.index("HETAD_CHECKPOINT") : body.index("for (; at")]
    assert re.findall(r"hetad_save\((\w+)\)", checkpoint) == ["u_memory"]


def test_a_program_of_all_kinds(backend: str) -> None:
    path = Path(__file__).parents[1] / "gradient" / "programs" / "whole" / "filled_again.cu"
    gradient = hetad.gradient(hetad.load(path)["march"], wrt=("u", "rate"), of="u", backend=backend)
    assert {(s.what, s.span.line) for s in gradient.derivative.explanation.refilled} == {("g", 109)}
