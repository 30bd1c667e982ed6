"""Conversions: the rules of C, with those of C++ where CUDA programs rely on them."""

from __future__ import annotations

from dataclasses import replace

from hetad.diagnostics import Span, SyntaxProblem, UnsupportedError
from hetad.frontend.lower import half
from hetad.ir.arithmetic import round_to_float, wrap
from hetad.ir.nodes import (
    AddressOf,
    Aggregate,
    Binary,
    Cast,
    Const,
    Expr,
    Index,
    Member,
    Select,
    ThreadIndex,
    Unary,
    Var,
)
from hetad.ir.types import (
    BOOL,
    CHAR,
    DIM3,
    INT,
    LONG,
    OPTION_FLAG,
    UINT,
    Array,
    Float,
    Int,
    Opaque,
    Pointer,
    Struct,
    Type,
    Void,
    element,
    is_half,
    is_volatile,
    of_value,
    promote,
    promote_integer,
)


def convert(expr: Expr, type_: Type, span: Span | None = None) -> Expr:
    """The implicit conversion to `type_`, as in an assignment.  Raises SourceError where C++ has none."""
    span = span or expr.span
    expr = decay(expr)
    if isinstance(type_, Pointer) and isinstance(type_.to, Void):
        expr = first_element(expr)
    if expr.type == type_:
        return expr
    if is_half(type_) or is_half(expr.type):
        return _of_halves(expr, type_, span)
    if isinstance(type_, Int | Float) and isinstance(expr.type, Int | Float):
        return arithmetic(expr, type_)
    if type_ == DIM3 and isinstance(expr.type, Int):
        one = Const(1, UINT, "1", span=span)
        return Aggregate((convert(expr, UINT), one, one), DIM3, span=span)
    if isinstance(type_, Pointer | Opaque) and is_null(expr):
        return Const(0, type_, "0", span=expr.span)
    if isinstance(type_, Pointer) and isinstance(expr.type, Pointer) and _compatible(expr.type, type_):
        return Cast(undecayed(expr), type_, implicit=True, span=expr.span)
    if type_ == OPTION_FLAG:
        remedy = "leave it null, and look at the letter that getopt_long returns"
        raise UnsupportedError("hetad does not support an option's flag that getopt_long sets", span, remedy)
    if type_ == BOOL and isinstance(expr.type, Pointer):
        return Cast(expr, type_, implicit=True, span=expr.span)
    raise SyntaxProblem(f"cannot convert '{expr.type}' to '{type_}'", span, _remedy(expr.type, type_))


def _of_halves(expr: Expr, type_: Type, span: Span) -> Expr:
    """A conversion from or to a type of 16 bits; between two of them it goes through float."""
    if is_half(expr.type) and isinstance(type_, Int | Float):
        number = half.to_float(expr, span)
        return half.from_number(number, type_, span) if is_half(type_) else arithmetic(number, type_)
    if not isinstance(expr.type, Int | Float):
        half.refuse(f"a conversion of '{expr.type}' to '{type_}'", span)
    return half.from_number(expr, of_value(type_), span)


def _remedy(given: Type, wanted: Type) -> str:
    if isinstance(wanted, Pointer) and isinstance(given, Pointer | Int):
        return f"write the cast ({wanted}) if it is meant"
    return ""


def _compatible(given: Pointer, wanted: Pointer) -> bool:
    if isinstance(given.to, Void) or isinstance(wanted.to, Void):
        return True
    return unqualified(given.to) == unqualified(wanted.to)


def unqualified(type_: Type) -> Type:
    """The type with every `const` behind pointers removed."""
    match type_:
        case Pointer(to=to):
            return Pointer(unqualified(to))
        case Array(of=of):
            return Array(unqualified(of), type_.length)
    return type_


