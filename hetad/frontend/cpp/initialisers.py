"""Lists in braces, whose order and gaps libclang shows as they are written."""

from __future__ import annotations

import re
from typing import Any, cast

from pycparser import c_ast

from hetad.frontend.cpp import clang, lifetimes, objects, pointers, tree
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.expressions import expression, plain
from hetad.frontend.cpp.hierarchy import bases, held, is_empty, is_instance, members_of
from hetad.frontend.cpp.special import is_implicit
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference
from hetad.frontend.lower.context import Qualified
from hetad.frontend.tokens import is_operator
from hetad.ir.types import SIZE_T, Array

_AGGREGATES = (TypeKind.RECORD, TypeKind.CONSTANTARRAY)


def initialiser(body: Body, cursor: Cursor, wanted: Type | None = None) -> Node:
    """An expression where an initialiser is wanted: lists are lists in C too.

    `wanted`: what an element of a list is to become; libclang shows lists as they are written, without conversions.
    """
    inner = plain(cursor)
    if wanted is not None and _is_constructed(wanted) and not _is_of(inner, wanted):
        return _constructed(body, inner, wanted)
    if wanted is not None and (null := pointers.null(body, inner, wanted)) is not None:
        return null
    if wanted is not None and (function := pointers.of_listed(body, inner, wanted)) is not None:
        return function
    if inner.kind != CursorKind.INIT_LIST_EXPR:
        return lifetimes.element(body, expression(body, cursor), wanted, inner)
    elements = clang.expressions(inner)
    type_ = inner.type.get_canonical()
    if type_.kind == TypeKind.VOID and wanted is not None:
        type_ = wanted.get_canonical()
    at = body.coord(inner) or body.coord(cursor)
    parts = _parts(type_)
    if type_.kind == TypeKind.RECORD:
        empty = sum(is_empty(b.type) for b in bases(type_.get_declaration()))
        if empty and (empty < len(bases(type_.get_declaration())) or not _leads(elements, empty)):
            body.source.refuse("a list for a class with bases without members", inner, "give the class a constructor")
        elements, parts = elements[empty:], parts[empty:]
    if not parts or any(_is_designated(body, e) for e in elements):
        of = type_.element_type if type_.kind == TypeKind.CONSTANTARRAY else None
        return tree.braces([_element(body, e, of) for e in elements] + _rest(body, inner, type_, len(elements)), at)
    return tree.braces(_filled(body, inner, type_, parts, elements), at)


def _filled(body: Body, at: Cursor, type_: Type, parts: list[Type], elements: list[Cursor]) -> list[Node]:
    """The parts of an object, of the elements of a list, which are used up; inner braces may be left out."""
    nodes = []
    for part in parts:
        if not elements:
            break
        if _fits(elements[0], part) or _is_constructed(part):
            nodes.append(initialiser(body, elements.pop(0), part))
            continue
        inner, start = part.get_canonical(), body.coord(elements[0])
        if bases(inner.get_declaration()):
            body.source.refuse("a list that leaves braces out", elements[0], "write the braces of inner lists")
        nodes.append(tree.braces(_filled(body, at, inner, _parts(inner), elements), start))
    if type_.kind == TypeKind.RECORD:
        nodes = _with_references(type_, nodes)
    return nodes + _rest(body, at, type_, len(nodes))


LIST = "std::initializer_list<"


def listed(body: Body, cursor: Cursor, inner: Cursor) -> Node:
    """`{a, b}` for a parameter that is a list: the address of an array of the values, and their number."""
    type_, at = cursor.type.get_canonical(), body.coord(cursor)
    values = plain(inner)
    if not type_.spelling.startswith(LIST) or values.kind != CursorKind.INIT_LIST_EXPR:
        return expression(body, inner)
    of = type_.get_template_argument_type(0)
    elements = clang.expressions(values)
    to = Qualified(Array(body.types.of(of, cursor), len(elements)))
    array = tree.literal(to, tree.braces([initialiser(body, e, of) for e in elements], at), at)
    array = lifetimes.listed(body, array, of, len(elements), at)
    parts = tree.braces([array, tree.known(len(elements), SIZE_T, at)], at)
    return tree.literal(Qualified(body.types.of(type_, cursor)), parts, at)


