"""Functions, methods, constructors and the calls of lambdas as functions of C."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hetad.frontend.cpp import clang, lifetimes, objects, statements, tree
from hetad.frontend.cpp.body import THIS, Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import whole
from hetad.frontend.cpp.names import is_record, template_numbers
from hetad.frontend.cpp.source import Source
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference
from hetad.frontend.items import INLINES, Item
from hetad.frontend.lower.context import Qualified
from hetad.frontend.tokens import is_operator, matching
from hetad.ir.types import Pointer


def declaration(body: Body, name: str, cursor: Cursor) -> Node:
    """The prototype."""
    at = body.coord(cursor)
    return tree.function(name, [p for p, _ in _parameters(body, cursor)], _returns(body, cursor), at)


def definition(body: Body, name: str, cursor: Cursor) -> Node:
    """The whole function."""
    at = body.coord(cursor)
    inside = clang.body(cursor)
    if inside is None:
        body.source.refuse("a function without a plain body", cursor, "write its body in braces")
    items = [*_ends(body, cursor), *statements.items(body, clang.children(inside))]
    if cursor.kind == CursorKind.CONSTRUCTOR:
        lead = objects.constructed(body, cursor, at)
        items = [*lead, *items, tree.statement("Return", tree.name(body.self_name, at), at=at)]
    return tree.definition(declaration(body, name, cursor), tree.block(items, body.coord(inside)), at)


def _ends(body: Body, cursor: Cursor) -> list[Node]:
    """What is done when a function is left: what a destructor's object is made of ends."""
    if cursor.kind == CursorKind.DESTRUCTOR:
        return lifetimes.of_members(body, cursor.semantic_parent.type, cursor)
    return []


def defaults(body: Body, cursor: Cursor) -> dict[int, Node]:
    """The default arguments by position."""
    from hetad.frontend.cpp.expressions import expression

    found = {}
    for number, (_, parameter) in enumerate(_parameters(body, cursor)):
        value = clang.initialiser(parameter) if parameter is not None else None
        if value is not None:
            found[number] = expression(body, value)
    return found


def _parameters(body: Body, cursor: Cursor) -> list[tuple[Node, Cursor | None]]:
    """The parameters' declarations; of a method, its object first."""
    at = body.coord(cursor)
    found: list[tuple[Node, Cursor | None]] = []
    if cursor.type.get_canonical().kind == TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic():
        body.source.refuse("a function with variable arguments", cursor, "give it fixed parameters")
    if is_method(cursor):
        object_ = body.targets[THIS].type if THIS in body.targets else whole(cursor.semantic_parent.type)
        class_ = body.types.struct(object_, cursor)
        of = Qualified(Pointer(class_, const=bool(cursor.is_const_method())), reference=True)
        found.append((tree.declaration(body.self_name, tree.declarator(body.self_name, of, at), None, at), None))
    for parameter, own in zip(body.parameters(), body.parameter_names(), strict=True):
        known = body.targets.get(parameter.hash)
        if known is not None and not is_record(known):
            continue
        name = own or None
        where = body.coord(parameter)
        of = body.qualified(parameter)
        if known is not None:
            assert isinstance(of.type, Pointer)
            of = replace(of, type=replace(of.type, to=body.types.struct(known.type, parameter)))
        elif lifetimes.has_end(body, parameter.type):
            if CursorKind.CUDAGLOBAL_ATTR in {c.kind for c in cursor.get_children()}:
                lifetimes.refuse(body, parameter.type, parameter, "as a parameter of a kernel", "pass its pointer")
            of = Qualified(Pointer(of.type, const=of.const), reference=True)  # the caller's, which ends there
        found.append((tree.declaration(name, tree.declarator(name, of, where), None, where), parameter))
    return found


def is_method(cursor: Cursor) -> bool:
    """Whether a function is called for an object."""
    if cursor.kind == CursorKind.CONSTRUCTOR or not is_record(cursor.semantic_parent):
        return False
    return not cursor.is_static_method()


def _returns(body: Body, cursor: Cursor) -> Qualified:
    if cursor.kind == CursorKind.CONSTRUCTOR:
        return Qualified(body.types.struct(cursor.semantic_parent.type, cursor))
    return Qualified(body.types.of(cursor.result_type, cursor))


def item(source: Source, cursor: Cursor, spaces: Collection[str]) -> Item:
    """The specifiers of a function or variable, as the C front end has them."""
    tokens = source.inside(cursor)
    spelling = cursor.spelling
    head = next((i for i, t in enumerate(tokens) if t.text in (spelling, "operator", "{", "(")), len(tokens))
    bounds = None
    for i, token in enumerate(tokens):
        if token.text == "__launch_bounds__" and is_operator(tokens, i + 1, "("):
            close = matching(tokens, i + 1) or i + 1
            numbers = template_numbers(cursor)
            bounds = " ".join(numbers.get(t.text, t.text) for t in tokens[i + 2 : close]).replace(" ,", ",")
        if token.text == "{":
            break
    head = next((i for i, t in enumerate(tokens) if t.text == spelling), head)
    words = [t.text for t in tokens[:head] if t.text in INLINES]
    if cursor.kind in (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR) and "constexpr" in {
        t.text for t in tokens[:head]
    }:
        spaces = {*spaces, "__host__", "__device__"}
    return Item(
        tuple(tokens), {spelling: "function"}, frozenset(spaces), " ".join(words) or None, bounds, (),
        source.span(cursor), keeps_references=_keeps_references(cursor),
    )  # fmt: skip


def _keeps_references(cursor: Cursor) -> bool:
    """Whether a reference that a function is given may be returned, or be a member of what it makes."""
    return cursor.kind == CursorKind.CONSTRUCTOR or (
        (cursor.kind == CursorKind.FUNCTION_DECL or cursor.kind == CursorKind.CXX_METHOD)
        and _may_refer(cursor.result_type)
    )


def _may_refer(type_: Type) -> bool:
    canonical = type_.get_canonical()
    return is_reference(canonical) or canonical.kind in (TypeKind.POINTER, TypeKind.RECORD)
