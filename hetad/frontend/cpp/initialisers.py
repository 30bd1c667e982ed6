"""Lists in braces, whose order and gaps libclang shows as they are written."""

from __future__ import annotations

from typing import Any, cast

from pycparser import c_ast

from hetad.frontend.cpp import clang, objects, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.expressions import expression, plain
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import bases, is_reference
from hetad.frontend.tokens import is_operator

_AGGREGATES = (TypeKind.RECORD, TypeKind.CONSTANTARRAY)


def initialiser(body: Body, cursor: Cursor) -> Node:
    """An expression where an initialiser is wanted: lists are lists in C too."""
    inner = plain(cursor)
    if inner.kind != CursorKind.INIT_LIST_EXPR:
        return expression(body, cursor)
    elements = clang.expressions(inner)
    type_ = inner.type.get_canonical()
    at = body.coord(inner) or body.coord(cursor)
    nodes = [_element(body, e) for e in elements]
    if type_.kind == TypeKind.RECORD:
        nodes = _with_references(type_, nodes)
    if type_.kind == TypeKind.CONSTANTARRAY and len(elements) < type_.element_count and objects.has_defaults(type_):
        body.source.refuse("an array of objects of which some have default values", inner, "write all of them")
    if type_.kind == TypeKind.RECORD and objects.has_defaults(type_):
        nodes += _rest(body, inner, elements)
    return tree.braces(nodes, at)


def _with_references(type_: Type, nodes: list[Node]) -> list[Node]:
    """Members that are references are the addresses of what they refer to."""
    before = len(bases(type_.get_declaration()))
    found = list(nodes)
    for number, field in enumerate(type_.get_fields(), before):
        if is_reference(field.type) and number < len(found):
            found[number] = tree.unary("&", found[number], found[number].coord)
    return found


def _element(body: Body, cursor: Cursor) -> Node:
    """An element, perhaps of a member or index that is named: `.x = 1`, `[2] = 1`."""
    tokens, start = body.source.tokens, body.source.start(cursor)
    if start is None or not (is_operator(tokens, start, ".") or is_operator(tokens, start, "[")):
        return initialiser(body, cursor)
    parts = clang.children(cursor)
    if cursor.kind != CursorKind.UNEXPOSED_EXPR or len(parts) != 2:
        body.source.refuse("this designator", cursor, "write the initialisers in order")
    at = body.coord(cursor)
    if parts[0].kind == CursorKind.MEMBER_REF:
        name = tree.name(parts[0].spelling, at)
    elif parts[0].kind.is_expression() and is_operator(tokens, start, "["):
        name = expression(body, parts[0])
    else:
        body.source.refuse("this designator", cursor, "write the initialisers in order")
    made = cast("Any", c_ast).NamedInitializer([name], initialiser(body, parts[1]), at)
    return cast("Node", made)


def _rest(body: Body, cursor: Cursor, elements: list[Cursor]) -> list[Node]:
    """The default values of the members that a list leaves out."""
    type_ = cursor.type.get_canonical()
    members = [(b.type, None) for b in bases(type_.get_declaration())]
    members += [(f.type, objects.default(f)) for f in type_.get_fields()]
    for element, (wanted, _) in zip(elements, members, strict=False):
        if not _fits(element, wanted):
            body.source.refuse("a list that leaves braces out", element, "write the braces of inner lists")
    return [objects.default_value(body, t, given, cursor) for t, given in members[len(elements) :]]


def _fits(element: Cursor, wanted: Type) -> bool:
    """Whether an element is the whole value of a member, not that of its first part."""
    if wanted.get_canonical().kind not in _AGGREGATES:
        return plain(element).kind != CursorKind.UNEXPOSED_EXPR or len(clang.expressions(plain(element))) < 2
    return plain(element).type.get_canonical().kind in _AGGREGATES
