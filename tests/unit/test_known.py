"""What is said of conditions and of whole numbers, against what they are for all numbers that the ranges hold."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from hetad.analysis.bounded import Bounded
from hetad.analysis.holding import Objects, null_symbol
from hetad.analysis.known import Known, Values
from hetad.analysis.linear import Linear, Ranges
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import INT, VOID
from tests.functions import expression

HERE = Span("f.cu", 1, 1)
SPAN = (0, 4), (-2, 3)
CASES = list(itertools.product(range(5), range(-2, 4)))
COMPARED = ("<", "<=", ">", ">=", "==", "!=")
SAID = [
    *(f"i {op} j" for op in COMPARED[:5]),
    *(f"i {op} 2" for op in COMPARED),
    *(f"i {op} 0" for op in COMPARED),
    *(f"i - j {op} 7" for op in COMPARED),
    *(f"i {op} 9" for op in COMPARED),
    *(f"j {op} i + 7" for op in COMPARED),
    "!(i < j)", "!(i == 0)", "!i", "i", "i < 3 && j < 2", "i < 3 || j < 2", "!(i < 3 && 2 > j)", "i < 9 && j < 1",
    "i > 9 || j < 1", "j < 1 && i < 9", "!(i > 9 || !(j < 1))", "i && j > 0", "-i < j",
]  # fmt: skip
# What no linear conditions say, or say of one side alone.
UNSAID = [
    "i * j < 3",
    "i * j < 3 && i < 2",
    "i < 2 && i * j < 3",
    "i * j < 3 || i < 2",
    "i < 2 || i * j < 3",
    "i / 2 < 1",
]
UNSAID += ["(i < j) == 0", "i < 9 || i * j", "j", "j == 0", "j != 1", "i != j", "j == 1 || i < 2", "i < 2 && j != 1"]


def holds(text: str, i: int, j: int) -> bool:
    python = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ").replace(" not =", "!=")
    return bool(eval(python.replace("/", "//"), {"i": i, "j": j}))


def value(x: Linear, at: Sequence[int]) -> int:
    return x.constant + sum(c * at[k] for k, c in x.terms.items())


def known(symbols: dict[str, ir.Symbol]) -> tuple[Ranges, Known]:
    ranges = Ranges()
    numbers = [ranges.add(*ends) for ends in SPAN]
    return ranges, {(symbols[name], ()): n for name, n in zip("ij", numbers, strict=True)}


@pytest.mark.parametrize("text", [*SAID, *UNSAID])
def test_what_is_said_of_a_condition_says_just_that(text: str) -> None:
    e, symbols = expression(text)
    ranges, at = known(symbols)
    said = Values(ranges, frozenset()).tested(e, at)
    for outcome, conditions in zip((True, False), said, strict=True):
        for i, j in CASES if conditions is not None else ():
            assert all(value(c, (i, j)) >= 0 for c in conditions) == (holds(text, i, j) == outcome), (i, j)
    if text in SAID:
        assert said != (None, None)


@pytest.mark.parametrize("text", [*SAID, *UNSAID])
def test_what_follows_from_a_condition_does(text: str) -> None:
    e, symbols = expression(text)
    ranges, at = known(symbols)
    function = ir.Function("f", "host", tuple(symbols.values()), VOID, (), e.span)
    walk = Bounded(ir.Program({}, (), ()), function, ranges, Objects(null_symbol(function), ()), frozenset())
    for outcome, found in zip((True, False), walk.outcomes(e, at), strict=True):
        conditions = [c for c in found if c.terms.keys() <= {0, 1}]  # others are of numbers that the walk has named
        for i, j in (at for at in CASES if holds(text, *at) == outcome):
            assert all(value(c, (i, j)) >= 0 for c in conditions), (i, j)
    if text in SAID:
        assert any(walk.outcomes(e, at))


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"])
def test_numbers_are_computed_as_c_does(op: str) -> None:
    known_of_none = Values(Ranges(), frozenset())
    for a, b in itertools.product((-7, -2, 0, 3, 5, 8), (-3, -1, 1, 2, 4)):
        left, right = (ir.Const(x, INT, span=HERE) for x in (a, b))
        found = known_of_none.number(ir.Binary(op, left, right, INT, span=HERE), {})
        if op in ("/", "%"):
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            assert found == Linear(quotient if op == "/" else a - b * quotient)
        elif op in ("<<", ">>") and (a < 0 or b < 0):
            assert found is None
        else:
            assert found == Linear(eval(f"a {op} b"))


@pytest.mark.parametrize(
    ("text", "number"),
    [("min(i, j)", min), ("max(i, j)", max), ("__mulhi(i, j)", None), ("__mul24(i, j)", None), ("__hadd(i, j)", None)],
)
def test_the_smaller_and_the_larger_of_two_lie_between_their_ends(text: str, number: object) -> None:
    e, symbols = expression(text)
    ranges, at = known(symbols)
    function = ir.Function("f", "kernel", tuple(symbols.values()), VOID, (), e.span)
    walk = Bounded(ir.Program({}, (), ()), function, ranges, Objects(null_symbol(function), ()), frozenset())
    found = walk.number(e, at)
    if not callable(number):
        assert found is None
        return
    assert found is not None
    outcomes = [number(i, j) for i, j in CASES]
    assert ranges.ends(found) == (min(outcomes), max(outcomes))
