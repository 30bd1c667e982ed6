"""Loops that number their iterations in a variable of the program around them, as loops with a bound.

`k = 0; while (error > e && k < 10) { …; k += 1; }`, and what becomes of a loop that may be left early, with an index
that is declared before it: `k = 0; while (!stop && k < 10) { …; if (!stop) k += 1; }`.  How far `k` gets is not known
to a launch that only counts, but it is at most as far as it gets if nothing else ends the loop.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from hetad.adjoint.names import Names
from hetad.analysis.effects import Effects
from hetad.analysis.loops import counted
from hetad.ir import nodes as ir
from hetad.ir.simplify import conjuncts
from hetad.ir.visit import map_expr, variables, walk_stmts


def numbered(
    s: ir.While, before: Sequence[ir.Stmt], unknown: Container[ir.Symbol], effects: Effects, names: Names
) -> ir.For | None:
    """A loop with a number of its own that has the same body and runs no less often; None if none is found.
    `before`: the statements in front of the loop."""
    parts = conjuncts(s.cond)
    changed = effects.written(s.body)
    for part in parts:
        for symbol in dict.fromkeys(variables(part)):
            step, start = _step(symbol, s, parts, effects), _start(symbol, before, effects)
            if step is None or start is None or any(x in unknown for x in variables(part) if x is not symbol):
                continue
            own = names.symbol(symbol.name, symbol.type, s.span)
            cond = _with(part, symbol, own)
            again = replace(step, target=ir.Var(own, span=step.span))
            loop = ir.For((ir.Declare(own, start, span=s.span),), cond, (again,), s.body, span=s.span)
            if counted(loop, lambda e: effects.stable(e, changed), lambda x: x in changed) is not None:
                return loop
    return None


def _step(symbol: ir.Symbol, s: ir.While, parts: Sequence[ir.Expr], effects: Effects) -> ir.Update | None:
    """What is added to the variable in each iteration but the last, and nothing else."""
    found: list[ir.Update] = []
    for each in s.body:
        match each:
            case ir.Update() if _is(each.target, symbol):
                found.append(each)
            case ir.If(cond=cond, then=(ir.Update() as only,), orelse=()) if (
                each is s.body[-1] and cond in parts and _is(only.target, symbol)
            ):
                found.append(only)
            case _ if any(symbol in effects.writes(inner) for inner in walk_stmts((each,))):
                return None
    return found[0] if len(found) == 1 and isinstance(found[0].value, ir.Const) else None


def _start(symbol: ir.Symbol, before: Sequence[ir.Stmt], effects: Effects) -> ir.Const | None:
    """The number that the variable surely has after these statements."""
    for each in reversed(before):
        match each:
            case ir.Declare(symbol=x, init=value) | ir.Assign(target=ir.Var(symbol=x), value=value) if x is symbol:
                return value if isinstance(value, ir.Const) else None
        if any(symbol in effects.writes(inner) for inner in walk_stmts((each,))):
            return None
    return None


def _with(e: ir.Expr, symbol: ir.Symbol, other: ir.Symbol) -> ir.Expr:
    return map_expr(lambda x: ir.Var(other, span=x.span) if _is(x, symbol) else x, e)


def _is(e: ir.Expr, symbol: ir.Symbol) -> bool:
    return isinstance(e, ir.Var) and e.symbol is symbol
