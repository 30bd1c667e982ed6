"""Every row against differences of the function itself in 40 digits; the cases come from the tables."""

from __future__ import annotations

import math
import random
import re

import mpmath as mp
import numpy as np
import pytest

from hetad.ir.nodes import Const, Intrinsic, Var
from hetad.ir.types import DOUBLE, FLOAT, INT, Float
from hetad.ir.visit import walk_expr
from hetad.rules.math import ROWS, may_be_infinite, mentions, output_mentions, output_partial, partial, slope
from hetad.rules.row import Row
from tests.rules.evaluate import SPAN, call, evaluate, rounded, variable
from tests.rules.reference import OUTPUTS, function

EPS = {FLOAT: 2.0**-23, DOUBLE: 2.0**-52}
SCALAR_ROWS = [name for name, row in ROWS.items() if not row.outputs]
WITH_OUTPUTS = [name for name, row in ROWS.items() if row.outputs]


def draw(row: Row, rng: random.Random) -> list:
    points = []
    for param, (low, high) in zip(row.inputs, row.domain, strict=True):
        value = rng.uniform(low, high) if isinstance(param.type, Float) else rng.randint(int(low), int(high))
        points.append(rounded(value, param.type))
    return points


def exact(value):
    return mp.mpf(float(value)) if isinstance(value, np.floating) else value


def difference(f, point: list, index: int):
    """∂f/∂(argument `index`), by central differences in 40 digits."""
    h = mp.mpf(10) ** -14
    x = [exact(v) for v in point]
    up, down = ([v + s * h if i == index else v for i, v in enumerate(x)] for s in (1, -1))
    return (f(*up) - f(*down)) / (2 * h)


def value_of_partial(name: str, index: int, point: list):
    """The number that the expression of a partial gives; `index` counts the inputs."""
    row = ROWS[name]
    args = [variable(p.name, p.type) for p in row.inputs]
    r = variable("r", row.returns)
    values = {a.symbol: v for a, v in zip(args, point, strict=True)}
    values[r.symbol] = call(name, point, row.returns)
    expr = partial(name, index, args, r, SPAN)
    if expr is None:
        return rounded(0, row.real)
    assert expr.type == row.real
    used = {e.symbol.name for e in walk_expr(expr) if isinstance(e, Var)}
    assert used <= mentions(name, index)
    if row.real == FLOAT:
        assert not any(e.type == DOUBLE for e in walk_expr(expr)), "a float rule must stay in float"
    return evaluate(expr, values)


def close(got, want, type_: Float) -> bool:
    return abs(mp.mpf(float(got)) - want) <= 32 * EPS[type_] * (abs(want) + 1)


@pytest.mark.parametrize("name", SCALAR_ROWS)
def test_partials_are_the_derivative(name):
    row, rng = ROWS[name], random.Random(name)
    for _ in range(12):
        point = draw(row, rng)
        for index, param in enumerate(row.inputs):
            if not isinstance(param.type, Float):
                assert row.partials[index] is None
                continue
            got, want = value_of_partial(name, index, point), difference(function(row.base), point, index)
            assert close(got, want, row.real), f"∂{name}/∂{param.name} at {point}: {got}, not {mp.nstr(want, 12)}"


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_partials_of_stored_results_are_the_derivative(name):
    row, rng = ROWS[name], random.Random(name)
    for output in row.outputs:
        if not isinstance(output.type, Float):
            args = [variable(p.name, p.type) for p in row.inputs]
            assert output_partial(name, output.name, 0, args, {}, SPAN) is None
            continue
        f = function(OUTPUTS[row.base][output.name])
        for _ in range(8):
            point = draw(row, rng)
            args = [variable(p.name, p.type) for p in row.inputs]
            stored = {o.name: variable(o.name, o.type) for o in row.outputs}
            values = {a.symbol: v for a, v in zip(args, point, strict=True)}
            for o in row.outputs:
                values[stored[o.name].symbol] = rounded(function(OUTPUTS[row.base][o.name])(exact(point[0])), o.type)
            expr = output_partial(name, output.name, 0, args, stored, SPAN)
            got = 0 if expr is None else evaluate(expr, values)
            assert close(got, difference(f, point, 0), row.real)
            assert output_mentions(name, output.name, 0) <= {p.name for p in row.params}


@pytest.mark.parametrize("name", [n for n in WITH_OUTPUTS if isinstance(ROWS[n].returns, Float)])
def test_partials_of_the_returned_value_beside_stored_results(name):
    row, rng = ROWS[name], random.Random(name)
    for _ in range(8):
        point = draw(row, rng)
        args = [variable(p.name, p.type) for p in row.inputs]
        values = {a.symbol: v for a, v in zip(args, point, strict=True)}
        r = variable("r", row.returns)
        values[r.symbol] = call(name, point, row.returns)
        stored = {o.name: variable(o.name, o.type) for o in row.outputs}
        for o in row.outputs:
            f = OUTPUTS.get(row.base, {}).get(o.name)
            if f:
                values[stored[o.name].symbol] = rounded(function(f)(exact(point[0])), o.type)
        for index in range(len(row.inputs)):
            expr = partial(name, index, args, r, SPAN, stored)
            got = 0 if expr is None else evaluate(expr, values)
            assert close(got, difference(function(row.base), point, index), row.real)


