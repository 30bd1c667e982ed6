"""`std::function`: an object that holds one of those that the program stores in objects of its type.

Which one it calls is a number, as of a pointer to a function (`pointers.py`): the model, `models/function.cuh`, has a
function for each class that is stored, and keeps the address of the one that it calls.  Here is what the model cannot
say: the object that is called lies in the `std::function`, in a member for each class that is stored in one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

from hetad.frontend.cpp import clang, targets, tree
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import members_of
from hetad.frontend.cpp.names import record_key, template_parameters
from hetad.frontend.cpp.special import elements, parts
from hetad.frontend.cpp.tree import Node
from hetad.frontend.lower.context import Qualified
from hetad.ir.types import Field, Pointer, Struct

if TYPE_CHECKING:
    from hetad.frontend.cpp.body import Body
    from hetad.frontend.cpp.types import Types

WORD = "__call_stored"  # which a text has that may have such objects
_CALLS = WORD  # what the model calls the function of a class that is stored
_ROOM = "__room"  # and what gives its object
_NUMBER = "__call"  # the member that is the number


def is_room(method: Cursor) -> bool:
    """Whether a method of the model gives the object of a class."""
    return bool(method.spelling == _ROOM)


def is_function(type_: Type) -> bool:
    """Whether a type is a `std::function`."""
    return bool(re.match(r"(const )?std::function<", type_.get_canonical().spelling))


def holds_function(type_: Type) -> bool:
    """Whether objects of a type have a `std::function` in them, which is larger here than Clang knows."""
    of = elements(type_)
    if of.kind != TypeKind.RECORD:
        return False
    return is_function(of) or any(holds_function(part) for part in parts(of))


def argument(function: Cursor | None, name: str) -> Type | None:
    """What a parameter of a template is in the instance of which a function is, or a method."""
    for instance in (function, function.semantic_parent if function is not None else None):
        params = [p.spelling for p in template_parameters(instance)] if instance is not None else []
        if instance is not None and name in params:
            asked = instance if instance.kind == CursorKind.FUNCTION_DECL else instance.type.get_canonical()
            return cast("Type", asked.get_template_argument_type(params.index(name)))
    return None


def fields(types: Types, taken: Callable[[], Iterable[Cursor]], of: Type) -> list[Field]:
    """The members for what the program stores in a class; `taken`: the functions whose address it takes."""
    if not is_function(of):
        return []
    held = [f.get_template_argument_type(0) for f in taken() if f.spelling == _CALLS and _is_for(f, of)]
    return [Field(_name(types, type_), types.of(type_, of.get_declaration())) for type_ in held]


def _is_for(calls: Cursor, of: Type) -> bool:
    """Whether a function calls what is stored in a class."""
    self = next(iter(calls.get_arguments()))
    return record_key(self.type.get_canonical().get_pointee()) == record_key(of)


def _name(types: Types, stored: Type) -> str:
    of = types.of(stored, stored.get_declaration())
    return f"as_{of.name}" if isinstance(of, Struct) else "as_pointer"


def room(body: Body, this: Node, method: Cursor) -> Node:
    """The object of a class in a `std::function`, which a call may change if its operator is not const."""
    at, of = this.coord, method.result_type.get_canonical().get_pointee()
    place = tree.member(this, _name(body.types, of), at)
    operators = [m for m in members_of(of.get_declaration()) if m.spelling == "operator()"]
    if all(m.is_const_method() for m in operators):
        return place
    to = Qualified(Pointer(body.types.of(of, method)))
    return tree.unary("*", tree.cast_to(to, tree.unary("&", place, at), at), at)


def stored(body: Body, cursor: Cursor, constructor: Cursor, value: Cursor) -> Node | None:
    """A `std::function` that is made of an object; None where the constructor is not the one of the model."""
    from hetad.frontend.cpp import lifetimes, pointers
    from hetad.frontend.cpp.initialisers import initialiser

    calls = _call_of(constructor) if body.source.is_models(constructor) else None
    if calls is None:
        return None
    at, type_ = body.coord(cursor), calls.get_template_argument_type(0)
    what = "that a std::function holds"
    lifetimes.refuse(body, type_, cursor, what, "let the lambda capture a reference, or a pointer")
    pairs = (
        (_NUMBER, pointers.value(body, calls, cursor)),
        (_name(body.types, type_), lifetimes.taken(initialiser(body, value))),
    )
    values = tree.braces([tree.designated(name, node, at) for name, node in pairs], at)
    return tree.literal(Qualified(body.types.of(cursor.type, cursor)), values, at)


def _call_of(constructor: Cursor) -> Cursor | None:
    """The function by which a `std::function` that a constructor makes calls."""
    for inner in clang.walk(clang.definition(constructor) or constructor):
        meant: Cursor | None = inner.referenced if inner.kind == CursorKind.DECL_REF_EXPR else None
        if meant is not None and meant.spelling == _CALLS and meant.kind in targets.FUNCTIONS:
            return meant
    return None
