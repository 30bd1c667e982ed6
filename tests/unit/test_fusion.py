"""Sums that are formed in the reversed loop, and those that are not; tests/gradient/programs/sums_in_reverse.cu has the
numbers."""

from __future__ import annotations

import re

import pytest

import hetad


def pullback(body: str, **options: object) -> str:
    text = f"""
__global__ void kernel(double *y, const double *x, const double *c, const int *first, int n, int m)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{
        double s = 0;
        {body}
    }}
}}
"""
    source = hetad.gradient(hetad.loads(text)["kernel"], wrt=("x", "c"), of="y", backend="cpu", **options).source  # type: ignore[arg-type]
    text = source[source.index("kernel_pullback(") : source.index("kernel_grad(")]
    return re.sub(r" *// line .*\n", "", text)


def loops(text: str, index: str = "k") -> int:
    return len(re.findall(rf"for \(int {index}\b", text))


TERMS = "for (int k = 0; k < m; k++) s += sin(x[k] * x[i]) * x[k];"


def test_the_adjoint_that_needs_the_sum_waits() -> None:
    text = pullback(f"{TERMS} y[i] = s * c[i];")
    assert loops(text) == 1
    assert text.index("s += ") < text.index("atomicAdd(&adj_c[i]")
    assert loops(pullback(f"{TERMS} y[i] = s * c[i];", optimize=False)) == 2


def test_without_it_sums_stay_where_they_are() -> None:
    from hetad.adjoint.options import OPTIMISATIONS

    others = [name for name in OPTIMISATIONS if name != "fusion"]
    assert loops(pullback(f"{TERMS} y[i] = s * c[i];", optimize=others)) == 2


@pytest.mark.parametrize(
    "use",
    [
        "y[i] = s * c[i] - 2 * s;",
        "double t = s; y[i] = t * c[i]; y[i + n] = -t * c[i + 1];",
        "double p[2] = {s, 2 * s}, t = 0; for (int j = 0; j < 2; j++) t += p[j] * c[j]; y[i] = t;",
        "double t = 1; if (m > 3) t = s * c[i]; y[i] = 2 * t;",
    ],
)
def test_linear_uses(use: str) -> None:
    assert loops(pullback(f"{TERMS} {use}")) == 1


@pytest.mark.parametrize(
    "use",
    [
        "y[i] = s * s * c[i];",
        "y[i] = sin(s) * c[i];",
        "if (s > 0.5) y[i] = s * c[i]; else y[i] = 2 * s;",
        "y[i] = s * c[(int)s];",
        "double t = s; for (int j = 0; j < 3; j++) t *= c[j]; y[i] = t * s;",
        "if (m > 3) y[i] = s * c[i]; else y[i] = c[i];",  # a seed is taken once
    ],
)
def test_a_sum_that_the_loop_itself_needs_stays(use: str) -> None:
    assert loops(pullback(f"{TERMS} {use}")) == 2


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = first[i]; k < first[i + 1]; k++) s += sin(x[k] * x[i]) * x[k];",  # may be dealt out
        "for (int k = 0; k < m; k++) if (k % 2) s += sin(x[k] * x[i]) * x[k];",
        "for (int k = 0; k < m; k++) s = 0.5 * s + sin(x[k] * x[i]);",
    ],
)
def test_other_loops_stay(loop: str) -> None:
    assert loops(pullback(f"{loop} y[i] = s * c[i];")) == 2


def test_loops_in_branches_of_one_condition() -> None:
    """Both sums are formed where their terms are worked out, and the branches of both sweeps are one."""
    text = pullback(
        "for (int k = 0; k < m; k++) {"
        "  double z = x[k] * x[i], v;"
        "  if (z > 0.2) { double u = 0; for (int j = 0; j < 9; j++) u += sin(z * j); v = u * z; } else v = z * z;"
        "  s += v * c[k];"
        "} y[i] = s * 2;"
    )
    assert loops(text) == 1
    assert loops(text, "j") == 1
    assert text.count("> 0.2") == 1


def test_what_the_reverse_arm_takes_back_is_read_before() -> None:
    """The adjoint of c needs v as the first branch leaves it; the second one has v as it was in between."""
    text = pullback(
        "for (int k = 0; k < m; k++) {"
        "  double z = x[k] * x[i], v = 0.5;"
        "  if (z > 0.2) { double u = 0; v = sin(z); for (int j = 0; j < 9; j++) u += cos(z * j); v = v * v + u * z; }"
        "  s += v * c[k];"
        "} y[i] = s * 2;"
    )
    assert text.count("> 0.2") == 2
    assert text.index("adj_s * v") < text.rindex("> 0.2")


def test_an_operand_that_changes_meanwhile() -> None:
    """The terms in the reversed loop are those of the array as it is there, which is as it was."""
    text = pullback(
        "double a[2] = {x[i], x[i + 1]};"
        "for (int k = 0; k < m; k++) s += sin(x[k] * a[k % 2]) * x[k];"
        "a[0] = s * c[i]; a[1] = 2 * s; y[i] = a[0] + a[1];"
    )
    assert text.count("sin(") == 2 or loops(text) == 2
