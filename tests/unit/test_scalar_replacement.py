"""Members of local structs as variables."""

from __future__ import annotations

import re

import hetad

STRUCTS = """
struct pair { double a, b; };
struct outer { struct pair p; double list[2]; int count; };
"""


def pullback(body: str, more: str = "") -> str:
    text = f"""{STRUCTS}{more}
__global__ void kernel(double *x, double *y, struct pair *pairs, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{ {body} }}
}}
void run(double *x, double *y, struct pair *pairs, int n) {{ kernel<<<(n + 31) / 32, 32>>>(x, y, pairs, n); }}
"""
    program = hetad.loads(text)
    source = hetad.gradient(program["run"], wrt=["x", "pairs"], of="y", backend="cpu").source
    text = source[source.index("kernel_pullback(") : source.index("void run_grad")]
    return re.sub(r" *// line .*\n", "", text)


def test_members_are_variables() -> None:
    text = pullback("struct pair p = {x[i], 2.0}; p.b *= p.a; y[i] = sin(p.a) * p.b;")
    assert "pair " not in text
    assert "p_a" in text


def test_a_member_that_nothing_depends_on_has_no_adjoint() -> None:
    text = pullback("struct pair p = {x[i] * x[i], x[i] * 3.0}; y[i] = sin(p.a);")
    assert "p_b" not in text


def test_structs_and_arrays_in_structs() -> None:
    text = pullback("struct outer o; o.p.a = x[i]; o.list[1] = o.p.a * x[i]; o.count = 2; y[i] = o.list[1] * o.count;")
    assert "outer " not in text


def test_structs_from_memory_and_in_loops() -> None:
    text = pullback(
        "double s = 0; for (int k = 0; k < 3; k++) { struct pair p = pairs[k]; s += p.a * p.b * x[i]; } y[i] = s;"
    )
    assert "pair p" not in text


def test_structs_in_arrays_stay() -> None:
    text = pullback(
        "struct pair q[2]; for (int k = 0; k < 2; k++) q[(i + k) % 2].a = x[i] * k; y[i] = q[i % 2].a * q[1].a;"
    )
    assert "pair q[2]" in text


def test_structs_that_are_pointed_to_stay() -> None:
    text = pullback(
        "struct pair p = {x[i], x[i]}, q = {2.0, 3.0}; struct pair *to = i % 2 ? &p : &q; y[i] = to->a * p.b;"
    )
    assert "pair p" in text
