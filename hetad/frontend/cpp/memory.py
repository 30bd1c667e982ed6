"""`new` and `delete`: memory of the host, and objects in it."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.frontend.cpp import accessors, clang, dispatch, lifetimes, objects, targets, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import is_polymorphic
from hetad.frontend.cpp.special import elements
from hetad.frontend.cpp.tree import Node
from hetad.frontend.lower.c_nodes import Constructed
from hetad.frontend.lower.context import Qualified
from hetad.frontend.tokens import Token, behind_arguments, is_operator, matching
from hetad.ir.types import LONG, SIZE_T
from hetad.ir.types import Pointer as PointerType


def new(body: Body, cursor: Cursor) -> Node:
    """`new T[n]` is `(T *)malloc(n * sizeof(T))`; `new T(x)` and `new (p) T(x)` make an object in memory."""
    from hetad.frontend.cpp.expressions import expression
    from hetad.frontend.cpp.initialisers import initialiser

    at, start = body.coord(cursor), body.source.start(cursor)
    pointer = body.qualified(cursor)
    assert isinstance(pointer.type, PointerType)
    parts = clang.expressions(cursor)
    if start is not None and is_operator(body.source.tokens, start + 1, "("):
        return _placed(body, cursor, parts, matching(body.source.tokens, start + 1) or start)
    tokens, opening = _written(body, start)
    size = tree.size_of(tree.typename(Qualified(pointer.type.to), at), at)
    parts, count = _in_brackets(body, parts, opening)
    implicit = [p for p in parts if p.kind == CursorKind.UNEXPOSED_EXPR and not clang.children(p)]
    others = [p for p in parts if p not in implicit and not objects.is_trivial(p)]
    last = tokens[-1].text if tokens else ""
    if count is None and len(others) == 1:
        made = tree.cast_to(Qualified(pointer.type), tree.call("malloc", (size,), at), at)
        class_ = cursor.type.get_canonical().get_pointee()
        found = body.types.family(class_)
        if found is not None:
            value = initialiser(body, others[0])
            return Constructed(made, [dispatch.made(body, found, class_, value, at)], at)
        return _made(body, made, others[0])
    if len(others) > 1 or (others and count is None):
        body.source.refuse("this 'new'", cursor, "allocate the memory, and assign the values afterwards")
    if count is not None and others:
        return _many(body, cursor, count, others[0])
    number = tree.cast_to(Qualified(SIZE_T), expression(body, count), at) if count is not None else None
    if last in (")", "}"):
        one = tree.constant("int", "1", at)
        call = tree.call("calloc", (number or one, size), at)
    else:
        call = tree.call("malloc", (tree.binary("*", number, size, at) if number is not None else size,), at)
    return tree.cast_to(Qualified(pointer.type), call, at)


def _in_brackets(body: Body, parts: list[Cursor], opening: int | None) -> tuple[list[Cursor], Cursor | None]:
    """The parts beside `new T[n][3]`, and what stands in the first bracket; the others belong to the type."""
    tokens = body.source.tokens
    count: Cursor | None = None
    i = opening
    while i is not None and i < len(tokens) and is_operator(tokens, i, "["):
        end = matching(tokens, i) or i
        for p in [p for p in parts if i < (body.source.start(p) or 0) < end]:
            parts = [x for x in parts if x is not p]
            count = p if i == opening else count
        i = end + 1
    return parts, count


def _many(body: Body, cursor: Cursor, count: Cursor, value: Cursor) -> Node:
    """`new T[n]`, whose elements are constructed one after the other, or given by a list."""
    from hetad.frontend.cpp.expressions import expression
    from hetad.frontend.cpp.initialisers import initialiser

    at, of = body.coord(cursor), cursor.type.get_canonical().get_pointee()
    pointer = body.qualified(cursor)
    assert isinstance(pointer.type, PointerType)
    if not accessors.is_pure(number := expression(body, count)):
        body.source.refuse("an array of objects whose length an expression makes", cursor, "give the length a name")
    listed = clang.expressions(value) if value.kind == CursorKind.INIT_LIST_EXPR else []
    inits = [initialiser(body, e, of) for e in listed]
    plain = not objects.has_defaults(of)
    size = tree.size_of(tree.typename(Qualified(pointer.type.to), at), at)
    bytes_ = tree.binary("*", tree.cast_to(Qualified(SIZE_T), number, at), size, at)
    call = tree.call("calloc", (tree.cast_to(Qualified(SIZE_T), number, at), size), at) if plain else None
    memory = tree.cast_to(Qualified(pointer.type), call or tree.call("malloc", (bytes_,), at), at)
    return Constructed(memory, inits, at, number, None if plain else objects.default_value(body, of, None, cursor))


def _deleted_of_family(body: Body, cursor: Cursor, operand: Cursor, pointee: Type) -> Node:
    from hetad.frontend.cpp.expressions import expression

    found, at = dispatch.family_of(body, operand), body.coord(cursor)
    if found is None:
        dispatch.unknown(body, "'delete' of an object whose class only the run tells", cursor, pointee)
    pointer = expression(body, operand)
    if not accessors.is_pure(pointer):
        body.source.refuse("'delete' of what an expression makes", cursor, "give the pointer a name")
    return dispatch.ended(body, pointer, found, pointee, at)


def _written(body: Body, start: int | None) -> tuple[Sequence[Token], int | None]:
    """The tokens of `new T[n]{...}`, whose end libclang does not tell in templates, and where the bracket is."""
    if start is None:
        return (), None
    tokens, i = body.source.tokens, start + 1
    while tokens[i].kind == "name" or tokens[i].text in ("::", "*", "<"):
        i = behind_arguments(tokens, i) if tokens[i].text == "<" else i + 1
    opening = i if is_operator(tokens, i, "[") else None
    while i < len(tokens) and tokens[i].kind == "operator" and tokens[i].text in ("[", "(", "{"):
        last, i = tokens[i].text, (matching(tokens, i) or i) + 1
        if last != "[":
            break
    return tokens[start:i], opening


def _placed(body: Body, cursor: Cursor, parts: list[Cursor], closing: int) -> Node:
    """`new (p) T(x)` gives memory a value."""
    from hetad.frontend.cpp.expressions import expression

    inside = [p for p in parts if (start := body.source.start(p)) is not None and start < closing]
    rest = [p for p in parts if body.source.start(p) is not None and p not in inside]
    written = body.source.inside(cursor)[-1].text in (")", "}")
    if len(inside) != 1 or len(rest) > 1 or not (rest or written):
        body.source.refuse("this 'new' in given memory", cursor, "assign the value")
    to, at = body.qualified(cursor).type, body.coord(cursor)
    memory = tree.cast_to(Qualified(to), expression(body, inside[0]), at)
    if rest:
        return _made(body, memory, rest[0])
    return Constructed(memory, [objects.default_value(body, cursor.type.get_pointee(), None, cursor)], at)


def _made(body: Body, memory: Node, value: Cursor) -> Node:
    from hetad.frontend.cpp.initialisers import initialiser

    return Constructed(memory, [initialiser(body, value)], body.coord(value))


def delete(body: Body, cursor: Cursor) -> Node:
    """`delete p` inside an expression."""
    from hetad.frontend.cpp.expressions import expression

    operand = clang.expressions(cursor)[0]
    pointee = operand.type.get_canonical().get_pointee()
    lifetimes.refuse(body, pointee, cursor, "that is deleted inside an expression", "make it a statement")
    return tree.call("free", (expression(body, operand),), body.coord(cursor))


def deleted(body: Body, cursor: Cursor) -> Node | None:
    """The statement `delete p;` of an object whose end does something; None for other statements."""
    from hetad.frontend.cpp.expressions import expression

    if cursor.kind != CursorKind.CXX_DELETE_EXPR:
        return None
    operand, at = clang.expressions(cursor)[0], body.coord(cursor)
    pointee = operand.type.get_canonical().get_pointee()
    if pointee.get_canonical().kind == TypeKind.RECORD and is_polymorphic(pointee.get_canonical().get_declaration()):
        return _deleted_of_family(body, cursor, operand, pointee.get_canonical())
    if not lifetimes.has_end(body, pointee):
        return None
    start = body.source.start(cursor)
    pointer = expression(body, operand)
    if not lifetimes.is_pure(pointer):
        body.source.refuse("'delete' of what an expression makes", cursor, "give the pointer a name")
    if start is not None and is_operator(body.source.tokens, start + 1, "["):
        ends = _ends_of_all(body, cursor, operand, pointer)
    else:
        ends = lifetimes.ends(body, tree.unary("*", pointer, at), elements(pointee), at)
    inner = tree.block([ends, tree.call("free", (pointer,), at)], at)
    return tree.branch(tree.binary("!=", pointer, tree.constant("nullptr_t", "nullptr", at), at), inner, None, at)


def _ends_of_all(body: Body, cursor: Cursor, operand: Cursor, pointer: Node) -> Node:
    """The ends of the objects of an array, last to first: as many as its `new` has made, in the same function."""
    from hetad.frontend.cpp.expressions import expression

    at, count = body.coord(cursor), _count_made(body, operand)
    if count is None:
        what = "'delete[]' of objects with a destructor whose number this function does not show"
        body.source.refuse(what, cursor, "use std::vector, or let the function that deletes them make them")
    left, one = body.unused("objects_left"), tree.constant("int", "1", at)
    declared = tree.declaration(left, tree.declarator(left, Qualified(LONG), at), expression(body, count), at)
    named = tree.name(left, at)
    last = tree.index(pointer, tree.binary("-", named, one, at), at)
    end = lifetimes.ends(body, last, elements(operand.type.get_canonical().get_pointee()), at)
    test = tree.binary(">", named, tree.constant("int", "0", at), at)
    return tree.loop(tree.declarations([declared], at), test, tree.unary("--", named, at), tree.block([end], at), at)


def _count_made(body: Body, operand: Cursor) -> Cursor | None:
    """How many objects `new` has made where the variable gets its value, which it keeps, as does the number."""
    variable = targets.named(operand)
    value = clang.initialiser(variable) if variable is not None and variable.kind == CursorKind.VAR_DECL else None
    around = clang.definition(variable.semantic_parent) if variable is not None else None
    if variable is None or value is None or value.kind != CursorKind.CXX_NEW_EXPR or around is None:
        return None
    count = _in_brackets(body, clang.expressions(value), _written(body, body.source.start(value))[1])[1]
    if count is None:
        return None
    used = {v.hash: v for c in clang.walk(count) if (v := targets.named(c)) is not None}
    kept = not any(targets.may_change(c, v) for v in (variable, *used.values()) for c in clang.walk(around))
    pure = all(c.kind not in (CursorKind.CALL_EXPR, CursorKind.MEMBER_REF_EXPR) for c in clang.walk(count))
    return count if kept and pure else None
