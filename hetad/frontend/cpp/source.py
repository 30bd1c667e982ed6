"""One translation unit as Clang reads it: where its cursors stand in the user's source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from pathlib import PurePath
from typing import NoReturn

from pycparser.c_parser import Coord

from hetad.diagnostics import SourceError, Span, SyntaxProblem, UnsupportedError
from hetad.frontend import beyond, models, streams
from hetad.frontend.cpp import clang, closures, questions, special, stub, tree
from hetad.frontend.cpp.clang import Cursor, CursorKind
from hetad.frontend.cpp.questions import Question
from hetad.frontend.cpp.recipes import with_recipes
from hetad.frontend.cpp.text import Text
from hetad.frontend.cuda_syntax import joined
from hetad.frontend.lower.declarations import MOST_ELEMENTS
from hetad.frontend.tokens import Token, is_operator, matching

_INSTANCE = "__hetad_instance_"
_OF_2020 = frozenset(("concept", "requires", "consteval", "constinit"))  # the words of which a program is C++20
_READ_IN_PART = ("thrust", "cub")
_OF_LIBRARY = "take one of those that docs/language.md lists, or write the operation as a kernel"
_LIBRARY = "use arrays, std::vector, and the algorithms that docs/language.md lists"


_NO_CLASS = "is not a structure or union"
_TEMPLATES = (CursorKind.FUNCTION_TEMPLATE, CursorKind.CLASS_TEMPLATE, CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)


class Layout:
    """Tokens as Clang is given them, behind those of another layout, if any."""

    words: frozenset[str]
    recipes: frozenset[int]

    def __init__(self, tokens: Sequence[Token], behind: Layout | None = None, arrays: Set[Span] = frozenset()) -> None:
        """Raises UnsupportedError for what Clang had better not see.  `arrays`: see `with_recipes`."""
        taken: frozenset[str] = behind.words if behind is not None else frozenset()
        own, recipes = with_recipes(joined(tokens), taken, arrays)
        self.arrays = arrays
        _refuse_long_lists(own)
        self.words = taken | {t.text for t in own}
        has_streams = models.STREAM in self.words
        self.text: Text = Text(behind.text if behind is not None else stub.text(has_streams), own)
        self.tokens = self.text.tokens
        self.standard = "c++17" if _OF_2020.isdisjoint(self.words) else "c++20"
        self.counts = any(word.startswith(special.COUNTED) for word in self.words)
        first = len(self.tokens) - len(own)
        earlier: frozenset[int] = behind.recipes if behind is not None else frozenset()
        self.recipes = earlier | {first + i for i in recipes}
        self.reads_streams = behind is not None and streams.are_read([t.text for t in tokens])
        self.lengths: dict[tuple[str, int, int], int] = dict(behind.lengths) if behind is not None else {}
        self.lengths.update({(t.file, t.line, t.column): t.length for t in own})


def laid_out(tokens: Sequence[Token], arrays: Set[Span] = frozenset()) -> Layout:
    """A preprocessed text behind what stands for the libraries that it mentions."""
    return Layout(tokens, _of_models(tuple(m.name for m in models.named(t.text for t in tokens))), arrays)


@cache
def _of_models(files: tuple[str, ...]) -> Layout:
    """Many programs ask for the same ones."""
    return Layout([t for file in files for t in models.model(PurePath(file).stem).tokens])


class Source:
    """A text, parsed; `asked` is what Clang is asked of instances of class templates, `instances`
    those of templates that a user names."""

    def __init__(
        self, name: str, layout: Layout, asked: Sequence[Question] = (), instances: Sequence[str] = ()
    ) -> None:
        self.name = name
        self.tokens, self._recipes, self._text = layout.tokens, layout.recipes, layout.text
        self.counts, self.lengths, self.reads_streams = layout.counts, layout.lengths, layout.reads_streams
        self.has_functions = closures.WORD in layout.words
        behind = questions.text(asked, self._at_place) + _named(instances)
        self.unit = clang.parse(name, self._text.whole + behind, layout.standard)
        self.errors = self._errors()

    def instance(self, number: int) -> Cursor | None:
        """The function that the instance of a template with this number is, where Clang finds one."""
        for variable in self.unit.cursor.get_children():
            if variable.spelling == f"{_INSTANCE}{number}":
                for inner in clang.walk(variable):
                    used: Cursor | None = inner.referenced
                    if used is not None and used.kind == CursorKind.FUNCTION_DECL:
                        return used
        return None

    def _errors(self) -> list[tuple[int, SourceError]]:
        """What Clang objects to, by the token where it does."""
        found: list[tuple[int, SourceError]] = []
        for d in self.unit.parsed.diagnostics:
            at = self._text.index(d.location.line, d.location.column) if d.severity >= d.Error else None
            if at is not None and at not in self._recipes:
                plain = SyntaxProblem(f"Clang: {d.spelling}", self.tokens[at].span)
                found.append((at, self._of_library(at, d.spelling) or plain))
        return found

    def arrays_in_templates(self) -> set[Span]:
        """Loops over arrays in templates, by their colons, that Clang objects to before it makes instances."""
        found = set()
        instance: Cursor | None = None  # of which template the last objection is; Clang says it once
        for d in self.unit.parsed.diagnostics:
            at = self._text.index(d.location.line, d.location.column) if _NO_CLASS in d.spelling else None
            template = self._template(at) if at is not None and at in self._recipes and "[" in d.spelling else None
            if template is None or at is None:
                continue
            if any("in instantiation of" in note.spelling for note in d.children):
                instance = template
            elif template != instance:
                instance = None
                found.add(self.tokens[at].span)
        return found

    def _template(self, at: int) -> Cursor | None:
        """The template at file scope that has a token."""
        for cursor in _at_file_scope(self.unit.cursor):
            start, end = self.start(cursor), self.end(cursor)
            if start is not None and end is not None and start <= at < end:
                return cursor if cursor.kind in _TEMPLATES else None
        return None

    def _of_library(self, at: int, objection: str) -> SourceError | None:
        """The refusal of what belongs to a library that hetad does not read, or not all of."""
        first = at
        while first > 1 and is_operator(self.tokens, first - 1, "::"):
            first -= 2
        scope = self.tokens[first].text
        if (
            scope == "std"
            and first < at
            and objection.startswith(("no member named", "no template named", "no type named"))
        ):
            message = f"std::{self.tokens[at].text} is C++ that hetad does not read"
            return UnsupportedError(message, self.tokens[first].span, _LIBRARY)
        while scope in _READ_IN_PART and is_operator(self.tokens, at + 1, "::"):
            at += 2
        if scope in _READ_IN_PART and first < at:
            name = "".join(t.text for t in self.tokens[first : at + 1])
            called = " with these arguments" if objection.startswith("no matching") else ""
            return beyond.refusal((name + called, _OF_LIBRARY), self.tokens[first].span)
        what = beyond.SCOPES.get(scope) or beyond.library_name(self.tokens[at].text)
        return beyond.refusal(what, self.tokens[first].span) if what is not None else None

    # --- positions ---------------------------------------------------------------------------------

    def start(self, cursor: Cursor) -> int | None:
        """The first token of a cursor; None if it is not in the user's source."""
        at = cursor.extent.start
        return self._text.index(at.line, at.column)

    def end(self, cursor: Cursor) -> int | None:
        """The token behind the last one of a cursor."""
        at = cursor.extent.end
        last = self._text.index(at.line, at.column - 1) if at.column > 1 else None
        return None if last is None else last + 1

    def at(self, cursor: Cursor) -> int | None:
        """The token where a cursor stands: at the name of what is declared."""
        return self._text.index(cursor.location.line, cursor.location.column)

    def is_users(self, cursor: Cursor) -> bool:
        return self.at(cursor) is not None

    def is_models(self, cursor: Cursor) -> bool:
        """Whether a cursor stands in what stands for a library."""
        at = self.at(cursor)
        return at is not None and models.is_model(self.tokens[at].file)

    def _at_place(self, line: int, column: int) -> Token | None:
        at = self._text.index(line, column)
        return self.tokens[at] if at is not None else None

    def token(self, cursor: Cursor) -> Token | None:
        at = self.at(cursor)
        return self.tokens[at] if at is not None else None

    def coord(self, cursor: Cursor) -> Coord | None:
        token = self.token(cursor)
        return tree.coord(token) if token is not None else None

    def span(self, cursor: Cursor) -> Span:
        token = self.token(cursor)
        return token.span if token is not None else Span(self.name, 1, 1)

    def inside(self, cursor: Cursor) -> Sequence[Token]:
        """The tokens of a cursor."""
        start, end = self.start(cursor), self.end(cursor)
        return self.tokens[start:end] if start is not None and end is not None else ()

    def pragmas(self, cursor: Cursor) -> list[Token]:
        start = self.start(cursor)
        return self._text.pragmas(start) if start is not None else []

    def refuse(self, what: str, cursor: Cursor, remedy: str = "") -> NoReturn:
        raise UnsupportedError(f"hetad does not support {what}", self.span(cursor), remedy)

    # --- parts that libclang does not tell apart ---------------------------------------------------

    def parentheses(self, cursor: Cursor) -> tuple[int, int, list[int]]:
        """Of a statement: where its parentheses open and close, and the semicolons between them."""
        start = self.start(cursor)
        assert start is not None
        opening = start
        while not is_operator(self.tokens, opening, "("):
            opening += 1
        closing = matching(self.tokens, opening)
        assert closing is not None
        semicolons, i = [], opening + 1
        while i < closing:
            if self.tokens[i].kind == "operator" and self.tokens[i].text in ("(", "[", "{"):
                i = matching(self.tokens, i) or i
            elif is_operator(self.tokens, i, ";"):
                semicolons.append(i)
            i += 1
        return opening, closing, semicolons


