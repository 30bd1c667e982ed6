"""Neighbouring additions to one cell."""

from __future__ import annotations

from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.build import binary
from hetad.ir.simplify import simplest
from hetad.ir.visit import same_or


def merge_atomics(body: ir.Body) -> ir.Body:
    """Neighbouring atomic additions to one cell become one."""
    out: list[ir.Stmt] = []
    for s in body:
        last = out[-1] if out else None
        if (
            isinstance(s, ir.Call)
            and isinstance(last, ir.Call)
            and s.function == last.function == "atomicAdd"
            and s.args[0] == last.args[0]
            and s.args[1].type == last.args[1].type
        ):
            out[-1] = replace(last, args=(last.args[0], sum_of(last.args[1], s.args[1])))
            continue
        out.append(s)
    return same_or(body, tuple(out))


def sum_of(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    return simplest(binary("+", a, b))
