"""Source positions and the errors that name them.

Every error that hetad raises derives from `HetadError`.  One about the user's source is a
`SourceError`: it carries a `Span` and a remedy, and prints the offending line with a caret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the user's source: 1-based line and column, and how many characters it covers.

    `inlined`: for a copy of code, the call that it stands for; it is the same place nonetheless.
    """

    file: str
    line: int
    column: int
    length: int = 1
    inlined: Inlined | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def inlinings(self) -> Iterator[Inlined]:
        """The calls that the code stands for, the innermost first."""
        here = self.inlined
        while here is not None:
            yield here
            here = here.call.inlined


@dataclass(frozen=True, eq=False, slots=True)
class Inlined:
    """One call in whose place a function's body stands.  Identity is the object: one place may be inlined twice.

    `arguments`: for parameters, the name of the variable, or the constant, that stands for them.
    """

    function: str
    call: Span
    arguments: tuple[tuple[str, str], ...] = ()


class HetadError(Exception):
    """Base of all errors raised by hetad; `code` is that of its entry in docs/errors."""

    @property
    def told(self) -> str:
        """What is wrong, without code, place and remedy."""
        return super().__str__()

    @property
    def code(self) -> str:
        from hetad.codes import code_of

        return code_of([c.__name__ for c in type(self).__mro__], self.told)

    def __str__(self) -> str:
        return with_code(self.told, self.code)


def with_code(text: str, code: str) -> str:
    """A message with the code of its error, at the end of the first line."""
    first, *rest = text.split("\n", 1)
    return "\n".join([f"{first}  [{code}]", *rest])


@dataclass(frozen=True, slots=True)
class Related:
    """A further place that an error is about, and what is there."""

    span: Span
    text: str
    source_line: str | None = None


class SourceError(HetadError):
    """Something in the CUDA source: `message` says what, `span` where, `remedy` what to do."""

    def __init__(
        self, message: str, span: Span | None = None, remedy: str = "", related: tuple[Related, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.remedy = remedy
        self.related = related
        self.source_line: str | None = None

    def attach(self, sources: Mapping[str, str]) -> SourceError:
        """Remember the source lines under the spans, so that the error can show them."""
        if self.span is not None and self.source_line is None:
            self.source_line = _line(self.span, sources)
        self.related = tuple(replace(r, source_line=r.source_line or _line(r.span, sources)) for r in self.related)
        return self

    @property
    def told(self) -> str:
        return self.message

    def __str__(self) -> str:
        parts = [with_code(f"{self.span}: {self.message}" if self.span else self.message, self.code)]
        if self.span is not None and self.source_line is not None:
            parts += _excerpt(self.span, self.source_line)
        for r in self.related:
            parts += [f"  {r.span}: {r.text}", *(_excerpt(r.span, r.source_line) if r.source_line is not None else ())]
        parts += [f"  called from {place}" for place in self.called_from()]
        if self.remedy:
            parts.append(f"  help: {self.remedy}")
        return "\n".join(parts)

    def called_from(self) -> list[str]:
        """Where the function was called that the place is in, the innermost call first."""
        return [str(i.call) for i in self.span.inlinings() if i.call != self.span] if self.span is not None else []


def _line(span: Span, sources: Mapping[str, str]) -> str | None:
    lines = sources.get(span.file, "").splitlines()
    return lines[span.line - 1] if 0 < span.line <= len(lines) else None


def _excerpt(span: Span, source_line: str) -> list[str]:
    caret = "".join("\t" if c == "\t" else " " for c in source_line[: span.column - 1])
    width = max(1, min(span.length, len(source_line) - span.column + 1))
    return ["    " + source_line, "    " + caret + "^" * width]


class SyntaxProblem(SourceError):
    """The source cannot be parsed."""


class UnknownTypeProblem(SyntaxProblem):
    """It cannot be parsed because nothing declares a type."""


class UnsupportedError(SourceError):
    """A construct in reached code that hetad does not differentiate (yet)."""


class RaceError(SourceError):
    """Two threads reach the same memory, one of them writes, and nothing orders the two."""


class NonFiniteError(SourceError):
    """A gradient is not finite: `span` is the first statement of the program at which something stops being so."""


class MemoryAccessError(SourceError):
    """An access leaves the memory that it is to, or there is none.

    array: the variable through which it goes; "" for none.
    index: of the element; extent: how many there are.
    thread: the block and the thread of it, by their indices; None on the host.
    """

    def __init__(
        self, message: str, span: Span | None, remedy: str, array: str, index: int, extent: int,
        thread: tuple[tuple[int, ...], tuple[int, ...]] | None,
    ) -> None:  # fmt: skip
        super().__init__(message, span, remedy)
        self.array = array
        self.index = index
        self.extent = extent
        self.thread = thread


class UnknownNameError(SourceError):
    """A function, parameter or file that does not exist; the remedy lists the nearest names."""


class InternalError(SourceError):
    """A mistake of hetad's own, found before it could do harm: the program is not to blame."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(f"internal error: {message}", span, "please report it, with the program")


@contextmanager
def ours(span: Span | None) -> Iterator[None]:
    """What fails inside without being an error of the program's is a mistake of hetad's own, at this place."""
    try:
        yield
    except (HetadError, RecursionError, MemoryError):
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise InternalError(what, span) from error


class ConsequenceError(SourceError):
    """Follows from another problem, which has been reported."""


class ArgumentError(HetadError):
    """An argument of a call from Python or of a problem file does not fit its parameter."""


class BackendError(HetadError):
    """No usable C compiler or GPU, or the compiler failed."""


class ExecutionError(HetadError):
    """The program failed while it ran: a CUDA error, an `exit`, memory exhausted."""


# --- all problems of a program --------------------------------------------------------------------


class _Problems(list[SourceError]):
    """Those that are shown, and how many work has gone on behind, what only follows from others included."""

    passed = 0


_found: ContextVar[_Problems | None] = ContextVar("found", default=None)


@contextmanager
def collecting() -> Iterator[list[SourceError]]:
    """Inside, work goes on behind an error wherever it can, to find more; the list gets those that it went past.

    What is made inside is of no use if there are any: what is refused is missing in it.
    """
    found = _Problems()
    token = _found.set(found)
    try:
        yield found
    finally:
        _found.reset(token)


def report(error: SourceError) -> None:
    """Raises the error, unless all problems are collected."""
    found = _found.get()
    if found is None:
        raise error
    found.passed += 1
    follows = isinstance(error, ConsequenceError) or (isinstance(error, InternalError) and found)
    if not follows:
        found.append(error)


class Recovery:
    """How a piece of work that can be left out went."""

    failed = False


@contextmanager
def recoverable() -> Iterator[Recovery]:
    """A piece of work without which others can go on, where all problems are collected."""
    recovery = Recovery()
    try:
        yield recovery
    except SourceError as error:
        recovery.failed = True
        if _found.get() is None:
            raise
        report(error)


@contextmanager
def speculative() -> Iterator[None]:
    """An attempt whose errors are no problems: whoever makes it knows another way."""
    token = _found.set(None)
    try:
        yield
    finally:
        _found.reset(token)


def problems_so_far() -> int:
    """How many work has gone on behind: what has been made since there were fewer is not whole, and not to be kept."""
    found = _found.get()
    return 0 if found is None else found.passed
