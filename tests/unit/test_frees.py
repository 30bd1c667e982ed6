"""Text that frees all that it allocates keeps no list of it; text that may leave something does."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import hetad

KERNEL = """
__global__ void k(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sin(a * x[i]) * x[i];
}
"""
HOST = """
void run(double *y, const double *x, double a, int n)
{
    double *dx, *dy;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    %s
    k<<<(n + 15) / 16, 16>>>(dy, dx, a, n);
    cudaMemcpy(y, dy, n * sizeof(double), cudaMemcpyDeviceToHost);
    %s
}
"""
FREES = "cudaFree(dx); cudaFree(dy);"
FREED = {
    "nothing is allocated": "void run(double *y, const double *x, double a, int n) { k<<<3, 16>>>(y, x, a, n); }",
    "as the program does": HOST % ("", FREES),
    "not by the program": HOST % ("", ""),
    "behind an early end": HOST % ("if (n > 40) return;", FREES),
    "on the host too": HOST
    % (
        """double *h = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; ++i) h[i] = x[i] * x[i];
    cudaMemcpy(dx, h, n * sizeof(double), cudaMemcpyHostToDevice);
    free(h);""",
        FREES,
    ),
    "under the other's name": HOST
    % (
        """double *t = dx; dx = dy; dy = t;
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);""",
        FREES,
    ),
}
LISTED = {
    "memory under a condition": HOST
    % (
        """double *w = NULL;
    if (n > 20) {
        cudaMalloc(&w, n * sizeof(double));
        k<<<3, 16>>>(w, dx, a, n);
        cudaMemcpy(dx, w, n * sizeof(double), cudaMemcpyDeviceToDevice);
        cudaFree(w);
    }""",
        FREES,
    ),
    "a tape": HOST
    % (
        """for (int t = 0; t < 3; ++t) {
        k<<<3, 16>>>(dy, dx, a, n);
        cudaMemcpy(dx, dy, n * sizeof(double), cudaMemcpyDeviceToDevice);
    }""",
        FREES,
    ),
}


def gradient_of(text: str) -> hetad.Gradient:
    return hetad.gradient(hetad.loads(KERNEL + text, "f.cu")["run"], wrt=("x", "a"), of="y", backend="cpu")


@pytest.mark.parametrize("name", FREED)
def test_what_is_allocated_is_freed(name: str) -> None:
    text = gradient_of(FREED[name]).source
    assert "hetad_begin" not in text
    assert "hetad_allocation" not in text
    own = text.partition("// ---- hetad's own functions")[0]
    given = re.findall(r"hetad_device_(?:malloc|zeros)\(\(void \*\*\)&(\w+),|(\w+) = \(\w+ \*\)hetad_host_\w+\(", own)
    freed = re.findall(r"^ *hetad_(?:device|host)_free\((\w+)\);", own, re.MULTILINE)
    assert Counter(device or host for device, host in given) == Counter(freed)


@pytest.mark.parametrize("name", LISTED)
def test_what_may_be_left_is_listed(name: str) -> None:
    text = gradient_of(LISTED[name]).source
    assert {"hetad_begin", "hetad_allocation", "hetad_release"} <= set(re.findall(r"\w+", text))
    assert "hetad_device_free" not in text


@pytest.mark.parametrize("name", {**FREED, **LISTED})
def test_the_text_computes_what_hetad_runs(name: str) -> None:
    n = 37
    rng = np.random.default_rng(3)
    x, seed, start = rng.standard_normal((3, n))
    g = gradient_of({**FREED, **LISTED}[name])
    expected = g(np.zeros(n), x, 1.3, n, seeds={"y": seed})
    emitted = hetad.loads(g.source, "emitted.cu")[g.derivative.entry]
    adj = {"y": seed.copy(), "a": np.zeros(1), "x": start.copy()}
    given = {"y": np.zeros(n), "x": x, "a": 1.3, "n": n, **{f"adj_{k}": v for k, v in adj.items()}}
    given |= {f"{k}_bytes": 8 * n for k in "xy"}
    emitted(*(given[p.name] for p in emitted.parameters), backend="cpu")
    np.testing.assert_allclose(adj["a"], expected["a"], rtol=1e-12)
    np.testing.assert_allclose(adj["x"] - start, expected["x"], rtol=1e-11, atol=1e-12)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
@pytest.mark.parametrize("name", {**FREED, **LISTED})
def test_nvcc_compiles_the_text(name: str, tmp_path: Path) -> None:
    file = tmp_path / "gradient.cu"
    file.write_text(gradient_of({**FREED, **LISTED}[name]).source)
    command = ["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-c", str(file), "-o", str(tmp_path / "g.o")]
    subprocess.run(command, check=True)
