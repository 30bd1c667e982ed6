"""The special members of classes - how objects are made, copied, moved, assigned, and what their end does.

libclang shows no members of an instance of a class template.  So Clang is asked what it would call: behind the program
stands, for each instance that was met, a function that does all of it (`question`), where it is never evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hetad.diagnostics import HetadError
from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind
from hetad.frontend.cpp.hierarchy import held, members_of
from hetad.frontend.cpp.names import LAMBDA
from hetad.frontend.cpp.types import record_key

_QUESTION = "__hetad_special_"
_ASKED = {
    "end": "sizeof(x.~T(), 0)", "default": "sizeof(T{}, 0)", "copy": "sizeof(T(static_cast<const T &>(x)))",
    "move": "sizeof(T(static_cast<T &&>(x)))", "assign": "sizeof(x = static_cast<const T &>(x), 0)",
    "replace": "sizeof(x = static_cast<T &&>(x), 0)",
}  # fmt: skip
COUNTED = (
    "__counted"  # what classes are called in the models that count the owners of memory of the host's and the device's
)
_KINDS = (CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CXX_METHOD)


class Unasked(HetadError):
    """Clang has not been asked about this instance of a template yet."""

    def __init__(self, spelling: str) -> None:
        super().__init__(spelling)
        self.spelling = spelling


@dataclass(frozen=True)
class Special:
    """The members that a class declares for itself; None for those that the compiler writes, or that there are not."""

    end: Cursor | None = None
    default: Cursor | None = None
    copy: Cursor | None = None
    move: Cursor | None = None
    assign: Cursor | None = None
    replace: Cursor | None = None


def question(spellings: Sequence[str]) -> str:
    """What is put behind the program to ask about these types."""
    out = []
    for number, spelling in enumerate(spellings):
        for what, expression in _ASKED.items():
            head = f"inline void {_QUESTION}{what}_{number}({spelling} &x)"
            out.append(f"{head} {{ typedef {spelling} T; {expression}; }}\n")
    return "".join(out)


def is_implicit(method: Cursor) -> bool:
    """Whether the compiler writes a method: nothing does, or `= default`."""
    parent = method.semantic_parent
    return bool(method.is_default_method()) or method.location == parent.location


class Specials:
    """What is known of the classes of one translation unit."""

    def __init__(self, unit: Cursor, asked: Sequence[str], counts: bool = False) -> None:
        self.counts = counts
        self._asked = set(asked)
        self._found: dict[str, Special] = {}
        self._answers = dict(_answers(unit, asked))

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
        if clang.children(declaration):
            return Special(**{_role(m): m for m in own if _is_special(m)})
        spelling = type_.spelling.replace("(anonymous namespace)::", "")
        if spelling not in self._asked:
            raise Unasked(spelling)
        return Special(**self._answers.get(spelling, {}))


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


def _answers(unit: Cursor, asked: Sequence[str]) -> Iterator[tuple[str, dict[str, Cursor]]]:
    found: dict[str, dict[str, Cursor]] = {}
    for function in unit.get_children():
        match = re.fullmatch(_QUESTION + r"([a-z]+)_(\d+)", function.spelling)
        if match is None:
            continue
        method = _called(function, match[1])
        if method is not None and not is_implicit(method):
            found.setdefault(asked[int(match[2])], {})[match[1]] = method
    yield from found.items()


def _called(function: Cursor, role: str) -> Cursor | None:
    """The special member that Clang has chosen."""
    for inner in clang.walk(function):
        meant = inner.referenced if inner.kind == CursorKind.CALL_EXPR else None
        if meant is None or meant.kind not in _KINDS:
            continue
        wanted = {"end": CursorKind.DESTRUCTOR, "assign": CursorKind.CXX_METHOD, "replace": CursorKind.CXX_METHOD}
        if meant.kind == wanted.get(role, CursorKind.CONSTRUCTOR):
            return meant
    return None


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