def _with_references(type_: Type, nodes: list[Node]) -> list[Node]:
    """Members that are references are the addresses of what they refer to."""
    before = len(held(type_.get_declaration()))
    found = list(nodes)
    for number, field in enumerate(type_.get_fields(), before):
        if is_reference(field.type) and number < len(found):
            found[number] = tree.unary("&", found[number], found[number].coord)
    return found


def _leads(elements: list[Cursor], number: int) -> bool:
    """Whether a list, if it is not empty, begins with values for as many bases."""
    return not elements or all(e.type.get_canonical().kind in (*_AGGREGATES, TypeKind.VOID) for e in elements[:number])


def _parts(type_: Type) -> list[Type]:
    """What the elements of a list become; nothing where that is not known."""
    if type_.kind == TypeKind.CONSTANTARRAY:
        return [type_.element_type] * type_.element_count
    if type_.kind != TypeKind.RECORD or type_.get_declaration().kind == CursorKind.UNION_DECL:
        return []
    return [b.type for b in bases(type_.get_declaration())] + [f.type for f in type_.get_fields()]


def _constructors(type_: Type) -> list[Cursor]:
    """What a class says of how its objects are made; copies aside."""
    declaration = type_.get_canonical().get_declaration()
    own = (m for m in members_of(declaration) if m.kind in _MAKERS)
    return [m for m in own if not is_implicit(m) and not clang.is_copy(m)]


_MAKERS = (CursorKind.CONSTRUCTOR, CursorKind.FUNCTION_TEMPLATE)


def _is_constructed(type_: Type) -> bool:
    """Whether objects are made by constructors, not of lists of their members."""
    canonical = type_.get_canonical()
    is_class = canonical.kind == TypeKind.RECORD and canonical.get_declaration().kind != CursorKind.UNION_DECL
    declaration = canonical.get_declaration()
    names = {re.sub(r"<.*", "", declaration.spelling)}
    return is_class and any(re.sub(r"<.*", "", m.spelling) in names for m in _constructors(canonical))


def _is_of(cursor: Cursor, wanted: Type) -> bool:
    given = cursor.type.get_canonical()
    return cursor.kind != CursorKind.INIT_LIST_EXPR and given.kind == TypeKind.RECORD and objects.derives(given, wanted)


def _constructed(body: Body, cursor: Cursor, wanted: Type) -> Node:
    """An element of a list, of which the compiler makes an object with a constructor."""
    args = clang.expressions(cursor) if cursor.kind == CursorKind.INIT_LIST_EXPR else [cursor]
    if not args:
        return objects.default_value(body, wanted, None, cursor)
    if (pair := _pair(body, cursor, wanted, args)) is not None:
        return pair
    made = [m for m in _constructors(wanted) if m.kind == CursorKind.CONSTRUCTOR and _takes(m, len(args))]
    if len(made) > 1:
        made = [m for m in made if _takes_exactly(m, args)]
    if (
        len(made) != 1
        or is_instance(wanted.get_canonical().get_declaration())
        or any(a.kind == CursorKind.INIT_LIST_EXPR for a in args)
    ):
        what = f"a value in a list that a constructor of '{wanted.spelling}' converts"
        body.source.refuse(what, cursor, "write the name of the class before it")
    nodes = (
        lifetimes.kept(body, expression(body, a), p.type) for a, p in zip(args, made[0].get_arguments(), strict=False)
    )
    return tree.call(body.called(made[0]), list(nodes), body.coord(cursor))


