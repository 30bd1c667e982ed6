"""Bases: which are members of what derives from them, and what an object of a base is a part of.

A base without members takes no memory, and is left out.  A base that is a template of the class that derives from it
(the curiously recurring template pattern) is only ever a part of that class: references to it are to the whole object.
"""

from __future__ import annotations

from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind


def bases(declaration: Cursor) -> list[Cursor]:
    """The bases of a class, as specifiers; those of an instance of a template are seen at the template."""
    pattern = declaration
    if not clang.children(declaration):
        pattern = clang.pattern(declaration) or declaration
    return [c for c in pattern.get_children() if c.kind == CursorKind.CXX_BASE_SPECIFIER]


def members_of(class_: Cursor) -> list[Cursor]:
    """What is declared in a class; of an instance of a template, in the template."""
    found = clang.children(class_)
    pattern = clang.pattern(class_) if not found else None
    return clang.children(pattern) if pattern is not None else found


def is_polymorphic(declaration: Cursor) -> bool:
    """Whether a class has virtual functions."""
    if any(m.kind in _METHODS and m.is_virtual_method() for m in members_of(declaration)):
        return True
    found = (b.type.get_canonical() for b in bases(declaration))
    return any(is_polymorphic(t.get_declaration()) for t in found if t.kind == TypeKind.RECORD)


_METHODS = (CursorKind.CXX_METHOD, CursorKind.DESTRUCTOR)


def is_empty(type_: Type) -> bool:
    """Whether objects of a class have no members, or, of a base in a template, may have none."""
    canonical = type_.get_canonical()
    if canonical.kind != TypeKind.RECORD:
        return True
    if list(canonical.get_fields()) or canonical.get_size() > 1:
        return False
    return all(is_empty(b.type) for b in bases(canonical.get_declaration()))


def held(declaration: Cursor) -> list[Cursor]:
    """The bases that are members of a class."""
    return [b for b in bases(declaration) if not is_empty(b.type)]


def left_out(declaration: Cursor) -> list[Cursor]:
    """The bases that are none."""
    return [b for b in bases(declaration) if is_empty(b.type)]


def does_something(base: Cursor) -> Cursor | None:
    """A constructor with a body, or a destructor, of a base without members."""
    declaration = base.type.get_canonical().get_declaration()
    if declaration.kind.is_invalid() or not clang.children(declaration):
        declaration = clang.pattern(declaration) or next(
            (c.referenced for c in base.get_children() if c.kind == CursorKind.TEMPLATE_REF), declaration
        )
    for method in declaration.get_children():
        if method.kind == CursorKind.DESTRUCTOR and not method.is_default_method():
            return method
        if method.kind == CursorKind.CONSTRUCTOR and not method.is_default_method():
            body = next((c for c in method.get_children() if c.kind == CursorKind.COMPOUND_STMT), None)
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
    """Whether a class derives from an instance of a template, or as an instance itself from one of that template."""
    template = clang.pattern(base.get_declaration())
    for specifier in bases(derived.get_declaration()):
        type_ = specifier.type.get_canonical()
        if type_.kind == TypeKind.RECORD:
            if type_.get_declaration() == base.get_declaration():
                return True
            if depth < _DEPTH and _derives(type_, base, depth + 1):
                return True
        elif template is not None:  # the first reference is the base itself, others are among its arguments
            named = (c.referenced for c in specifier.get_children() if c.kind == CursorKind.TEMPLATE_REF)
            if next(named, None) == template:
                return True
    return False
