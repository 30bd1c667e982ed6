"""What a lambda captures, which libclang tells in part."""

from __future__ import annotations

from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind
from hetad.frontend.cpp.source import Source
from hetad.frontend.tokens import matching, split_commas


def captures(source: Source, expression: Cursor) -> list[Cursor]:
    """The variables that a lambda captures: those that it lists, then those that `[=]` or `[&]` stands for; the lambda
    itself in the place of `this`."""
    fields = len(list(expression.type.get_fields()))
    found = _listed(source, expression)
    if len(found) == fields:
        return found
    listed = list(found)
    for used in clang.walk(expression):  # begins with the values of the members, in order, but for `this`
        meant = used.referenced if used.kind == CursorKind.DECL_REF_EXPR else None
        if meant is None or meant.kind not in (CursorKind.VAR_DECL, CursorKind.PARM_DECL) or meant in found:
            continue
        if is_outside(meant, expression) and _is_automatic(meant):
            found.append(meant)
    if expression not in found:
        _insert_object(expression, found, len(listed))
    if len(found) > fields:  # constants whose value alone is used are not captured
        found = [v for v in found if v in listed or v == expression or not v.type.is_const_qualified()]
    return found


def shared(expression: Cursor) -> list[Cursor]:
    """The variables in shared memory that a lambda names without capturing them: they live as long as its block."""
    found: list[Cursor] = []
    for used in clang.walk(expression):
        meant = used.referenced if used.kind == CursorKind.DECL_REF_EXPR else None
        if meant is None or meant.kind != CursorKind.VAR_DECL or meant in found:
            continue
        if is_outside(meant, expression) and _is_shared(meant) and _around(meant) is not None:
            found.append(meant)
    return found


def _is_shared(variable: Cursor) -> bool:
    return any(c.kind == CursorKind.CUDASHARED_ATTR for c in variable.get_children())


def _around(variable: Cursor) -> Cursor | None:
    """The function in which a variable is declared."""
    parents = (variable.semantic_parent, variable.lexical_parent)
    scopes = (CursorKind.TRANSLATION_UNIT, CursorKind.NAMESPACE)
    return next((p for p in reversed(parents) if p is not None and p.kind not in scopes), None)


def _insert_object(expression: Cursor, found: list[Cursor], first: int) -> None:
    """Puts `this`, if the body of a lambda uses it, before the variables that it uses later."""
    before: list[Cursor] = []
    for used in clang.walk(clang.children(expression)[-1]):
        if uses_object(used):
            number = next((i for i, v in enumerate(found) if i >= first and v not in before), len(found))
            found.insert(number, expression)
            return
        if used.kind == CursorKind.DECL_REF_EXPR and used.referenced in found:
            before.append(used.referenced)


def _listed(source: Source, expression: Cursor) -> list[Cursor]:
    """What stands in the brackets."""
    found = [c.referenced for c in expression.get_children() if c.kind == CursorKind.VARIABLE_REF]
    start = source.start(expression)
    end = matching(source.tokens, start) if start is not None else None
    if start is None or end is None:
        return found
    items = split_commas(source.tokens[start + 1 : end])
    names = [item for item in items if [t.text for t in item] not in (["="], ["&"])]
    for number, item in enumerate(names):
        if [t.text for t in item] in (["this"], ["*", "this"]):
            found.insert(number, expression)
    return found


def uses_object(cursor: Cursor) -> bool:
    """Whether an expression is the object of the method around it, or a member of it."""
    if cursor.kind == CursorKind.CXX_THIS_EXPR:
        return True
    meant = cursor.referenced if cursor.kind == CursorKind.MEMBER_REF_EXPR else None
    if meant is None or clang.expressions(cursor):
        return False
    is_method = meant.kind in (CursorKind.CXX_METHOD, CursorKind.CONVERSION_FUNCTION)
    return meant.kind == CursorKind.FIELD_DECL or (is_method and not meant.is_static_method())


def is_outside(variable: Cursor, expression: Cursor) -> bool:
    """Whether a variable is declared before a lambda, not in it."""
    extent = expression.extent
    return not extent.start.offset <= variable.location.offset < extent.end.offset


def _is_automatic(variable: Cursor) -> bool:
    around = variable.semantic_parent
    is_local = around is not None and around.kind not in (CursorKind.TRANSLATION_UNIT, CursorKind.NAMESPACE)
    return is_local and variable.storage_class.name not in ("STATIC", "EXTERN") and not _is_shared(variable)