def arithmetic(expr: Expr, type_: Int | Float) -> Expr:
    """The implicit conversion between arithmetic types; a literal takes the new type when it keeps its value."""
    type_ = type_ if not type_.volatile else replace(type_, volatile=False)
    if expr.type == type_:
        return expr
    if isinstance(expr, Const) and not isinstance(expr.type, Opaque | Pointer):
        folded = _literal(expr, type_)
        if folded is not None:
            return folded
    if isinstance(expr, Unary) and expr.op == "-" and isinstance(expr.operand, Const) and expr.operand.value != 0:
        operand = arithmetic(expr.operand, type_)
        if isinstance(operand, Const) and isinstance(type_, Float):
            return replace(expr, operand=operand, type=type_)
    return Cast(expr, type_, implicit=True, span=expr.span)


def _changes_volatility(given: Type, wanted: Type) -> bool:
    """Whether a cast of a pointer is there for the sake of `volatile`."""
    while isinstance(given, Pointer | Array) and isinstance(wanted, Pointer | Array):
        given, wanted = element(given), element(wanted)
        if is_volatile(given) != is_volatile(wanted):
            return True
    return False


def _literal(const: Const, type_: Int | Float) -> Const | None:
    if isinstance(type_, Int) and isinstance(const.type, Int):
        value = int(const.value)
        if type_ == BOOL or const.type == BOOL:
            return Const(bool(value), BOOL, span=const.span) if type_ == BOOL else None
        text = const.text.rstrip("uUlL") if const.text is not None and type_.bits < const.type.bits else const.text
        return replace(const, type=type_, text=text) if wrap(value, type_) == value else None
    if isinstance(type_, Float) and isinstance(const.type, Int):
        number = float(const.value)
        if number != const.value or abs(number) >= 2**24:
            return None
        return Const(number, type_, f"{int(number)}.0{'f' if type_.bits == 32 else ''}", span=const.span)
    if isinstance(type_, Float) and isinstance(const.type, Float):
        number = float(const.value)
        if type_.bits == 32 and round_to_float(number) != number:
            return None
        text = const.text
        if text is not None and text[0].isdigit() and not text.startswith(("0x", "0X")):
            plain = text.rstrip("fF")
            if float(plain.replace("'", "")) == number:  # 0.1f stays: it is not 0.1
                text = plain + ("f" if type_.bits == 32 else "")
        elif text is not None:
            return None
        return Const(number, type_, text, span=const.span)
    return None


def is_null(expr: Expr) -> bool:
    """`0` or `nullptr`."""
    if isinstance(expr, Cast):
        return isinstance(expr.type, Pointer) and isinstance(expr.type.to, Void) and is_null(expr.operand)
    return isinstance(expr, Const) and not isinstance(expr.type, Float) and expr.value == 0


def decay(expr: Expr) -> Expr:
    """An array used as a value is the address of its first element."""
    if isinstance(expr.type, Array):
        return Cast(expr, Pointer(expr.type.of, const=is_const(expr)), implicit=True, span=expr.span)
    return expr


def first_element(expr: Expr) -> Expr:
    """The address of a whole array (`&a`), as that of its first element (`a`): where only the address counts."""
    return decay(expr.place) if isinstance(expr, AddressOf) and isinstance(expr.place.type, Array) else expr


def undecayed(expr: Expr) -> Expr:
    """The array behind an implicit decay, so that it can be indexed directly."""
    if isinstance(expr, Cast) and expr.implicit and isinstance(expr.operand.type, Array):
        return expr.operand
    return expr


def is_const(place: Expr) -> bool:
    """Whether a place may not be written."""
    match place:
        case Var(symbol=symbol):
            return symbol.const
        case Index(base=base):
            return base.type.const if isinstance(base.type, Pointer) else is_const(base)
        case Member(base=base):
            return is_const(base)
    return False


