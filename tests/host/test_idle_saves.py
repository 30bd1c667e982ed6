"""What the host function saves, and which launches it repeats, is what something needs."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hetad
from tests.emitted import own_text

SQUARE = """
__global__ void square(double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}
__global__ void times(double *y, const double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * z[i];
}
"""


def body(text: str, wrt: str, of: str) -> str:
    """The host function of the gradient of `run`, without comments."""
    source = hetad.gradient(hetad.loads(SQUARE + text)["run"], wrt=wrt, of=of, backend="cpu").source
    return re.sub("//.*", "", own_text(source[source.index("// gradient of") :]))


@pytest.mark.parametrize("size", ["n", "40", "n / 2"])
def test_what_overwrites_its_input_is_not_repeated(size: str) -> None:
    """Its pullback needs what stood there before, and nobody what it made of it."""
    made = body(f"void run(double *x, int n) {{ square<<<(n + 31) / 32, 32>>>(x, {size}); }}", "x", "x")
    assert "square<<<" not in made and "hetad_save" not in made and "hetad_restore" not in made


def test_what_another_launch_reads_is_repeated() -> None:
    made = body(
        "void run(double *x, int n) { square<<<(n + 31) / 32, 32>>>(x, n); square<<<(n + 31) / 32, 32>>>(x, n); }",
        "x",
        "x",
    )
    assert made.count("square<<<") == 1 and made.count("hetad_save") == 1


@pytest.mark.parametrize("name", ["z", "x_entry", "y_entry", "x_kept"])
def test_names_of_parameters_make_no_difference(name: str) -> None:
    made = body(
        f"void run(double *y, const double *x, double *{name}, int n)"
        f"{{ times<<<(n + 31) / 32, 32>>>(y, x, {name}, n); }}",
        name,
        "y",
    )
    assert re.search(r"hetad_(save|restore|begin)", made) is None


STRUCT = """
typedef struct { double *now, *next; } Pair;
static void create(Pair *p, int n)
{
    cudaMalloc(&p->now, n * sizeof(double));
    cudaMalloc(&p->next, n * sizeof(double));
}
void run(double *x, int n)
{
    Pair p;
    create(&p, n);
    cudaMemcpy(p.now, x, n * sizeof(double), cudaMemcpyHostToDevice);
    square<<<(n + 31) / 32, 32>>>(p.now, n);
    cudaMemset(p.next, 0, n * sizeof(double));
    AGAIN
    times<<<(n + 31) / 32, 32>>>(p.next, p.now, p.now, n);
    cudaMemcpy(x, p.next, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(p.now);
    cudaFree(p.next);
}
"""


def test_members_are_not_given_back_what_they_held_before_they_were_set() -> None:
    assert "_saved" not in body(STRUCT.replace("AGAIN", ""), "x", "x")


def test_members_are_given_back_what_is_read() -> None:
    again = """
    double *held = p.now; p.now = p.next; p.next = held;
    cudaMemcpy(p.now, p.next, n * sizeof(double), cudaMemcpyDeviceToDevice);
    square<<<(n + 31) / 32, 32>>>(p.now, n);
    """
    program = hetad.loads(SQUARE + STRUCT.replace("AGAIN", again))
    x = np.array([0.5, 1.5, -0.7])
    found = hetad.gradient(program["run"], wrt="x", of="x", backend="cpu")(x.copy(), 3, seeds={"x": np.ones(3)})["x"]
    np.testing.assert_allclose(found, 8 * x**7)
