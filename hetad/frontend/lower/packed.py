"""Members that are bits of integers: those of unions of numbers, and bit-fields.

A union of integers and floating numbers of up to eight bytes becomes a struct of one integer, a row of bit-fields as
many integers as it lies in.  Members are made of bits where they are read, and become bits where they are set, as
`__float_as_uint` and its relatives do; so no later pass knows of them, and what is refused of bits
(`analysis/bits.py`) is refused of unions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

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
from hetad.ir.types import (
    INT,
    LLONG,
    UCHAR,
    UINT,
    ULLONG,
    USHORT,
    Bits,
    Field,
    Float,
    Int,
    Struct,
    Type,
    is_volatile,
    size_of,
)
from hetad.ir.visit import map_body, map_expr, map_own_exprs

REMEDY = "use a struct, or convert bits with __float_as_int and its relatives"
BITS = "hetad_bits"
UNSIGNED = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULLONG}
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
    whole = UNSIGNED[max(size_of(m.type) for m in members)]
    bits = tuple(Bits(m.name, m.type, BITS, 0, 8 * size_of(m.type)) for m in members)
    return Struct(name, (Field(BITS, whole),), bits=bits, is_union=True)


def is_number(type_: Type) -> bool:
    """Whether something of this type may be a member of a union."""
    number = isinstance(type_, Float) or (isinstance(type_, Int) and type_.bits >= 8)
    return number and not is_volatile(type_)


def as_bits(body: Body) -> Body:
    """The body of a function, with what reads and sets members of unions on their bits."""
    return map_body(_statement, body)


def slots(type_: Struct) -> list[Field | Bits]:
    """The members that a list of initial values is for, in order."""
    found: list[Field | Bits] = []
    for field in type_.fields:
        found += [b for b in type_.bits if b.field == field.name] or [field]
    return found


def initial(given: Mapping[str, Expr], type_: Struct, zero: Callable[[Type, Span], Expr], span: Span) -> Iterator[Expr]:
    """The values of the fields, of those of some members."""
    for field in type_.fields:
        parts = [b for b in type_.bits if b.field == field.name and b.name in given]
        if not parts:
            yield given.get(field.name) or zero(field.type, span)
        else:
            whole = _shifted(given[parts[0].name], parts[0], field.type)
            for part in parts[1:]:
                whole = Binary("|", whole, _shifted(given[part.name], part, field.type), whole.type, span=span)
            yield convert.convert(whole, field.type, span)


def _statement(s: Stmt) -> Stmt:
    match s:
        case Assign(target=Member() as target, value=value) if is_part(target):
            return _set(target, map_expr(_read, value), s.span)
        case Update(op=op, target=Member() as target, value=value) if is_part(target):
            now = map_expr(_read, target)
            new = convert.binary(op, now, map_expr(_read, value), s.span)
            return _set(target, convert.convert(new, target.type, s.span), s.span)
        case Call(result=Member() as result) if is_part(result):
            raise _refusal("the result of a call as a member of a union, or a bit-field,", s.span)
    return map_own_exprs(lambda e: map_expr(_read, e), s)


def _part(e: Expr) -> Bits | None:
    """The bits that an expression names as a member."""
    return e.base.type.bits_named(e.name) if isinstance(e, Member) and isinstance(e.base.type, Struct) else None


def is_part(e: Expr) -> bool:
    """Whether an expression names a member that is bits."""
    return _part(e) is not None


def _whole(place: Member, part: Bits) -> Member:
    """The integer that has the bits of a member."""
    assert isinstance(place.base.type, Struct)
    type_ = place.base.type.field_type(part.field) or next(f.type for f in place.base.type.fields)
    return Member(map_expr(_read, place.base), part.field, type_, span=place.span)


def _set(target: Member, value: Expr, span: Span) -> Stmt:
    part = _part(target)
    assert part is not None
    place = _whole(target, part)
    new, width = _shifted(value, part, place.type), 8 * size_of(place.type)
    if part.width < width:  # the other bits stay
        mask = Const((1 << width) - 1 - (((1 << part.width) - 1) << part.first), new.type, span=span)
        others = Binary("&", _cast(place, new.type), mask, new.type, span=span)
        new = Binary("|", others, new, new.type, span=span)
    return Assign(place, new if new.type == place.type else convert.convert(new, place.type, span), span=span)


def _shifted(value: Expr, part: Bits, whole: Type) -> Expr:
    """A number as the bits of a member where they lie in an integer, in the type in which these are computed."""
    span, into = value.span, UNSIGNED[max(size_of(whole), 4)]
    value = convert.convert(value, part.type, span)
    if isinstance(value.type, Float):
        name, type_ = _TO_BITS[value.type.bits]
        return _cast(Intrinsic(name, (value,), type_, span=span), into)
    if part.width == 8 * size_of(value.type):
        value = _cast(_cast(value, UNSIGNED[size_of(value.type)]), into)
    else:
        value = Binary("&", _cast(value, into), Const((1 << part.width) - 1, into, span=span), into, span=span)
    return Binary("<<", value, Const(part.first, INT, span=span), into, span=span) if part.first else value


def _read(e: Expr) -> Expr:
    """A member, made of its bits; operands have been rewritten."""
    if isinstance(e, AddressOf):
        place: Expr = e.place
        if not isinstance(place, Var | Index | Member):
            raise _refusal("the address of a member of a union, or of a bit-field,", e.span)
    part = _part(e)
    if part is None:
        return e
    assert isinstance(e, Member)
    whole, span = _whole(e, part), e.span
    if isinstance(e.type, Float):
        name, type_ = _FROM_BITS[e.type.bits]
        return Intrinsic(name, (_cast(whole, type_),), e.type, span=span)
    if part.width == 8 * size_of(e.type) and part.first == 0:
        return Cast(whole, e.type, span=span)
    unsigned = UNSIGNED[max(size_of(whole.type), 4)]
    bits = unsigned.bits
    if part.signed:
        above = Const(bits - part.first - part.width, INT, span=span)
        top = Binary("<<", _cast(whole, unsigned), above, unsigned, span=span)
        signed = replace(unsigned, signed=True, name={32: "int", 64: "long long"}[bits])
        return _cast(
            Binary(">>", Cast(top, signed, span=span), Const(bits - part.width, INT, span=span), signed, span=span),
            e.type,
        )
    low = Binary(">>", _cast(whole, unsigned), Const(part.first, INT, span=span), unsigned, span=span)
    return Cast(
        Binary("&", low, Const((1 << part.width) - 1, unsigned, span=span), unsigned, span=span), e.type, span=span
    )


def _cast(e: Expr, type_: Type) -> Expr:
    return e if e.type == type_ else Cast(e, type_, span=e.span)


def _refusal(what: str, span: Span) -> UnsupportedError:
    return UnsupportedError(f"hetad does not support {what}", span, REMEDY)
