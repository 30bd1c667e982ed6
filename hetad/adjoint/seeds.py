"""Cells of adjoints whose seed has been taken."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from hetad.adjoint.canonicalise.uses import inside
from hetad.ir import nodes as ir
from hetad.ir.build import is_zero
from hetad.ir.simplify import negated
from hetad.ir.visit import own_exprs, variables


def stored(body: ir.Body, adjoints: Collection[ir.Symbol]) -> ir.Body:
    """What is added to a cell that has just been cleared is stored: `adj_x[i] = 0; adj_x[i] += v;` is `adj_x[i] = v;`,
    and nothing at all where v is the seed that was read there.

    `adjoints`: the variables that are adjoints or lead to some; no other leads there.
    """
    known = set(adjoints)

    def block(body: ir.Body) -> ir.Body:
        out: list[ir.Stmt | None] = [inside(block, s) for s in body]
        for k, s in enumerate(out):
            if isinstance(s, ir.Assign) and is_zero(s.value) and not known.isdisjoint(variables(s.target)):
                at = _added_next(out, k, s.target, known)
                if at is not None:
                    out[at] = None if _puts_back(out[at], s.target, out[k - 1] if k else None) else _as_store(out[at])
                    out[k] = None
        return tuple(s for s in out if s is not None) if None in out or _differ(out, body) else body

    return block(body)


def _added_next(body: list[ir.Stmt | None], k: int, place: ir.Place, adjoints: set[ir.Symbol]) -> int | None:
    """Where the cell is added to for the first time behind statement k, if nothing between may know the difference."""
    where = set(variables(place))
    for at in range(k + 1, len(body)):
        s = body[at]
        if isinstance(s, ir.Update) and s.target == place:
            return at if adjoints.isdisjoint(variables(s.value)) else None
        if isinstance(s, ir.Declare):
            changed: ir.Symbol | None = s.symbol
        elif isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            changed = s.target.symbol
        elif s is None or isinstance(s, ir.Comment):
            continue
        else:
            return None
        mentioned = set(chain.from_iterable(map(variables, own_exprs(s))))
        if changed in where or not adjoints.isdisjoint(mentioned - {changed}) or changed in adjoints:
            return None
    return None


def _puts_back(s: ir.Stmt | None, place: ir.Place, before: ir.Stmt | None) -> bool:
    """Whether the cell is given what was read there just before it was cleared."""
    if not isinstance(before, ir.Declare) or before.init != place or not isinstance(s, ir.Update) or s.op != "+":
        return False
    return isinstance(s.value, ir.Var) and s.value.symbol is before.symbol and before.symbol.const


def _as_store(s: ir.Stmt | None) -> ir.Stmt:
    assert isinstance(s, ir.Update)
    return ir.Assign(s.target, s.value if s.op == "+" else negated(s.value), span=s.span)


def _differ(new: list[ir.Stmt | None], old: ir.Body) -> bool:
    return any(a is not b for a, b in zip(new, old, strict=True))
