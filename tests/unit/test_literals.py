"""Literals of two that definitions take in: the same numbers, for every kind of use."""

from __future__ import annotations

import numpy as np
import pytest

import hetad

BODIES = {
    "a sum of squares": "double r = rsqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + 0.3); y[i] = r;",
    "a positive factor": "double r = x[i] * x[i] + x[i + 1] * x[i + 1]; y[i] = 0.5 * r * x[i + 2];",
    "a use without the factor": "double r = x[i] * x[i] + x[i + 1]; y[i] = rsqrt(r * r + 0.3);",
    "another power": "double r = rsqrt(x[i] * x[i] * x[i] * x[i] + x[i + 1] * x[i + 1] * x[i + 1] + 40.0); y[i] = r;",
    "differences": "double r = rsqrt(x[i] * x[i] - x[i + 1] * x[i + 1] + 30.0); y[i] = -r;",
    "in two loops": (
        "double s = 0; for (int k = 0; k < 3; k++) s += rsqrt(x[i + k] * x[i + k] + x[i] * x[i] + 0.2);"
        " for (int k = 0; k < 2; k++) s -= 0.25 * (x[i + k] * x[i + k] + s * s); y[i] = s;"
    ),
    "in two branches": (
        "double r; if (x[i] > 0.1) r = sqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + 0.1);"
        " else r = rsqrt(x[i] * x[i] + x[i + 2] * x[i + 2] + 0.1); y[i] = r * r;"
    ),
    "a stencil": "y[i] = rsqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2] + 0.1);",
    "powers of products": "y[i] = x[i] * x[i + 1] * x[i] * 2.0 * x[i + 1] * x[i] / (x[i] * x[i] + 1.5);",
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("optimize", [True, False, ("activity", "needed", "tidy")], ids=str)
def test_gradient(name: str, optimize: bool | tuple[str, ...], backend: str) -> None:
    source = (
        "__global__ void k(double *y, const double *x, int n)\n{\n"
        f"    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {{ {BODIES[name]} }}\n}}\n"
    )
    kernel, shape = hetad.loads(source)["k"], {"grid": 3, "block": 16}
    rng = np.random.default_rng(7)
    n = 41
    x, towards = rng.standard_normal((2, n + 2))
    seed = rng.standard_normal(n)
    gradient = hetad.gradient(kernel, wrt="x", of="y", backend=backend, optimize=optimize)
    found = gradient(np.zeros(n), x, n, seeds={"y": seed}, **shape)["x"]
    ends = []
    for sign in (1, -1):
        y = np.zeros(n)
        kernel(y, x + sign * 1e-6 * towards, n, backend=backend, **shape)
        ends.append(y @ seed)
    assert found @ towards == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_the_text() -> None:
    source = (
        "__global__ void k(float *y, const float *a, const float *b, int n)\n{\n    int i = threadIdx.x;\n"
        "    if (i < n) y[i] = rsqrtf(a[i] * a[i] + b[i] * b[i] + 0.1f);\n}\n"
    )
    text = hetad.gradient(hetad.loads(source)["k"], wrt=("a", "b"), of="y").source
    assert "2.0f" not in text.split("__global__")[-1]
