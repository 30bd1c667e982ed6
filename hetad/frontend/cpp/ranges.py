"""Loops over ranges: arrays, lists in braces, and classes with `begin()` and `end()`."""

from __future__ import annotations

from hetad.frontend.cpp import bindings, clang, lifetimes, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.expressions import expression, plain
from hetad.frontend.cpp.initialisers import initialiser
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference
from hetad.frontend.lower.context import Qualified
from hetad.ir.types import INT, LONG, Array, Pointer

_STATEMENTS = 6  # of a recipe


def loop(body: Body, cursor: Cursor) -> Node:
    """`for (T &e : range)`: with a counter where the elements lie behind each other, else with the iterator."""
    parts = clang.children(cursor)
    if body.source.parentheses(cursor)[2]:
        body.source.refuse("a statement before a loop over a range", cursor, "write it before")
    declared = next(p for p in parts if p.kind == CursorKind.VAR_DECL or bindings.is_decomposition(p))
    over = next(p for p in parts if p.kind.is_expression() and p != declared)
    array = over.type.get_canonical()
    array = array.get_pointee().get_canonical() if is_reference(array) else array
    recipe, *rest = clang.children(parts[-1])
    if array.kind == TypeKind.CONSTANTARRAY:
        return _over_array(body, declared, expression(body, over), array.element_count, rest)
    if array.spelling.startswith("std::initializer_list<"):
        return _over_list(body, declared, over, rest)
    steps = clang.children(recipe)
    if array.kind != TypeKind.RECORD or len(steps) != _STATEMENTS:
        body.source.refuse(f"a loop over a '{over.type.spelling}'", over, "count through it")
    return _over_object(body, declared, steps, rest)


def _over_array(body: Body, declared: Cursor, array: Node, count: int, rest: list[Cursor]) -> Node:
    at = body.coord(declared)
    counter = _counter(body, declared)
    element = tree.index(array, tree.name(counter, at), at)
    end = tree.constant("int", str(count), at)
    return _counted(body, counter, Qualified(INT), end, _element(body, declared, element), rest, declared)


def _over_list(body: Body, declared: Cursor, over: Cursor, rest: list[Cursor]) -> Node:
    """`for (T *p : {a, b})`: over an array of these values."""
    at, values = body.coord(over), plain(over)
    while values.kind != CursorKind.INIT_LIST_EXPR:
        inner = clang.expressions(values)
        if len(inner) != 1:
            body.source.refuse("a loop over this list", over, "make an array of the values")
        values = inner[0]
    type_ = over.type.get_canonical().get_template_argument_type(0)
    lifetimes.refuse(body, type_, over, "in a list that is gone through", "make an array of them")
    elements = clang.expressions(values)
    if _are_places_of_pointers(type_) and not any(c.kind in _JUMPS for r in rest for c in clang.walk(r)):
        return tree.block([_once(body, declared, initialiser(body, e, type_), rest) for e in elements], at)
    of = body.types.of(type_, over)
    name = body.unused(f"{_stem(declared)}_values")
    nodes = tree.braces([initialiser(body, e, type_) for e in elements], at)
    array = tree.declaration(name, tree.declarator(name, Qualified(Array(of, len(elements))), at), nodes, at)
    return tree.block([array, _over_array(body, declared, tree.name(name, at), len(elements), rest)], at)


_JUMPS = (CursorKind.BREAK_STMT, CursorKind.CONTINUE_STMT, CursorKind.LABEL_STMT)


def _are_places_of_pointers(type_: Type) -> bool:
    """Whether values are addresses of pointers: what is stored there is told apart where each stands by itself."""
    pointee = type_.get_canonical().get_pointee().get_canonical()
    return bool(type_.get_canonical().kind == TypeKind.POINTER and pointee.kind == TypeKind.POINTER)


def _once(body: Body, declared: Cursor, value: Node, rest: list[Cursor]) -> Node:
    """The loop for one of its values."""
    from hetad.frontend.cpp import statements

    return tree.block([*_element(body, declared, value), *statements.items(body, rest)], body.coord(declared))


def _over_object(body: Body, named: Cursor, steps: list[Cursor], rest: list[Cursor]) -> Node:
    from hetad.frontend.cpp import declarations, statements

    range_, at_, end_, test, step, element = steps
    where = body.coord(range_)
    object_ = _only(range_)
    lead = _by_value(body, object_) if _is_temporary(object_) else [declarations.variable(body, object_)]
    first, last = _only(at_), _only(end_)
    lead.append(declarations.variable(body, first))
    declared = _only(element)
    if first.type.get_canonical().kind != TypeKind.POINTER:
        lead.append(declarations.variable(body, last))
        one = statements.items(body, [element])
        bindings.rename(body, declared, named)
        inside = tree.block([*one, *statements.items(body, rest)], where)
        return tree.block(
            [*lead, tree.loop(None, expression(body, test), expression(body, step), inside, where)], where
        )
    value = clang.initialiser(last)
    assert value is not None
    count, counter = body.unused(f"{_stem(declared)}_count"), _counter(body, declared)
    length = tree.binary("-", expression(body, value), tree.name(first.spelling, where), where)
    lead.append(tree.declaration(count, tree.declarator(count, Qualified(LONG), where), length, where))
    place = tree.index(tree.name(first.spelling, where), tree.name(counter, where), where)
    one = _element(body, declared, place)
    bindings.rename(body, declared, named)
    looped = _counted(body, counter, Qualified(LONG), tree.name(count, where), one, rest, declared)
    return tree.block([*lead, looped], where)


def _counted(
    body: Body, counter: str, of: Qualified, end: Node, lead: list[Node], rest: list[Cursor], at_: Cursor
) -> Node:
    from hetad.frontend.cpp import statements

    at = body.coord(at_)
    start = tree.declaration(counter, tree.declarator(counter, of, at), tree.constant("int", "0", at), at)
    return tree.loop(
        tree.declarations([start], at), tree.binary("<", tree.name(counter, at), end, at),
        tree.unary("++", tree.name(counter, at), at), tree.block([*lead, *statements.items(body, rest)], at), at,
    )  # fmt: skip


def _element(body: Body, declared: Cursor, value: Node) -> list[Node]:
    """The variable of the loop."""
    at, type_ = body.coord(declared), declared.type
    if not is_reference(type_):
        value = lifetimes.copy_of(body, value, type_, declared)
    if bindings.is_decomposition(declared):
        return bindings.of(body, declared, value)
    name = declared.spelling
    made = tree.declaration(name, tree.declarator(name, body.qualified(declared), at), value, at)
    return [made, *lifetimes.at_end(body, name, type_, declared)]


def _counter(body: Body, declared: Cursor) -> str:
    return body.unused(f"{_stem(declared)}_index")


def _stem(declared: Cursor) -> str:
    return declared.spelling if declared.spelling.isidentifier() else "element"


def _only(statement: Cursor) -> Cursor:
    return next(iter(statement.get_children()))


def _is_temporary(range_: Cursor) -> bool:
    return bool(range_.type.get_canonical().kind == TypeKind.RVALUEREFERENCE)


def _by_value(body: Body, cursor: Cursor) -> list[Node]:
    """`T &&range = value;`, which lives as long as the loop."""
    at, of, init = body.coord(cursor), body.qualified(cursor), clang.initialiser(cursor)
    assert isinstance(of.type, Pointer) and init is not None
    whole, name = Qualified(of.type.to, of.type.const), cursor.spelling
    made = tree.declaration(name, tree.declarator(name, whole, at), initialiser(body, init), at)
    return [made, *lifetimes.at_end(body, name, cursor.type.get_canonical().get_pointee(), cursor)]
