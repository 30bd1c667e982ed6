"""Which function a call through an expression calls: pointers to functions that are known when the program is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind

Held = Mapping[int, Cursor]
_FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD)
_THROUGH = (
    CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR,
    CursorKind.INIT_LIST_EXPR,
)  # fmt: skip


def is_function_pointer(type_: Type) -> bool:
    """Whether a type is a pointer or a reference to a function."""
    canonical = type_.get_canonical()
    if canonical.kind not in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
        return False
    return canonical.get_pointee().get_canonical().kind in (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)


def called(cursor: Cursor, held: Held) -> Cursor | None:
    """The function that a call through an expression calls; None where it is not known."""
    inner = [c for c in clang.expressions(cursor) if c.spelling != "__cudaPushCallConfiguration"]
    return target(inner[0], held) if inner else None


def target(cursor: Cursor, held: Held) -> Cursor | None:
    """The function that an expression points to; `held`: the functions that parameters are."""
    inner = clang.expressions(cursor)
    if cursor.kind in _THROUGH or (cursor.kind == CursorKind.UNARY_OPERATOR and clang.unary(cursor) in "&*"):
        return target(inner[0], held) if len(inner) == 1 else None
    if cursor.kind != CursorKind.DECL_REF_EXPR:
        return None
    meant = cursor.referenced
    if meant is None:
        return target(inner[0], held) if len(inner) == 1 else None
    if meant.kind in _FUNCTIONS:
        return meant
    if meant.kind == CursorKind.PARM_DECL:
        return held.get(meant.hash)
    return _of_variable(meant, held) if meant.kind == CursorKind.VAR_DECL else None


def _of_variable(variable: Cursor, held: Held) -> Cursor | None:
    """Of a variable that keeps its value: one that is const, or that its function does not change."""
    value = clang.initialiser(variable)
    if value is None or not is_function_pointer(variable.type):
        return None
    around = variable.semantic_parent
    is_const = variable.type.get_canonical().is_const_qualified()
    if not is_const and (around is None or around.kind in (CursorKind.TRANSLATION_UNIT, CursorKind.NAMESPACE)):
        return None
    if not is_const and any(_may_change(c, variable) for c in clang.walk(clang.definition(around) or around)):
        return None
    return target(value, held)


def _may_change(cursor: Cursor, variable: Cursor) -> bool:
    """Whether a variable is used for anything but a call."""
    for child in cursor.get_children():
        if child.kind == CursorKind.DECL_REF_EXPR and child.referenced == variable:
            reads = cursor.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.CALL_EXPR, CursorKind.PAREN_EXPR)
            return not (reads or (cursor.kind == CursorKind.UNARY_OPERATOR and clang.unary(cursor) == "*"))
    return False


def passed(function: Cursor, args: Sequence[Cursor], held: Held) -> dict[int, Cursor]:
    """The functions that a call passes, by the place of the argument, as far as they are known, and nothing changes the
    parameter."""
    found = {}
    for number, (parameter, given) in enumerate(zip(function.get_arguments(), args, strict=False)):
        meant = target(given, held) if is_function_pointer(parameter.type) else None
        around = clang.definition(function)
        if meant is not None and around is not None:
            own = list(around.get_arguments())[number]
            if not any(_may_change(c, own) for c in clang.walk(around)):
                found[number] = meant
    return found
