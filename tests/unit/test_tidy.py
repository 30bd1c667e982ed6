"""What tidies generated code: branches, sums, declarations, names; each changes nothing that the code does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hetad.adjoint.canonicalise import tidy
from hetad.adjoint.canonicalise.branches import merge_branches
from hetad.adjoint.canonicalise.declarations import sink
from hetad.adjoint.canonicalise.literals import absorbed
from hetad.adjoint.canonicalise.naming import in_order
from hetad.adjoint.canonicalise.sums import merge_additions
from hetad.adjoint.canonicalise.uses import idle
from hetad.adjoint.components import element_by_element
from hetad.adjoint.hoist import hoist_pointed
from hetad.adjoint.inline import followed
from hetad.adjoint.repetitions import run_once
from hetad.adjoint.stored_cells import stored_cells_named
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.printer import body_text
from hetad.ir.types import INT
from hetad.ir.visit import own_exprs, own_nodes, walk_expr, walk_stmts
from tests.functions import function, symbols, written

HOST = "struct Pair {{ double a; double b; }}; void f(double *x, const double *y, int n, int m) {{ {} }}"
KERNEL = "__global__ void f(double *x, const double *y, const int *at, int n, int m) {{ int i = threadIdx.x; {} }}"


def lines(body: ir.Body) -> list[str]:
    return [line.strip() for line in body_text(body).strip().splitlines()]


def changed(change: Callable[[ir.Body], ir.Body], text: str, head: str = HOST) -> tuple[list[str], list[str]]:
    """The lines before and after."""
    body = function(head.format(text)).body
    return lines(body), lines(change(body))


@pytest.mark.parametrize(
    ("text", "head", "branches"),
    [
        ("if (n > 3) x[0] = 1; if (n > 3) x[1] = 2;", HOST, 1),
        ("if (n > 3) x[0] = 1; else x[3] = 1; if (n > 3) x[1] = 2; else x[2] = 2;", HOST, 1),
        ("if (n > 3) x[0] = 1; if (n > 2) x[1] = 2;", HOST, 2),
        ("if (n > 3) { x[0] = 1; n = 2; } if (n > 3) x[1] = 2;", HOST, 2),  # the first branch changes what is asked
        ("if (n > 3) x[0] = 1; else n = 9; if (n > 3) x[1] = 2;", HOST, 2),
        ("if (n > 3) x[0] = 1; x[2] = 3; if (n > 3) x[1] = 2;", HOST, 2),
        ("if (y[0] > 3) x[0] = 1; if (y[0] > 3) x[1] = 2;", HOST, 2),  # memory of the host may be anything
        ("if (at[i] > 3) x[0] = 1; if (at[i] > 3) x[1] = 2;", KERNEL, 1),  # what a pullback is given does not change
        ("int own[2]; own[0] = n; own[1] = m; if (own[i] > 3) own[0] = 1; if (own[i] > 3) x[1] = own[0];", KERNEL, 2),
    ],
)
def test_branches_are_merged_where_the_second_asks_the_same(text: str, head: str, branches: int) -> None:
    body = merge_branches(function(head.format(text)).body, head == KERNEL)
    assert sum(isinstance(s, ir.If) for s in walk_stmts(body)) == branches


def test_additions_to_one_counter_are_merged() -> None:
    body = function("void f(double *x, int n, int m) { n += 1; n += 2; m += 3; n += 4; x[n] = m; }").body
    assert lines(merge_additions(body))[:3] == ["n += 1 + 2;", "m += 3;", "n += 4;"]
    body = function(
        "__global__ void f(double *x, double a, double b) { atomicAdd(x, a); atomicAdd(x, b); atomicAdd(x + 1, b); }"
    )
    assert len(merge_additions(body.body)) == 2


def test_declarations_that_compute_nothing_are_idle() -> None:
    body = function(
        HOST.format("double a; double b = 0; double c = 1; struct Pair p = {1, 2}; double d[2] = {}; x[0] = n;")
    ).body
    declared = {s.symbol.name: idle(s) for s in body if isinstance(s, ir.Declare)}
    assert {x: declared[x] for x in "abcp"} == {"a": True, "b": True, "c": False, "p": False}
    assert declared["d"]
    assert not idle(body[-1])


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("double a; if (n) { a = y[0]; x[0] = a; }", True),
        ("double a; if (n) { x[1] = 1; } else { a = y[0]; x[0] = a; }", True),
        ("double a; if (n) { a = y[0]; x[0] = a; } else { a = 2; x[1] = a; }", False),
        ("double a; if (n) { a = y[0]; } x[0] = a;", False),
        ("int a = 0; if (a) { x[0] = a; }", False),
        ("double a; if (n) { a = y[0]; x[0] = a; } if (m) { a = y[1]; x[1] = a; }", False),
    ],
)
def test_a_variable_of_one_branch_is_declared_there(text: str, inside: bool) -> None:
    body = sink(function(HOST.format(text)).body, frozenset())
    at_top = any(isinstance(s, ir.Declare) and s.symbol.name == "a" for s in body)
    everywhere = sum(isinstance(s, ir.Declare) and s.symbol.name == "a" for s in walk_stmts(body))
    assert (at_top, everywhere) == (not inside, 1)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x[0] += -(2.0 * y[0]) * -3.0;", "x[0] += 6.0 * y[0];"),
        ("x[0] -= -2.0 * y[0];", "x[0] += 2.0 * y[0];"),
    ],
)
def test_signs_and_literals_of_products_meet(text: str, after: str) -> None:
    f = function(HOST.format(text))
    found = " ".join(lines(absorbed(f.body)))
    assert eval(value(found), {"y": [1.5]}) == eval(value(after), {"y": [1.5]})


def value(text: str) -> str:
    """What is added, as a formula."""
    _, sign, rest = text.partition("+=" if "+=" in text else "-=")
    return f"{'-' if sign == '-=' else ''}({rest.rstrip(';')})"


def test_made_names_follow_each_other_and_leave_those_of_the_program() -> None:
    f = function("void f(double *x, double seed_2) { double seed = 1; double seed_4 = 2; double seed_9 = 3; "
                 " double v = seed_9; x[0] = seed + seed_4 + seed_9 + seed_2 + v; }")  # fmt: skip
    named = in_order(f.body, f.params)
    assert [s.symbol.name for s in named if isinstance(s, ir.Declare)] == ["seed", "seed_3", "seed_4", "v"]
    assert lines(named)[-1] == "x[0] = seed + seed_3 + seed_4 + seed_2 + v;"
    other = ir.Symbol("trip_2", INT, f.span)
    use = ir.Assign(var(other), ir.Const(1, INT, span=f.span), span=f.span)
    made = [ir.Declare(ir.Symbol(name, INT, f.span), None, span=f.span) for name in ("trip", "trip_5")]
    named = in_order((*made, use), ())
    assert [s.symbol.name for s in named if isinstance(s, ir.Declare)] == ["trip", "trip_3"]


def test_a_list_is_stored_element_by_element_and_the_rest_is_zero() -> None:
    f = written(
        "struct Pair { double a; double b; }; void f(double *x) { struct Pair p = {1.0}; double v[3] = {4.0, 5.0}; }"
    )
    found = {s.symbol.name: s for s in f.body if isinstance(s, ir.Declare)}
    for name, expected in {"p": ["p.a = 1.0;", "p.b = 0;"], "v": ["v[0] = 4.0;", "v[1] = 5.0;", "v[2] = 0;"]}.items():
        s = found[name]
        assert isinstance(s.init, ir.Aggregate)
        stored = element_by_element(var(s.symbol), s.init, s.span)
        assert [x.replace("0.0;", "0;") for x in lines(tuple(stored))] == [x.replace("0.0;", "0;") for x in expected]


@pytest.mark.parametrize(
    ("loop", "at_top", "stays"),
    [
        ("int v = k; int *p = &v; x[k] = *p;", ["v"], ["v = k;"]),
        ("int v; v = 3; int *p = &v; x[k] = *p;", ["v"], ["v = 3;"]),
        ("struct Pair v = {y[0], y[1]}; double *p = &v.b; x[k] = *p;", ["v"], ["v.a = y[0];", "v.b = y[1];"]),
        ("int v = k; x[k] = v;", [], ["int v = k;"]),
    ],
)
def test_variables_that_are_pointed_to_live_as_long_as_the_function(
    loop: str, at_top: list[str], stays: list[str]
) -> None:
    f = function(HOST.format(f"for (int k = 0; k < n; k++) {{ {loop} }}"))
    hoisted = hoist_pointed(f)
    top = [s for s in hoisted.body if isinstance(s, ir.Declare)]
    assert [s.symbol.name for s in top if s.init is None] == at_top
    (inner,) = (s for s in hoisted.body if isinstance(s, ir.For))
    assert set(stays) <= {line.replace("const ", "") for line in lines(inner.body)}
    if not at_top:
        assert hoisted is f


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a[i] = sin(y[i]); x[i] = a[i] * a[i];", 0),
        ("a[i] = y[i] * 2; double s = a[i]; if (n) { s += a[i]; } x[i] = s;", 0),
        ("a[i] = m; x[i] = a[i];", 0),
        ("double v = y[n]; a[i] = v; x[i] = a[i];", 0),
        ("double v = y[n]; a[i] = v; v = 2; x[i] = a[i] + v;", 1),
        ("a[i] = sin(y[i]); a[n] = 3; x[i] = a[i];", 1),
        ("a[i] = sin(y[i]); i = 2; x[i] = a[i];", 1),
        ("a[at[i]] = sin(y[i]); x[i] = a[at[i]];", 1),
        ("double *p = a; a[i] = sin(y[i]); p[n] = 3; x[i] = a[i];", 1),
        ("__shared__ double v; v = 1; a[i] = v; __syncthreads(); x[i] = a[i];", 1),
        ("volatile double v = y[i]; a[i] = v; x[i] = a[i];", 0),  # v is read once
    ],
)
def test_cells_that_have_just_been_stored_are_read_as_variables(text: str, read: int) -> None:
    f = function(KERNEL.format(f"double a[8] = {{0}}; {text}"))
    named = stored_cells_named(f)
    a = symbols(f)["a"]
    loads = [
        e
        for s in walk_stmts(named.body)
        for e in reads_of(s)
        if isinstance(e, ir.Index) and e.base == var(a, e.base.span)
    ]
    assert bool(loads) == bool(read)
    host = function(HOST.format("double a[8] = {0}; a[n] = sin(y[n]); x[n] = a[n] * a[n];"))
    assert stored_cells_named(host) is host


def reads_of(s: ir.Stmt) -> list[ir.Expr]:
    targets = [s.target] if isinstance(s, ir.Assign) else []
    return [e for own in own_exprs(s) if not any(own is t for t in targets) for e in walk_expr(own)]


@pytest.mark.parametrize(
    ("body", "once"),
    [
        ("a = n; b = a + 1;", True),
        ("int t = n * 2; a = t + 1;", True),
        ("if (n) { a = 1; } else { a = 2; } b = a;", True),
        ("if (n) { a = 1; } b = a;", False),  # as an earlier turn has left it
        ("b = a; a = n;", False),
        ("if (n) { b = a; } a = n;", False),
        ("if (n) { a = 1; } else { b = a; } a = 3;", False),
        ("{ b = a; } a = n;", False),
        ("for (int l = 0; l < a; l++) { b = l; } a = n;", False),
        ("a += 1;", False),
        ("a = k;", False),
        ("x[0] = a;", False),
    ],
)
def test_a_loop_whose_turns_all_do_the_same_runs_once(body: str, once: bool) -> None:
    text = f"int a = 0, b = 0; for (int k = 0; k < m; k++) {{ {body} }} x[1] = a + b;"
    after = run_once(function(HOST.format(text))).body
    assert (not any(isinstance(s, ir.For) and "k" in s.init[0].symbol.name for s in after)) == once


def test_what_an_address_leads_to_at_once() -> None:
    f = written("void f(double *x, double v) { double w = (&v)[0]; x[0] = *&v; x[1] = (&v)[n]; x[2] = x[3]; }"
                .replace("[n]", "[1]"))  # fmt: skip
    whole, second = (e for s in walk_stmts(f.body) for e in given(s) if isinstance(e, ir.Index) and addressed(e))
    assert isinstance(followed(whole), ir.Var)
    assert isinstance(followed(second), ir.Index)  # the number behind it is another one


def given(s: ir.Stmt) -> list[ir.Expr]:
    return list(own_nodes(s))


def addressed(e: ir.Index) -> bool:
    base = e.base
    while isinstance(base, ir.Cast):
        base = base.operand
    return isinstance(base, ir.AddressOf)


def test_tidying_again_changes_nothing() -> None:
    for text in ("double a; if (n) { a = y[0]; x[0] = a; } if (n) x[1] = 1;", "n += 1; n += 2; x[n] = 0;"):
        once = tidy(function(HOST.format(text)).body)
        assert lines(tidy(once)) == lines(once)
