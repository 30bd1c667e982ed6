"""Statements of host functions that hetad does not read and nothing depends on, as the C front end passes them over."""

from __future__ import annotations

from pycparser import c_ast

from hetad.frontend import opaque
from hetad.frontend.cpp import clang, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.tree import Node
from hetad.frontend.tokens import Token, operators
from hetad.ir.identity import IdentityMap

_TEXTS = ("std::string", "const std::string")


def statement(body: Body, cursor: Cursor) -> Node | None:
    """What stands for a declaration or an expression that mentions streams, clocks or random engines; None for others.

    Raises UnsupportedError where the program depends on what it does.
    """
    function = body.passing
    if function is None:
        return None
    start = body.source.start(cursor) or 0
    tokens = list(body.source.inside(cursor))
    unread = {start + i for i in range(len(tokens)) if function.beyond(tokens, i)}
    if not unread or unread <= _in_lambdas(body, cursor):
        return None
    nodes = IdentityMap[Token, Node]()
    values = _computed(body, cursor, unread)
    for inner in clang.walk(cursor):
        at = body.source.start(inner) if inner.kind == CursorKind.DECL_REF_EXPR else None
        if at is not None and 0 <= at - start < len(tokens) and not any(at in p for p in values):
            tokens[at - start] = _meant(body, inner, tokens[at - start], nodes)
    for places, value in values.items():
        first = tokens[places.start - start]
        tokens[places.start - start] = named = first.spelled("value", "name")
        nodes[named] = value
    inner_ = {i for places in values for i in places[1:]}
    tokens = [t for i, t in enumerate(tokens, start) if t.text != ";" and i not in inner_]
    tokens = _with_texts(body, cursor, tokens, nodes)
    beyond = next(i for i in range(len(tokens)) if function.beyond(tokens, i))
    made = opaque.call(tokens, beyond, function)
    where = tree.coord(made[0])
    pieces = [t for t in made[2:-1] if t.text != ","]
    args = [
        tree.constant("string", t.text, where) if t.kind == "string" else nodes.get(t) or tree.name(t.text, where)
        for t in pieces
    ]
    return tree.call(opaque.OPAQUE, args, where)


def _computed(body: Body, cursor: Cursor, unread: set[int]) -> dict[range, Node]:
    """Of `std::cout << shape.area()`: values that calls give and members have, and where they stand."""
    from hetad.frontend.cpp.expressions import expression

    found: dict[range, Node] = {}
    for inner in clang.walk(cursor):
        given = list(inner.get_arguments()) if inner.kind == CursorKind.CALL_EXPR else []
        if not given or inner.spelling != "operator<<":
            continue
        value, start, end = given[-1], body.source.start(given[-1]), body.source.end(given[-1])
        places = range(start, end) if start is not None and end is not None else range(0)
        if not places or not unread.isdisjoint(places) or not any(_is_made(body, c) for c in clang.walk(value)):
            continue
        if _is_shown(value.type):
            found[places] = expression(body, value)
        elif value.type.get_canonical().spelling in _TEXTS and not _is_variable(body, value):
            found[places] = tree.member(expression(body, value), "text", body.coord(value))
    return found


def _is_made(body: Body, cursor: Cursor) -> bool:
    """Whether an expression is no plain variable: it calls, is a member, or part of an object that has no name."""
    if cursor.kind in (CursorKind.CALL_EXPR, CursorKind.MEMBER_REF_EXPR):
        return cursor.referenced is not None
    meant = cursor.referenced if cursor.kind == CursorKind.DECL_REF_EXPR else None
    return meant is not None and meant.hash in body.bound


def _is_variable(body: Body, value: Cursor) -> bool:
    """Whether a text is a variable, which `_with_texts` hands over; names from brackets are parts of one."""
    while value.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR) and (below := clang.only(value)) is not None:
        value = below
    return value.kind == CursorKind.DECL_REF_EXPR and not _is_made(body, value)


def _is_shown(type_: Type) -> bool:
    """Whether values of a type are numbers or texts of C."""
    of = type_.get_canonical()
    if of.kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY):
        letter = of.get_pointee() if of.kind == TypeKind.POINTER else of.element_type
        return bool(letter.get_canonical().kind == TypeKind.CHAR_S)
    return of.kind in _SHOWN


_SHOWN = (TypeKind.BOOL, TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.FLOAT, TypeKind.DOUBLE)


def _in_lambdas(body: Body, cursor: Cursor) -> set[int]:
    """Where the tokens of lambdas stand in a statement: what they do is done where they are called."""
    lambdas = (c for c in clang.walk(cursor) if c.kind == CursorKind.LAMBDA_EXPR)
    places = ((body.source.start(c), body.source.end(c)) for c in lambdas)
    return {i for start, end in places if start is not None and end is not None for i in range(start, end)}


def _with_texts(body: Body, cursor: Cursor, tokens: list[Token], nodes: IdentityMap[Token, Node]) -> list[Token]:
    """With each `std::string` that hetad reads handed over as `std::string(the letters in it)`."""
    held = {
        body.source.token(c): c
        for c in clang.walk(cursor)
        if c.kind == CursorKind.DECL_REF_EXPR and c.type.get_canonical().spelling in _TEXTS
    }
    found: list[Token] = []
    for token in tokens:
        if token not in held or not body.source.is_users(held[token].referenced):
            found.append(token)
            continue
        where = body.coord(held[token])
        nodes[token] = tree.member(nodes.get(token) or tree.name(token.text, where), "text", where)
        found += [token.spelled("std"), *operators(token, "::"), token.spelled("string"), *operators(token, "(")]
        found += [token, *operators(token, ")")]
    return found


def _meant(body: Body, cursor: Cursor, token: Token, nodes: IdentityMap[Token, Node]) -> Token:
    """A name in the statement: a number where it is a template parameter; a variable goes to `nodes` by its token."""
    meant = cursor.referenced
    value = clang.evaluate(cursor) if meant is None else None
    if value is not None:
        return token.spelled(str(value), "number")
    if meant is not None and meant.kind in (CursorKind.VAR_DECL, CursorKind.PARM_DECL) and body.source.is_users(meant):
        node = body.variable(meant, cursor)
        if not isinstance(node, c_ast.ID) and cursor.type.get_canonical().spelling not in _TEXTS:
            body.source.refuse(f"'{token.text}' in C++ that it does not read", cursor, "copy it to a variable")
        nodes[token] = node
    return token
