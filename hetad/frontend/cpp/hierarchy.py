"""Bases: which are members of what derives from them, and what an object of a base is a part of.

A base without members takes no memory, and is left out.  A base that is a template of the class that derives from it
(the curiously recurring template pattern) is only ever a part of that class: references to it are to the whole object.
"""

from __future__ import annotations

from dataclasses import dataclass

from hetad.frontend.cpp import clang, questions
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind


@dataclass(frozen=True)
class Base:
    """A class that another one derives from, and where that is written."""

    type: Type
    at: Cursor


def bases(declaration: Cursor) -> list[Base]:
    """The bases of a class; those of an instance of a template are seen at the template."""
    if not is_instance(declaration):
        return [Base(c.type, c) for c in _written(declaration)]
    pattern = clang.pattern(declaration)
    written = _written(pattern) if pattern is not None else []
    if not written:
        return []
    if all(c.type.get_canonical().kind == TypeKind.RECORD for c in written):
        return [Base(c.type, c) for c in written]
    found = questions.bases(declaration.type)
    return [Base(t, written[min(n, len(written) - 1)]) for n, t in enumerate(found)]


def _written(class_: Cursor) -> list[Cursor]:
    return [c for c in class_.get_children() if c.kind == CursorKind.CXX_BASE_SPECIFIER]


def members_of(class_: Cursor) -> list[Cursor]:
    """What is declared in a class; of an instance of a template, in the template."""
    pattern = clang.pattern(class_) if is_instance(class_) else None
    return clang.children(class_ if pattern is None else pattern)


def is_instance(class_: Cursor) -> bool:
    """Whether a class is an instance of a template, of which libclang shows attributes alone."""
    return all(c.kind.is_attribute() for c in class_.get_children())


def is_polymorphic(declaration: Cursor) -> bool:
    """Whether a class has virtual functions."""
    if any(m.kind in _METHODS and m.is_virtual_method() for m in members_of(declaration)):
        return True
    return any(is_polymorphic(b.type.get_canonical().get_declaration()) for b in bases(declaration))


_METHODS = (CursorKind.CXX_METHOD, CursorKind.DESTRUCTOR)


def is_empty(type_: Type) -> bool:
    """Whether objects of a class have no members."""
    canonical = type_.get_canonical()
    if list(canonical.get_fields()) or canonical.get_size() > 1:
        return False
    return all(is_empty(b.type) for b in bases(canonical.get_declaration()))


def held(declaration: Cursor) -> list[Base]:
    """The bases that are members of a class."""
    return [b for b in bases(declaration) if not is_empty(b.type)]


def left_out(declaration: Cursor) -> list[Base]:
    """The bases that are none."""
    return [b for b in bases(declaration) if is_empty(b.type)]


def does_something(base: Base) -> Cursor | None:
    """A constructor with a body, or a destructor, of a base without members."""
    for method in members_of(base.type.get_canonical().get_declaration()):
        if method.kind == CursorKind.DESTRUCTOR and not method.is_default_method():
            return method
        if method.kind == CursorKind.CONSTRUCTOR and not method.is_default_method():
            body = clang.body(method)
            if body is not None and clang.children(body):
                return method
    return None


def whole(type_: Type) -> Type:
    """What an object of a class is a part of: the argument of the template that derives from it; else the class."""
    canonical = type_.get_canonical()
    if canonical.kind != TypeKind.RECORD:
        return type_
    for number in range(max(canonical.get_num_template_arguments(), 0)):
        argument = canonical.get_template_argument_type(number).get_canonical()
        if argument.kind == TypeKind.RECORD and argument.get_size() > 0 and _derives(argument, canonical, 0):
            return argument
    return type_


_DEPTH = 8


def _derives(derived: Type, base: Type, depth: int) -> bool:
    """Whether a class derives from another one."""
    found = [b.type.get_canonical().get_declaration() for b in bases(derived.get_declaration())]
    if base.get_declaration() in found:
        return True
    return depth < _DEPTH and any(_derives(d.type, base, depth + 1) for d in found)
