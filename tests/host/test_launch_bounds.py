"""Generated kernels are compiled for blocks as large as those that they are launched with."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad

BODY = "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = sin(x[i]) * exp(x[i]); }"
KERNEL = f"__global__ void k(double *y, const double *x, int n) {BODY}\n"
BOUNDED = f"__global__ void __launch_bounds__(768, 2) k(double *y, const double *x, int n) {BODY}\n"
PLANE = """__global__ void k(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) y[j * n + i] = sin(x[j * n + i]);
}
"""


def _bounds(source: str, launches: str) -> str | None:
    program = hetad.loads(f"{source}void run(double *y, const double *x, int n, int m)\n{{\n{launches}\n}}\n")
    text = hetad.gradient(program["run"], wrt="x", of="y").source
    found = re.search(r"__global__ void (?:__launch_bounds__\(([^)]*)\) )?k_pullback\(", text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("source", "launches", "bounds"),
    [
        (KERNEL, "k<<<1, 1024>>>(y, x, n);", "1024, 1"),
        (KERNEL, "k<<<1, 256>>>(y, x, n);", None),
        (KERNEL, "k<<<1, 512>>>(y, x, n); k<<<2, 320>>>(y, x, n);", "512, 1"),
        (KERNEL, "for (int t = 0; t < 2; t++) k<<<2, t ? m : 512>>>(y, x, n);", None),
        (KERNEL, "int threads = 512; k<<<2, threads>>>(y, x, n);", "512, 1"),
        (KERNEL, "int threads = 512; if (m > 3) threads = 1024; k<<<2, threads>>>(y, x, n);", None),
        (PLANE, "int side = 32; dim3 block(side, side); k<<<dim3(2, 2), block>>>(y, x, n);", "1024, 1"),
        (BOUNDED, "k<<<2, m>>>(y, x, n);", "768, 1"),
        (BOUNDED, "k<<<2, 512>>>(y, x, n);", "512, 1"),
        (PLANE, "dim3 block(32, 16); k<<<dim3(2, 2), block>>>(y, x, n);", "512, 1"),
        (PLANE, "dim3 block(32, 16); block.y = m; k<<<dim3(2, 2), block>>>(y, x, n);", None),
        (PLANE, "dim3 block(32, 16); if (m > 3) block = dim3(32, 32); k<<<dim3(2, 2), block>>>(y, x, n);", None),
        (PLANE, "k<<<dim3(2, 2), dim3(64, 8)>>>(y, x, n);", "512, 1"),
    ],
)
def test_the_bound(source: str, launches: str, bounds: str | None) -> None:
    assert _bounds(source, launches) == bounds


def test_a_pullback_of_many_registers_runs_in_large_blocks(backend: str) -> None:
    """Without the bound the compiler takes more registers than a block of 1024 threads can have."""
    terms = " ".join(f"double s{k} = sin(x[i] * {k + 1}.5 + p);" for k in range(24))
    product = " * ".join(f"(1.2 + s{k})" for k in range(24))
    source = (
        f"__global__ void k(double *y, const double *x, double p, int n)\n{{\n    int i = threadIdx.x;\n"
        f"    if (i < n) {{ {terms} y[i] = {product}; }}\n}}\n"
        "void run(double *y, const double *x, double p, int n) { k<<<1, 1024>>>(y, x, p, n); }\n"
    )
    rng = np.random.default_rng(1)
    x, towards, seed = rng.standard_normal((3, 1000))
    run = hetad.loads(source)["run"]
    found = hetad.gradient(run, wrt="x", of="y", backend=backend)(np.zeros(1000), x, 0.3, 1000, seeds={"y": seed})["x"]
    ends = []
    for sign in (1, -1):
        y = np.zeros(1000)
        run(y, x + sign * 1e-7 * towards, 0.3, 1000, backend="cpu")  # the primal itself states no bound
        ends.append(y @ seed)
    assert found @ towards == pytest.approx((ends[0] - ends[1]) / 2e-7, rel=1e-5)
