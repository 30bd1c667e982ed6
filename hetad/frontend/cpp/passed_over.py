"""Statements of host functions that hetad does not read and nothing depends on, as the C front end passes them over."""

from __future__ import annotations

from pycparser import c_ast

from hetad.frontend import opaque
from hetad.frontend.cpp import clang, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind
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
    if not any(function.beyond(tokens, i) for i in range(len(tokens))):
        return None
    nodes = IdentityMap[Token, Node]()
    for inner in clang.walk(cursor):
        at = body.source.start(inner) if inner.kind == CursorKind.DECL_REF_EXPR else None
        if at is not None and 0 <= at - start < len(tokens):
            tokens[at - start] = _meant(body, inner, tokens[at - start], nodes)
    tokens = _with_texts(body, cursor, [t for t in tokens if t.text != ";"], nodes)
    beyond = next(i for i in range(len(tokens)) if function.beyond(tokens, i))
    made = opaque.call(tokens, beyond, function)
    where = tree.coord(made[0])
    pieces = [t for t in made[2:-1] if t.text != ","]
    args = [
        tree.constant("string", t.text, where) if t.kind == "string" else nodes.get(t) or tree.name(t.text, where)
        for t in pieces
    ]
    return tree.call(opaque.OPAQUE, args, where)


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
