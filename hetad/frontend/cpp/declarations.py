"""Declarations of variables: Clang's cursors to the C syntax tree."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from hetad.frontend.cpp import (
    accessors,
    bindings,
    clang,
    first_values,
    lifetimes,
    objects,
    targets,
    tree,
    variable_length,
)
from hetad.frontend.cpp.body import FUNCTIONS, Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, TypeKind
from hetad.frontend.cpp.expressions import expression, plain
from hetad.frontend.cpp.initialisers import initialiser
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference
from hetad.frontend.lower.c_nodes import Temporary
from hetad.frontend.lower.context import Qualified

_SPACES = {
    CursorKind.CUDASHARED_ATTR: "shared",
    CursorKind.CUDACONSTANT_ATTR: "constant",
    CursorKind.CUDADEVICE_ATTR: "device",
}


def statement(body: Body, cursor: Cursor) -> Node:
    """A declaration as a statement."""
    found = declared(body, cursor)
    return found[0] if len(found) == 1 else tree.declarations(found, body.coord(cursor))


def declared(body: Body, cursor: Cursor) -> list[Node]:
    """The declarations in one, and what belongs to each."""
    found: list[Node] = []
    for child in cursor.get_children():
        if child.kind == CursorKind.VAR_DECL and child.spelling:
            if targets.found_by_calls(child, body.targets):
                continue
            if _lives_on(body, child):
                found += _living_on(body, child)
                continue
            if variable_length.is_nested(child.type):
                found += variable_length.declared(body, child)
                continue
            found += [variable(body, child), *ended(body, child)]
        elif bindings.is_decomposition(child):
            found += decomposed(body, child)
    return found


def _lives_on(body: Body, cursor: Cursor) -> bool:
    """Whether a variable of a host function lives as long as the program."""
    storage = _storage(body, cursor)
    on_host = body.function is not None and body.entities.item(body.function).kind == "host"
    return on_host and "static" in storage and "constexpr" not in storage


def _living_on(body: Body, cursor: Cursor) -> list[Node]:
    """A static variable, and what gives it its first value."""
    declared = variable(body, cursor)
    value = declared.init  # type: ignore[attr-defined]
    init = clang.initialiser(cursor)
    used = clang.walk(init) if init is not None else ()
    local = {c.spelling for c in used if (v := targets.named(c)) is not None and v.semantic_parent.kind in FUNCTIONS}
    if not first_values.is_computed(value, lambda name: name in local or body.entities.is_variable(name)):
        return [declared]
    of = replace(_kept(body, cursor, init), const=False)
    name, at = cursor.spelling, body.coord(cursor)
    flag = body.unused(first_values.flag_of(name))
    is_array = cursor.type.get_canonical().kind == TypeKind.CONSTANTARRAY
    kept = tree.declaration(name, tree.declarator(name, of, at), None, at, ["static"])
    return [first_values.flag_declared(flag, at), kept, first_values.once(name, value, flag, is_array)]


def decomposed(body: Body, cursor: Cursor) -> list[Node]:
    """`auto [a, b] = ...`"""
    init = clang.initialiser(cursor) or clang.expressions(cursor)[-1]
    return bindings.declared(body, cursor, init)


def variable(body: Body, cursor: Cursor, space: str | None = None) -> Node:
    """The declaration of a variable."""
    at, storage = body.coord(cursor), _storage(body, cursor)
    if space is None:
        space = next((_SPACES[c.kind] for c in cursor.get_children() if c.kind in _SPACES), "")
    init = clang.initialiser(cursor)
    type_ = cursor.type.get_canonical()
    of = _kept(body, cursor, init)
    lifetimes.refuse_kept_lambda(body, type_, cursor)
    if variable_length.leads(type_):
        variable_length.refuse(body, cursor)
    if type_.kind == TypeKind.VARIABLEARRAY:
        length = expression(body, clang.expressions(cursor)[-1])  # behind those of inner arrays
        return tree.declaration(cursor.spelling, tree.variable_length(cursor.spelling, of, length, at), None, at)
    node = None
    if init is not None and not (objects.is_trivial(init) and not _is_initialised(body, cursor)):
        node = _initial(body, cursor, init)
        acts = isinstance(node, c_ast.TernaryOp) and any(map(_does_more, (node.iftrue, node.iffalse)))
        node = lifetimes.place_of(node, cursor.type, acts)
    return tree.declaration(cursor.spelling, tree.declarator(cursor.spelling, of, at), node, at, storage, space)


def _does_more(arm: Node) -> bool:
    """Whether to evaluate an arm of `c ? a : b`, which may choose again, does anything."""
    if isinstance(arm, c_ast.TernaryOp):
        return any(map(_does_more, (arm.cond, arm.iftrue, arm.iffalse)))
    return not accessors.is_pure(arm)


def _kept(body: Body, cursor: Cursor, init: Cursor | None) -> Qualified:
    """The type of a variable; a reference to an object that is made there, and lives as long, is that object."""
    if init is not None and _makes_object(body, cursor, init):
        return Qualified(body.types.of(cursor.type.get_canonical().get_pointee(), cursor))
    shared = any(c.kind in _SPACES for c in cursor.get_children()) or _storage(body, cursor)
    of = body.qualified(cursor, alone=body.function is not None and not shared)
    return replace(of, const=False) if lifetimes.has_end(body, cursor.type) else of  # its end changes it


def _makes_object(body: Body, cursor: Cursor, init: Cursor) -> bool:
    """Whether a reference is initialised with an object without a name whose end does something."""
    if not is_reference(cursor.type) or not lifetimes.has_end(body, cursor.type.get_canonical().get_pointee()):
        return False
    return plain(init).kind not in (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR) and isinstance(
        expression(body, init), Temporary
    )


def ended(body: Body, cursor: Cursor) -> list[Node]:
    """What is done at the end of the scope of a variable."""
    init = clang.initialiser(cursor)
    made = init is not None and _makes_object(body, cursor, init)
    type_ = cursor.type.get_canonical().get_pointee() if made else cursor.type
    return lifetimes.at_end(body, cursor.spelling, type_, cursor)


def _initial(body: Body, cursor: Cursor, init: Cursor) -> Node:
    inner = plain(init)
    if cursor.type.get_canonical().kind not in (TypeKind.RECORD, TypeKind.CONSTANTARRAY):
        if inner.kind == CursorKind.INIT_LIST_EXPR and not clang.children(inner):
            return tree.braces((), body.coord(cursor))
        value = clang.evaluate(cursor) if _is_computed(cursor, inner) else None
        if value is not None:
            return tree.known(value, body.qualified(cursor).type, body.coord(cursor))
    return initialiser(body, init)


def _is_computed(cursor: Cursor, init: Cursor) -> bool:
    """Whether a constant is what a constexpr function returns."""
    return cursor.type.is_const_qualified() and any(c.kind == CursorKind.CALL_EXPR for c in clang.walk(init))


def _is_initialised(body: Body, cursor: Cursor) -> bool:
    """Whether a value is written behind the name."""
    at = body.source.at(cursor)
    return at is not None and body.source.tokens[at + 1].text in ("=", "{", "(")


def _storage(body: Body, cursor: Cursor) -> list[str]:
    head = []
    for token in body.source.inside(cursor):
        if token.text == cursor.spelling:
            break
        head.append(token.text)
    return [word for word in ("static", "extern", "constexpr") if word in head]
