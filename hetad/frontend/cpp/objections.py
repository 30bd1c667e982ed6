"""What Clang objects to in a text, as far as a function or a variable has to do with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from hetad.diagnostics import SourceError, Span, SyntaxProblem
from hetad.frontend.cpp import clang
from hetad.frontend.cpp.body import FUNCTIONS
from hetad.frontend.cpp.clang import Cursor
from hetad.frontend.cpp.names import GROUPS, is_record, mentioned
from hetad.frontend.cpp.source import Source
from hetad.frontend.models import is_model


class Objections:
    def __init__(self, source: Source) -> None:
        self._source = source

    def check(self, cursor: Cursor, caller: Span | None = None) -> None:
        """Raises what Clang objects to in a declaration, in the heads of functions that it names, of which Clang leaves
        out all uses, or outside of all functions; in a model, at its call."""
        if not self._source.errors:
            return
        start, end = self._source.start(cursor), self._source.end(cursor)
        words = {t.text for t in self._source.inside(cursor)}
        for at, error in self._source.errors:
            here = start is not None and end is not None and start <= at < end
            used = any(first <= at < last and name in words for first, last, name in self._heads)
            if here or used or not any(first <= at < last for first, last in self._extents):
                raise _at_call(error, caller)

    def check_template(self, instance: Cursor, caller: Span | None) -> None:
        """Raises what Clang objects to in the template of which a function is an instance that it has not made."""
        body = clang.pattern(instance)
        start, end = (self._source.start(body), self._source.end(body)) if body is not None else (None, None)
        for at, error in self._source.errors:
            if start is not None and end is not None and start <= at < end:
                raise _at_call(error, caller)

    @cached_property
    def _bodies(self) -> Sequence[Cursor]:
        return list(self._with_bodies(self._source.unit.cursor))

    def _with_bodies(self, around: Cursor) -> Iterator[Cursor]:
        """The functions, the methods and the templates of either, those of models too."""
        for cursor in around.get_children():
            if cursor.kind in GROUPS and not is_record(around):
                yield from self._with_bodies(cursor)
            elif not self._source.is_users(cursor):
                continue
            elif cursor.kind in FUNCTIONS:
                yield cursor
            elif is_record(cursor):
                yield from self._with_bodies(cursor)

    @cached_property
    def _extents(self) -> Sequence[tuple[int, int]]:
        """Where functions stand, for who must know whether an error is in one."""
        found = ((self._source.start(cursor), self._source.end(cursor)) for cursor in self._bodies)
        return [(start, end) for start, end in found if start is not None and end is not None]

    @cached_property
    def _heads(self) -> Sequence[tuple[int, int, str]]:
        """The extents of their heads, and what a use of them mentions."""
        return [head for cursor in self._bodies if (head := self._head(cursor)) is not None]

    def _head(self, cursor: Cursor) -> tuple[int, int, str] | None:
        source, start, end = self._source, self._source.start(cursor), self._source.end(cursor)
        if start is None or end is None:
            return None
        body = clang.body(cursor)
        behind = source.start(body) if body is not None else None
        told = behind is not None and all(t.text != "auto" for t in source.tokens[start:behind])  # but by the body
        return start, behind if behind is not None and told else end, mentioned(cursor)


def _at_call(error: SourceError, caller: Span | None) -> SourceError:
    """An error; one in a model is told where the program calls it."""
    in_model = error.span is not None and is_model(error.span.file)
    return SyntaxProblem(error.message, caller) if in_model and caller and not is_model(caller.file) else error
