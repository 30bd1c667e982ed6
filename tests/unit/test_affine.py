"""Polynomials and addresses against the numbers and the cells that they stand for."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Mapping

import hetad
from hetad.analysis.affine import Address, Polynomial, address, distinct, distinct_across, polynomial
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.visit import variables, walk_stmts
from hetad.pipeline import normalized, reach

NAMES = "ijn"
VALUES = tuple(dict(zip(NAMES, v, strict=True)) for v in itertools.product((-2, 0, 1, 3), (0, 1, 2), (1, 4)))


def number(e: ir.Expr, at: Mapping[str, int]) -> int:
    match e:
        case ir.Const(value=value):
            return int(value)
        case ir.Var(symbol=symbol):
            return at[symbol.name]
        case ir.Cast(operand=operand):
            return number(operand, at)
        case ir.Unary(op="-", operand=operand):
            return -number(operand, at)
        case ir.Binary(op="+" | "-" | "*" | "/" as op, left=left, right=right):
            a, b = number(left, at), number(right, at)
            return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else math.trunc(a / b)
    raise AssertionError(e)


def value(p: Polynomial, at: Mapping[str, int]) -> int:
    return sum(c * math.prod(number(a, at) for a in m) for m, c in p.terms.items())


def drawn(rng: random.Random, depth: int = 3) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice((*NAMES, "2", "1", "3"))
    left, right = drawn(rng, depth - 1), drawn(rng, depth - 1)
    return rng.choice(
        (f"({left} + {right})", f"({left} - {right})", f"({left} * {right})", f"(-{left})", f"{left} / 2")
    )


def indices(texts: list[str]) -> list[ir.Expr]:
    stores = "".join(f"    p[{text}] = 1;\n" for text in texts)
    text = f"__global__ void k(double *p, int i, int j, int n)\n{{\n{stores}}}\n"
    body = normalized(reach(hetad.loads(text).unit, "k")).functions["k"].body
    places = [s.target for s in walk_stmts(body) if isinstance(s, ir.Assign) and isinstance(s.target, ir.Index)]
    return [place.index for place in places]


RNG = random.Random(4)
TEXTS = [*NAMES, "0", "i * i", "i * j + n", "n - i - 1", "2 * i + 1", "i / 2 * 2", *(drawn(RNG) for _ in range(40))]


def test_arithmetic() -> None:
    exprs = indices(TEXTS)
    assert len(exprs) == len(TEXTS)
    found = [polynomial(e) for e in exprs]
    for e, p in zip(exprs, found, strict=True):
        assert all(p.terms.values())
        for at in VALUES:
            assert value(p, at) == number(e, at), e
            assert p.constant in (None, number(e, at))
    assert [polynomial(e).constant for e in indices(["3 + 4", "i - i", "i"])] == [7, 0, None]
    for p, q in itertools.product(found[:25], found[:25]):
        for at in VALUES[::5]:
            a, b = value(p, at), value(q, at)
            assert [value(r, at) for r in (p + q, p - q, p * q, p.scaled(-3))] == [a + b, a - b, a * b, -3 * a]
        difference = (p - q).constant
        assert p.differs_by_number(q) == (difference is not None and difference != 0)
        assert (p == q) == (difference == 0)


def test_parts_that_a_variable_is_in() -> None:
    counted = 0
    for e in indices(TEXTS):
        i = next((var(x) for x in variables(e) if x.name == "i"), None)
        parts = polynomial(e).split(i) if i is not None else None
        if parts is not None:
            counted += 1
            for part in parts:
                assert "i" not in {x.name for m in part.terms for a in m for x in variables(a)}
            for at in VALUES:
                assert value(parts[0], at) * at["i"] + value(parts[1], at) == number(e, at)
    (square, half, line) = indices(["i * i + j", "i / 2 + i", "n * i + j"])
    i = next(var(x) for x in variables(line) if x.name == "i")
    assert polynomial(square).split(i) is None
    assert polynomial(half).split(i) is None
    assert polynomial(line).split(i) is not None
    assert counted > 8


MEMBERS = """
typedef struct { double a, b; double c[4]; } Part;
typedef struct { Part p, q; double r[3]; } Whole;
__global__ void k(double *x, double *y, Part *u, Whole *w, int i, int j, int n)
{
%s}
"""
PLACES = (
    "x[i]", "x[i + 1]", "x[j]", "*(x + i)", "x[2 * i]", "x[2 * i + 1]", "(x + 2)[i - 2]", "(x - 1)[i + 1]", "y[i]",
    "x[i * n + j]",
    "x[i * n + j + 3]", "u[i].a", "u[i].b", "u[j].a", "u[j].b", "u[i + 1].a", "u[i].c[j]", "u[i].c[j + 1]", "u[i].c[i]",
    "u[j].c[j]", "w[i].p.a", "w[i].q.a", "w[j].q.b", "w[i].p.c[j]", "w[i].q.c[j]", "w[i].r[j]", "w[j].r[j]",
    "w[i].r[j - 1]",
)  # fmt: skip


@functools.cache
def addresses() -> list[tuple[ir.Place, Address | None]]:
    text = MEMBERS % "".join(f"    {place} = 1;\n" for place in PLACES)
    body = normalized(reach(hetad.loads(text).unit, "k")).functions["k"].body
    found = [s.target for s in walk_stmts(body) if isinstance(s, ir.Assign) and not isinstance(s.target, ir.Var)]
    assert len(found) == len(PLACES)
    return [(place, address(place)) for place in found]


def cell(place: ir.Expr, at: Mapping[str, int]) -> tuple[object, ...]:
    """Names and numbers: those of one cell are the same."""
    match place:
        case ir.Member(base=base, name=name):
            return (*cell(base, at), name)
        case ir.Index(base=base, index=index):
            *outer, last = cell(base, at)
            if isinstance(last, int):
                return (*outer, last + number(index, at))
            return (*outer, last, number(index, at))
        case ir.Binary(op="+" | "-" as op, left=left, right=right):
            *outer, last = cell(left, at)
            moved = number(right, at) * (1 if op == "+" else -1)
            return (*outer, last + moved) if isinstance(last, int) else (*outer, last, moved)
        case ir.Cast(operand=operand):
            return cell(operand, at)
        case ir.Var(symbol=symbol):
            return (symbol.name,)
    raise AssertionError(place)


def test_places_that_are_said_to_differ_do() -> None:
    said = 0
    for (one, a), (other, b) in itertools.product(addresses(), repeat=2):
        if distinct(a, b):
            said += 1
            assert all(cell(one, at) != cell(other, at) for at in VALUES), (one, other)
    assert said >= 120


def test_cells_on_a_line_lie_as_far_apart_as_is_said() -> None:
    for (one, a), (other, b) in itertools.product(addresses(), repeat=2):
        assert a is not None and b is not None
        if a.line is b.line:
            for at in VALUES:
                *head, first = cell(one, at)
                *same, second = cell(other, at)
                if isinstance(first, int):
                    assert head == same
                    assert first - second == a.at - b.at


def test_nothing_is_said_of_what_is_no_address() -> None:
    (_, a), *_ = addresses()
    assert not distinct(a, None)
    assert not distinct(None, a)
    x = var(next(iter(a.line.symbols)))  # type: ignore[union-attr]
    assert not distinct_across(a, None, x)
    assert not distinct_across(None, a, x)


def test_places_that_differ_across_the_values_of_an_index() -> None:
    said = Counter[bool]()
    for ((one, a), first), ((other, b), second) in itertools.product(zip(addresses(), PLACES, strict=True), repeat=2):
        for x in dict.fromkeys(variables(one)):
            if x.name in "ij" and distinct_across(a, b, var(x)):
                said[first == second] += 1
                for at, value in itertools.product(VALUES, (-3, 0, 2, 5)):
                    if value != at[x.name]:
                        assert cell(one, at) != cell(other, {**at, x.name: value}), (first, second, x)
    assert said[True] >= 28 and said[False] >= 136  # the same place, and others


def test_a_variable_has_no_address() -> None:
    assert address(ir.Var(indices(["i"])[0].symbol, span=indices(["i"])[0].span)) is None  # type: ignore[attr-defined]
