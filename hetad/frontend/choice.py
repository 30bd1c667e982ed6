"""Who reads a program: pycparser as C, Clang as C++, or the first of the two that accepts a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hetad.diagnostics import SourceError, Span, SyntaxProblem, UnknownNameError, UnsupportedError, speculative
from hetad.frontend import models
from hetad.frontend.beyond_c import IsCppError
from hetad.frontend.c_unit import CUnit
from hetad.frontend.library_names import NameOfLibraryError
from hetad.frontend.unit import Unit

if TYPE_CHECKING:
    from hetad.frontend.preprocess import Preprocessed
    from hetad.frontend.settings import Frontend
    from hetad.ir import nodes as ir

Files = Sequence[tuple["Preprocessed", "Preprocessed | None"]]


def unit_of(files: Files, frontend: Frontend) -> Unit:
    """The program of these preprocessed files."""
    if frontend == "c":
        return CUnit(files, alone=True)
    is_cpp = frontend == "cpp" or models.are_cpp(t.text for host, _ in files for t in host.tokens)
    return _by_clang(files) if is_cpp else FirstThatReads(files)


def _by_clang(files: Files) -> Unit:
    try:
        from hetad.frontend.cpp.unit import CppUnit
    except ImportError as error:
        remedy = "install the package libclang"
        raise UnsupportedError(f"libclang cannot be loaded: {error}", Span(files[0][0].name, 1, 1), remedy) from error
    return CppUnit(files)


class FirstThatReads(Unit):
    """As C where it is that; a function that is refused as C is tried as C++."""

    def __init__(self, files: Files) -> None:
        self._c = CUnit(files)
        super().__init__(self._c.name)
        self.sources = self._c.sources
        self.has_missing_headers = self._c.has_missing_headers
        self._files = files
        self._clang: Unit | SourceError | None = None
        self._readers: dict[str, Unit] = {}

    @property
    def functions(self) -> Mapping[str, ir.Kind]:
        return self._c.functions

    @property
    def templates(self) -> Mapping[str, ir.Kind]:
        return self._c.templates

    def instance(self, name: str) -> str:
        """What Clang makes of a template."""
        if "<" not in name:
            return name
        clang = self._as_cpp()
        if isinstance(clang, SourceError):
            raise clang
        found = clang.instance(name)
        self._readers[found] = clang
        return found

    def display(self, function: str) -> str:
        """As whoever has read it calls it."""
        readers = [self._c, self._clang] if isinstance(self._clang, Unit) else [self._c]
        return next((shown for r in readers if (shown := r.display(function)) != function), function)

    def program(self, function: str) -> ir.Program:
        reader = self._readers.get(function)
        if reader is not None:
            return reader.program(function)
        try:
            with speculative():
                found = self._c.program(function)
        except SourceError as refused:
            return self._as_clang_reads(function, refused)
        self._readers[function] = self._c
        return found

    def _as_clang_reads(self, function: str, refused: SourceError) -> ir.Program:
        """A function that is refused as C; where Clang refuses it too, whoever has more to say of it does so."""
        clang = self._as_cpp()
        cpp = isinstance(refused, IsCppError)
        if isinstance(clang, NameOfLibraryError) or (cpp and isinstance(clang, SourceError)):
            raise clang
        found = clang if isinstance(clang, SourceError) else _tried(clang, function)
        takes = isinstance(clang, Unit) and (not isinstance(found, SourceError) or _tells_more(found, refused))
        reader = self._readers[function] = clang if takes and isinstance(clang, Unit) else self._c
        return reader.program(function) if isinstance(found, SourceError) else found

    def _as_cpp(self) -> Unit | SourceError:
        if self._clang is None:
            try:
                self._clang = _by_clang(self._files)
            except SourceError as error:
                self._clang = error
        return self._clang

    def of_library(self, function: str) -> ir.Program:
        return self._c.of_library(function)

    def signature(self, function: str) -> str:
        return self._asked(function).signature(function)

    def position(self, function: str) -> Span:
        return self._asked(function).position(function)

    def home(self, function: str) -> str | None:
        return self._c.home(function) or self._readers.get(function, self._c).home(function)

    def _asked(self, function: str) -> Unit:
        return self._c if function in self._c.functions else self._readers.get(function, self._c)

    def explain(self, error: SourceError) -> SourceError:
        return self._c.explain(error)


def _tried(unit: Unit, function: str) -> ir.Program | SourceError:
    """What a reader makes of a function, or why it does not accept it."""
    try:
        with speculative():
            return unit.program(function)
    except SourceError as error:
        return error


def _same_line(one: SourceError, other: SourceError) -> bool:
    places = [(error.span.file, error.span.line) for error in (one, other) if error.span is not None]
    return len(places) < 2 or places[0] == places[1]


def _tells_more(clang: SourceError, c: SourceError) -> bool:
    """Whether the refusal of the C++ front end is the one to show: what C says of C++ is that it is C++."""
    if isinstance(c, IsCppError):
        return True
    if isinstance(clang, UnknownNameError) or (clang.message.startswith("Clang: ") and _same_line(clang, c)):
        return False
    words = ("does not read", "cooperative groups", "half precision", "the thrust library", "the cub library")
    return any(word in c.message for word in words) or isinstance(c, SyntaxProblem | UnknownNameError)
