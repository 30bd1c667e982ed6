"""Pointers to functions that are kept: in members, in arrays, in variables that change.

All functions whose address the program takes are known when it is read. Each has a number, from 1 on, which is what a
pointer to it is here; a call through a pointer calls the one among those of its type that has the number. So only
integers are kept, which have no derivative, and each function that may be called has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hetad.frontend.cpp import clang, targets, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.targets import Choice
from hetad.frontend.cpp.tree import Node
from hetad.ir.types import ULLONG

_CONFIGURATION = "__cudaPushCallConfiguration"
_WRAPPING = (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR)


class Taken:
    """The functions of a text whose address is taken, in order."""

    def __init__(self, code: Iterable[Cursor]) -> None:
        self.functions: list[Cursor] = []
        for part in code:
            for function in _taken(part, is_called=False):
                if function not in self.functions:
                    self.functions.append(function)

    def number(self, function: Cursor) -> int | None:
        return self.functions.index(function) + 1 if function in self.functions else None

    def of_type(self, type_: Type) -> list[Cursor]:
        """Those that a pointer of this type may lead to."""
        wanted = type_.get_canonical()
        if wanted.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
            wanted = wanted.get_pointee().get_canonical()
        return [f for f in self.functions if f.type.get_canonical() == wanted or _is_as(f, wanted)]


def _is_as(function: Cursor, wanted: Type) -> bool:
    """Whether the operator of a lambda is called as functions of a type are."""
    return (
        targets.is_lambdas(function) and _OF_METHOD.sub("", function.type.get_canonical().spelling) == wanted.spelling
    )


_OF_METHOD = re.compile(r" const(?=$| noexcept$)")


def _taken(cursor: Cursor, is_called: bool) -> Iterator[Cursor]:
    """The functions that are named in code other than to call them."""
    meant = cursor.referenced if cursor.kind == CursorKind.DECL_REF_EXPR else None
    is_plain = meant is not None and (meant.kind == CursorKind.FUNCTION_DECL or meant.is_static_method())
    if meant is not None and meant.kind in targets.FUNCTIONS and is_plain and not is_called:
        yield clang.definition(meant) or meant
    if (operator := targets.of_lambda(cursor)) is not None:
        yield operator
    if cursor.kind == CursorKind.INIT_LIST_EXPR:
        yield from (f for e in clang.expressions(cursor) if (f := targets.listed(_unwrapped(e))) is not None)
    called = _callee(cursor) if cursor.kind == CursorKind.CALL_EXPR else None
    given = list(cursor.get_arguments()) if cursor.kind == CursorKind.CALL_EXPR else []  # lists show them unconverted
    for child in (*cursor.get_children(), *given):
        wraps = is_called and (cursor.kind in _WRAPPING or cursor.kind == CursorKind.UNARY_OPERATOR)
        yield from _taken(child, wraps or (called is not None and child == called))


def _callee(call: Cursor) -> Cursor | None:
    """The expression that a call calls; none where a constructor is called."""
    if call.referenced is not None and call.referenced.kind == CursorKind.CONSTRUCTOR:
        return None
    return next((c for c in clang.expressions(call) if c.spelling != _CONFIGURATION), None)


def value(body: Body, function: Cursor, at: Cursor) -> Node:
    """A pointer to a function."""
    number = body.entities.taken(at).number(clang.definition(function) or function)
    if number is None:
        body.source.refuse("a function as a value here", at, "keep its address in a variable first")
    return tree.known(number, ULLONG, body.coord(at))


def _unwrapped(cursor: Cursor) -> Cursor:
    while cursor.kind in _WRAPPING and (below := clang.only(cursor)) is not None:
        cursor = below
    return cursor


def of_listed(body: Body, cursor: Cursor, type_: Type) -> Node | None:
    """A pointer to a function that a lambda in a list becomes."""
    operator = targets.listed(_unwrapped(cursor)) if targets.is_function_pointer(type_) else None
    return value(body, operator, cursor) if operator is not None else None


def null(body: Body, cursor: Cursor, type_: Type) -> Node | None:
    """The null pointer, where a pointer to a function is wanted."""
    inner = _unwrapped(cursor)
    if inner.kind not in _NULLS or not targets.is_function_pointer(type_):
        return None
    return tree.known(0, ULLONG, body.coord(cursor))


_NULLS = (CursorKind.CXX_NULL_PTR_LITERAL_EXPR, CursorKind.GNU_NULL_EXPR, CursorKind.INTEGER_LITERAL)


def among(body: Body, call: Cursor) -> Choice | None:
    """The functions that a call through a pointer may call."""
    callee = _callee(call)
    while callee is not None and (callee.kind in _WRAPPING or _is_followed(callee)):
        callee = clang.only(callee)
    if callee is None or not targets.is_function_pointer(callee.type):
        return None
    taken = body.entities.taken(call)
    elsewhere = "host" if body.on_device else "device"
    functions = [
        f for f in taken.of_type(callee.type) if not targets.is_lambdas(f) or body.entities.item(f).kind != elsewhere
    ]
    return Choice(callee, functions, [taken.number(f) or 0 for f in functions]) if functions else None


def is_returned(call: Cursor) -> bool:
    """Whether a call calls what another one returns: `chosen(i)(x)`."""
    callee = _callee(call)
    while callee is not None and (callee.kind in _WRAPPING or _is_followed(callee)):
        callee = clang.only(callee)
    return callee is not None and callee.kind == CursorKind.CALL_EXPR and targets.is_function_pointer(callee.type)


def _is_followed(callee: Cursor) -> bool:
    """Whether an expression is `*p` of a pointer to a function."""
    if callee.kind != CursorKind.UNARY_OPERATOR or clang.unary(callee) != "*":
        return False
    return targets.is_function_pointer(clang.expressions(callee)[0].type)
