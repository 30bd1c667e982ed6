"""What a derivative leaves out where a number is zero, which has a derivative there all the same.

    z = seed == 0 ? 0 : seed * slope;      ->   z = hetad_guarded(seed, seed * slope);
    double sum = 0;                             double sum = 0, met = 0;
    for (...) { sum += part; }             ->   for (...) { sum += part; met = 1; }
    if (sum != 0) { adj[i] += sum; }            if (met != 0) { adj[i] += sum; }

A zero stands for what is linear in it: a seed, of which a slope that may be infinite makes no number, and a sum, which
is zero where nothing was added and the cell need not exist.  As control flow they would have the derivative zero.
Programs of users mean what they say.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeGuard

from hetad.analysis.dataflow import settle
from hetad.ir import nodes as ir
from hetad.ir.build import Names, is_zero
from hetad.ir.places import root_symbol
from hetad.ir.types import Float, innermost
from hetad.ir.visit import declared, map_body, map_children, map_expr, map_exprs, variables, walk_stmts
from hetad.rules import operations

_MADE = re.compile(r"// .*\b(?:of|for) \w+.* \(line \d+\)")


def without_guards(program: ir.Program, f: ir.Function) -> ir.Function:
    """The function, where hetad made it, with zeros that have derivatives."""
    if not _is_made(program, f):
        return f
    body = map_exprs(_guarded, f.body)
    body = _Met(f, body).body
    return f if body is f.body else replace(f, body=body)


def _is_made(program: ir.Program, f: ir.Function) -> bool:
    """Whether hetad made the function: its comment says of what."""
    if f.comment is not None:
        return True
    lines = program.sources.get(f.span.file, "").splitlines()[: f.span.line - 1]
    comment: list[str] = []
    while lines and lines[-1].startswith("//"):
        comment.append(lines.pop())
    return any(map(_MADE.match, comment))


def _guarded(e: ir.Expr) -> ir.Expr:
    """A multiple of a seed, which is zero where the seed is."""
    if not isinstance(e, ir.Select) or not isinstance(e.type, Float) or not isinstance(e.cond, ir.Binary):
        return e
    zero, share = (e.then, e.orelse) if e.cond.op == "==" else (e.orelse, e.then)
    if e.cond.op not in ("==", "!=") or not _of_seed(e.cond) or not is_zero(zero) or is_zero(share):
        return e
    return operations.guarded(e.cond.left, share, span=e.span)


def _of_seed(test: ir.Binary) -> bool:
    return isinstance(test.left.type, Float) and is_zero(test.right)


class _Met:
    """`body`: beside each local sum that is asked whether it is zero, whether anything was added to it."""

    def __init__(self, f: ir.Function, body: ir.Body) -> None:
        own = {x for x in declared(body) if x.storage == "local" and isinstance(innermost(x.type), Float)}
        asked = [x for s in walk_stmts(body) if isinstance(s, ir.If) for x in _asked(s.cond)]
        summed = self._with_sources(body, [x for x in asked if x in own], own)
        names = Names({s.name for s in (*f.params, *declared(body))})
        self._met = {x: replace(x, name=names.fresh(f"{x.name}_met"), const=False) for x in summed}
        self.body = map_body(self._statement, body) if self._met else body

    def _with_sources(self, body: ir.Body, asked: list[ir.Symbol], own: set[ir.Symbol]) -> list[ir.Symbol]:
        """These, and those of which they are sums over lanes."""
        found = dict.fromkeys(asked)

        def more() -> None:
            sums = (s for s in walk_stmts(body) if _target(s) in found)
            found.update(dict.fromkeys(x for s in sums for x in _summed_over_lanes(s) if x in own))

        settle(found, more)
        return list(found)

    def _statement(self, s: ir.Stmt) -> ir.Stmt | ir.Body:
        if isinstance(s, ir.If):
            return replace(s, cond=map_expr(self._test, s.cond)) if any(x in self._met for x in _asked(s.cond)) else s
        target = _target(s)
        if target not in self._met:
            return s
        if isinstance(s, ir.Declare):
            return s, ir.Declare(self._met[s.symbol], self._value(s.init) if s.init is not None else None, span=s.span)
        assert isinstance(s, ir.Assign | ir.Update)
        place = self._of_met(s.target)
        assert isinstance(place, ir.Var | ir.Index | ir.Member)
        value = self._value(s.value) if isinstance(s, ir.Assign) else None
        return s, ir.Assign(place, value if value is not None else _one(s.target), span=s.span)

    def _test(self, e: ir.Expr) -> ir.Expr:
        return self._of_met(e) if _is_test(e) and root_symbol(e.left) in self._met else e

    def _of_met(self, e: ir.Expr) -> ir.Expr:
        return map_expr(self._variable, e)

    def _variable(self, e: ir.Expr) -> ir.Expr:
        met = self._met.get(e.symbol) if isinstance(e, ir.Var) else None
        return ir.Var(met, span=e.span) if met is not None else e

    def _value(self, e: ir.Expr | None) -> ir.Expr | None:
        """Whether anything is in a value: a sum over lanes of sums is asked for theirs."""
        if e is None or is_zero(e):
            return e
        if isinstance(e, ir.Aggregate):
            return map_children(lambda x: self._value(x) or x, e)
        if operations.gives(e, operations.lane_sum):
            return self._of_met(e)
        return ir.Const(1.0, e.type, span=e.span)


def _one(place: ir.Place) -> ir.Expr:
    return ir.Const(1.0, place.type, span=place.span)


def _target(s: ir.Stmt) -> ir.Symbol | None:
    if isinstance(s, ir.Declare):
        return s.symbol
    return root_symbol(s.target) if isinstance(s, ir.Assign | ir.Update) else None


def _summed_over_lanes(s: ir.Stmt) -> list[ir.Symbol]:
    value = s.init if isinstance(s, ir.Declare) else s.value if isinstance(s, ir.Assign) else None
    return list(variables(value.args[0])) if operations.gives(value, operations.lane_sum) else []


def _asked(cond: ir.Expr) -> list[ir.Symbol]:
    """The variables, or those whose elements, a condition compares with zero."""
    if isinstance(cond, ir.Binary) and cond.op == "&&":
        return [*_asked(cond.left), *_asked(cond.right)]
    root = root_symbol(cond.left) if _is_test(cond) else None
    return [root] if root is not None else []


def _is_test(e: ir.Expr) -> TypeGuard[ir.Binary]:
    plain = isinstance(e, ir.Binary) and e.op == "!=" and isinstance(e.left, ir.Var | ir.Index)
    return plain and isinstance(e, ir.Binary) and isinstance(e.left.type, Float) and is_zero(e.right)
