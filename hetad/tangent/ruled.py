"""Tangents of calls of functions for which the user gave a rule (`hetad.pullback`).

A rule by formulas gives the slopes.  One by a function is asked with a seed of 1, so that it gives them too:

    y = f(u, v);   →   double share = 0.0, share_1 = 0.0;
                       f_pullback(u, v, 1.0, &share, &share_1);
                       y = f(u, v);
                       dot_y = share * dot_u + share_1 * dot_v;
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hetad.ir import nodes as ir
from hetad.ir.build import address_of, var, zero
from hetad.ir.types import Float
from hetad.rules.user import UserRule, slope

if TYPE_CHECKING:
    from hetad.tangent.engine import Engine, Statements


def tangent_call(engine: Engine, s: ir.Call, rule: UserRule, function: ir.Function) -> Statements:
    """The call, and in front of it or behind it the tangents of its result."""
    result, span = s.result, s.span
    if result is None or not engine.one.is_active(result):
        return [s]
    before: Statements = []
    held = engine.held_arguments(s.args, before)
    if not held.along:
        return [*engine.constant(result), s]
    call = ir.Call(s.function, held.values, result, span=span)
    if rule.pullback is not None:
        slopes: Mapping[int, ir.Expr | None] = _asked(engine, call, rule.pullback, before)
    else:
        slopes = {i: slope(rule, function, i, held.values, result, span) for i in held.along}
    terms = [
        engine.algebra.along(partial, held.along[i], finite=isinstance(partial, ir.Const))
        for i, partial in slopes.items()
        if partial is not None and i in held.along
    ]
    return [*before, call, *engine.sum_of(terms, result, span)]


def _asked(engine: Engine, call: ir.Call, pullback: str, before: Statements) -> dict[int, ir.Expr | None]:
    """What the function of a rule says that the slopes are."""
    span = call.span
    assert call.result is not None
    found: dict[int, ir.Expr | None] = {}
    pointers: list[ir.Expr] = []
    for i, arg in enumerate(call.args):
        if isinstance(arg.type, Float):
            share = engine.names.symbol("share", arg.type, span)
            before.append(ir.Declare(share, zero(arg.type, span), span=span))
            pointers.append(address_of(var(share, span)))
            found[i] = var(share, span)
    one = ir.Const(1.0, call.result.type, span=span)
    arguments: Sequence[ir.Expr] = (*call.args, one, *pointers)
    before.append(ir.Call(pullback, tuple(arguments), span=span))
    return found
