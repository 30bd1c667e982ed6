"""Structured bindings: `auto [a, b] = pair;` is an object of which `a` and `b` are members."""

from __future__ import annotations

from hetad.frontend.cpp import clang, lifetimes, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import held
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import BASE, is_reference
from hetad.frontend.models import is_model


def is_decomposition(cursor: Cursor) -> bool:
    """Whether a declaration is of several names in brackets."""
    return bool(cursor.kind == CursorKind.UNEXPOSED_DECL and cursor.spelling.startswith("["))


def names(cursor: Cursor) -> list[Cursor]:
    """What is declared in the brackets."""
    return [c for c in cursor.get_children() if c.kind == CursorKind.UNEXPOSED_DECL]


def hidden(body: Body, cursor: Cursor) -> str:
    """What the object is called whose parts get names."""
    bound = names(cursor)
    name = body.unused("_".join(["parts", *(b.spelling for b in bound)]))
    for number, binding in enumerate(bound):
        body.bound[binding.hash] = (name, cursor, number)
    return name


def rename(body: Body, cursor: Cursor, like: Cursor) -> None:
    """Lets the names of another declaration mean the same parts."""
    for binding, other in zip(names(cursor), names(like), strict=True):
        body.bound[other.hash] = body.bound[binding.hash]


def declared(body: Body, cursor: Cursor, init: Cursor) -> list[Node]:
    """The declaration of that object, and what is done at its end."""
    from hetad.frontend.cpp import objects
    from hetad.frontend.cpp.expressions import expression
    from hetad.frontend.cpp.initialisers import initialiser

    if cursor.type.get_canonical().kind != TypeKind.CONSTANTARRAY:
        return of(body, cursor, initialiser(body, init))
    array = next((c for c in clang.walk(init) if c.kind.is_expression() and _is_array(c.type)), None)
    while array is not None and array.kind == CursorKind.UNEXPOSED_EXPR:
        array = clang.expressions(array)[0]
    if array is None:
        body.source.refuse("structured bindings of this", cursor, "name the elements")
    return of(body, cursor, objects.copied(body, expression(body, array), cursor.type, cursor))


def of(body: Body, cursor: Cursor, value: Node) -> list[Node]:
    """The same, of a value."""
    at, type_, name = body.coord(cursor), body.qualified(cursor), hidden(body, cursor)
    parts(body, cursor)
    made = tree.declaration(name, tree.declarator(name, type_, at), value, at)
    return [made, *lifetimes.at_end(body, name, cursor.type, cursor)]


def _is_array(type_: Type) -> bool:
    return bool(type_.get_canonical().kind == TypeKind.CONSTANTARRAY)


def _has_own_sizes(body: Body) -> bool:
    """Whether the program says of a class of its own how it is taken apart: `struct std::tuple_size<Row>`."""
    tokens = body.source.tokens
    own = (n for n, t in enumerate(tokens) if t.text == "tuple_size" and not is_model(t.file))
    return any("struct" in before or "class" in before for n in own for before in [[t.text for t in tokens[n - 3 : n]]])


def parts(body: Body, cursor: Cursor) -> list[str] | None:
    """The members that the names stand for; None for the elements of an array."""
    type_ = cursor.type.get_canonical()
    type_ = type_.get_pointee().get_canonical() if is_reference(type_) else type_
    if type_.kind == TypeKind.CONSTANTARRAY:
        return None
    if _has_own_sizes(body):
        body.source.refuse("structured bindings beside a tuple_size of the program's own", cursor, "name the parts")
    if type_.get_declaration().spelling == "tuple" and body.source.is_models(type_.get_declaration()):
        return _of_tuple(type_)
    lead = ""
    while type_.kind == TypeKind.RECORD and not list(type_.get_fields()) and len(held(type_.get_declaration())) == 1:
        type_, lead = held(type_.get_declaration())[0].type.get_canonical(), f"{lead}{BASE}."
    fields = list(type_.get_fields()) if type_.kind == TypeKind.RECORD else []
    if len(fields) != len(names(cursor)):
        body.source.refuse("structured bindings of what is neither a plain struct nor an array", cursor,
                           "name the members")  # fmt: skip
    return [f"{lead}{f.spelling}" + "*" * is_reference(f.type) for f in fields]


def _of_tuple(type_: Type) -> list[str]:
    """The same of a tuple, which is one member, and the rest."""
    found, lead = [], ""
    while True:
        head, *rest = type_.get_fields()
        found.append(f"{lead}{head.spelling}" + "*" * is_reference(head.type))
        if not rest:
            return found
        lead, type_ = f"{lead}{rest[0].spelling}.", rest[0].type.get_canonical()


def place(body: Body, binding: Cursor, at: Cursor) -> Node | None:
    """What a name from brackets denotes; None for other names."""
    if binding.hash not in body.bound:
        return None
    name, cursor, number = body.bound[binding.hash]
    where, members = body.coord(at), parts(body, cursor)
    object_ = tree.name(name, where)
    if members is None:
        return tree.index(object_, tree.constant("int", str(number), where), where)
    for field in members[number].rstrip("*").split("."):
        object_ = tree.member(object_, field, where)
    return tree.unary("*", object_, where) if members[number].endswith("*") else object_
