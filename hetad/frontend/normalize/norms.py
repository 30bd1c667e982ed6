"""Norms of arrays as loops (see `rules/expanded.py`)."""

from __future__ import annotations

from dataclasses import replace

from hetad.ir.build import Names
from hetad.ir.nodes import (
    Assign,
    Binary,
    Body,
    Cast,
    Const,
    Declare,
    Expr,
    For,
    Index,
    Intrinsic,
    Select,
    Stmt,
    Symbol,
    Update,
    Var,
)
from hetad.ir.types import BOOL, INT, Array, Float
from hetad.ir.visit import map_body
from hetad.rules import expanded


def write_out_norms(body: Body, names: Names) -> Body:
    """The body, expressions in normalised form, with each norm as a loop before the statement that takes it."""

    def written_out(s: Stmt) -> Stmt | Body:
        match s:
            case Declare(init=Intrinsic() as call) if call.name in expanded.table():
                before, value = _loop(call, names)
                return *before, replace(s, init=value)
            case Assign(value=Intrinsic() as call) if call.name in expanded.table():
                before, value = _loop(call, names)
                return *before, replace(s, value=value)
        return s

    return map_body(written_out, body)


def _loop(call: Intrinsic, names: Names) -> tuple[list[Stmt], Expr]:
    """The statements that compute a norm, and the expression for its value, or its reciprocal."""
    count, pointer = call.args
    assert isinstance(call.type, Float)
    span, real = call.span, call.type
    total, index = Symbol(names.fresh("norm"), real, span), Symbol(names.fresh("k"), INT, span)
    so_far, k = Var(total, span=span), Var(index, span=span)
    element = Index(_array(pointer), k, real, span=span)
    hypot = "hypotf" if call.name.endswith("f") else "hypot"
    loop = For(
        (Declare(index, Const(0, INT, span=span), span=span),),
        Binary("<", k, _at_least_one(count), BOOL, span=span),
        (Update("+", k, Const(1, INT, span=span), span=span),),
        (Assign(so_far, Intrinsic(hypot, (so_far, element), real, span=span), span=span),),
        span=span,
    )
    one = Const(1.0, real, span=span)
    value = Binary("/", one, so_far, real, span=span) if call.name.startswith("rnorm") else so_far
    return [Declare(total, Const(0.0, real, "0", span=span), span=span), loop], value


def _at_least_one(count: Expr) -> Expr:
    """As on a GPU, where the norm of nothing is that of the first element."""
    one = Const(1, INT, span=count.span)
    if isinstance(count, Const):
        return count if count.value >= 1 else one
    return Select(Binary("<", count, one, BOOL, span=count.span), one, count, INT, span=count.span)


def _array(pointer: Expr) -> Expr:
    """The array or pointer without the conversion that the call makes."""
    inner = pointer
    while isinstance(inner, Cast) and inner.implicit:
        inner = inner.operand
    plain = not isinstance(inner.type, Array) or isinstance(inner.type.of, Float)
    return inner if plain else pointer