def explicit(expr: Expr, type_: Type, span: Span) -> Expr:
    """A cast as written; one to the type that is there already means nothing."""
    expr = decay(expr)
    if isinstance(type_, Pointer) and not isinstance(type_.to, Array):
        expr = first_element(expr)
    given = expr.type
    if given == type_ and not _changes_volatility(given, type_):
        return expr
    type_ = of_value(type_)
    if is_half(type_) or is_half(given):
        return convert(expr, type_, span)
    scalar = Int | Float | Pointer | Opaque
    if isinstance(type_, Pointer | Opaque) and is_null(expr):
        return Const(0, type_, "0", span=span)
    if isinstance(type_, scalar) and isinstance(given, scalar):
        if isinstance(given, Pointer | Opaque) and isinstance(type_, Float):
            raise SyntaxProblem(f"cannot cast '{given}' to '{type_}'", span)
        if isinstance(given, Float) and isinstance(type_, Pointer | Opaque):
            raise SyntaxProblem(f"cannot cast '{given}' to '{type_}'", span)
        if isinstance(expr, Const) and isinstance(given, Int) and isinstance(type_, Float):
            return arithmetic(expr, type_)
        return Cast(expr, type_, span=span)
    if type_ == DIM3:
        return convert(expr, type_, span)
    raise SyntaxProblem(f"cannot cast '{given}' to '{type_}'", span)


# --- operators -----------------------------------------------------------------------------------

COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


def binary(op: str, left: Expr, right: Expr, span: Span) -> Expr:
    """`left op right` with the operands converted as the operator asks."""
    left, right = decay(left), decay(right)
    if op in ("&&", "||"):
        return Binary(op, condition(left), condition(right), BOOL, span=span)
    if op in ("==", "!=") and (isinstance(left.type, Opaque) or isinstance(right.type, Opaque)):
        handle = left.type if isinstance(left.type, Opaque) else right.type
        return Binary(op, convert(left, handle), convert(right, handle), BOOL, span=span)
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _pointer_binary(op, left, right, span)
    for operand in (left, right):
        if is_half(operand.type):
            half.refuse(f"'{op}'", span)
        if not isinstance(operand.type, Int | Float):
            raise UnsupportedError(f"'{op}' on a value of type '{operand.type}'", span, "operate on its members")
    if op in ("<<", ">>", "%", "&", "|", "^") and (isinstance(left.type, Float) or isinstance(right.type, Float)):
        raise SyntaxProblem(f"'{op}' needs integers", span)
    if op in ("<<", ">>"):
        left, right = promoted(left), promoted(right)
        return Binary(op, left, right, left.type, span=span)
    common = promote(left.type, right.type)
    assert isinstance(common, Int | Float)
    left, right = arithmetic(left, common), arithmetic(right, common)
    return Binary(op, left, right, BOOL if op in COMPARISONS else common, span=span)


def _pointer_binary(op: str, left: Expr, right: Expr, span: Span) -> Expr:
    if op in COMPARISONS:
        if isinstance(left.type, Pointer) and not isinstance(right.type, Pointer):
            right = convert(right, left.type)
        elif isinstance(right.type, Pointer) and not isinstance(left.type, Pointer):
            left = convert(left, right.type)
        return Binary(op, left, right, BOOL, span=span)
    if op == "-" and isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
        return Binary("-", left, right, LONG, span=span)
    if op == "+" and isinstance(left.type, Int):
        left, right = right, left
    if op in ("+", "-") and isinstance(left.type, Pointer) and isinstance(right.type, Int):
        if isinstance(left.type.to, Void):  # as the compilers do it: in bytes
            bytes_ = Pointer(CHAR, const=left.type.const)
            moved = Binary(op, Cast(left, bytes_, span=left.span), promoted(right), bytes_, span=span)
            return Cast(moved, left.type, implicit=True, span=span)
        return Binary(op, left, promoted(right), left.type, span=span)
    raise SyntaxProblem(f"no '{op}' between '{left.type}' and '{right.type}'", span)


def promoted(expr: Expr) -> Expr:
    """The integer promotion of a value; others as they are."""
    return arithmetic(expr, promote_integer(expr.type)) if isinstance(expr.type, Int) else expr


