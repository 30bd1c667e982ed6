"""What has an adjoint on the host: the order of statements counts, but in loops, and between processes."""

from __future__ import annotations

import numpy as np
import pytest

import hetad
from tests.oracle import check_gradient

TEMPLATE = """
__global__ void weigh(double *w, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n) w[i] = x[i] * x[i] + 0.3;
}
__global__ void move(double *x, const double *w, const double *a, int n)
{
    int i = threadIdx.x;
    if (i < n) x[i] += sin(a[i]) * w[i] * x[i];
}
void run(double *y, const double *start, const double *a, int n, int steps)
{
    double *x, *w, *d_a;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&w, n * sizeof(double));
    cudaMalloc(&d_a, n * sizeof(double));
    cudaMemcpy(x, start, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice);
    %s
    cudaMemcpy(y, x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(w);
    cudaFree(d_a);
}
"""
WEIGH, MOVE = "weigh<<<1, 32>>>(w, x, n);", "move<<<1, 32>>>(x, w, d_a, n);"
BEFORE = {
    "before a loop": f"{WEIGH} for (int t = 0; t < steps; t++) {MOVE}",
    "before a branch": f"{WEIGH} if (steps > 1) {{ {MOVE} {MOVE} }}",
}
AFTER = {
    "in the loop": f"for (int t = 0; t < steps; t++) {{ {WEIGH} {MOVE} }}",
    "again behind": f"{WEIGH} {MOVE} {WEIGH} {MOVE}",
    "in a branch of a loop": f"{WEIGH} for (int t = 0; t < steps; t++) {{ if (t == 1) {WEIGH} {MOVE} }}",
}


def has_adjoint(body: str, wrt: str) -> bool:
    program = hetad.loads(TEMPLATE % body, "m.cu")
    return "adj_w" in hetad.gradient(program["run"], wrt=wrt, of="y").source


@pytest.mark.parametrize("name", BEFORE)
def test_what_is_computed_before_anything_varies_has_none(name: str) -> None:
    assert not has_adjoint(BEFORE[name], "a")
    assert has_adjoint(BEFORE[name], "start")


@pytest.mark.parametrize("name", AFTER)
def test_what_is_computed_later_has_one(name: str) -> None:
    assert has_adjoint(AFTER[name], "a")


@pytest.mark.parametrize("wrt", ["a", "start"])
@pytest.mark.parametrize("name", [*BEFORE, *AFTER])
def test_gradient(name: str, wrt: str, backend: str) -> None:
    start, a = np.random.default_rng(3).uniform(0.3, 0.9, (2, 11))
    source = TEMPLATE % {**BEFORE, **AFTER}[name]
    check_gradient(source, "run", [np.zeros(11), start, a, 11, 3], wrt=(wrt,), of=("y",), backend=backend)


CHAIN = """
__global__ void through(double *between, const double *from, double *to, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        between[i] = sin(from[i]);
        to[i] += between[i] * to[i];
    }
}
void run(double *y, double *z, const double *start, double *buffer, int n)
{
    double *work;
    cudaMalloc(&work, n * sizeof(double));
    cudaMemcpy(y, start, n * sizeof(double), cudaMemcpyDeviceToDevice);
    through<<<1, 32>>>(work, buffer, y, n);
    cudaMemcpy(buffer, y, n * sizeof(double), cudaMemcpyDeviceToDevice);
    through<<<1, 32>>>(z, buffer, y, n);
    cudaFree(work);
}
"""


@pytest.mark.parametrize("options", [{}, {"optimize": False}, {"optimize": "activity"}])
def test_memory_between_a_buffer_that_varies_later_and_the_result(options: dict[str, object], backend: str) -> None:
    """Both have adjoints at the first launch; through what lies between them nothing varies yet."""
    made = hetad.gradient(hetad.loads(CHAIN, "m.cu")["run"], wrt="start", of=["y", "z"], **options)
    assert ("adj_work" in made.source) is (options == {"optimize": False})
    start, buffer, y, z = np.random.default_rng(5).uniform(0.3, 0.9, (4, 11))
    check_gradient(
        CHAIN, "run", [y, z, start, buffer, 11], wrt=("start",), of=("y", "z"), backend=backend, settings=[options]
    )


TWICE = """
__global__ void square(double *a, const double *b, const double *x, double *y, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        a[i] = x[i] * x[i];
        y[i] = b[i] * 3.0 + sin(b[i]);
    }
}
void run(const double *x, double *y, int n)
{
    double *w;
    cudaMalloc(&w, n * sizeof(double));
    square<<<1, 32>>>(w, w, x, y, n);
    cudaFree(w);
}
"""


def test_what_is_stored_through_one_pointer_and_loaded_through_another(backend: str) -> None:
    x, y = np.random.default_rng(7).uniform(0.3, 0.9, (2, 11))
    check_gradient(TWICE, "run", [x, y, 11], wrt=("x",), of=("y",), backend=backend)
    seed = np.random.default_rng(8).standard_normal(11)
    made = hetad.gradient(hetad.loads(TWICE, "m.cu")["run"], wrt="x", of="y", backend=backend)
    found = made(x, y, 11, seeds={"y": seed})
    np.testing.assert_allclose(found["x"], seed * (3 + np.cos(x * x)) * 2 * x, rtol=1e-12)
