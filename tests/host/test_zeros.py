"""What the generated program knows about adjoints that are zero: it may store only where they are."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from tests.emitted import own_text
from tests.oracle import check_gradient

KERNELS = """
__global__ void shift(double *to, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = sin(from[(i + 1) % n]) + 0.1 * i;
}

__global__ void other(double *to, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i] * from[i];
}

__global__ void in_place(double *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = cos(to[i]);
}

__global__ void both(double *to, double *also, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[(i + 1) % n] * 2;
        also[i] = from[i] * also[i];
    }
}

void run(double *a, double *b, double *c, int n, int m, int steps)
{
    int blocks = (n + 7) / 8;
    for (int s = 0; s < steps; s++) {
        STEP
    }
}
"""

STEPS = {
    "ping-pong": "shift<<<blocks, 8>>>(b, a, n); shift<<<blocks, 8>>>(a, b, n);",
    "a part is overwritten": "shift<<<blocks, 8>>>(b, a, m); shift<<<blocks, 8>>>(a, b, m);",
    "too few threads": "shift<<<blocks - 1, 8>>>(b, a, n); shift<<<blocks, 8>>>(a, b, n);",
    "one part after the other": "shift<<<blocks, 8>>>(b, a, m); shift<<<blocks, 8>>>(a + m, b, n - m);",
    "read by two": "shift<<<blocks, 8>>>(b, a, n); other<<<blocks, 8>>>(c, b, n); shift<<<blocks, 8>>>(a, b, n);",
    "read after": "shift<<<blocks, 8>>>(b, a, n); shift<<<blocks, 8>>>(a, b, n); other<<<blocks, 8>>>(c, b, n);",
    "in place": "shift<<<blocks, 8>>>(b, a, n); in_place<<<blocks, 8>>>(b, n); shift<<<blocks, 8>>>(a, b, n);",
    "never overwritten": "other<<<blocks, 8>>>(b, a, n); other<<<blocks, 8>>>(c, b, n);",
    "overwritten and read": "both<<<blocks, 8>>>(b, c, a, n); both<<<blocks, 8>>>(a, c, b, n);",
    "in one of two steps": "shift<<<blocks, 8>>>(b, a, n); if (s % 2) shift<<<blocks, 8>>>(a, b, n);",
    "a copy in between": (
        "shift<<<blocks, 8>>>(b, a, n); cudaMemcpy(c, b, n * sizeof(double), cudaMemcpyDeviceToDevice);"
        " shift<<<blocks, 8>>>(a, b, n); other<<<blocks, 8>>>(a, c, n);"
    ),
    "cleared": ("cudaMemset(b, 0, n * sizeof(double)); other<<<blocks, 8>>>(b, a, n); shift<<<blocks, 8>>>(a, b, n);"),
    "the same memory": "double *p = s % 2 ? a : b; shift<<<blocks, 8>>>(c, p, n); shift<<<blocks, 8>>>(p, c, n);",
}


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("name", STEPS)
def test_gradient(name: str, steps: int, backend: str) -> None:
    rng = np.random.default_rng(3)
    a, b, c = (rng.uniform(0.2, 1.3, 21) for _ in range(3))
    source = KERNELS.replace("STEP", STEPS[name])
    check_gradient(
        source, "run", [a, b, c, 21, 13, steps], wrt=("a", "b", "c"), of=("a", "b", "c"), backend=backend, samples=1
    )


@pytest.mark.parametrize("name", ["ping-pong", "a part is overwritten", "the same memory"])
def test_gradient_with_larger_buffers(name: str, backend: str) -> None:
    """What lies behind the cells that are overwritten has an adjoint as well."""
    rng = np.random.default_rng(3)
    a, b, c = (rng.uniform(0.2, 1.3, 30) for _ in range(3))
    source = KERNELS.replace("STEP", STEPS[name])
    check_gradient(source, "run", [a, b, c, 21, 13, 3], wrt=("a", "b"), of=("a", "b"), backend=backend, samples=1)


def test_a_pullback_asks_in_front_of_each_launch() -> None:
    program = hetad.loads(KERNELS.replace("STEP", STEPS["ping-pong"]), "f.cu")
    source = hetad.gradient(program["run"], wrt="a", of="a").source
    assert len(re.findall(r"hetad_was_zero\(adj_[ab]\)\);", source)) == 2
    assert len(re.findall(r"hetad_cleared\(\s*adj_[ab], 0,", source)) == 2
    assert "if (adj_from_zero) {" in source


def test_what_only_one_launch_does_is_not_asked() -> None:
    once = KERNELS.replace("for (int s = 0; s < steps; s++)", "int s = 0;")
    text = once.replace("STEP", STEPS["ping-pong"])
    source = hetad.gradient(hetad.loads(text, "f.cu")["run"], wrt="a", of="a").source
    assert "zero" not in own_text(source).split("_grad(")[-1].replace("hetad_device_zeros", "")
