"""Local arrays of arrays with lengths that the run tells, `double a[n][m]`: one array, `a[i * m + j]`.

Lengths of inner arrays are kept in variables where the array is declared, as C++ has it.
"""

from __future__ import annotations

from hetad.frontend.cpp import clang, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.tree import Node
from hetad.frontend.lower.context import Qualified
from hetad.ir.types import LONG, Array

_ARRAYS = (TypeKind.VARIABLEARRAY, TypeKind.CONSTANTARRAY)
_REMEDY = "name its elements, or use one array"


def is_nested(type_: Type) -> bool:
    """Whether a type is an array of arrays, of which inner ones have such lengths."""
    of = type_.get_canonical()
    return of.kind == TypeKind.VARIABLEARRAY and _varies(of.element_type)


def _varies(type_: Type) -> bool:
    of = type_.get_canonical()
    return of.kind == TypeKind.VARIABLEARRAY or (of.kind == TypeKind.CONSTANTARRAY and _varies(of.element_type))


def _lengths(body: Body, cursor: Cursor) -> list[Node | int]:
    """The length of each dimension, from the outermost on; libclang shows those of inner arrays first."""
    from hetad.frontend.cpp.expressions import expression

    of, found = cursor.type.get_canonical(), list[int | None]()
    while of.kind in _ARRAYS:
        found.append(of.element_count if of.kind == TypeKind.CONSTANTARRAY else None)
        of = of.element_type.get_canonical()
    written = clang.expressions(cursor)
    if len(written) != len(found):
        body.source.refuse("this array of arrays of variable length", cursor, "name the type of its elements")
    given = [expression(body, w) for w in reversed(written)]
    return [g if n is None else n for g, n in zip(given, found, strict=True)]


def declared(body: Body, cursor: Cursor) -> list[Node]:
    """The lengths of inner arrays, and the array."""
    at = body.coord(cursor)
    first, *inner = _lengths(body, cursor)
    decls: list[Node] = []
    kept: list[Node] = []
    for number, length in enumerate(inner, 1):
        if isinstance(length, int):
            kept.append(tree.constant("int", str(length), at))
            continue
        name = body.unused(f"{cursor.spelling}_length_{number}")
        decls.append(tree.declaration(name, tree.declarator(name, Qualified(LONG, True), at), length, at))
        kept.append(tree.name(name, at))
    body.lengths[cursor.hash] = kept
    whole = tree.constant("int", str(first), at) if isinstance(first, int) else first
    for length in kept:
        whole = tree.binary("*", whole, length, at)
    of = cursor.type.get_canonical()
    while of.kind in _ARRAYS:
        of = of.element_type.get_canonical()
    flat = Qualified(Array(body.types.of(of, cursor), None))
    array = tree.variable_length(cursor.spelling, flat, whole, at)
    return [*decls, tree.declaration(cursor.spelling, array, None, at)]


def subscript(body: Body, cursor: Cursor) -> Node | None:
    """`a[i][j]`, or a row `a[i]` of numbers, as the pointer to its first one; None for other arrays."""
    from hetad.frontend.cpp.expressions import expression

    subscripts: list[Cursor] = []
    inner = cursor
    while inner.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR:
        base, index = clang.expressions(inner)
        subscripts.insert(0, index)
        inner = _plain(base)
    meant = inner.referenced if inner.kind == CursorKind.DECL_REF_EXPR else None
    lengths = body.lengths.get(meant.hash) if meant is not None else None
    if meant is None or lengths is None:
        return None
    at, missing = body.coord(cursor), 1 + len(lengths) - len(subscripts)
    if missing > 1:
        refuse(body, cursor)
    place = expression(body, subscripts[0])
    for length, index in zip(lengths, subscripts[1:], strict=False):
        place = tree.binary("+", tree.binary("*", place, length, at), expression(body, index), at)
    if missing == 1:
        place = tree.binary("*", place, lengths[-1], at)
    element = tree.index(tree.name(body.parameter_name(meant), at), place, at)
    return tree.unary("&", element, at) if missing == 1 else element


def _plain(cursor: Cursor) -> Cursor:
    while (
        cursor.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR) and (inner := clang.only(cursor)) is not None
    ):
        cursor = inner
    return cursor


def is_row(cursor: Cursor) -> bool:
    """Whether an expression is a part of such an array that is an array itself."""
    inner = _plain(cursor)
    return inner.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR and _varies(inner.type)


def leads(type_: Type) -> bool:
    """Whether a type is a pointer to such an array: a row, or more."""
    of = type_.get_canonical()
    return of.kind == TypeKind.POINTER and _varies(of.get_pointee())


def refuse(body: Body, cursor: Cursor) -> None:
    """Rows of such an array have no type here."""
    body.source.refuse("a pointer to arrays of variable length", cursor, _REMEDY)