def _pair(body: Body, cursor: Cursor, wanted: Type, args: list[Cursor]) -> Node | None:
    """`{a, b}` for a std::pair, whose constructors give its members these values."""
    of, at = wanted.get_canonical(), body.coord(cursor)
    is_pair = of.spelling.removeprefix("const ").startswith("std::pair<")
    if not is_pair or len(args) != 2 or not body.source.is_models(of.get_declaration()):
        return None
    values = [initialiser(body, a, f.type) for a, f in zip(args, of.get_fields(), strict=True)]
    return tree.literal(Qualified(body.types.of(of, cursor)), tree.braces(values, at), at)


def _takes(constructor: Cursor, number: int) -> bool:
    params = list(constructor.get_arguments())
    least = sum(clang.initialiser(p) is None for p in params)
    return least <= number <= len(params)


def _takes_exactly(constructor: Cursor, args: list[Cursor]) -> bool:
    """Whether arguments have the types of the parameters; arrays are pointers to their elements."""
    for parameter, given in zip(constructor.get_arguments(), args, strict=False):
        type_, has = parameter.type.get_canonical(), given.type.get_canonical()
        type_ = type_.get_pointee().get_canonical() if is_reference(type_) else type_
        if has.kind == TypeKind.CONSTANTARRAY and type_.kind == TypeKind.POINTER:
            type_, has = type_.get_pointee().get_canonical(), has.element_type.get_canonical()
        if type_.spelling.removeprefix("const ") != has.spelling.removeprefix("const "):
            return False
    return True


def _is_designated(body: Body, cursor: Cursor) -> bool:
    """Whether an element names the member or the index that it is for."""
    tokens, start = body.source.tokens, body.source.start(cursor)
    if start is None or plain(cursor).kind == CursorKind.LAMBDA_EXPR:
        return False
    return is_operator(tokens, start, ".") or is_operator(tokens, start, "[")


def _element(body: Body, cursor: Cursor, wanted: Type | None) -> Node:
    """An element, perhaps of a member or index that is named: `.x = 1`, `[2] = 1`."""
    if not _is_designated(body, cursor):
        return initialiser(body, cursor, wanted)
    tokens, start = body.source.tokens, body.source.start(cursor)
    parts = clang.children(cursor)
    if cursor.kind != CursorKind.UNEXPOSED_EXPR or len(parts) != 2:
        body.source.refuse("this designator", cursor, "write the initialisers in order")
    at = body.coord(cursor)
    if parts[0].kind == CursorKind.MEMBER_REF:
        name = tree.name(parts[0].spelling, at)
        wanted = parts[0].referenced.type
    elif parts[0].kind.is_expression() and start is not None and is_operator(tokens, start, "["):
        name = expression(body, parts[0])
    else:
        body.source.refuse("this designator", cursor, "write the initialisers in order")
    made = cast("Any", c_ast).NamedInitializer([name], initialiser(body, parts[1], wanted), at)
    return cast("Node", made)


def _rest(body: Body, cursor: Cursor, type_: Type, given: int) -> list[Node]:
    """The default values of the parts behind those that a list gives."""
    if not objects.has_defaults(type_):
        return []
    if type_.kind == TypeKind.CONSTANTARRAY:
        return objects.default_elements(body, type_, given, cursor)
    members: list[tuple[Type, Cursor | None]] = [(b.type, None) for b in held(type_.get_declaration())]
    members += [(f.type, objects.default(f)) for f in type_.get_fields()]
    return [objects.default_value(body, t, default, cursor) for t, default in members[given:]]


def _fits(element: Cursor, wanted: Type) -> bool:
    """Whether an element is the whole value of a part, not that of the first part of that."""
    wanted, inner = wanted.get_canonical(), plain(element)
    if wanted.kind not in _AGGREGATES or inner.kind == CursorKind.INIT_LIST_EXPR:
        return True
    given = inner.type.get_canonical()
    if wanted.kind == TypeKind.CONSTANTARRAY and given.kind == TypeKind.CONSTANTARRAY:
        return bool(_bare(given.element_type) == _bare(wanted.element_type))  # a text for an array of characters
    return given.kind == wanted.kind and objects.derives(given, wanted)


def _bare(type_: Type) -> str:
    return str(type_.get_canonical().spelling.removeprefix("const "))
