"""Statements: Clang's cursors to the C syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable

from hetad.frontend.cpp import (
    accessors,
    bindings,
    clang,
    declarations,
    lifetimes,
    memory,
    objects,
    passed_over,
    ranges,
    tree,
)
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.calls import ended, given
from hetad.frontend.cpp.clang import Cursor, CursorKind, TypeKind
from hetad.frontend.cpp.expressions import expression, plain
from hetad.frontend.cpp.names import template_numbers
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference
from hetad.frontend.lower.c_nodes import CONSTEXPR
from hetad.frontend.lower.context import Qualified
from hetad.frontend.tokens import is_operator


def statement(body: Body, cursor: Cursor) -> Node:
    """The C statement that a cursor means."""
    handler = _HANDLERS.get(cursor.kind)
    if handler is not None:
        return handler(body, cursor)
    if cursor.kind.is_expression():
        if _is_throw(cursor):
            return tree.call("abort", (), body.coord(cursor))  # also where the program catches it: see _try
        special = _swaps(body, cursor) or ended(body, cursor) or memory.deleted(body, plain(cursor))
        return special or tree.for_effect(expression(body, cursor))
    return body.source.refuse(
        _DESCRIPTIONS.get(clang.kind(cursor), f"this C++ ({clang.kind(cursor).lower()})"), cursor, "write it otherwise"
    )


def items(body: Body, cursors: list[Cursor]) -> list[Node]:
    """Statements one after the other, with the pragmas before them."""
    found: list[Node] = []
    for cursor in cursors:
        pragmas = body.source.pragmas(cursor)
        found += [tree.statement("Pragma", _with_numbers(body, p.text), at=tree.coord(p)) for p in pragmas]
        over = passed_over.statement(body, cursor) if _may_be_passed_over(cursor) else None
        if over is not None:
            found.append(over)
        elif cursor.kind == CursorKind.DECL_STMT:
            found += declarations.declared(body, cursor)
        elif cursor.kind in (CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT):
            found += _case(body, cursor)
        else:
            node = statement(body, cursor)
            into_case = found and type(found[-1]).__name__ in ("Case", "Default")
            if into_case:
                found[-1].stmts.append(node)  # type: ignore[attr-defined]
            else:
                found.append(node)
    return found


def _with_numbers(body: Body, text: str) -> str:
    """The text of a pragma, with the template arguments that it names."""
    numbers = template_numbers(body.function) if body.function is not None else {}
    return re.sub(r"\b[A-Za-z_]\w*", lambda word: numbers.get(word[0], word[0]), text)


def _may_be_passed_over(cursor: Cursor) -> bool:
    return cursor.kind == CursorKind.DECL_STMT or (bool(cursor.kind.is_expression()) and not _is_throw(cursor))


def _is_throw(cursor: Cursor) -> bool:
    while cursor.kind == CursorKind.UNEXPOSED_EXPR and (inner := clang.only(cursor)) is not None:
        cursor = inner
    return bool(cursor.kind == CursorKind.CXX_THROW_EXPR)


def _try(body: Body, cursor: Cursor) -> Node:
    """What is tried.  What would be caught ends the program, with an error: no handler ever runs."""
    return block(body, clang.children(cursor)[0])


def block(body: Body, cursor: Cursor) -> Node:
    if cursor.kind != CursorKind.COMPOUND_STMT:
        over = passed_over.statement(body, cursor) if _may_be_passed_over(cursor) else None
        return over if over is not None else statement(body, cursor)
    return tree.block(items(body, clang.children(cursor)), body.coord(cursor))


# --- choices -------------------------------------------------------------------------------------


def _if(body: Body, cursor: Cursor) -> Node:
    at = body.coord(cursor)
    opening, closing, _ = body.source.parentheses(cursor)
    parts = clang.children(cursor)
    before = [p for p in parts if (body.source.start(p) or 0) < closing]
    then, *orelse = parts[len(before) :]
    before.sort(key=lambda part: body.source.start(part) or 0)  # libclang shows a variable before what initialises
    lead, test = _conditions(body, before)
    if is_operator(body.source.tokens, opening - 1, "constexpr"):
        test = tree.call(CONSTEXPR, [test], at)
    chosen = block(body, orelse[0]) if orelse else None
    node = tree.branch(test, block(body, then), chosen, at)
    return tree.block([*lead, node], at) if lead else node


def _conditions(body: Body, parts: list[Cursor]) -> tuple[list[Node], Node]:
    """What is declared before a condition, and the condition."""
    lead: list[Node] = []
    for part in parts[:-1]:
        if part.kind == CursorKind.VAR_DECL:
            lead += [declarations.variable(body, part), *declarations.ended(body, part)]
        elif bindings.is_decomposition(part):
            lead += declarations.decomposed(body, part)
        else:
            lead += items(body, [part])
    last = parts[-1]
    if last.kind == CursorKind.VAR_DECL:
        lead += [declarations.variable(body, last), *declarations.ended(body, last)]
        return lead, tree.name(last.spelling, body.coord(last))
    return lead, expression(body, last)


def _switch(body: Body, cursor: Cursor) -> Node:
    parts = clang.children(cursor)
    if body.source.parentheses(cursor)[2]:  # libclang does not show it
        body.source.refuse("a declaration before the subject of 'switch'", cursor, "declare the variable before")
    lead, subject = _conditions(body, parts[:-1])
    node = tree.statement("Switch", subject, block(body, parts[-1]), at=body.coord(cursor))
    return tree.block([*lead, node], body.coord(cursor)) if lead else node


def _case(body: Body, cursor: Cursor) -> list[Node]:
    """A label and what stands right behind it, which may be another one."""
    at, parts = body.coord(cursor), clang.children(cursor)
    inner = parts[-1]
    if cursor.kind == CursorKind.CASE_STMT:
        if len(parts) > 2:
            body.source.refuse("a range of cases", cursor, "write each case")
        stmts: list[Node] = []
        node = tree.statement("Case", expression(body, parts[0]), stmts, at=at)
    else:
        stmts = []
        node = tree.statement("Default", stmts, at=at)
    if inner.kind in (CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT):
        return [node, *_case(body, inner)]
    if inner.kind == CursorKind.DECL_STMT:
        for declared in inner.get_children():
            lifetimes.refuse(body, declared.type, declared, "in a case", "put the case in braces")
    stmts += items(body, [inner])
    return [node]


def _stray_case(body: Body, cursor: Cursor) -> Node:
    return body.source.refuse(
        "a case inside another statement of its switch", cursor, "put the cases directly into the switch"
    )


# --- loops ---------------------------------------------------------------------------------------


def _for(body: Body, cursor: Cursor) -> Node:
    _, closing, (first, second) = body.source.parentheses(cursor)
    init: Node | None = None
    test: Node | None = None
    step: Node | None = None
    inner: Node | None = None
    for part in clang.children(cursor):
        start = body.source.start(part)
        assert start is not None
        if start > closing:
            inner = block(body, part)
        elif start > second:
            step = expression(body, part)
        elif start > first:
            if part.kind == CursorKind.VAR_DECL:
                body.source.refuse("a declaration in the condition of 'for'", part, "declare the variable before")
            test = expression(body, part)
        elif part.kind == CursorKind.DECL_STMT:
            init = tree.declarations(declarations.declared(body, part), body.coord(part))
        elif part.kind != CursorKind.NULL_STMT:
            init = expression(body, part)
    assert inner is not None
    return tree.loop(init, test, step, inner, body.coord(cursor))


def _while(body: Body, cursor: Cursor) -> Node:
    *tests, inner = clang.children(cursor)
    if tests[0].kind == CursorKind.VAR_DECL:  # made, and ended, with each iteration
        at = body.coord(cursor)
        lead, test = _conditions(body, tests[:1])
        leave = tree.branch(tree.unary("!", test, at), tree.statement("Break", at=at), None, at)
        looped = tree.block([*lead, leave, block(body, inner)], at)
        return tree.statement("While", tree.constant("bool", "true", at), looped, at=at)
    if len(tests) != 1 or not tests[0].kind.is_expression():
        body.source.refuse("this condition of 'while'", cursor, "declare the variable before")
    return tree.statement("While", expression(body, tests[0]), block(body, inner), at=body.coord(cursor))


def _do(body: Body, cursor: Cursor) -> Node:
    inner, test = clang.children(cursor)
    return tree.statement("DoWhile", expression(body, test), block(body, inner), at=body.coord(cursor))


# --- jumps ---------------------------------------------------------------------------------------


def _return(body: Body, cursor: Cursor) -> Node:
    at, found, function = body.coord(cursor), clang.expressions(cursor), body.function
    assert function is not None
    if function.kind == CursorKind.CONSTRUCTOR:
        return tree.statement("Return", tree.name(body.self_name, at), at=at)
    if not found:
        if function.result_type.get_canonical().kind != TypeKind.VOID:
            body.source.refuse("this value", cursor, "write it in another way")
        return tree.statement("Return", None, at=at)
    if is_reference(function.result_type):
        value = objects.as_base(
            body, expression(body, found[-1]), found[-1].type, function.result_type, at
        )  # fmt: skip
        return tree.statement("Return", tree.unary("&", value, at), at=at)
    value = lifetimes.result(body, found[-1]) or lifetimes.taken(expression(body, found[-1]))
    return tree.statement("Return", value, at=at)


def _break(body: Body, cursor: Cursor) -> Node:
    return tree.statement("Break", at=body.coord(cursor))


def _continue(body: Body, cursor: Cursor) -> Node:
    return tree.statement("Continue", at=body.coord(cursor))


def _goto(body: Body, cursor: Cursor) -> Node:
    label = next(c for c in cursor.get_children() if c.kind == CursorKind.LABEL_REF)
    return tree.statement("Goto", label.spelling, at=body.coord(cursor))


def _label(body: Body, cursor: Cursor) -> Node:
    return tree.statement("Label", cursor.spelling, statement(body, clang.children(cursor)[-1]), at=body.coord(cursor))


def _attributed(body: Body, cursor: Cursor) -> Node:
    """`[[likely]] statement`, `[[fallthrough]];`"""
    inside = [c for c in cursor.get_children() if c.kind.is_statement() or c.kind.is_expression()]
    if len(inside) != 1:
        body.source.refuse("this statement", cursor, "write it otherwise")
    return statement(body, inside[0])


def _empty(body: Body, cursor: Cursor) -> Node:
    return tree.statement("EmptyStatement", at=body.coord(cursor))


# --- statements that C has not -------------------------------------------------------------------


def _swaps(body: Body, cursor: Cursor) -> Node | None:
    """`std::swap(a, b);`, or expressions with commas between them, as of a fold, of which one is that."""
    parts = _between_commas(cursor)
    if not any(_is_swap(body, plain(p)) for p in parts):
        return None
    if len(parts) > 1:
        return tree.block([statement(body, p) for p in parts], body.coord(cursor))
    return _swap(body, plain(cursor))


def _swap(body: Body, inner: Cursor) -> Node:
    """`std::swap(a, b);` is `{ T held = a; a = b; b = held; }`."""
    at, args = body.coord(inner), given(inner)
    one, other = (expression(body, a) for a in args)
    acts = any(c.kind == CursorKind.CALL_EXPR or _acts(c) for a in args for c in clang.walk(a))
    if acts and not (accessors.is_pure(one) and accessors.is_pure(other)):
        body.source.refuse("std::swap of what calls or assigns", inner, "exchange them by hand")
    again, once_more = (expression(body, a) for a in args)
    of = body.qualified(args[0])
    names = {c.spelling for a in args for c in clang.walk(a)}
    held = next(n for n in ("held", "held_", "held__") if n not in names)
    return tree.block(
        [
            tree.declaration(held, tree.declarator(held, Qualified(of.type), at), one, at),
            tree.assignment("=", again, other, at),
            tree.assignment("=", once_more, tree.name(held, at), at),
        ],
        at,
    )


def _between_commas(cursor: Cursor) -> list[Cursor]:
    inner = plain(cursor)
    if inner.kind != CursorKind.BINARY_OPERATOR or clang.binary(inner) != ",":
        return [cursor]
    return [part for side in clang.expressions(inner) for part in _between_commas(side)]


def _is_swap(body: Body, inner: Cursor) -> bool:
    meant = inner.referenced if inner.kind == CursorKind.CALL_EXPR else None
    return meant is not None and meant.spelling == "swap" and body.entities.is_known(meant)


def _acts(cursor: Cursor) -> bool:
    if cursor.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR:
        return True
    if cursor.kind == CursorKind.BINARY_OPERATOR:
        return clang.binary(cursor) == "="
    return cursor.kind == CursorKind.UNARY_OPERATOR and clang.unary(cursor) in ("++", "--", "p++", "p--")


_HANDLERS: dict[CursorKind, Callable[[Body, Cursor], Node]] = {
    CursorKind.COMPOUND_STMT: block,
    CursorKind.DECL_STMT: declarations.statement,
    CursorKind.IF_STMT: _if,
    CursorKind.SWITCH_STMT: _switch,
    CursorKind.CASE_STMT: _stray_case,
    CursorKind.DEFAULT_STMT: _stray_case,
    CursorKind.FOR_STMT: _for,
    CursorKind.WHILE_STMT: _while,
    CursorKind.DO_STMT: _do,
    CursorKind.CXX_FOR_RANGE_STMT: ranges.loop,
    CursorKind.RETURN_STMT: _return,
    CursorKind.BREAK_STMT: _break,
    CursorKind.CONTINUE_STMT: _continue,
    CursorKind.GOTO_STMT: _goto,
    CursorKind.LABEL_STMT: _label,
    CursorKind.NULL_STMT: _empty,
    CursorKind.UNEXPOSED_STMT: _attributed,
    CursorKind.CXX_TRY_STMT: _try,
}
_DESCRIPTIONS = {
    "ASM_STMT": "inline assembly", "INDIRECT_GOTO_STMT": "a computed goto",
}  # fmt: skip
