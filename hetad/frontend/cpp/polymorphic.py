"""Virtual functions where the class of the object is known when the program is read.

The class of a variable, a member or a value is the one that is written.  A reference, a pointer, or `this` may be to an
object of a derived class: what it is passed tells.  So a function has one instance for each class of object that a call
is known to pass, in which calls of virtual functions are calls of that class's own.
"""

from __future__ import annotations

from pycparser import c_ast

from hetad.frontend.cpp import clang, questions, tree
from hetad.frontend.cpp.body import FUNCTIONS, THIS, Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import bases, is_instance, is_polymorphic, members_of
from hetad.frontend.cpp.tree import Node
from hetad.frontend.cpp.types import is_reference

Object = tuple[Type, Node]  # its class, and the place where it is
_THROUGH = (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CXX_STATIC_CAST_EXPR)
REMEDY = "call it for a variable of the class itself, or make the class a template parameter"


def behind(type_: Type) -> Type | None:
    """The class that a reference or a pointer leads to, if it has virtual functions."""
    canonical = type_.get_canonical()
    if not is_reference(canonical) and canonical.kind != TypeKind.POINTER:
        return None
    to = canonical.get_pointee().get_canonical()
    return to if to.kind == TypeKind.RECORD and is_polymorphic(to.get_declaration()) else None


def object_of(body: Body, cursor: Cursor) -> Object | None:
    """The whole object that an expression names or points to; None where its class is not known."""
    from hetad.frontend.cpp.expressions import expression

    while cursor.kind in _THROUGH and len(inner := clang.expressions(cursor)) == 1:
        cursor = inner[0]
    if cursor.kind == CursorKind.UNARY_OPERATOR and clang.unary(cursor) in ("&", "*"):
        return object_of(body, clang.expressions(cursor)[0])
    if cursor.kind == CursorKind.CXX_THIS_EXPR:
        return own_object(body, cursor)
    type_ = cursor.type.get_canonical()
    if cursor.kind == CursorKind.DECL_REF_EXPR:
        return _of_variable(body, cursor)
    element = cursor.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR and _is_of_array(cursor)
    meant = cursor.referenced if cursor.kind == CursorKind.MEMBER_REF_EXPR else None
    member = meant is not None and meant.kind == CursorKind.FIELD_DECL and not is_reference(meant.type)
    if type_.kind == TypeKind.RECORD and (element or member):
        return type_, expression(body, cursor)
    return None


def own_object(body: Body, at: Cursor) -> Object | None:
    """The whole object of a method."""
    if body.function is None or body.closure() is not None:
        return None
    if THIS in body.targets:
        return body.targets[THIS].type.get_canonical(), body.this(at)
    if body.function.kind == CursorKind.CONSTRUCTOR:
        return body.this_type().get_canonical(), body.this(at)
    return None


def _of_variable(body: Body, cursor: Cursor) -> Object | None:
    meant, at = cursor.referenced, body.coord(cursor)
    if meant is None or meant.kind not in (CursorKind.VAR_DECL, CursorKind.PARM_DECL):
        return None
    type_ = meant.type.get_canonical()
    if type_.kind == TypeKind.RECORD:
        return type_, body.variable(meant, cursor)
    known = body.targets.get(meant.hash)
    if known is not None:
        name = tree.name(body.parameter_name(meant), at)
        return known.type.get_canonical(), name if is_reference(type_) else tree.unary("*", name, at)
    value = clang.initialiser(meant) if meant.kind == CursorKind.VAR_DECL else None
    around = meant.semantic_parent
    local = around is not None and around.kind in FUNCTIONS
    fixed = is_reference(type_) or type_.is_const_qualified() or (local and not _is_assigned(around, meant))
    found = object_of(body, value) if value is not None and fixed and behind(type_) is not None else None
    return found if found is not None and _stays(found[1]) else None


def _stays(node: Node) -> bool:
    """Whether a place is the same later: a variable, its member, or what a parameter that nothing changes points to."""
    behind_name = isinstance(node, c_ast.UnaryOp) and node.op == "*" and isinstance(node.expr, c_ast.ID)
    return behind_name or tree.is_fixed(node)


def _is_assigned(function: Cursor, parameter: Cursor) -> bool:
    """Whether a function changes a parameter, or takes its address."""
    around = clang.definition(function)
    own = list(around.get_arguments()) if around is not None else []
    meant = next((p for p in own if p.spelling == parameter.spelling), parameter)
    for inner in clang.walk(around) if around is not None else ():
        acts = inner.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR
        acts |= inner.kind == CursorKind.BINARY_OPERATOR and clang.binary(inner) == "="
        acts |= inner.kind == CursorKind.UNARY_OPERATOR and clang.unary(inner) in ("++", "--", "p++", "p--", "&")
        first = clang.expressions(inner)[0] if acts else None
        while first is not None and first.kind == CursorKind.PAREN_EXPR:
            first = clang.expressions(first)[0]
        if first is not None and first.kind == CursorKind.DECL_REF_EXPR and first.referenced == meant:
            return True
    return False


def _is_of_array(cursor: Cursor) -> bool:
    base = clang.expressions(cursor)[0]
    while base.kind in _THROUGH and len(inner := clang.expressions(base)) == 1:
        base = inner[0]
    return bool(base.type.get_canonical().kind == TypeKind.CONSTANTARRAY)


def overrider(class_: Type, method: Cursor) -> Cursor | None:
    """The function that a call of a virtual one is, for an object of a class."""
    declaration = class_.get_declaration()
    wanted = [a.type.get_canonical() for a in method.get_arguments()]
    for own in members_of(declaration):
        if own.kind != CursorKind.CXX_METHOD or own.spelling != method.spelling:
            continue
        given = [a.type.get_canonical() for a in own.get_arguments()]
        of_template = is_instance(declaration) and len(given) == len(wanted)
        if (given == wanted or of_template) and own.is_const_method() == method.is_const_method():
            if own.is_pure_virtual_method():
                return None
            return questions.method(class_, method) if of_template else own
    for base in bases(declaration):
        if (found := overrider(base.type.get_canonical(), method)) is not None:
            return found
    return None


def passed(body: Body, function: Cursor, args: list[Cursor]) -> dict[int, Object]:
    """The objects of known classes that a call passes by reference, by the place of the argument."""
    found = {}
    for number, (parameter, given) in enumerate(zip(function.get_arguments(), args, strict=False)):
        own = object_of(body, given) if behind(parameter.type) is not None else None
        if own is None or body.entities.is_known(function):
            continue
        if is_reference(parameter.type) or not _is_assigned(function, parameter):
            found[number] = own
    return found
