"""Calls of functions for which the user gave a rule: they are not inlined, their pullback is the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hetad.adjoint.expressions import active_leaves, pull, where_seeded
from hetad.ir import nodes as ir
from hetad.ir.build import address_of, binary, convert, times, zero
from hetad.ir.types import Float
from hetad.rules.user import UserRule, slope

if TYPE_CHECKING:
    from hetad.adjoint.engine import Engine, Parts


def reverse_call(engine: Engine, s: ir.Call, rule: UserRule, function: ir.Function) -> Parts:
    if s.result is None:
        return [], []
    save, restore = engine.save(s.result, s.span)
    forward = [*save, s]
    if not engine.is_active(s.result):
        return forward, restore
    after = engine.names.symbol("result_after", s.result.type, s.span, const=True)
    taken, seed = engine.take(s.result, engine.shadow_place(s.result), True, s.span)
    opening: list[ir.Stmt] = [ir.Declare(after, s.result, span=s.span), *restore, *taken]
    if rule.pullback is not None:
        return forward, [*opening, *_by_function(engine, s, rule.pullback, seed)]
    out: list[ir.Stmt] = []
    for i, arg in enumerate(s.args):
        if not active_leaves(engine, arg):
            continue
        partial = slope(rule, function, i, s.args, ir.Var(after, span=s.span), s.span)
        if partial is not None:
            share = times(seed, convert(partial, seed.type))
            if not isinstance(partial, ir.Const):
                share = where_seeded(seed, share)
            out += pull(engine, arg, convert(share, arg.type), s.span)
    return forward, [*opening, *out]


def _by_function(engine: Engine, s: ir.Call, pullback: str, seed: ir.Expr) -> list[ir.Stmt]:
    """`f_pullback(args..., seed, &adj_x...)`, then what it added goes on to the arguments."""
    sums: list[tuple[ir.Expr, ir.Symbol]] = []
    out: list[ir.Stmt] = []
    for arg in s.args:
        if isinstance(arg.type, Float):
            symbol = engine.names.symbol("share", arg.type, s.span)
            out.append(ir.Declare(symbol, zero(arg.type, s.span), span=s.span))
            sums.append((arg, symbol))
    pointers = tuple(address_of(ir.Var(symbol, span=s.span)) for _, symbol in sums)
    seeded = binary("!=", seed, zero(seed.type, s.span))  # where it is zero, so are the shares
    out.append(ir.If(seeded, (ir.Call(pullback, (*s.args, seed, *pointers), span=s.span),), (), span=s.span))
    for arg, symbol in sums:
        out += pull(engine, arg, ir.Var(symbol, span=s.span), s.span)
    return out
