"""Time loops of which only the steps tell how many there are, under a memory limit: the same to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hetad

KERNELS = """
#include <stdio.h>
__global__ void relax(double *to, const double *from, const double *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 0.6 * from[i] + 0.1 * (from[(i + 1) % n] + f[i]) - 0.05 * from[i] * from[i];
}
double settled(double *u, double *v, double *h, const double *f, double tolerance, int n)
{
    double change = 1;
    int count = 0;
    while (change > tolerance && count < 40) {
        relax<<<(n + 31) / 32, 32>>>(v, u, f, n);
        cudaMemcpy(h, v, n * sizeof(double), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < n; ++i) sum += h[i] * h[i] / n;
        change = change * 0.5 + 0.01 * sum;
        double *w = u;
        u = v;
        v = w;
        ++count;
        printf("step %d\\n", count);
    }
    return change * count;
}
"""
BODIES = {
    "while": "return settled(u, v, h, f, tolerance, n);",
    "again and again": """
    double all = 0;
    for (int t = 0; t < 6; ++t) {
        all += settled(u, v, h, f, tolerance * (t + 1), n);
        relax<<<(n + 31) / 32, 32>>>(u, v, f, n);
    }
    cudaMemcpy(h, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    return all + h[n / 2];""",
    "in a loop that is left": """
    double all = 0;
    int t = 0;
    for (;;) {
        all += settled(u, v, h, f, tolerance, n);
        if (++t > 3 || all > 1e6) break;
        relax<<<(n + 31) / 32, 32>>>(u, v, f, n);
    }
    return all + t;""",
    "do": """
    double last = 0;
    int count = 0;
    do {
        relax<<<(n + 31) / 32, 32>>>(v, u, f, n);
        relax<<<(n + 31) / 32, 32>>>(u, v, f, n);
        cudaMemcpy(&last, u + 1, sizeof(double), cudaMemcpyDeviceToHost);
    } while (last > 10 * tolerance && ++count < 9);
    return last;""",
    "by powers": """
    double last = 0;
    for (int m = 1; m < 40 * tolerance * n; m *= 2) {
        relax<<<(n + 31) / 32, 32>>>(v, u, f, n);
        relax<<<(n + 31) / 32, 32>>>(u, v, f, m < n ? m : n);
        cudaMemcpy(&last, u, sizeof(double), cudaMemcpyDeviceToHost);
    }
    return last;""",
}
N = 70


def _source(body: str) -> str:
    return f"""{KERNELS}
double f(const double *x, const double *f, double tolerance, int n)
{{
    double *u, *v, *h = (double *)malloc(n * sizeof(double));
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    {body}
}}"""


def _arguments(tolerance: float) -> list[Any]:
    rng = np.random.default_rng(3)
    return [rng.uniform(0.5, 1, N), rng.uniform(0.2, 1, N), tolerance, N]


@pytest.mark.parametrize("name", BODIES)
def test_the_same_gradient(name: str, backend: str) -> None:
    program = hetad.loads(_source(BODIES[name]))["f"]
    for tolerance in (0.012, 2.0):  # many steps, and none or few
        args = _arguments(tolerance)
        full = hetad.gradient(program, wrt=("x", "f"), backend=backend)(*args)
        for limit, host in ((6_500, 0), (4_500, 4_000), ("1MB", 0)):
            options = {"host_memory": host} if host else {}
            gradient = hetad.gradient(program, wrt=("x", "f"), backend=backend, memory_limit=limit, **options)
            found = gradient(*args)
            for x in ("x", "f"):
                np.testing.assert_array_equal(found[x], full[x], err_msg=f"{tolerance} {limit}")


def test_differences() -> None:
    program = hetad.loads(_source(BODIES["again and again"]))["f"]
    hetad.gradcheck(program, _arguments(0.012), wrt=("x", "f"), backend="cpu", memory_limit=6_500)


def test_what_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Once, however often a step runs."""
    program = hetad.loads(_source(BODIES["again and again"]))["f"]
    args = _arguments(0.012)
    hetad.gradient(program, wrt="x", backend="cpu")(*args)
    once = capfd.readouterr().out
    assert once.count("step") > 20
    hetad.gradient(program, wrt="x", backend="cpu", memory_limit=6_500)(*args)
    assert capfd.readouterr().out == once


def test_products_with_the_second_derivative() -> None:
    program = hetad.loads(_source(BODIES["while"]))["f"]
    args = _arguments(0.012)
    tangents = {"x": np.ones(N)}
    full = hetad.hvp(program, wrt="x", backend="cpu")(*args, tangents=tangents)
    found = hetad.hvp(program, wrt="x", backend="cpu", memory_limit=6_500)(*args, tangents=tangents)
    np.testing.assert_allclose(found["x"], full["x"], rtol=1e-12)


def test_what_decides_must_be_the_same_again(tmp_path: Path) -> None:
    source = _source("""
    double last = 0;
    while (rand() % 8 > 2) {
        relax<<<(n + 31) / 32, 32>>>(v, u, f, n);
        relax<<<(n + 31) / 32, 32>>>(u, v, f, n);
    }
    cudaMemcpy(&last, u, sizeof(double), cudaMemcpyDeviceToHost);
    return last;""")
    program = hetad.loads(source)["f"]
    with pytest.raises(hetad.UnsupportedError, match="more than output depends on what 'rand' gives"):
        hetad.gradient(program, wrt="x", memory_limit="1MB", checkpoint_dir=tmp_path, resume=True)
