"""Expressions in their simplest form: one rule a function, and all of them tried until none applies.

A rule is given an expression whose operands are simple, and returns what stands for it, or None.  What stands for it
has the same value bit for bit, also where numbers are infinite or none: floating sums are not regrouped, x * 0 and
x + 0 stay, unsigned numbers wrap around, and no division is moved to where the program does not divide.  Only where C
gives an expression no meaning (a signed overflow, a division by zero) may the other one have some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hetad.diagnostics import Span
from hetad.ir.arithmetic import COMPARISONS, OPPOSITE, computed, integer_value, number, wrap
from hetad.ir.nodes import (
    Binary,
    Block,
    Body,
    Cast,
    Const,
    Declare,
    Expr,
    If,
    Index,
    Member,
    Select,
    Stmt,
    ThreadIndex,
    Unary,
    Var,
)
from hetad.ir.types import BOOL, Float, Int, is_volatile
from hetad.ir.visit import map_body, map_expr, map_exprs, walk_expr

Rules = Mapping[type, Sequence[Callable[[Any], Expr | None]]]  # by the class that they are given

_WHOLE = 1 << 12  # sums and products of smaller whole numbers are the same in all types of numbers


def simplified(expr: Expr) -> Expr:
    """The whole expression in its simplest form."""
    return map_expr(simplest, expr)


def simplified_body(body: Body) -> Body:
    """The body with all its expressions in their simplest form, and without branches that are never taken."""
    return map_body(decided, map_exprs(simplest, body))


def simplest(expr: Expr) -> Expr:
    """The simplest form of an expression whose operands are simple."""
    return applied(RULES, expr)


def applied(rules: Rules, expr: Expr) -> Expr:
    """The expression once none of the rules applies."""
    new: Expr | None = expr
    while new is not None:
        expr = new
        new = next((found for rule in rules.get(type(expr), ()) if (found := rule(expr)) is not None), None)
    return expr


# --- rules for operations ------------------------------------------------------------------------


def constants(e: Binary) -> Expr | None:
    """Numbers that are not all of the user's writing are computed: `4 - 1` is `3`, and `2.0 * 3.0` is `6.0`; but none
    that overflow, and floating ones only where no rounding changes them."""
    a, b = e.left, e.right
    if not (isinstance(a, Const) and isinstance(b, Const) and _of_one_type(e) and _computable(a, b)):
        return None
    if isinstance(e.type, Float):
        if e.op not in ("+", "-", "*") or not all(abs(x.value) < _WHOLE and x.value == int(x.value) for x in (a, b)):
            return None
        total = a.value * b.value if e.op == "*" else a.value + (b.value if e.op == "+" else -b.value)
        return Const(float(total), e.type, span=e.span)
    value = computed(e.op, int(a.value), int(b.value))
    if value is None or not isinstance(e.type, Int) or (e.type.signed and wrap(value, e.type) != value):
        return None
    return Const(wrap(value, e.type), e.type, span=e.span)


def comparisons(e: Binary) -> Expr | None:
    """Of two numbers, or of a whole number with itself: `2 < 3` and `n == n` are `true`."""
    if e.op not in COMPARISONS:
        return None
    a, b = number(e.left), number(e.right)
    if a is not None and b is not None:
        return truth(COMPARISONS[e.op](a, b), e.span)
    if isinstance(e.left.type, Int) and e.left == e.right and droppable(e.left):
        return truth(COMPARISONS[e.op](0, 0), e.span)
    return None


def terms(e: Binary) -> Expr | None:
    """A zero: `n + 0`, `0 + n`, `n - 0` are `n`, `0 - n` is `-n`; `x - 0.0` is `x`, but -0.0 + 0.0 is 0.0."""
    added = number(e.right) if e.op in ("+", "-") and _of_one_type(e) else None
    if added == 0 and (isinstance(e.type, Int) or (e.op == "-" and math.copysign(1, added) > 0)):
        return e.left
    if not (e.op in ("+", "-") and _plain_integer(e) and _is(0, e.left)):
        return None
    return e.right if e.op == "+" else negated(e.right)


def factors(e: Binary) -> Expr | None:
    """A factor or divisor of one: `x * 1`, `1 * x`, `x / 1` are `x`; and `x * -1` is `-x`."""
    if e.op not in ("*", "/") or not _of_one_type(e):
        return None
    if _is(1, e.right):
        return e.left
    if _is(-1, e.right):
        return negated(e.left)
    if e.op == "*" and (_is(1, e.left) or _is(-1, e.left)):
        return e.right if _is(1, e.left) else negated(e.right)
    return None


def products_with_zero(e: Binary) -> Expr | None:
    """Of whole numbers: `n * 0` is `0`."""
    if e.op != "*" or not _plain_integer(e):
        return None
    zero = (_is(0, e.left) and droppable(e.right)) or (_is(0, e.right) and droppable(e.left))
    return Const(0, e.type, span=e.span) if zero else None


def regrouped_sums(e: Binary) -> Expr | None:
    """Numbers that are added to a whole number one after the other: `n + 2 - 1` is `n + 1`."""
    inner = e.left
    if e.op not in ("+", "-") or not _plain_integer(e) or not isinstance(inner, Binary) or inner.op not in ("+", "-"):
        return None
    a, b = inner.right, e.right
    if not (isinstance(a, Const) and isinstance(b, Const) and _plain_integer(inner) and _computable(a, b)):
        return None
    total = (1 if inner.op == "+" else -1) * int(a.value) + (1 if e.op == "+" else -1) * int(b.value)
    if not isinstance(e.type, Int) or wrap(abs(total), e.type) != abs(total):
        return None
    return Binary("+" if total >= 0 else "-", inner.left, Const(abs(total), e.type, span=b.span), e.type, span=e.span)


def signs(e: Binary) -> Expr | None:
    """Of what is added: `a + -b` is `a - b`, `a - -b` is `a + b`, `n + -3` is `n - 3`."""
    if e.op not in ("+", "-") or not _of_one_type(e):
        return None
    match e.right:
        case Unary(op="-", operand=added):
            pass
        case Const(value=value) if value < 0 and (isinstance(e.type, Float) or value > -_WHOLE):
            added = Const(-value, e.type, span=e.right.span)
        case _:
            return None
    return replace(e, op="-" if e.op == "+" else "+", right=added)


def logic(e: Binary) -> Expr | None:
    """With one side known, or said before: `c && true`, `c || false`, `c && c` are `c`; `false && c` is `false`."""
    if e.op not in ("&&", "||"):
        return None
    for one, other in ((e.left, e.right), (e.right, e.left)):
        known = number(one)
        if known is None:
            continue
        if bool(known) != (e.op == "&&"):
            return truth(bool(known), e.span) if other is e.right or droppable(other) else None
        return other if other.type == BOOL else None
    said = e.left
    while isinstance(said, Binary) and said.op == e.op and said.right != e.right:
        said = said.left
    before = said.right if isinstance(said, Binary) and said.op == e.op else said
    return e.left if before == e.right and e.left.type == BOOL and droppable(e.right) else None


def double_signs(e: Unary) -> Expr | None:
    """`-(-x)` is `x`."""
    inner = e.operand
    return inner.operand if e.op == "-" and isinstance(inner, Unary) and inner.op == "-" else None


def negations(e: Unary) -> Expr | None:
    """`!true` is `false`, `!!c` is `c`, `!(i < n)` is `i >= n` of whole numbers: a number that is none is not `>=`."""
    if e.op != "!":
        return None
    known = number(e.operand)
    if known is not None:
        return truth(not known, e.span)
    match e.operand:
        case Unary(op="!", operand=inner) if inner.type == BOOL:
            return inner
        case Binary(op=op) if op in OPPOSITE:
            return _opposite(e.operand)
    return None


def choices(e: Select) -> Expr | None:
    """With the condition known, or both arms the same: `true ? a : b` and `c ? a : a` are `a`."""
    known = number(e.cond)
    if known is not None:
        return e.then if known else e.orelse
    return e.then if e.then == e.orelse and droppable(e.cond) else None


def conversions(e: Cast) -> Expr | None:
    """To the type that is there already: `(int)n` is `n`."""
    if e.operand.type == e.type and isinstance(e.type, Int | Float) and str(e.operand.type) == str(e.type):
        return e.operand
    return None


RULES: Rules = {
    Binary: (constants, comparisons, terms, factors, products_with_zero, regrouped_sums, signs, logic),
    Unary: (double_signs, negations),
    Select: (choices,),
    Cast: (conversions,),
}


# --- rules for statements ------------------------------------------------------------------------


def decided(s: Stmt) -> Stmt | Body:
    """A branch whose condition is known: `if (true) A else B` is `A`, in a scope of its own if it declares anything."""
    known = number(s.cond) if isinstance(s, If) else None
    if not isinstance(s, If) or known is None:
        return s
    taken = s.then if known else s.orelse
    return (Block(taken, span=s.span),) if any(isinstance(x, Declare) for x in taken) else taken


# --- what is simple from the start ---------------------------------------------------------------


def truth(value: bool, span: Span) -> Const:
    return Const(value, BOOL, span=span)


def negated(expr: Expr) -> Expr:
    """`-expr`; of a literal, the literal of the other sign."""
    if isinstance(expr, Const) and isinstance(expr.type, Float):
        return Const(-expr.value, expr.type, span=expr.span)
    return simplest(Unary("-", expr, expr.type, span=expr.span))


def opposite(cond: Expr) -> Expr:
    """`!cond`, where it may be without the `!`; exact for NaN."""
    new = _opposite(cond)
    return new if new is not None else Unary("!", cond, BOOL, span=cond.span)


def _opposite(cond: Expr) -> Expr | None:
    match cond:
        case Binary(op=op, left=left) if op in OPPOSITE:
            # x == y and x != y are opposites for NaN too
            return None if isinstance(left.type, Float) and op not in ("==", "!=") else replace(cond, op=OPPOSITE[op])
        case Binary(op="&&" | "||" as op, left=left, right=right):
            a, b = _opposite(left), _opposite(right)
            return None if a is None or b is None else replace(cond, op="||" if op == "&&" else "&&", left=a, right=b)
        case Unary(op="!", operand=operand):
            return operand
        case Const(value=bool() as value):
            return Const(not value, BOOL, "false" if value else "true", span=cond.span)
    return None


def conjuncts(cond: Expr) -> list[Expr]:
    """The conditions that hold together where this one does."""
    match cond:
        case Cast(operand=operand) if operand.type == BOOL:
            return conjuncts(operand)
        case Binary(op="&&", left=left, right=right):
            return [*conjuncts(left), *conjuncts(right)]
    return [cond]


def conjunction(conditions: Sequence[Expr], span: Span | None = None) -> Expr:
    """All of the conditions, without those that hold in any case."""
    found: Expr | None = None
    for c in conditions:
        if not integer_value(c):
            found = c if found is None else Binary("&&", found, c, BOOL, span=c.span)
    return found if found is not None else truth(True, span or conditions[0].span)


def droppable(e: Expr) -> bool:
    """Whether nobody notices that the expression is not evaluated."""
    plain = (Var, Const, ThreadIndex, Unary, Binary, Select, Cast, Index, Member)
    return all(isinstance(x, plain) and not is_volatile(x.type) for x in walk_expr(e))


def _is(value: int, e: Expr) -> bool:
    found = number(e)
    return found is not None and found == value


def _of_one_type(e: Binary) -> bool:
    """Whether numbers of one type are computed with."""
    return isinstance(e.type, Int | Float) and e.left.type == e.right.type == e.type


def _plain_integer(e: Binary) -> bool:
    return _of_one_type(e) and isinstance(e.type, Int)


def _computable(a: Const, b: Const) -> bool:
    """Whether one of the numbers is not of the user's writing, and none has a name."""
    return None in (a.text, b.text) and all(x.text is None or x.text[0].isdigit() for x in (a, b))