def _named(instances: Sequence[str]) -> str:
    """What is put behind the program so that there are these instances; what is no name is left out."""
    return "".join(
        f"inline auto *{_INSTANCE}{number} = &{name};\n"
        for number, name in enumerate(instances)
        if re.fullmatch(r"[\w:]+<[\w:<>,*\s-]*>", name)
    )


def _refuse_long_lists(tokens: Sequence[Token]) -> None:
    """`{[1999999999] = 1}`, for which Clang would make a list of as many nodes."""
    for before, opening, number, closing, sign in zip(*(tokens[i:] for i in range(5)), strict=False):
        texts = opening.text, closing.text, sign.text
        if before.text in ("{", ",") and texts == ("[", "]", "=") and _value(number.text) >= MOST_ELEMENTS:
            message = f"a list of more than {MOST_ELEMENTS} initial values"
            raise UnsupportedError(f"hetad does not support {message}", before.span, "fill the array in a loop")


def _value(text: str) -> int:
    """Of a literal; 0 for anything else."""
    try:
        return int(text.rstrip("uUlL"), 0)
    except ValueError:
        return 0


def _at_file_scope(around: Cursor) -> Iterator[Cursor]:
    """What a text declares, also in namespaces."""
    for cursor in around.get_children():
        if cursor.kind == CursorKind.NAMESPACE:
            yield from _at_file_scope(cursor)
        else:
            yield cursor
