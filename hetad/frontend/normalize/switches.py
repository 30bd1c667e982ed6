"""A switch as a list of ifs whose bodies still end in break: the structuring pass makes an else-if chain of it."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.ir.build import Names
from hetad.ir.nodes import (
    Assign,
    Binary,
    Body,
    Break,
    Case,
    Const,
    Continue,
    Declare,
    Expr,
    Goto,
    If,
    Return,
    Stmt,
    Switch,
    Symbol,
    Var,
)
from hetad.ir.simplify import opposite
from hetad.ir.types import BOOL


def unfold(stmt: Switch, names: Names) -> Body:
    """Ifs in the order of the cases; a flag carries a case's fall through into the next."""
    span = stmt.span
    falls = [_falls(case) for case in stmt.cases[:-1]]
    out: list[Stmt] = []
    subject = stmt.subject
    if not isinstance(subject, Const) and (any(falls) or not isinstance(subject, Var)):
        symbol = Symbol(names.fresh("selected"), subject.type, span)
        out.append(Declare(symbol, subject, span=span))
        subject = Var(symbol, span=span)
    if not any(falls):
        out += _exclusive(stmt, subject)
        return tuple(out)
    fell = Symbol(names.fresh("fell"), BOOL, span)
    out.append(Declare(fell, Const(False, BOOL, "false", span=span), span=span))
    values = [v for case in stmt.cases for v in case.values]
    for i, case in enumerate(stmt.cases):
        cond = _matches(case, subject, values)
        if i and falls[i - 1]:
            cond = _or(Var(fell, span=case.span), cond)
        body = case.body
        if i < len(falls) and falls[i]:
            body = (*body, Assign(Var(fell, span=case.span), Const(True, BOOL, "true", span=case.span), span=case.span))
        out.append(If(cond, body, (), span=case.span))
    return tuple(out)


def _exclusive(stmt: Switch, subject: Expr) -> list[Stmt]:
    """No case falls through: the default can come last, for everything that is left."""
    cases = [c for c in stmt.cases if not c.default] + [c for c in stmt.cases if c.default]
    out: list[Stmt] = []
    for case in cases:
        body = case.body if always_leaves(case.body) else (*case.body, Break(span=case.span))
        if case.default:
            out += body
        else:
            out.append(If(_any_of(subject, case.values), body, (), span=case.span))
    return out


def _falls(case: Case) -> bool:
    return not always_leaves(case.body)


def always_leaves(body: Sequence[Stmt]) -> bool:
    """Whether control never comes to the end of the body."""
    for stmt in body:
        if isinstance(stmt, Break | Continue | Return | Goto):
            return True
        if isinstance(stmt, If) and always_leaves(stmt.then) and always_leaves(stmt.orelse):
            return True
    return False


def _matches(case: Case, subject: Expr, every: Sequence[Expr]) -> Expr:
    if not case.default:
        return _any_of(subject, case.values)
    others = [v for v in every if not any(v is own for own in case.values)]
    return opposite(_any_of(subject, others)) if others else Const(True, BOOL, "true", span=case.span)


def _any_of(subject: Expr, values: Sequence[Expr]) -> Expr:
    cond: Expr | None = None
    for value in values:
        test = Binary("==", subject, value, BOOL, span=value.span)
        cond = test if cond is None else _or(cond, test)
    assert cond is not None
    return cond


def _or(left: Expr, right: Expr) -> Expr:
    return Binary("||", left, right, BOOL, span=right.span)
