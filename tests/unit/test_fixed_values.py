"""Variables of a loop whose value follows from others, and how often loops run backwards."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from hetad.adjoint.fixed import fixed_values
from hetad.adjoint.loops import index_after, trip_count
from hetad.analysis.loops import counted
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.places import changed_in
from hetad.ir.visit import walk_stmts
from tests.functions import function, symbols


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("v = n + 2; w = v * m;", {"v", "w"}),
        ("v = k; w = v + 1;", {"v", "w"}),
        ("v = j; j = at[v]; w = m;", {"w"}),  # j is another one by the time that v is wanted
        ("v = at[k]; w = v + 1;", {"w"}),  # of v, wherever that comes from
        ("v = n; v = m; w = v;", set()),
        ("v = n; if (m) { w = v; }", {"v"}),
        ("w = v; v = n;", {"v"}),
    ],
)
def test_what_follows_from_others(body: str, fixed: set[str]) -> None:
    f = function(
        f"void f(int *at, int n, int m) {{ int j = 0, v, w; for (int k = 0; k < n; k++) {{ {body} at[k] = v + w; }} }}"
    )
    (loop,) = (s for s in walk_stmts(f.body) if isinstance(s, ir.For))
    known = symbols(f)
    engine: Any = SimpleNamespace(
        pointers=SimpleNamespace(pointed=set), changes=lambda b: {x for x in changed_in(b) if isinstance(x, ir.Symbol)}
    )
    found = fixed_values(engine, loop, loop.body, {known["v"], known["w"]})
    assert {x.name for x in found} == fixed


def number(e: ir.Expr, at: Mapping[ir.Symbol, int]) -> int:
    match e:
        case ir.Const(value=value):
            return int(value)
        case ir.Var(symbol=symbol):
            return at[symbol]
        case ir.Cast(operand=operand):
            return number(operand, at)
        case ir.Select(cond=cond, then=then, orelse=orelse):
            return number(then if number(cond, at) else orelse, at)
        case ir.Unary(op="-", operand=operand):
            return -number(operand, at)
        case ir.Binary(op=op, left=left, right=right):
            a, b = number(left, at), number(right, at)
            if op == "/":
                return int(a / b)
            return {"+": a + b, "-": a - b, "*": a * b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
    raise AssertionError(e)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("step", [1, 3])
def test_how_often_a_loop_runs_as_an_expression(op: str, step: int) -> None:
    sign = "+" if "<" in op else "-"
    f = function(f"void f(double *x, int n, int m) {{ for (int i = n; i {op} m; i {sign}= {step}) x[i] = 1; }}")
    (loop,) = (s for s in walk_stmts(f.body) if isinstance(s, ir.For))
    header = counted(loop, lambda _: True, lambda _: False)
    assert header is not None
    known = symbols(f)
    trips = ir.Symbol("trips", header.index.type, f.span)
    compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[op]
    for n, m in itertools.product(range(-3, 5), range(-3, 5)):
        taken, i = 0, n
        while compare(i, m):
            taken, i = taken + 1, i + (step if sign == "+" else -step)
        at = {known["n"]: n, known["m"]: m, trips: taken}
        assert number(trip_count(header, f.span), at) == taken, (n, m)
        assert number(index_after(header, var(trips)), at) == i
