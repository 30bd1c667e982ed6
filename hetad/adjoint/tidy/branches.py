"""Branches: the forward and the reverse arm of one condition side by side."""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.tidy.uses import assigned, idle, mentioned, root_of
from hetad.ir import nodes as ir
from hetad.ir.visit import variables, walk_expr


def merge_branches(body: ir.Body, kernel: bool) -> ir.Body:
    """`if (c) A; T x; if (c) B;` becomes `T x; if (c) { A B }` where A leaves c alone."""
    for i, s in enumerate(body):
        if not isinstance(s, ir.If) or not settled_condition(s.cond, kernel):
            continue
        k = i + 1
        while k < len(body) and idle(body[k]):
            k += 1
        if k == len(body):
            return body
        other = body[k]
        if not isinstance(other, ir.If) or other.cond != s.cond:
            continue
        if any(assigned((*s.then, *s.orelse), x) for x in variables(s.cond)):
            continue
        moved = tuple(x for x in body[i + 1 : k] if not isinstance(x, ir.Comment))
        if any(x.symbol in mentioned(s) for x in moved if isinstance(x, ir.Declare)):
            continue
        merged = replace(s, then=(*s.then, *other.then), orelse=(*s.orelse, *other.orelse))
        return merge_branches((*body[:i], *moved, merged, *body[k + 1 :]), kernel)
    return body


def settled_condition(cond: ir.Expr, kernel: bool) -> bool:
    """Whether only an assignment to one of its variables could change the condition."""
    for e in walk_expr(cond):
        if isinstance(e, ir.Index | ir.Member):
            root = root_of(e)
            if not kernel or root is None or root.storage != "param":
                return False
    return True


def turn_round(s: ir.Stmt) -> ir.Stmt:
    """A branch whose first arm is empty is turned round."""
    if isinstance(s, ir.If) and not s.then and s.orelse:
        cond: ir.Expr = ir.Unary("!", s.cond, s.cond.type, span=s.cond.span)
        if isinstance(s.cond, ir.Unary) and s.cond.op == "!":
            cond = s.cond.operand
        return replace(s, cond=cond, then=s.orelse, orelse=())
    return s
