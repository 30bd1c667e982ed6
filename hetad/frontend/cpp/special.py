"""The special members of classes - how objects are made, copied, moved, assigned, and what their end does.

Of an instance of a class template Clang is asked what it would call (`questions.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from hetad.frontend.cpp import clang, questions
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import held, is_instance, members_of
from hetad.frontend.cpp.names import LAMBDA, record_key

COUNTED = (
    "__counted"  # what classes are called in the models that count the owners of memory of the host's and the device's
)
_KINDS = (CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CXX_METHOD)


@dataclass(frozen=True)
class Special:
    """The members that a class declares for itself; None for those that the compiler writes, or that there are not."""

    end: Cursor | None = None
    default: Cursor | None = None
    copy: Cursor | None = None
    move: Cursor | None = None
    assign: Cursor | None = None
    replace: Cursor | None = None


def is_implicit(method: Cursor) -> bool:
    """Whether the compiler writes a method: nothing does, or `= default`."""
    parent = method.semantic_parent
    return bool(method.is_default_method()) or method.location == parent.location


class Specials:
    """What is known of the classes of one translation unit."""

    def __init__(self, counts: bool = False) -> None:
        self.counts = counts
        self._found: dict[str, Special] = {}

    def of(self, type_: Type) -> Special:
        """The special members of a class; raises Unasked if Clang must be asked first."""
        key = record_key(type_)
        if key not in self._found:
            self._found[key] = self._find(type_.get_canonical())
        return self._found[key]

    def _find(self, type_: Type) -> Special:
        declaration = type_.get_declaration()
        own = [m for m in members_of(declaration) if m.kind in _KINDS and not is_implicit(m)]
        if not any(map(_is_special, own)):
            return Special()
        if not is_instance(declaration):
            return Special(**{_role(m): m for m in own if _is_special(m)})
        return Special(**{role: m for role, m in questions.special_members(type_).items() if not is_implicit(m)})


def _is_special(method: Cursor) -> bool:
    return bool(_role(method))


def _role(method: Cursor) -> str:
    """Which special member a method is; "" for others."""
    if method.kind == CursorKind.DESTRUCTOR:
        return "end"
    if method.kind == CursorKind.CONSTRUCTOR:
        if method.is_copy_constructor():
            return "copy"
        if method.is_move_constructor():
            return "move"
        return "default" if method.is_default_constructor() else ""
    given = [a.type.get_canonical() for a in method.get_arguments()]
    if method.spelling != "operator=" or len(given) != 1:
        return ""
    to = given[0].get_pointee() if given[0].kind in _REFERENCES else given[0]
    if record_key(to) != record_key(method.semantic_parent.type) and to.kind != TypeKind.UNEXPOSED:
        return ""
    return "replace" if given[0].kind == TypeKind.RVALUEREFERENCE else "assign"


_REFERENCES = (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)


# --- what follows for whole objects --------------------------------------------------------------


def elements(type_: Type) -> Type:
    """The type of what an array holds; other types as they are."""
    type_ = type_.get_canonical()
    while type_.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        type_ = type_.element_type.get_canonical()
    return type_


def parts(type_: Type) -> list[Type]:
    """The types of the bases and members of a class."""
    return [b.type for b in held(type_.get_declaration())] + [f.type for f in type_.get_fields()]


def is_bits(type_: Type, on_device: bool) -> bool:
    """Whether objects are their bits whatever their class does: on the device, what counts owners; lambdas for the
    device, as what they have captured outlives the launch."""
    declaration = type_.get_declaration()
    if on_device:
        return bool(declaration.spelling.startswith(COUNTED))
    return LAMBDA in type_.spelling and any(
        CursorKind.CUDADEVICE_ATTR in {a.kind for a in m.get_children()} for m in clang.children(declaration)
    )


def has_end(specials: Specials, type_: Type, on_device: bool = False) -> bool:
    """Whether the end of an object does something."""
    type_ = elements(type_)
    if type_.kind != TypeKind.RECORD or (specials.counts and is_bits(type_, on_device)):
        return False
    return specials.of(type_).end is not None or any(has_end(specials, t, on_device) for t in parts(type_))


def copies_itself(specials: Specials, type_: Type, on_device: bool = False) -> bool:
    """Whether to copy, move or assign an object is more than to copy its bytes."""
    type_ = elements(type_)
    if type_.kind != TypeKind.RECORD or (specials.counts and is_bits(type_, on_device)):
        return False
    own = specials.of(type_)
    if any((own.copy, own.move, own.assign, own.replace)):
        return True
    return any(copies_itself(specials, t, on_device) for t in parts(type_))
