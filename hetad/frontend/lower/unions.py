"""Unions of numbers, as their bits.

A union of integers and floating numbers of up to eight bytes becomes a struct of one integer.  Members are made of its
bits where they are read, and become bits where they are set, as `__float_as_uint` and its relatives do; so no later
pass knows of unions, and what is refused of bits (`analysis/bits.py`) is refused of them.
"""

from __future__ import annotations

from pycparser import c_ast

from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.lower import convert
from hetad.frontend.lower.context import Context
from hetad.ir.nodes import (
    AddressOf,
    Assign,
    Binary,
    Body,
    Call,
    Cast,
    Const,
    Expr,
    Index,
    Intrinsic,
    Member,
    Stmt,
    Update,
    Var,
)
from hetad.ir.types import LLONG, UCHAR, UINT, ULLONG, USHORT, Field, Float, Int, Struct, Type, is_volatile, size_of
from hetad.ir.visit import map_body, map_expr, map_own_exprs

REMEDY = "use a struct, or convert bits with __float_as_int and its relatives"
_BITS = "hetad_bits"
_UNSIGNED = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULLONG}
_TO_BITS = {32: ("__float_as_uint", UINT), 64: ("__double_as_longlong", LLONG)}
_FROM_BITS = {32: ("__uint_as_float", UINT), 64: ("__longlong_as_double", LLONG)}


def union_type(ctx: Context, node: c_ast.Union, name: str, members: tuple[Field, ...]) -> Struct:
    """The struct that stands for a union of these members."""
    decls = (d for d in node.decls or [] if isinstance(d, c_ast.Decl))
    for decl, member in zip(decls, members, strict=True):
        if not is_number(member.type):
            ctx.refuse(f"a union with a member of type '{member.type}'", decl, REMEDY)
    return of_numbers(name, members)


def of_numbers(name: str, members: tuple[Field, ...]) -> Struct:
    """The struct of one integer that stands for a union of numbers."""
    whole = _UNSIGNED[max(size_of(m.type) for m in members)]
    return Struct(name, (Field(_BITS, whole),), union=members)


def is_number(type_: Type) -> bool:
    """Whether something of this type may be a member of a union."""
    number = isinstance(type_, Float) or (isinstance(type_, Int) and type_.bits >= 8)
    return number and not is_volatile(type_)


def as_bits(body: Body) -> Body:
    """The body of a function, with what reads and sets members of unions on their bits."""
    return map_body(_statement, body)


def initial(value: Expr, type_: Struct, name: str | None) -> Expr:
    """The bits of a union whose first member, or the one named, has a value."""
    member = next((m for m in type_.union if m.name == name), type_.union[0])
    return _bits(convert.convert(value, member.type), type_.fields[0].type)


def _statement(s: Stmt) -> Stmt:
    match s:
        case Assign(target=Member() as target, value=value) if _is_member(target):
            return _set(target, map_expr(_read, value), s.span)
        case Update(op=op, target=Member() as target, value=value) if _is_member(target):
            now = map_expr(_read, target)
            new = convert.binary(op, now, map_expr(_read, value), s.span)
            return _set(target, convert.convert(new, target.type, s.span), s.span)
        case Call(result=Member() as result) if _is_member(result):
            raise _refusal("the result of a call as a member of a union", s.span)
    return map_own_exprs(lambda e: map_expr(_read, e), s)


def _is_member(e: Expr) -> bool:
    return isinstance(e, Member) and isinstance(e.base.type, Struct) and bool(e.base.type.union) and e.name != _BITS


def _whole(place: Member) -> Member:
    """The bits of the union that a member is of."""
    assert isinstance(place.base.type, Struct)
    return Member(map_expr(_read, place.base), _BITS, place.base.type.fields[0].type, span=place.span)


def _set(target: Member, value: Expr, span: Span) -> Stmt:
    place = _whole(target)
    new, width = _bits(value, place.type), size_of(target.type)
    if width < size_of(place.type):  # the other bits stay
        mask = Const((1 << (8 * size_of(place.type))) - (1 << (8 * width)), place.type, span=span)
        new = Binary("|", Binary("&", place, mask, place.type, span=span), new, place.type, span=span)
    if size_of(place.type) < 4:
        new = convert.convert(new, place.type, span)
    return Assign(place, new, span=span)


def _bits(value: Expr, whole: Type) -> Expr:
    """A number as bits, zeros above it."""
    span = value.span
    if isinstance(value.type, Float):
        name, type_ = _TO_BITS[value.type.bits]
        return _cast(Intrinsic(name, (value,), type_, span=span), whole)
    return _cast(_cast(value, _UNSIGNED[size_of(value.type)]), whole)


def _read(e: Expr) -> Expr:
    """A member of a union, made of its bits; operands have been rewritten."""
    if isinstance(e, AddressOf):
        place: Expr = e.place
        if not isinstance(place, Var | Index | Member):
            raise _refusal("the address of a member of a union", e.span)
    if not _is_member(e):
        return e
    assert isinstance(e, Member)
    whole = _whole(e)
    if isinstance(e.type, Float):
        name, type_ = _FROM_BITS[e.type.bits]
        return Intrinsic(name, (_cast(whole, type_),), e.type, span=e.span)
    return Cast(whole, e.type, span=e.span)


def _cast(e: Expr, type_: Type) -> Expr:
    return e if e.type == type_ else Cast(e, type_, span=e.span)


def _refusal(what: str, span: Span) -> UnsupportedError:
    return UnsupportedError(f"hetad does not support {what}", span, REMEDY)
