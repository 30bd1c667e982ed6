"""Whether a constructor may keep the address of the object that it makes, which is made in another place here.

What denotes the object, or a part of it, is followed outwards through the expressions around it, and into functions
that are called with it. What is not known to let go of an address keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetad.frontend.cpp import clang, targets
from hetad.frontend.cpp.body import Body
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.names import key
from hetad.frontend.cpp.special import is_implicit
from hetad.frontend.cpp.types import is_reference

_CASTS = (
    CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR, CursorKind.CXX_REINTERPRET_CAST_EXPR,
    CursorKind.CXX_CONST_CAST_EXPR,
)  # fmt: skip
_DROPS = (  # what is done with an address, or a pointer in a place, and is over then
    CursorKind.COMPOUND_STMT, CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.FOR_STMT, CursorKind.DO_STMT,
    CursorKind.CXX_DELETE_EXPR, CursorKind.CXX_UNARY_EXPR,
    CursorKind.RETURN_STMT,  # the call is followed
)  # fmt: skip


@dataclass(frozen=True)
class _Node:
    """A part of a function, and what is around it."""

    cursor: Cursor
    around: _Node | None = None


def of_object(body: Body, constructor: Cursor) -> Cursor | None:
    """Where a constructor may keep the address of its object; None if it does not."""
    return _Search(body).kept(constructor, None)


class _Search:
    def __init__(self, body: Body) -> None:
        self.body = body
        self.seen: set[tuple[object, int]] = set()

    def kept(self, function: Cursor, named: Cursor | None) -> Cursor | None:
        """Where a function may keep the address of what a parameter or a variable refers or points to; of its object,
        if none is named."""
        asked = (key(function), 0 if named is None else named.hash)
        if asked in self.seen:
            return None
        self.seen.add(asked)
        for node in _parts(function):
            if named is None and _calls_own(node.cursor) and self._called(node.cursor.referenced, None):
                return node.cursor
            address = False if named is None and _calls_own(node.cursor) else _denotes(node.cursor, named)
            if address is None:
                continue
            if _in_kept_lambda(node):
                return node.cursor
            left = self._leaves(function, node, address)
            if left is not None:
                return left
        return None

    def _leaves(self, function: Cursor, node: _Node, address: bool) -> Cursor | None:
        """What is kept of an address, or the address of a place, by what is around it."""
        inner, outer = node.cursor, node.around
        while outer is not None:
            found = self._address_in(function, inner, outer) if address else self._place_in(function, inner, outer)
            if isinstance(found, bool):
                return inner if found else None
            address = found == "address"
            inner, outer = outer.cursor, outer.around
        return None

    def _address_in(self, function: Cursor, inner: Cursor, outer: _Node) -> bool | str:
        """Whether an address is kept; or what the expression around it is."""
        cursor, kind = outer.cursor, outer.cursor.kind
        if kind in (CursorKind.MEMBER_REF_EXPR, CursorKind.ARRAY_SUBSCRIPT_EXPR):
            return self._place_in(function, inner, outer) if _names_method(cursor) else "place"
        if kind == CursorKind.UNARY_OPERATOR:
            op = clang.unary(cursor)
            return False if op == "!" else "place" if op == "*" else "address"
        if kind == CursorKind.BINARY_OPERATOR:
            op = clang.binary(cursor)
            if op == "=":
                return not _is_same(inner, clang.children(cursor)[0])
            return "address" if op in ("+", "-", ",") and _is_pointer(cursor.type) else False
        if kind in (*_CASTS, CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CONDITIONAL_OPERATOR):
            return "address" if _is_pointer(cursor.type) else kind in _CASTS
        if kind == CursorKind.CALL_EXPR:
            return self._passed(cursor, inner)
        if kind == CursorKind.VAR_DECL:
            return self._held(function, cursor)
        over = _loop_over(outer) if kind == CursorKind.INIT_LIST_EXPR else None
        return self._held(function, over) if over is not None else kind not in _DROPS

    def _place_in(self, function: Cursor, inner: Cursor, outer: _Node) -> bool | str:
        """Likewise of a place."""
        cursor, kind = outer.cursor, outer.cursor.kind
        if kind == CursorKind.MEMBER_REF_EXPR:
            return (_names_method(cursor) and self._called(cursor.referenced, None)) or "place"
        if kind == CursorKind.UNARY_OPERATOR:
            return "address" if clang.unary(cursor) == "&" else False
        if kind == CursorKind.UNEXPOSED_EXPR:
            if inner.type.get_canonical().kind == TypeKind.CONSTANTARRAY and _is_pointer(cursor.type):
                return "address"
            value = not cursor.type.is_const_qualified() and cursor.type.get_canonical().kind != TypeKind.RECORD
            return False if value else "place"
        if kind in (CursorKind.PAREN_EXPR, CursorKind.CONDITIONAL_OPERATOR):
            return "place"
        if kind in _CASTS:
            return "place" if is_reference(cursor.type) else False
        if kind == CursorKind.CALL_EXPR:
            return self._passed(cursor, inner)
        if kind == CursorKind.VAR_DECL:
            return is_reference(cursor.type) and self._held(function, cursor)
        if kind == CursorKind.MEMBER_REF:
            return is_reference(cursor.referenced.type)
        if kind == CursorKind.INIT_LIST_EXPR:
            return any(is_reference(f.type) for f in cursor.type.get_canonical().get_fields())
        over = _variable(cursor) if kind == CursorKind.CXX_FOR_RANGE_STMT else None
        return over is not None and is_reference(over.type) and self._held(function, over)

    def _held(self, function: Cursor, variable: Cursor) -> bool:
        return variable.storage_class.name == "STATIC" or self.kept(function, variable) is not None

    def _passed(self, call: Cursor, given: Cursor) -> bool | str:
        """Whether what is called keeps an argument, or its object; or what it returns may be."""
        meant, args = call.referenced, list(call.get_arguments())
        if meant is None:
            return True
        if not _names_method(given):
            number = next((n for n, a in enumerate(args) if _is_same(a, given)), None)
            if number is None:
                return True
            is_operator = meant.kind == CursorKind.CXX_METHOD and len(args) > len(list(meant.get_arguments()))
            place = (number - 1 if number else None) if is_operator else number
            if any(self._called(m, place) for m in self._meant(call, meant)):
                return True
        returned = targets.returned(meant)
        if is_reference(returned):
            return "place"
        return "address" if _is_pointer(returned) else False

    def _meant(self, call: Cursor, meant: Cursor) -> list[Cursor]:
        """The functions that may be called: where a variable points to one, all of its type whose address is taken."""
        if meant.kind not in targets.VARIABLES or not targets.is_function_pointer(meant.type):
            return [meant]
        return self.body.entities.taken(call).of_type(meant.type) or [meant]

    def _called(self, meant: Cursor, number: int | None) -> bool:
        made = clang.definition(meant) or meant
        if meant.kind == CursorKind.FUNCTION_DECL and self.body.entities.is_known(meant):
            return False
        if meant.kind != CursorKind.FUNCTION_DECL and is_implicit(meant):
            return False
        parameters = list(made.get_arguments())
        if clang.body(made) is None:
            return True
        if number is None:
            return self.kept(made, None) is not None
        if number >= len(parameters):
            return True
        type_ = parameters[number].type
        return (is_reference(type_) or _is_pointer(type_)) and self.kept(made, parameters[number]) is not None


def _denotes(cursor: Cursor, named: Cursor | None) -> bool | None:
    """Whether an expression is the address of what is followed; False: its place; None: it is something else."""
    if named is not None:
        is_named = cursor.kind == CursorKind.DECL_REF_EXPR and cursor.referenced == named
        return not is_reference(named.type) if is_named else None
    if cursor.kind == CursorKind.CXX_THIS_EXPR:
        return True
    own = cursor.kind == CursorKind.MEMBER_REF_EXPR and clang.object_of(cursor) is None
    return False if own and not _names_method(cursor) else None


def _calls_own(cursor: Cursor) -> bool:
    """Whether a method of the object itself is named."""
    return cursor.kind == CursorKind.MEMBER_REF_EXPR and _names_method(cursor) and clang.object_of(cursor) is None


def _parts(function: Cursor) -> Iterator[_Node]:
    """All parts of a function; what a constructor makes a member of stands in the name of the member."""
    member: _Node | None = None
    for child in function.get_children():
        if child.kind == CursorKind.MEMBER_REF:
            member = _Node(child)
        elif child.kind.is_expression() or child.kind in (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT):
            yield from _below(_Node(child, member if child.kind.is_expression() else None))
            member = None


def _below(node: _Node) -> Iterator[_Node]:
    yield node
    parts = clang.children(node.cursor)
    around = node.around
    if around is not None and around.cursor.kind == CursorKind.CXX_FOR_RANGE_STMT and node.cursor.kind == _BLOCK:
        parts = parts[1:]  # the first shows what the loop does (`recipes.py`)
    for child in parts:
        yield from _below(_Node(child, node))


_BLOCK = CursorKind.COMPOUND_STMT


def _in_kept_lambda(node: _Node) -> bool:
    """Whether an expression stands in a lambda that becomes a member, or is returned."""
    while node.around is not None:
        node = node.around
        if node.cursor.kind == CursorKind.LAMBDA_EXPR:
            outer = node.around
            while outer is not None and outer.cursor.kind == CursorKind.UNEXPOSED_EXPR:
                outer = outer.around
            return outer is not None and outer.cursor.kind not in (CursorKind.VAR_DECL, CursorKind.CALL_EXPR)
    return False


def _loop_over(node: _Node) -> Cursor | None:
    """The variable of the loop that goes through a list."""
    outer = node.around
    while outer is not None and outer.cursor.kind in (CursorKind.UNEXPOSED_EXPR, CursorKind.CALL_EXPR):
        outer = outer.around
    if outer is None or outer.cursor.kind != CursorKind.CXX_FOR_RANGE_STMT:
        return None
    return _variable(outer.cursor)


def _variable(loop: Cursor) -> Cursor | None:
    return next((c for c in loop.get_children() if c.kind == CursorKind.VAR_DECL), None)


def _names_method(cursor: Cursor) -> bool:
    meant = cursor.referenced
    return meant is not None and meant.kind in (CursorKind.CXX_METHOD, CursorKind.CONVERSION_FUNCTION)


def _is_same(one: Cursor, other: Cursor) -> bool:
    """Whether two cursors are of one expression; libclang's equality asks where they were found, too."""
    return bool(one.kind == other.kind and one.extent == other.extent)


def _is_pointer(type_: Type) -> bool:
    return bool(type_.get_canonical().kind == TypeKind.POINTER)
