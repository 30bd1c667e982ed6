"""The rules of the IR: each refuses what it speaks of, and says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hetad
from hetad import problem as problems
from hetad.checks import comparison
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import integer, var
from hetad.ir.types import BOOL, DOUBLE, FLOAT, INT, LONG, SIZE_T, UINT, VOID, Array, Field, Pointer, Struct, Type
from hetad.ir.verify import NORMALISED, Form, InvalidIR, broken_rules, verify
from hetad.ir.verify.calls import Calls
from hetad.ir.verify.forms import ANormal, OneMeaning, Structured, UniqueNames, Untaped
from hetad.ir.verify.rules import Rules
from hetad.ir.verify.scopes import Scopes
from hetad.ir.verify.types import Types
from hetad.passes.manager import function_pass, run, watched
from hetad.passes.watching import Verifying
from hetad.rules.signatures import signature

S = Span("t.cu", 3, 7)
GROUPS: tuple[type[Rules], ...] = (Scopes, Types, Calls, ANormal, OneMeaning, Structured, UniqueNames, Untaped)


def local(name: str, type_: Type, storage: ir.Storage = "local", const: bool = False) -> ir.Symbol:
    return ir.Symbol(name, type_, S, storage, const)


N, J, L, X, B = local("i", INT), local("i", INT), local("l", LONG), local("x", DOUBLE), local("b", BOOL)
P, Q = local("p", Pointer(DOUBLE)), local("q", Pointer(DOUBLE, const=True))
A, K = local("a", Array(DOUBLE, 4)), local("k", INT, const=True)
FILE_SCOPE = local("g", INT, "global")
PAIR = local("pair", Struct("pair", (Field("left", DOUBLE),)))
ONE, TWO = integer(1, S), integer(2, S)


def declare(*symbols: ir.Symbol) -> tuple[ir.Stmt, ...]:
    return tuple(ir.Declare(x, None, span=S) for x in symbols)


def binary(op: str, left: ir.Expr, right: ir.Expr, type_: Type) -> ir.Expr:
    return ir.Binary(op, left, right, type_, span=S)


def at(base: ir.Symbol, type_: Type = DOUBLE) -> ir.Index:
    return ir.Index(var(base), ONE, type_, span=S)


def loop(init: ir.Body = (), cond: ir.Expr | None = None, **more: object) -> ir.For:
    return ir.For(init, cond, (), (), span=S, **more)  # type: ignore[arg-type]


def give(target: ir.Place, value: ir.Expr) -> ir.Assign:
    return ir.Assign(target, value, span=S)


def call(name: str, *args: ir.Expr, result: ir.Place | None = None) -> ir.Call:
    return ir.Call(name, args, result, span=S)


def function(name: str, kind: ir.Kind, body: ir.Body = (), params: tuple[ir.Symbol, ...] = (), returns: Type = VOID):  # type: ignore[no-untyped-def]
    return ir.Function(name, kind, params, returns, body, S)


def program(body: ir.Body, kind: ir.Kind = "host") -> ir.Program:
    n = local("n", INT, "param")
    others = (
        function("scale", "kernel", params=(n,)),
        function("square", "device", (ir.Return(var(n), span=S),), (n,), INT),
        function("given", "host", (ir.Return(var(n), span=S),), (n,), INT),
    )
    functions = {f.name: f for f in (*others, function("f", kind, body))}
    return ir.Program(functions, (ir.Global(FILE_SCOPE, None, False, S),))


SLOT = local("kept", DOUBLE)
RANGE = local("range_kept", Pointer(DOUBLE))
BROKEN: dict[str, ir.Body] = {
    "in_scope": (give(var(N), ONE),),
    "declared_once": declare(N, N),
    "storage": declare(local("s", INT, "shared")),
    "complete": declare(local("v", VOID)),
    "sums_in_scope": (loop(sums=(X,)),),
    "primal_in_scope": (loop(primal=loop(cond=var(B))),),
    "threads": (*declare(N), give(var(N), ir.ThreadIndex("threadIdx", "x", INT, span=S))),
    "jumps": (ir.Goto("out", span=S),),
    "literal": (*declare(P), give(var(P), integer(3, S, Pointer(DOUBLE)))),
    "index": (*declare(P), give(at(P, FLOAT), ir.Const(0.0, FLOAT, span=S))),
    "member": (*declare(PAIR), give(ir.Member(var(PAIR), "right", DOUBLE, span=S), var(X)), *declare(X)),
    "address": (*declare(X, P), give(var(P), ir.AddressOf(var(X), Pointer(FLOAT), span=S))),
    "unary": (*declare(N), give(var(N), ir.Unary("!", var(N), INT, span=S))),
    "binary": (*declare(N, L, B), give(var(B), binary("<", var(N), var(L), BOOL))),
    "arms": (*declare(N, L, B), give(var(N), ir.Select(var(B), var(N), var(L), INT, span=S))),
    "conversion": (*declare(PAIR, X), give(var(X), ir.Cast(var(PAIR), DOUBLE, span=S))),
    "aggregate": (ir.Declare(A, ir.Aggregate((ONE,), A.type, span=S), span=S),),
    "initial_value": (ir.Declare(X, ONE, span=S),),
    "assignment": (*declare(P, Q), give(var(P), var(Q))),
    "update": (*declare(X), ir.Update("+", var(X), ONE, span=S)),
    "writable": (*declare(Q, X), give(at(Q), var(X))),
    "condition": (*declare(PAIR), ir.If(var(PAIR), (), (), span=S)),
    "cases": (*declare(X), ir.Switch(var(X), (), span=S)),
    "returned": (ir.Return(ONE, span=S),),
    "saved": (*declare(X, N), ir.Push(SLOT, var(X), span=S), ir.Pop(SLOT, var(N), span=S)),
    "extent": (*declare(P), ir.Push(RANGE, var(P), "range", span=S)),
    "configuration": (*declare(X), ir.Launch("scale", var(X), ONE, None, None, (ONE,), span=S)),
    "called_value": (*declare(N), give(var(N), ir.CallExpr("given", (), INT, span=S))),
    "called": (call("given"),),
    "side": (call("square", ONE),),
    "in_a_table": (call("nobody"),),
    "of_a_table": (*declare(N), call("__syncthreads", var(N))),
    "launched": (ir.Launch("given", ONE, ONE, None, None, (ONE,), span=S),),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_rule(rule: str) -> None:
    found = [str(error) for error in broken_rules(program(BROKEN[rule]), callees=signature)]
    assert any(text.startswith(f"f, t.cu:3:7: rule '{rule}': ") for text in found)


def test_the_first_broken_rule_is_raised() -> None:
    with pytest.raises(InvalidIR, match="'index'"):
        verify(program(BROKEN["index"]), callees=signature)


IN_FORMS: dict[str, tuple[Form, ir.Body]] = {
    "hides_nothing": (Form.ONE_MEANING, (*declare(N), ir.Block(declare(J), span=S))),
    "not_hidden": (Form.ONE_MEANING, (*declare(local("g", INT)), give(var(FILE_SCOPE), ONE))),
    "callee_not_hidden": (Form.ONE_MEANING, (*declare(local("given", INT)), call("given", ONE))),
    "unique": (Form.UNIQUE_NAMES, (ir.Block(declare(N), span=S), ir.Block(declare(J), span=S))),
    "control": (Form.STRUCTURED, (ir.Block((), span=S),)),
    "updates": (Form.STRUCTURED, (*declare(X), ir.Update("*", var(X), ir.Const(2.0, DOUBLE, span=S), span=S))),
    "head": (Form.STRUCTURED, (loop((call("given", ONE),)),)),
    "calls": (Form.A_NORMAL, (*declare(N), give(var(N), ir.CallExpr("given", (ONE,), INT, span=S)))),
    "choices": (Form.A_NORMAL, (*declare(X, B), give(var(X), ir.Select(var(B), var(X), var(X), DOUBLE, span=S)))),
    "alone": (Form.A_NORMAL, (*declare(A, X), give(at(A), ir.Intrinsic("sin", (var(X),), DOUBLE, span=S)))),
    "results": (Form.A_NORMAL, (*declare(local("m", Array(INT, 2))), call("given", ONE, result=at(local("m", INT))))),
    "tape": (Form.UNTAPED, (*declare(X), ir.Push(SLOT, var(X), span=S))),
}


@pytest.mark.parametrize("rule", IN_FORMS)
def test_form(rule: str) -> None:
    form, body = IN_FORMS[rule]
    found = [str(error) for error in broken_rules(program(body), (form,), signature)]
    assert any(f"rule '{rule}': " in text for text in found)


def test_what_keeps_the_rules() -> None:
    text = "values"
    body = (
        ir.Block(declare(N), span=S),
        *declare(N, A, Q, X, P, local("t", Array(INT, 2))),
        give(var(Q), var(A)),  # decays, and becomes const
        give(var(Q), var(P)),
        ir.If(binary("==", var(P), integer(0, S, Pointer(VOID)), BOOL), (), (), span=S),
        ir.Declare(K, None, span=S),
        give(var(K), TWO),  # its first value
        call("sqrt", var(X), result=var(X)),
        call("printf", ir.String(f'"{text}"', Pointer(INT), span=S)),
        call("given", ONE, result=var(N)),
        ir.Launch("scale", ONE, ONE, integer(8, S, SIZE_T), None, (var(N),), span=S),
        loop((ir.Declare(local("j", UINT), None, span=S),), sums=(X,), primal=loop(cond=var(N))),
        ir.Push(RANGE, var(P), "range", integer(8, S, SIZE_T), span=S),
        ir.Pop(RANGE, var(P), "range", integer(8, S, SIZE_T), span=S),
    )
    verify(program(body), (Form.ONE_MEANING,), signature)


def test_sweeps_are_bodies_of_their_own() -> None:
    kernel = replace(function("k", "kernel", declare(N)), sweep=ir.Sweep(declare(N), alone=(give(var(N), ONE),)))
    [error] = broken_rules(ir.Program({"k": kernel}), (), signature)
    assert "'in_scope'" in str(error)


def test_each_rule_is_a_sentence() -> None:
    rules = [r for group in GROUPS for r in group.all()]
    assert {*BROKEN, *IN_FORMS} <= {r.name for r in rules}
    for r in rules:
        assert r.sentence.endswith(".") and r.sentence[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ", r.name


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", ["lbm_d2q9", "particles", "tensor_contraction", "tree_reduction"])
def test_every_pass_keeps_the_rules(name: str, optimize: bool) -> None:
    problem = problems.read(Path(__file__).parents[2] / "samples" / f"{name}.toml")
    function = comparison.function_of(hetad.load(problem.source, **problem.loading), problem)
    with watched(Verifying(signature)):
        gradient = hetad.gradient(function, wrt=problem.wrt, of=problem.of, backend="cpu", optimize=optimize)
        assert gradient.derivative.program.functions


def test_the_pass_that_breaks_a_rule_is_named() -> None:
    breaking = function_pass("breaking", lambda f: replace(f, body=(give(var(N), ONE),)))
    with watched(Verifying(signature)), pytest.raises(InvalidIR, match=r"after breaking: f, .*'in_scope'"):
        run((breaking,), ir.Program({"f": function("f", "host")}))


def test_redeclared_variables_become_others() -> None:
    """What both sweeps of a derivative declare is one symbol there, and in normal form one for each declaration."""
    from hetad.frontend.normalize import normalize

    text = """
void run(double *y, double x, int n)
{
    double s = x;
    for (int k = 0; k < n; ++k) { double step = s * s; s = sin(step); }
    y[0] = s;
}
"""
    gradient = hetad.gradient(hetad.loads(text)["run"], wrt="x", of="y", backend="cpu")
    normal = normalize(gradient.derivative.program)
    verify(normal, NORMALISED, signature)
    names = [x.name for x in _declared(normal.functions["run_grad"])]
    assert "step" in names and len(set(names)) == len(names)


def _declared(f: ir.Function) -> list[ir.Symbol]:
    from hetad.ir.visit import declared

    return list(declared(f.body))
