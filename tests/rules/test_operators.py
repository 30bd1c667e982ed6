"""The partials of operators, against differences of the operation."""

from __future__ import annotations

import numpy as np
import pytest

from hetad.ir.nodes import Binary, Cast, Const, Select, Unary
from hetad.ir.types import BOOL, DOUBLE, FLOAT, INT
from hetad.rules.operators import may_be_infinite, operands
from tests.rules.evaluate import SPAN, evaluate, variable

A, B, R = (variable(n, DOUBLE) for n in "abr")


@pytest.mark.parametrize("op", list("+-*/"))
@pytest.mark.parametrize("given", [True, False])
def test_binary(op, given):
    expr = Binary(op, A, B, DOUBLE, span=SPAN)
    values = {A.symbol: np.float64(1.25), B.symbol: np.float64(-0.75)}
    values[R.symbol] = evaluate(expr, values)
    for operand, factor in operands(expr, R if given else None):
        h = 1e-6
        up, down = (evaluate(expr, values | {operand.symbol: values[operand.symbol] + s * h}) for s in (1, -1))
        assert evaluate(factor, values) == pytest.approx((up - down) / (2 * h), rel=1e-8)


def test_the_quotient_is_used_where_there_is_one():
    (_, _), (_, factor) = operands(Binary("/", A, B, DOUBLE, span=SPAN), R)
    assert factor == Binary("/", Unary("-", R, DOUBLE, span=SPAN), B, DOUBLE, span=SPAN)


def test_negation_selection_and_casts():
    assert operands(Unary("-", A, DOUBLE, span=SPAN)) == ((A, Const(-1.0, DOUBLE, span=SPAN)),)
    cond = variable("c", BOOL)
    (_, then), (_, orelse) = operands(Select(cond, A, B, DOUBLE, span=SPAN))
    for c in (True, False):
        assert (evaluate(then, {cond.symbol: c}), evaluate(orelse, {cond.symbol: c})) == (c, not c)
    assert operands(Cast(A, FLOAT, span=SPAN)) == ((A, Const(1.0, FLOAT, span=SPAN)),)


def test_integers_stop_the_derivative():
    n = variable("n", INT)
    assert operands(Cast(A, INT, span=SPAN)) == ()
    assert operands(Cast(n, DOUBLE, span=SPAN)) == ()
    assert operands(Binary("<", A, B, BOOL, span=SPAN)) == ()


def test_only_a_quotient_has_an_infinite_partial():
    assert may_be_infinite(Binary("/", A, B, DOUBLE, span=SPAN))
    assert not may_be_infinite(Binary("/", A, Const(2.0, DOUBLE, span=SPAN), DOUBLE, span=SPAN))
    assert not may_be_infinite(Binary("*", A, B, DOUBLE, span=SPAN))
