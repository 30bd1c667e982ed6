"""What Clang is asked about instances of class templates, of which libclang shows no members.

Behind the program stands, for each instance that was met, a function for each thing that is asked (`text`), where it is
never run: what Clang makes of it is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from weakref import WeakKeyDictionary

from hetad.diagnostics import HetadError
from hetad.frontend.cpp import clang
from hetad.frontend.cpp.clang import Cursor, CursorKind, Type, TypeKind, Unit
from hetad.frontend.cpp.named_lambdas import with_names
from hetad.frontend.cpp.names import record_key
from hetad.frontend.tokens import Token

_BEHIND = "__hetad_"  # what is put behind the program
_QUESTION = f"{_BEHIND}question_"
BASES = "__hetad_bases"  # what a class calls its bases, where `recipes.py` says so
LISTED = "__hetad_types"  # the template that lists types
_ASKED = {
    "end": "sizeof(x.~T(), 0)", "default": "sizeof(T{}, 0)", "copy": "sizeof(T(static_cast<const T &>(x)))",
    "move": "sizeof(T(static_cast<T &&>(x)))", "assign": "sizeof(x = static_cast<const T &>(x), 0)",
    "replace": "sizeof(x = static_cast<T &&>(x), 0)", "bases": f"typename T::{BASES} *b",
}  # fmt: skip
_METHODS = (CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CXX_METHOD)
_CALLED = {"end": CursorKind.DESTRUCTOR, "assign": CursorKind.CXX_METHOD, "replace": CursorKind.CXX_METHOD}


MADE = "()"


@dataclass(frozen=True)
class Question:
    """About a class: its bases and special members; with a method, which function of its own is called by that name
    with arguments of these types, or which constructor (`MADE`)."""

    class_: str
    method: str = ""
    params: tuple[str, ...] = ()


class Unasked(HetadError):
    """Clang has not been asked this yet; `about`: the class."""

    def __init__(self, question: Question, about: Cursor) -> None:
        super().__init__(f"{question.class_}::{question.method}")
        self.question = question
        self.about = about


def text(questions: Sequence[Question], token: Callable[[int, int], Token | None]) -> str:
    """What is put behind the program; `token`: what stands at a place of its text."""
    return "".join(with_names(line, token) for number, q in enumerate(questions) for line in _lines(number, q))


def _lines(number: int, question: Question) -> Iterator[str]:
    if question.method:
        names = [f"a{i}" for i in range(len(question.params))]
        given = "".join(f", {p} {n}" for p, n in zip(question.params, names, strict=True))
        made = question.method == MADE
        call = f"sizeof(T({', '.join(names)}), 0)" if made else f"x.T::{question.method}({', '.join(names)})"
        yield f"inline void {_QUESTION}{number}({question.class_} &x{given}) "
        yield f"{{ typedef {question.class_.removeprefix('const ')} T; {call}; }}\n"
        return
    for what, expression in _ASKED.items():
        yield f"inline void {_QUESTION}{number}_{what}({question.class_} &x) "
        yield f"{{ typedef {question.class_} T; {expression}; }}\n"


def spelled(type_: Type) -> str:
    """A type as it can be named behind the program."""
    return str(type_.get_canonical().spelling).replace("(anonymous namespace)::", "")


@dataclass
class _Answers:
    """What is known of one translation unit: by the key of a class and what was asked."""

    special: dict[object, dict[str, Cursor]] = field(default_factory=dict)
    bases: dict[object, list[Type]] = field(default_factory=dict)
    functions: dict[object, Cursor] = field(default_factory=dict)


_ANSWERS: WeakKeyDictionary[Unit, _Answers] = WeakKeyDictionary()


def special_members(type_: Type) -> Mapping[str, Cursor]:
    """What an instance of a class template would call, by the names above; raises Unasked if that is not known."""
    found = _answers(type_).special
    if record_key(type_) not in found:
        raise Unasked(Question(spelled(type_)), type_.get_declaration())
    return found[record_key(type_)]


def bases(type_: Type) -> list[Type]:
    """The bases of an instance of a class template that has some; raises Unasked if they are not known."""
    found = _answers(type_).bases
    if record_key(type_) not in found:
        raise Unasked(Question(spelled(type_)), type_.get_declaration())
    return found[record_key(type_)]


def method(type_: Type, like: Cursor) -> Cursor:
    """The method of an instance of a class template that is called as one of a base is; raises Unasked."""
    return _function(type_, like.spelling, like)


def constructor(type_: Type, like: Cursor) -> Cursor:
    """The constructor of a class that takes the same parameters as that of another one; raises Unasked."""
    return _function(type_, MADE, like)


def _function(type_: Type, name: str, like: Cursor) -> Cursor:
    params = tuple(spelled(a.type) for a in like.get_arguments())
    const = bool(like.is_const_method())
    found = _answers(type_).functions
    asked = (record_key(type_), name, const, params)
    if asked not in found:
        raise Unasked(Question("const " * const + spelled(type_), name, params), type_.get_declaration())
    return found[asked]


# --- answers -------------------------------------------------------------------------------------


def _answers(type_: Type) -> _Answers:
    unit = type_.unit
    if unit not in _ANSWERS:
        _ANSWERS[unit] = _read(unit.cursor)
    return _ANSWERS[unit]


def _read(unit: Cursor) -> _Answers:
    found = _Answers()
    behind = takewhile(lambda c: c.spelling.startswith(_BEHIND), reversed(list(unit.get_children())))
    for function in reversed(list(behind)):
        match = re.fullmatch(_QUESTION + r"\d+_?([a-z]*)", function.spelling)
        given = list(function.get_arguments()) if match is not None else []
        about = given[0].type.get_canonical().get_pointee() if given else None
        if match is None or about is None or about.get_canonical().kind != TypeKind.RECORD:
            continue  # a class that cannot be named here
        if not match[1]:
            _add_function(found, function, about, tuple(spelled(a.type) for a in given[1:]))
        elif match[1] == "bases":
            _add_bases(found, function, about)
        else:
            called = _called(function, _CALLED.get(match[1], CursorKind.CONSTRUCTOR))
            found.special.setdefault(record_key(about), {})
            if called is not None:
                found.special[record_key(about)][match[1]] = called
    return found


def _add_function(found: _Answers, function: Cursor, about: Type, params: tuple[str, ...]) -> None:
    for kind in (CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR):
        called = _called(function, kind)
        if called is not None and params == tuple(spelled(a.type) for a in called.get_arguments()):
            name = MADE if kind == CursorKind.CONSTRUCTOR else called.spelling
            found.functions[record_key(about), name, bool(about.is_const_qualified()), params] = called
            return


def _add_bases(found: _Answers, function: Cursor, about: Type) -> None:
    listed = next(
        (c.type.get_canonical().get_pointee() for c in clang.walk(function) if c.kind == CursorKind.VAR_DECL), None
    )
    if listed is None or listed.get_canonical().kind != TypeKind.RECORD:
        return
    number = max(listed.get_canonical().get_num_template_arguments(), 0)
    found.bases[record_key(about)] = [listed.get_canonical().get_template_argument_type(n) for n in range(number)]


def _called(function: Cursor, kind: CursorKind) -> Cursor | None:
    """What Clang has chosen."""
    for inner in clang.walk(function):
        meant: Cursor | None = inner.referenced if inner.kind == CursorKind.CALL_EXPR else None
        if meant is not None and meant.kind in _METHODS and meant.kind == kind:
            return meant
    return None
