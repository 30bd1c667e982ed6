"""What the reverse sweep makes of the rows of operators, against differences of the operation."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from hetad.adjoint.expressions import pull
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.nodes import Binary, Cast, Const, Select, Unary
from hetad.ir.types import BOOL, DOUBLE, FLOAT, INT
from hetad.rules import operators
from tests.rules.evaluate import SPAN, evaluate, variable

A, B, R, SEED = (variable(n, DOUBLE) for n in "abrs")
COND = variable("c", BOOL)
FORMS = {
    "a + b": Binary("+", A, B, DOUBLE, span=SPAN),
    "a - b": Binary("-", A, B, DOUBLE, span=SPAN),
    "a * b": Binary("*", A, B, DOUBLE, span=SPAN),
    "a / b": Binary("/", A, B, DOUBLE, span=SPAN),
    "-a": Unary("-", A, DOUBLE, span=SPAN),
    "(T)a": Cast(Cast(A, FLOAT, span=SPAN), DOUBLE, span=SPAN),
    "c ? a : b": Select(COND, A, B, DOUBLE, span=SPAN),
}
MORE = {
    "a * a": Binary("*", A, A, DOUBLE, span=SPAN),
    "a * b * a": Binary("*", FORMS["a * b"], A, DOUBLE, span=SPAN),
    "a / a": Binary("/", A, A, DOUBLE, span=SPAN),
    "b / (a * b)": Binary("/", B, FORMS["a * b"], DOUBLE, span=SPAN),
    "-(a / b)": Unary("-", FORMS["a / b"], DOUBLE, span=SPAN),
}


class Engine:
    """Keeps the expressions that are added to each adjoint."""

    def __init__(self, active: Iterable[ir.Var]):
        self.names = Names(())
        self.active = [x.symbol for x in active]

    def is_active(self, place):
        return isinstance(place, ir.Var) and place.symbol in self.active

    def accumulate(self, place, value, span):
        return [ir.Update("+", place, value, span=span)]


def adjoints(expr, values, active, result=None):
    """The numbers that a reverse sweep adds to the adjoints of a and b."""
    found = {x.symbol: 0.0 for x in active}

    def run(body, values):
        values = dict(values)
        for s in body:
            match s:
                case ir.Declare(symbol=symbol, init=init):
                    values[symbol] = evaluate(init, values)
                case ir.If(cond=cond, then=then, orelse=orelse):
                    run(then if evaluate(cond, values) else orelse, values)
                case ir.Update(op="+", target=ir.Var(symbol=symbol), value=value):
                    found[symbol] += evaluate(value, values)

    run(pull(Engine(active), expr, SEED, SPAN, result), values)
    return [found[x.symbol] for x in active]


def values_of(expr, a, b, c, seed):
    values = {A.symbol: np.float64(a), B.symbol: np.float64(b), COND.symbol: c, SEED.symbol: np.float64(seed)}
    return values | {R.symbol: evaluate(expr, values)}


def test_each_row_has_its_case():
    assert FORMS.keys() == operators.ROWS.keys()
    assert all(operators.row_of(expr) is operators.ROWS[form] for form, expr in FORMS.items())


@pytest.mark.parametrize("form", [*FORMS, *MORE])
@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("active", [(A, B), (A,), (B,)], ids=["both", "a", "b"])
@pytest.mark.parametrize("with_result", [True, False])
def test_what_is_added_is_the_slope(form, c, active, with_result):
    expr = {**FORMS, **MORE}[form]
    values = values_of(expr, 1.25, -0.75, c, 1.5)
    found = adjoints(expr, values, active, R if with_result else None)
    h = 2.0**-12 if "T" in form else 2.0**-20
    for x, adjoint in zip(active, found, strict=True):
        up, down = (evaluate(expr, values | {x.symbol: values[x.symbol] + s * h}) for s in (1, -1))
        assert adjoint == pytest.approx(1.5 * (up - down) / (2 * h), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("active", [(A, B), (A,), (B,)], ids=["both", "a", "b"])
def test_a_zero_seed_gives_zero_where_a_quotient_is_infinite(active):
    expr = FORMS["a / b"]
    values = values_of(expr, 1.0, 0.0, True, 0.0)
    assert adjoints(expr, values, active) == [0.0] * len(active)
    assert math.isinf(adjoints(expr, values | {SEED.symbol: np.float64(1.0)}, (A,))[0])


def test_the_quotient_is_used_where_there_is_one():
    assert R.symbol in {e.symbol for s in pull(Engine((B,)), FORMS["a / b"], SEED, SPAN, R) for e in mentioned(s)}


def mentioned(s):
    from hetad.ir.visit import own_exprs, walk_expr

    return (e for own in own_exprs(s) for e in walk_expr(own) if isinstance(e, ir.Var))


def test_a_division_by_a_number_needs_no_question():
    half = Binary("/", A, Const(2.0, DOUBLE, span=SPAN), DOUBLE, span=SPAN)
    (added,) = pull(Engine((A,)), half, SEED, SPAN)
    assert added.value == Binary("/", SEED, half.right, DOUBLE, span=SPAN)


def test_integers_stop_the_derivative():
    n = variable("n", INT)
    for expr in (Cast(A, INT, span=SPAN), Cast(n, DOUBLE, span=SPAN), Binary("<", A, B, BOOL, span=SPAN)):
        assert pull(Engine((A, B)), expr, SEED, SPAN) == []


def test_a_floating_operation_without_a_row_is_refused():
    with pytest.raises(UnsupportedError, match="no derivative for this expression"):
        pull(Engine((A, B)), Binary("%", A, B, DOUBLE, span=SPAN), SEED, SPAN)