EDGES = [(name, edge) for name, row in ROWS.items() for edge in row.edges]


@pytest.mark.parametrize(("name", "edge"), EDGES)
def test_documented_values_at_kinks_and_poles(name, edge):
    row = ROWS[name]
    given = dict(part.split("=") for part in edge.split())
    point = [rounded(float(given[p.name]), p.type) for p in row.inputs]
    wanted = iter(row.edges[edge].split())
    for index, param in enumerate(row.inputs):
        if not isinstance(param.type, Float):
            continue
        got, want = float(value_of_partial(name, index, point)), float(next(wanted))
        if math.isfinite(want):
            assert got == pytest.approx(want, rel=64 * EPS[row.real] + 1e-8, abs=1e-30)
        else:
            assert np.array_equal(got, want, equal_nan=True), f"∂{name}/∂{param.name} at {edge}: {got}, not {want}"
            assert may_be_infinite(name, index)
    assert next(wanted, None) is None


REACH = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 700.0, -700.0)


def has_finite_slope(row: Row) -> bool:
    return any(s == "finite" and isinstance(p.type, Float) for s, p in zip(row.slopes, row.inputs, strict=True))


@pytest.mark.parametrize("name", [n for n in SCALAR_ROWS if has_finite_slope(ROWS[n])])
def test_a_slope_called_finite_is_finite(name):
    """Where a slope can be infinite or NaN although the result is a number, the row must say so."""
    row, rng = ROWS[name], random.Random(name)
    tiny = 1e-30 if row.real == FLOAT else 1e-300
    reach = (*REACH, tiny, -tiny)
    if not re.search(r"bessel|[jy][01n]|gamma", row.base):
        reach += (1 / tiny, -1 / tiny)
    for _ in range(60):
        point = [
            rounded(rng.choice(reach) if isinstance(p.type, Float) else rng.randint(0, 3), p.type) for p in row.inputs
        ]
        with np.errstate(all="ignore"):
            if math.isnan(call(name, point, row.returns)):
                continue
        for index, param in enumerate(row.inputs):
            if isinstance(param.type, Float) and slope(name, index) == "finite":
                assert math.isfinite(value_of_partial(name, index, point)), f"∂{name}/∂{param.name} at {point}"


@pytest.mark.parametrize("name", [n for n, row in ROWS.items() if row.real == DOUBLE and n + "f" in ROWS])
def test_the_float_twin_mirrors_the_double_row(name):
    double, single = ROWS[name], ROWS[name + "f"]
    assert (single.partials, single.edges, single.base) == (double.partials, double.edges, name)
    assert [p.type for p in single.params if p.type == DOUBLE] == []


def test_a_missing_result_repeats_the_call():
    x = variable("x", FLOAT)
    assert partial("expf", 0, [x], None, SPAN) == Intrinsic("expf", (x,), FLOAT, span=SPAN)


POWERS = [
    (0, 0), (1, 1), (2, 4), (3, 12), (4, 32), (0.5, 0.5**1.5), (1.5, 1.5 * 2**0.5), (-1, -0.25), (2.5, 2.5 * 2**1.5),
]  # fmt: skip


@pytest.mark.parametrize(("exponent", "slope_at_2"), POWERS)
def test_a_constant_exponent_is_folded(exponent, slope_at_2):
    x, r = variable("x", DOUBLE), variable("r", DOUBLE)
    expr = partial("pow", 0, [x, Const(exponent, DOUBLE, span=SPAN)], r, SPAN)
    if slope_at_2 == 0:
        assert expr is None
        return
    assert evaluate(expr, {x.symbol: np.float64(2)}) == pytest.approx(slope_at_2, rel=1e-15)
    assert ("pow" in {getattr(e, "name", "") for e in walk_expr(expr)}) == (exponent == 2.5)


def test_a_constant_argument_sharpens_the_slope():
    x = variable("x", DOUBLE)
    assert may_be_infinite("pow", 0)
    assert not may_be_infinite("pow", 0, [x, Const(2, DOUBLE, span=SPAN)])
    assert may_be_infinite("pow", 0, [x, Const(0.5, DOUBLE, span=SPAN)])
    assert not may_be_infinite("fdividef", 0, [variable("x", FLOAT), Const(3, FLOAT, span=SPAN)])


def test_an_integer_argument_has_no_partial():
    args = [variable("n", INT), variable("x", DOUBLE)]
    assert partial("jn", 0, args, None, SPAN) is None
