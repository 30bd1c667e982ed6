"""How often loops run, what that computes, and which conditions are bounds: against loops that are run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from hetad.analysis.loop_bounds import Counting, bounds, progression
from hetad.analysis.loops import constant_trips, counted, geometric
from hetad.analysis.work import OFTEN, arithmetic, turns
from hetad.ir import nodes as ir
from hetad.ir.types import INT
from hetad.ir.visit import walk_stmts
from tests.functions import function, symbols, values


def loop(header: str, body: str = "x[0] += i;") -> ir.For:
    f = function(f"void f(double *x, int n, int m) {{ for ({header}) {{ {body} }} }}")
    (found,) = (s for s in walk_stmts(f.body) if isinstance(s, ir.For))
    return found


def turns_taken(start: int, goes_on: Callable[[int], bool], step: Callable[[int], int]) -> list[int]:
    taken = []
    while goes_on(start):
        taken.append(start)
        start = step(start)
    return taken


def constant(value: int, where: ir.Stmt) -> ir.Const:
    return ir.Const(value, INT, span=where.span)


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [(0, 7, 1), (0, 7, 2), (3, 3, 1), (5, 2, 1), (-3, 8, 4), (1, 9, 8), (7, 0, -1), (8, -3, -4)],
)
def test_how_often_a_loop_runs(start: int, end: int, step: int) -> None:
    for op in ("<", "<=") if step > 0 else (">", ">="):
        for sign, by in (("+", step), ("-", -step)):
            given = loop(f"int i = {start}; i {op} {end}; i++")
            (advance,) = given.step
            advance = ir.Update(
                sign, ir.Var(advance.target.symbol, span=given.span), constant(by, given), span=given.span
            )
            header = counted(replace(given, step=(advance,)), lambda _: True, lambda _: False)
            assert header is not None
            assert header.step.type == INT
            compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[op]
            taken = turns_taken(start, lambda i, c=compare: c(i, end), lambda i: i + step)
            assert constant_trips(header) == len(taken), (op, sign)


@pytest.mark.parametrize(
    "header",
    ["int i = 0; i < 8; i--", "int i = 0; i < 8; i += 0", "int i = 0; i != 8; i++", "int i = 0; i < 8; i += i",
     "int i = 0; i < i + 1; i++", "int i = -1; (unsigned)i < 8u; i++", "int i = n; i < 8u; i++"],
)  # fmt: skip
def test_what_does_not_count(header: str) -> None:
    assert counted(loop(header), lambda _: True, lambda _: False) is None


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("int i = 1; i < 100; i *= 3", (1, 81, 3)),
        ("int i = 64; i > 0; i >>= 1", (64, 1, 2)),
        ("int i = 1; i <= 64; i <<= 2", (1, 64, 4)),
    ],
)
def test_indices_that_are_multiplied(header: str, taken: tuple[int, int, int]) -> None:
    found = geometric(loop(header), lambda _: False)
    assert found is not None
    assert (found.first, found.last, found.factor) == taken


def test_the_work_of_loops_and_statements() -> None:
    def work(body: str) -> int:
        return arithmetic(function(f"void f(double *x, int n) {{ {body} }}").body)

    assert work("x[0] = x[1];") == 0
    assert work("x[0] = x[1] * x[2] + x[3];") == 2
    assert work("x[0] += x[1] * x[2];") == 2
    assert work("n += 1;") == 0
    assert work("x[0] = x[1] / x[2];") > work("x[0] = x[1] * x[2];")
    assert work("x[0] = exp(x[1]);") > work("x[0] = x[1] / x[2];")
    assert work("if (n) x[0] = x[1] * x[2];") == 1
    assert work("{ x[0] += x[1]; } if (n) { x[0] += x[1]; } else { x[0] -= x[1]; }") == 3
    assert work("for (int i = 0; i < 5; i++) x[i] += 1.0;") == 5
    assert work("for (int i = 0; i < n; i++) x[i] += 1.0;") == OFTEN
    assert [turns(s) for s in function("void f(int n) { if (n) { n = 1; } { n = 2; } }").body] == [1, 1]


CONDITIONS = ["i < n", "i <= n", "i + 2 > n", "n >= i", "n - 1 == i", "i == n", "n - i < 3", "i + m <= n - 1", "m > n"]
LAST = 9


def number(e: ir.Expr, at: Mapping[str, int]) -> int:
    match e:
        case ir.Const(value=value):
            return int(value)
        case ir.Var(symbol=symbol):
            return at[symbol.name]
        case ir.Cast(operand=operand):
            return number(operand, at)
        case ir.Binary(op=op, left=left, right=right):
            a, b = number(left, at), number(right, at)
            return {
                "+": a + b,
                "-": a - b,
                "*": a * b,
                "<": a < b,
                "<=": a <= b,
                ">": a > b,
                ">=": a >= b,
                "==": a == b,
            }[op]
    raise AssertionError(e)


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_are_bounds_of_the_variable(text: str) -> None:
    f = function(f"void f(double *x, int n, int m, int i) {{ if ({text}) x[i] = 1; }}")
    (branch,) = (s for s in walk_stmts(f.body) if isinstance(s, ir.If))
    found = bounds([branch.cond], Counting(symbols(f)["i"], {}, set()))
    assert bool(found.others) == (text == "m > n")
    for n, m, i in itertools.product(range(-2, 6), range(3), range(LAST)):
        at = {"n": n, "m": m, "i": i}
        within = all(number(e, at) <= i for e in found.least) and all(i < number(e, at) for e in found.below)
        assert (within and all(number(e, at) for e in found.others)) == bool(number(branch.cond, at)), at


WRAPPING = [
    ("(int)(blockIdx.x * blockDim.x + threadIdx.x)", 1),
    ("(int)(threadIdx.x + 4u)", 1),
    ("(int)((unsigned)(int)threadIdx.x + 4u)", 1),
    ("(int)(2u * threadIdx.x)", None),
    ("(int)(threadIdx.x + threadIdx.x)", None),
    ("(int)(4u - threadIdx.x)", None),
    ("(int)(threadIdx.x - threadIdx.x + 3u)", None),
    ("(int)threadIdx.y", None),
    ("(int)blockIdx.x", 0),
]


@pytest.mark.parametrize(("text", "slope"), WRAPPING)
def test_unsigned_positions_count_with_the_thread(text: str, slope: int | None) -> None:
    f = function(f"__global__ void f(double *x) {{ int i = {text}; x[i] = 1; }}")
    (given,) = values(f, "i")
    found = progression(given, Counting(None, {}, set(), wraps=True))
    assert (found.slope if found is not None else None) == slope
    if slope == 1:
        assert progression(given, Counting(None, {}, set())) is None
