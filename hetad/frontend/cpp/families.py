"""Classes with virtual functions whose objects stand behind pointers that a program keeps: one struct for all of them.

Where a program calls a virtual function of an object that only the run tells, its family is opened: all classes that
derive from one, of which `new` makes objects.  A pointer or a reference to one of them is to a struct that says which
class the object has, with room for an object of each; a call asks, and calls that class's own function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hetad.diagnostics import HetadError
from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import bases, is_polymorphic
from hetad.frontend.cpp.names import record_key

KIND = "kind"  # the member that says which class the object has


class Unopened(HetadError):
    """A family must be opened; `key` tells its root."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True)
class Family:
    """`root`: the class from which all derive; `classes`: those of which `new` makes objects, in order."""

    root: Type
    classes: tuple[Type, ...]

    def number(self, type_: Type) -> int:
        """What says that an object is of a class."""
        return [record_key(c) for c in self.classes].index(record_key(type_)) + 1

    def below(self, type_: Type) -> list[Type]:
        """The classes of which an object may be that is seen as one of a class."""
        return [c for c in self.classes if _is_or_derives(c, record_key(type_))]


def root_of(type_: Type) -> Type | None:
    """The class from which all of a family derive; None of a class with several such bases, or without virtual
    functions."""
    type_ = type_.get_canonical()
    if type_.kind != TypeKind.RECORD or not is_polymorphic(type_.get_declaration()):
        return None
    above = [b.type for b in bases(type_.get_declaration()) if is_polymorphic(b.type.get_canonical().get_declaration())]
    if len(above) > 1:
        return None
    return root_of(above[0]) if above else type_


def family(root: Type, around: Iterable[Cursor]) -> Family:
    """The family of a root; `around`: all code of the program."""
    found: dict[str, Type] = {}
    for code in around:
        for inner in clang.walk(code):
            if inner.kind == CursorKind.CXX_NEW_EXPR:
                made = inner.type.get_canonical().get_pointee().get_canonical()
                if made.kind == TypeKind.RECORD and _is_or_derives(made, record_key(root)):
                    found.setdefault(record_key(made), made)
    return Family(root, tuple(found.values()))


def _is_or_derives(type_: Type, key: str) -> bool:
    type_ = type_.get_canonical()
    return record_key(type_) == key or any(_is_or_derives(b.type, key) for b in bases(type_.get_declaration()))
