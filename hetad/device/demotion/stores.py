"""Stores to one cell of shared memory in both branches of a condition, as one store behind them."""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.staging import array_of
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.places import changed_in
from hetad.ir.visit import map_bodies, variables


def one_store(body: ir.Body, names: Names) -> ir.Body:
    """`if (c) a[e] = u; else a[e] = v;`, and `a[e] = v; if (c) a[e] = u;`, by a variable that is stored."""
    out: list[ir.Stmt] = []
    for s in body:
        s = map_bodies(lambda inner: one_store(inner, names), s)
        before = out[-1] if out else None
        if isinstance(s, ir.If) and not s.orelse and isinstance(before, ir.Assign) and _same_cell(before, s):
            out.pop()
            s = replace(s, orelse=(before,))
        out += _joined(s, names) if isinstance(s, ir.If) else [s]
    return tuple(out)


def _same_cell(before: ir.Assign, s: ir.If) -> bool:
    """Whether the branch gives the cell another value, and reads the array nowhere."""
    last = s.then[-1] if s.then else None
    array = array_of(before.target)
    if array is None or not isinstance(last, ir.Assign) or last.target != before.target:
        return False
    read = (*variables(s.cond), *variables(s.then[:-1]), *variables(last.value), *variables(before.value))
    return array not in read and isinstance(before.value, ir.Const)


def _joined(s: ir.If, names: Names) -> list[ir.Stmt]:
    if not s.then or not s.orelse:
        return [s]
    then, orelse = s.then[-1], s.orelse[-1]
    if not isinstance(then, ir.Assign) or not isinstance(orelse, ir.Assign) or then.target != orelse.target:
        return [s]
    array = array_of(then.target)
    rest = (*s.then[:-1], *s.orelse[:-1])
    if array is None or array in variables(rest) or not set(variables(then.target)).isdisjoint(changed_in(rest)):
        return [s]
    chosen = names.symbol("chosen", then.target.type, s.span)
    place = ir.Var(chosen, span=s.span)
    return [
        ir.Declare(chosen, None, span=s.span),
        replace(
            s,
            then=(*s.then[:-1], replace(then, target=place)),
            orelse=(*s.orelse[:-1], replace(orelse, target=place)),
        ),
        ir.Assign(then.target, place, span=then.span),
    ]
