"""Loops that count in several variables, `for (a = 0, b = f; a <= last; a += 16, b += 16 * n)`, by their trips."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.affine import Polynomial, polynomial
from hetad.device.demotion.values import Values, expression
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, integer
from hetad.ir.places import changed_in
from hetad.ir.types import BOOL, INT
from hetad.ir.visit import map_body, substitute, variables


def by_trips(body: ir.Body, values: Values, names: Names) -> ir.Body:
    """`values`: of variables that are set once."""
    return map_body(lambda s: _counted(s, values, names) if isinstance(s, ir.For) else s, body)


def _counted(s: ir.For, values: Values, names: Names) -> ir.Stmt:
    starts = {d.symbol: d.init for d in s.init if isinstance(d, ir.Declare) and d.init is not None}
    steps: dict[ir.Symbol, ir.Expr] = {}
    for step in s.step:
        if not isinstance(step, ir.Update) or step.op != "+" or not isinstance(step.target, ir.Var):
            return s
        steps[step.target.symbol] = step.value
    several = len(s.init) > 1 and len(starts) == len(s.init) and steps.keys() == starts.keys() == {*steps}
    if not several or len(steps) < len(s.step) or any(x.type != INT for x in starts):
        return s
    changed = set(changed_in(s.body)) | set(starts)
    header = [*starts.values(), *steps.values()]
    if not changed.isdisjoint(x for e in header for x in variables(e)) or not set(starts).isdisjoint(
        changed_in(s.body)
    ):
        return s
    match s.cond:
        case ir.Binary(op="<" | "<=" as op, left=ir.Var(symbol=index), right=last) if index in starts:
            pass
        case _:
            return s
    by = polynomial(values.of(steps[index])).constant
    if by is None or by < 1 or not changed.isdisjoint(variables(last)) or last.type != INT:
        return s
    distance = polynomial(values.of(last)) - polynomial(values.of(starts[index]))
    if not values.simple(distance):
        return s
    trips = expression(distance + Polynomial({(): by - (op == "<")} if by > (op == "<") else {}), s.span)
    if by > 1:
        trips = ir.Binary("/", trips, integer(by, s.span), INT, span=s.span)
    trip = names.symbol("trip", INT, s.span)
    here = ir.Var(trip, span=s.span)
    where: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
    for x, start in starts.items():
        moved = ir.Binary("*", convert(values.of(steps[x]), INT), here, INT, span=s.span)
        where[x] = ir.Binary("+", convert(start, INT), moved, INT, span=s.span)
    return replace(
        s,
        init=(ir.Declare(trip, integer(0, s.span), span=s.span),),
        cond=ir.Binary("<", here, trips, BOOL, span=s.span),
        step=(ir.Update("+", here, integer(1, s.span), span=s.span),),
        body=substitute(where, s.body),
    )
