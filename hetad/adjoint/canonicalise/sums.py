"""Neighbouring additions to one cell, or to one counter."""

from __future__ import annotations

from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.build import binary
from hetad.ir.simplify import simplest
from hetad.ir.types import Int, is_volatile
from hetad.ir.visit import same_or


def merge_additions(body: ir.Body) -> ir.Body:
    """Neighbouring atomic additions to one cell become one, and so do steps of a counter: `++n; ++n;` is `n += 2;`."""
    out: list[ir.Stmt] = []
    for s in body:
        both = _both(out[-1], s) if out else None
        if both is None:
            out.append(s)
        else:
            out[-1] = both
    return same_or(body, tuple(out))


def _both(first: ir.Stmt, second: ir.Stmt) -> ir.Stmt | None:
    """What does both, if they are additions to the same."""
    match first, second:
        case ir.Call(function="atomicAdd", args=(cell, a)), ir.Call(function="atomicAdd", args=(other, b)):
            return replace(first, args=(cell, sum_of(a, b))) if cell == other and a.type == b.type else None
        case (
            ir.Update(op="+", target=ir.Var(type=Int()) as counter, value=ir.Const() as a),
            ir.Update(op="+", target=ir.Var() as other, value=ir.Const() as b),
        ):
            same = counter.symbol is other.symbol and a.type == b.type and not is_volatile(counter.type)
            return replace(first, value=sum_of(a, b)) if same else None
    return None


def sum_of(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    return simplest(binary("+", a, b))
