"""What pointer expressions lead to: null, out parameters, the pointers in and behind a value."""

from __future__ import annotations

import pytest

from hetad.analysis.pointer_expressions import null_only, null_variables, out_place, pointers_within
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.printer import expr_text
from hetad.ir.visit import walk_stmts
from tests.functions import function, symbols, values, written

HEAD = """
struct Leaf { double *data; };
struct Node { struct Leaf *leaf; double *data; double w; };
struct Two { struct Node a; double *rows[2]; };
"""


@pytest.mark.parametrize(
    ("given", "null"),
    [
        ("0", True), ("(double *)0", True), ("none", True), ("n ? none : 0", True), ("n ? none : x", False),
        ("n ? x : none", False), ("x", False), ("other", False), ("none + n", True),
    ],
)  # fmt: skip
def test_pointers_that_can_only_be_null(given: str, null: bool) -> None:
    f = written(f"void f(double *x, int n) {{ double *none = 0, *other = n ? none : x; double *p = {given}; }}")
    (e,) = values(f, "p")
    nulls = null_variables(f)
    assert {x.name for x in nulls} == {"none", *(["p"] if null else [])}
    assert null_only(e, {symbols(f)["none"]}) == null


def test_where_a_call_puts_its_pointer() -> None:
    text = "void f(double **table, double *rows[3], int n) { double *p; cudaMalloc((void **)&p, 8);"
    text += " cudaMalloc((void **)(table + n), 8); cudaMalloc((void **)table, 8); cudaMalloc((void **)&rows[1], 8); }"
    f = function(text)
    places = [out_place(s.args[0]) for s in walk_stmts(f.body) if isinstance(s, ir.Call) and s.function == "cudaMalloc"]
    assert [expr_text(p) if p is not None else None for p in places] == ["p", "table[n]", "table[0]", "rows[1]"]
    (call,) = (s for s in walk_stmts(function("void f(void) { cudaMalloc((void **)malloc(8), 8); }").body)
               if isinstance(s, ir.Call) and s.function == "cudaMalloc")  # fmt: skip
    given = call.args[0]
    while isinstance(given, ir.Cast):
        given = given.operand
    if not isinstance(given, ir.Var):
        assert out_place(call.args[0]) is None


def test_pointers_in_and_behind_a_value() -> None:
    f = function(HEAD + "void f(struct Node *node, struct Two two, double *x, double **rows) { }")
    found = {p.name: [expr_text(e) for e in pointers_within(var(p))] for p in f.params}
    assert found["x"] == []
    assert found["rows"] == ["rows[0]"]
    assert found["node"] == ["node[0].leaf", "node[0].leaf[0].data", "node[0].data"]
    assert found["two"] == ["two.a.leaf", "two.a.leaf[0].data", "two.a.data", "two.rows[0]", "two.rows[1]"]