def condition(expr: Expr) -> Expr:
    """A value tested for being other than zero."""
    expr = decay(expr)
    if is_half(expr.type):
        expr = half.to_float(expr, expr.span)
    if not isinstance(expr.type, Int | Float | Pointer | Opaque):
        raise SyntaxProblem(f"'{expr.type}' is not a condition", expr.span)
    return expr


def unary(op: str, operand: Expr, span: Span) -> Expr:
    """`-x`, `+x`, `~x`, `!x`."""
    operand = decay(operand)
    if is_half(operand.type):
        half.refuse(f"'{op}'", span)
    if op == "!":
        return Unary("!", condition(operand), BOOL, span=span)
    if not isinstance(operand.type, Int | Float) or (op == "~" and isinstance(operand.type, Float)):
        raise SyntaxProblem(f"no unary '{op}' on '{operand.type}'", span)
    operand = promoted(operand)
    if op == "+":
        return operand
    return Unary("-" if op == "-" else "~", operand, operand.type, span=span)


def select(cond: Expr, then: Expr, orelse: Expr, span: Span) -> Expr:
    """`cond ? then : orelse`, both without side effects."""
    then, orelse = unify(then, orelse, span)
    return Select(condition(cond), then, orelse, then.type, span=span)


def unify(then: Expr, orelse: Expr, span: Span) -> tuple[Expr, Expr]:
    """The two arms of a conditional expression, in their common type."""
    then, orelse = decay(then), decay(orelse)
    a, b = then.type, orelse.type
    if a == b:
        return then, orelse
    if isinstance(a, Int | Float) and isinstance(b, Int | Float) and not is_half(a) and not is_half(b):
        common = promote(a, b)
        assert isinstance(common, Int | Float)
        return arithmetic(then, common), arithmetic(orelse, common)
    if isinstance(a, Pointer) and isinstance(b, Pointer) and unqualified(a) == unqualified(b):
        common_pointer = Pointer(a.to, const=a.const or b.const)
        return convert(then, common_pointer), convert(orelse, common_pointer)
    if is_null(orelse) or (isinstance(a, Pointer) and isinstance(a.to, Void)):
        return then, convert(orelse, a)
    return convert(then, b, span), orelse


def element_of(base: Expr, index: Expr, span: Span) -> Index:
    """`base[index]`."""
    if isinstance(undecayed(base).type, Int) and isinstance(decay(index).type, Pointer):
        base, index = index, base
    base = undecayed(base)
    if not isinstance(base.type, Pointer | Array):
        raise SyntaxProblem(f"a value of type '{base.type}' cannot be indexed", span)
    if not isinstance(index.type, Int):
        raise SyntaxProblem(f"an index must be an integer, not '{index.type}'", index.span)
    to = base.type.to if isinstance(base.type, Pointer) else base.type.of
    if isinstance(to, Void):
        raise SyntaxProblem("a void pointer cannot be dereferenced", span, "cast it to the type it points to")
    return Index(base, promoted(index), to, span=span)


def dereference(pointer: Expr, span: Span) -> Expr:
    """`*pointer`, as an element where the pointer is a sum."""
    if isinstance(pointer, AddressOf):
        return pointer.place
    if isinstance(pointer, Binary) and isinstance(pointer.type, Pointer):
        index = pointer.right
        if pointer.op == "-":
            if isinstance(index, Const) and isinstance(index.value, int) and index.text is not None:
                index = Const(-index.value, LONG, f"-{index.text}", span=index.span)
            else:
                index = Unary("-", arithmetic(index, LONG), LONG, span=index.span)
        return element_of(pointer.left, index, span)
    return element_of(pointer, Const(0, INT, "0", span=span), span)


def is_plain(expr: Expr) -> bool:
    """Whether reading the value twice costs nothing and cannot differ."""
    return isinstance(expr, Const | Var | ThreadIndex)


def members(type_: Type) -> str:
    return ", ".join(f.name for f in type_.fields) if isinstance(type_, Struct) else ""
