"""Branches: the forward and the reverse arm of one condition side by side."""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.canonicalise.uses import assigned, idle, mentioned, root_of
from hetad.ir import nodes as ir
from hetad.ir.simplify import droppable, opposite
from hetad.ir.visit import same_or, variables, walk_expr


def merge_branches(body: ir.Body, kernel: bool) -> ir.Body:
    """`if (c) A; T x; if (c) B;` becomes `T x; if (c) { A B }` where A leaves c alone."""
    out: list[ir.Stmt] = []
    for s in body:
        out.append(s)
        while _merges(out, kernel):
            pass
    return same_or(body, tuple(out))


def _merges(out: list[ir.Stmt], kernel: bool) -> bool:
    """Merges the last statement with the branch before it, where that may be."""
    other, i = out[-1], len(out) - 2
    if not isinstance(other, ir.If):
        return False
    while i >= 0 and idle(out[i]):
        i -= 1
    s = out[i] if i >= 0 else None
    if not isinstance(s, ir.If) or other.cond != s.cond:
        return False
    if not steady_condition(s.cond, kernel) or any(assigned((*s.then, *s.orelse), x) for x in variables(s.cond)):
        return False
    moved = [x for x in out[i + 1 : -1] if not isinstance(x, ir.Comment)]
    if any(x.symbol in mentioned(s) for x in moved if isinstance(x, ir.Declare)):
        return False
    out[i:] = [*moved, replace(s, then=(*s.then, *other.then), orelse=(*s.orelse, *other.orelse))]
    return True


def steady_condition(cond: ir.Expr, kernel: bool) -> bool:
    """Whether only an assignment to one of its variables could change the condition."""
    for e in walk_expr(cond):
        if isinstance(e, ir.Index | ir.Member):
            root = root_of(e)
            if not kernel or root is None or root.storage != "param":
                return False
    return True


def without_empty_branches(body: ir.Body) -> ir.Body:
    """Without branches that do nothing, whichever way they go."""
    return same_or(body, tuple(s for s in body if not _is_empty(s)))


def _is_empty(s: ir.Stmt) -> bool:
    return isinstance(s, ir.If) and all(isinstance(x, ir.Comment) for x in (*s.then, *s.orelse)) and droppable(s.cond)


def turn_round(s: ir.Stmt) -> ir.Stmt:
    """A branch whose first arm is empty is turned round."""
    if isinstance(s, ir.If) and not s.then and s.orelse:
        return replace(s, cond=opposite(s.cond), then=s.orelse, orelse=())
    return s
