"""Which function a call through an expression calls: pointers to functions that are known when the program is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.names import LAMBDA

Held = Mapping[int, Cursor]
FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD)
_THROUGH = (
    CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR,
    CursorKind.CXX_REINTERPRET_CAST_EXPR, CursorKind.INIT_LIST_EXPR,
)  # fmt: skip
VARIABLES = (CursorKind.VAR_DECL, CursorKind.PARM_DECL, CursorKind.FIELD_DECL)


def returned(meant: Cursor) -> Type:
    """What a function returns, or what those do that a variable may point or refer to."""
    if meant.kind not in VARIABLES:
        return meant.result_type
    type_ = meant.type.get_canonical()
    while type_.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
        type_ = type_.get_pointee().get_canonical()
    return type_.get_result()


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


@dataclass(frozen=True)
class Choice:
    """Known functions that a call may call, and what chooses: the condition of `c ? f : g`; or the index of a table or
    a pointer, which has a number for each."""

    by: Cursor
    functions: list[Cursor]
    numbers: list[int] | None


def chosen(cursor: Cursor, held: Held) -> Choice | None:
    """Among which functions a call chooses; None where they are not known."""
    inner = [c for c in clang.expressions(cursor) if c.spelling != "__cudaPushCallConfiguration"]
    callee = _without_wrapping(inner[0]) if inner else cursor
    parts, indexed = clang.children(callee), callee.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR
    if callee.kind == CursorKind.CONDITIONAL_OPERATOR and len(parts) == 3:
        by, given = parts[0], parts[1:]
    elif indexed and len(parts) == 2:
        by, given = parts[1], _table(_without_wrapping(parts[0]))
    else:
        return None
    found = [f for f in (target(g, held) for g in given) if f is not None]
    if not found or len(found) != len(given):
        return None
    return Choice(by, found, list(range(len(found))) if indexed else None)


def is_table(type_: Type) -> bool:
    """Whether a type is an array of pointers to functions."""
    canonical = type_.get_canonical()
    return canonical.kind == TypeKind.CONSTANTARRAY and is_function_pointer(canonical.element_type)


def found_by_calls(variable: Cursor, held: Held) -> bool:
    """Whether each call through a variable finds what it calls in its first value."""
    if is_table(variable.type):
        given = _table_of(variable)
        return bool(given) and all(target(g, held) is not None for g in given)
    return is_function_pointer(variable.type) and _of_variable(variable, held) is not None


def _table(cursor: Cursor) -> list[Cursor]:
    """What is in a table of functions that is const, each given."""
    variable = cursor.referenced if cursor.kind == CursorKind.DECL_REF_EXPR else None
    if variable is None or variable.kind != CursorKind.VAR_DECL or not is_table(variable.type):
        return []
    return _table_of(variable)


def _table_of(variable: Cursor) -> list[Cursor]:
    type_, value = variable.type.get_canonical(), clang.initialiser(variable)
    given = clang.expressions(value) if value is not None and type_.is_const_qualified() else []
    return given if len(given) == type_.element_count else []


def named(cursor: Cursor) -> Cursor | None:
    """The variable or parameter whose value an expression is."""
    inner = _without_wrapping(cursor)
    meant = inner.referenced if inner.kind == CursorKind.DECL_REF_EXPR else None
    return meant if meant is not None and meant.kind in (CursorKind.VAR_DECL, CursorKind.PARM_DECL) else None


def _without_wrapping(cursor: Cursor) -> Cursor:
    while _is_wrapping(cursor) and (inner := clang.only(cursor)) is not None:
        cursor = inner
    return cursor


def _is_wrapping(cursor: Cursor) -> bool:
    """Whether it means the function that its operand means."""
    return cursor.kind in _THROUGH or (
        cursor.kind == CursorKind.UNARY_OPERATOR and clang.unary(cursor) in ("&", "*", "+")
    )


def of_lambda(cursor: Cursor) -> Cursor | None:
    """The operator of a lambda without captures that a pointer to a function is made of."""
    meant = cursor.referenced if cursor.kind == CursorKind.CALL_EXPR else None
    if meant is None or meant.kind != CursorKind.CONVERSION_FUNCTION or not is_function_pointer(meant.result_type):
        return None
    return operator_of(meant.semantic_parent)


def listed(cursor: Cursor) -> Cursor | None:
    """The same of a lambda in a list, which shows it unconverted."""
    closure = cursor.type.get_canonical().get_declaration()
    return operator_of(closure) if not list(closure.type.get_fields()) else None


def operator_of(closure: Cursor) -> Cursor | None:
    """The operator of the class of a lambda, if there is one for all arguments; None for other classes."""
    if LAMBDA not in closure.type.spelling:
        return None
    operators = [m for m in closure.get_children() if m.kind == CursorKind.CXX_METHOD and m.spelling == "operator()"]
    return operators[0] if len(operators) == 1 else None


def is_lambdas(function: Cursor) -> bool:
    """Whether a function is the operator of a lambda."""
    return function.kind == CursorKind.CXX_METHOD and LAMBDA in function.semantic_parent.type.spelling


def target(cursor: Cursor, held: Held) -> Cursor | None:
    """The function that an expression points to; `held`: the functions that parameters are."""
    inner = clang.expressions(cursor)
    if _is_wrapping(cursor):
        return target(inner[0], held) if len(inner) == 1 else None
    if (operator := of_lambda(cursor)) is not None:
        return operator
    if cursor.kind != CursorKind.DECL_REF_EXPR:
        return None
    meant: Cursor | None = cursor.referenced
    if meant is None:
        return target(inner[0], held) if len(inner) == 1 else None
    if meant.kind in FUNCTIONS:
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
    if not is_const and any(may_change(c, variable) for c in clang.walk(clang.definition(around) or around)):
        return None
    return target(value, held)


def may_change(cursor: Cursor, variable: Cursor) -> bool:
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
            if not any(may_change(c, own) for c in clang.walk(around)):
                found[number] = meant
    return found
