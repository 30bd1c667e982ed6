"""What emitted adjoints show of the machine that writes them: as little as a person's would."""

from __future__ import annotations

import re

import numpy as np

import hetad


def source_of(text: str, wrt: str = "x", of: str = "y") -> str:
    """The derivative, without the run-time support below it."""
    gradient = hetad.gradient(hetad.loads(text)["f"], wrt=wrt, of=of, backend="cpu")
    return gradient.source.split("// ---- hetad's own", maxsplit=1)[0]


ROOTS = """
__global__ void k(const double *x, double *y, double NAME)
{
    int i = threadIdx.x;
    double a = sqrt(x[i]), b = log(a) * NAME, c = a / b;
    y[i] = exp(c) * b / x[i + 1];
}
void f(const double *x, double *y) { k<<<1, 8>>>(x, y, 3.0); }
"""


def test_seeds_are_numbered_in_order() -> None:
    found = list(dict.fromkeys(re.findall(r"const double (seed\w*) =", source_of(ROOTS.replace("NAME", "w")))))
    assert len(found) == 3
    assert found == ["seed", *(f"seed_{n}" for n in range(2, len(found) + 1))]


def test_a_variable_of_the_program_keeps_its_name() -> None:
    text = ROOTS.replace("NAME", "seed_3")
    assert "double seed_3" in source_of(text)
    gradient = hetad.gradient(hetad.loads(text)["f"], wrt="x", of="y", backend="cpu")
    plain = hetad.gradient(hetad.loads(ROOTS.replace("NAME", "w"))["f"], wrt="x", of="y", backend="cpu")
    x, y, seeds = np.linspace(2, 3, 9), np.zeros(8), {"y": np.arange(1.0, 9.0)}
    np.testing.assert_array_equal(gradient(x, y, seeds=seeds)["x"], plain(x, y, seeds=seeds)["x"])
