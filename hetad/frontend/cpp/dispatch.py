"""Calls, members and ends of objects of an opened family, of which the run tells the class (`families.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from pycparser.c_parser import Coord

from hetad.frontend.cpp import clang, families, lifetimes, objects, polymorphic, tree
from hetad.frontend.cpp.body import THIS, Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.families import KIND, Family, Unopened
from hetad.frontend.cpp.names import record_key
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference

_THROUGH = (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CXX_STATIC_CAST_EXPR)


def unknown(body: Body, what: str, cursor: Cursor, class_: Type, remedy: str = polymorphic.REMEDY) -> NoReturn:
    """What needs the class of an object: opens its family; refuses it where that has been tried."""
    root = families.root_of(class_)
    if root is not None and record_key(root) not in body.types.opened:
        raise Unopened(record_key(root))
    body.source.refuse(what, cursor, remedy)


def family_of(body: Body, cursor: Cursor) -> Family | None:
    """The opened family of the object that an expression names or points to, if it lies in the struct of the family:
    where its class is known, it is a plain object."""
    own = cursor.type.get_canonical()
    own = own.get_pointee().get_canonical() if own.kind == TypeKind.POINTER or is_reference(own) else own
    found = body.types.family(own)
    if found is None or not _is_behind(cursor) or polymorphic.object_of(body, cursor) is not None:
        return None
    return found


def _is_behind(cursor: Cursor) -> bool:
    """Whether an expression is a pointer, or names what a pointer or a reference leads to."""
    if cursor.type.get_canonical().kind == TypeKind.POINTER:
        while cursor.kind in _THROUGH and (inner := clang.only(cursor)) is not None:
            cursor = inner
        return bool(cursor.kind != CursorKind.CXX_THIS_EXPR)
    while cursor.kind in _THROUGH and len(inner_ := clang.expressions(cursor)) == 1:
        cursor = inner_[0]
    if cursor.kind == CursorKind.UNARY_OPERATOR and clang.unary(cursor) == "*":
        return _is_behind(clang.expressions(cursor)[0])
    meant = cursor.referenced
    if cursor.kind == CursorKind.CALL_EXPR:
        return meant is not None and is_reference(meant.result_type)
    return cursor.kind in _NAMES and meant is not None and is_reference(meant.type)


_NAMES = (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR)


def call(
    body: Body, cursor: Cursor, place: Node, seen_as: Type, meant: Cursor, virtual: bool, args: Callable[[], list[Node]]
) -> Node:
    """A call of a method; `args` makes the other arguments, anew for each class."""
    from hetad.frontend.cpp.calls import result

    found = body.types.family(seen_as)
    assert found is not None
    at = body.coord(cursor)
    place, first = lifetimes.named(body, place)

    def of(class_: Type, object_: Node) -> Node:
        chosen = polymorphic.overrider(class_, meant) if virtual else meant
        if chosen is None:
            body.source.refuse(f"this call of the virtual function '{meant.spelling}'", cursor, polymorphic.REMEDY)
        called = body.called(chosen, {THIS: class_.get_declaration()})
        return result(meant, tree.call(called, [object_, *args()], at))

    return _sequence(first, _chosen(body, place, found, seen_as, of, at), at)


def member(body: Body, place: Node, seen_as: Type, owner: Type, name: str, at: Coord | None) -> Node:
    """A member that is data."""
    found = body.types.family(seen_as)
    assert found is not None
    place, first = lifetimes.named(body, place)

    def of(class_: Type, object_: Node) -> Node:
        return tree.unary("&", tree.member(objects.part(object_, class_, owner, at), name, at), at)

    chosen = _chosen(body, place, found, seen_as, of, at)
    return tree.unary("*", _sequence(first, chosen, at), at)


def _sequence(first: list[Node], node: Node, at: Coord | None) -> Node:
    return tree.sequence([*first, node], at) if first else node


def _chosen(
    body: Body, place: Node, found: Family, seen_as: Type, of: Callable[[Type, Node], Node], at: Coord | None
) -> Node:
    """What an expression is for the class of an object."""
    classes = found.below(seen_as)
    if not classes:
        body.source.refuse("an object of a class of which 'new' makes none", body.function or seen_as.get_declaration())
    chosen: Node | None = None
    for class_ in reversed(classes):
        node = of(class_, object_in(body, place, class_, at))
        chosen = node if chosen is None else tree.choice(_is_of(place, found, class_, at), node, chosen, at)
    assert chosen is not None
    return chosen


def _is_of(place: Node, found: Family, class_: Type, at: Coord | None) -> Node:
    number = tree.constant("int", str(found.number(class_)), at)
    return tree.binary("==", tree.member(place, KIND, at), number, at)


def object_in(body: Body, place: Node, class_: Type, at: Coord | None) -> Node:
    """The object of a class in the struct of its family."""
    return tree.member(place, body.types.room(class_), at)


def made(body: Body, found: Family, class_: Type, value: Node, at: Coord | None) -> Node:
    """The list that makes a struct of the family of an object's value."""
    pairs = ((KIND, tree.constant("int", str(found.number(class_)), at)), (body.types.room(class_), value))
    return tree.braces([tree.designated(name, node, at) for name, node in pairs], at)


def ended(body: Body, pointer: Node, found: Family, seen_as: Type, at: Coord | None) -> Node:
    """The statement that ends an object and frees its memory, unless the pointer is null."""
    place = tree.unary("*", pointer, at)
    ends: Node | None = None
    for class_ in reversed(found.below(seen_as)):
        own = lifetimes.ends(body, object_in(body, place, class_, at), class_, at)
        ends = tree.branch(_is_of(place, found, class_, at), own, ends, at)
    inner = tree.block([*([ends] if ends is not None else ()), tree.call("free", (pointer,), at)], at)
    return tree.branch(tree.binary("!=", pointer, tree.constant("nullptr_t", "nullptr", at), at), inner, None, at)
