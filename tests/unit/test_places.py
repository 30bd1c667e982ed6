"""To which variables a body makes pointers, and to which it keeps one."""

import pytest

import hetad
from hetad.ir.places import exposed, pointed_to
from hetad.pipeline import reach

FUNCTION = "__global__ void f(double *y, int i) {{ double a[2][3] = {{}}; double b = 0; double *p; {text} y[i] = b; }}"


@pytest.mark.parametrize(
    ("text", "made", "kept"),
    [
        ("b = a[1][i];", set(), set()),
        ("a[i][0] = b;", set(), set()),
        ("p = a[i];", {"a"}, {"a"}),
        ("p = &a[i][1];", {"a"}, {"a"}),
        ("if (i) { p = &b; }", {"b"}, {"b"}),
        ("atomicAdd(a[1], 2.0);", {"a"}, set()),
        ("sincos(b, &b, a[0]);", {"a", "b"}, set()),
    ],
)
def test_pointers_to_variables(text, made, kept):
    body = reach(hetad.loads(FUNCTION.format(text=text)).unit, "f").functions["f"].body
    assert {x.name for x in exposed(body)} == made
    assert {x.name for x in pointed_to(body)} == kept
