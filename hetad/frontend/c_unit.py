"""A program that pycparser reads, item by item."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import cached_property

from hetad.diagnostics import (
    HetadError,
    SourceError,
    Span,
    SyntaxProblem,
    UnknownNameError,
    UnknownTypeProblem,
    UnsupportedError,
)
from hetad.frontend.beyond_c import IsCppError
from hetad.frontend.items import example, split_items
from hetad.frontend.linkage import linked
from hetad.frontend.preprocess import Preprocessed
from hetad.frontend.reached import Linkage
from hetad.frontend.unit import Unit
from hetad.ir import nodes as ir


class CUnit(Unit):
    """CUDA sources after preprocessing, for the host and where it differs for the device."""

    def __init__(self, files: Sequence[tuple[Preprocessed, Preprocessed | None]], alone: bool = False) -> None:
        """`alone`: what is no C is not tried as C++."""
        super().__init__(", ".join(host.name for host, _ in files))
        self._alone = alone
        texts = [text for pair in files for text in pair if text is not None]
        self.sources = {file: text for t in texts for file, text in t.sources.items()}
        self.has_missing_headers = any(t.missing for t in texts)
        self._missing = tuple(dict.fromkeys(missing for t in texts for missing in t.missing))
        try:
            items = [
                (host.name, split_items(host.tokens), split_items(device.tokens) if device is not None else None)
                for host, device in files
            ]
            self._outer = Linkage(linked(items))
        except SourceError as error:
            error.attach(self.sources)
            raise

    @cached_property
    def functions(self) -> Mapping[str, ir.Kind]:
        """Every function defined in the source, in order, with its kind, those of libraries left out.  Nothing is
        parsed for this."""
        return self._outer.public()

    @cached_property
    def templates(self) -> Mapping[str, ir.Kind]:
        return {name: item.kind for name, item in self._outer.templates().items()}

    def instance(self, name: str) -> str:
        if "<" in name:
            raise IsCppError(f"'{name}'", self._template(name) or Span(self.name, 1, 1))
        return name

    def _template(self, name: str) -> Span | None:
        item = self._outer.templates().get(name.partition("<")[0])
        return item.span if item is not None else None

    def program(self, function: str) -> ir.Program:
        try:
            if function not in self.functions:
                raise self._unknown(function)
            return self._outer.reach(function, self.sources)
        except SourceError as error:
            self.explain(error)
            raise

    def of_library(self, function: str) -> ir.Program:
        """The same for a function of the text that stands for a library."""
        return self._outer.reach(function, self.sources)

    def signature(self, function: str) -> str:
        """The source lines of a function's head."""
        item = self._outer.item(function, "function")
        if item is None:
            raise self._unknown(function)
        own = [t for t in item.header if t.file == item.span.file]
        lines = self.sources[item.span.file].splitlines()
        head = "\n".join(lines[own[0].line - 1 : own[-1].line])
        return head.split("{")[0].rstrip()

    def position(self, function: str) -> Span:
        """Where a function is defined."""
        item = self._outer.item(function, "function")
        if item is None:
            raise self._unknown(function)
        return item.span

    def home(self, function: str) -> str | None:
        """The source file, of those given to `load`, that has a function."""
        return self._outer.home(function)

    def _unknown(self, name: str) -> HetadError:
        if (template := self._outer.templates().get(name)) is not None:
            remedy = f"name an instance of it, as '{example(name, template)}'"
            return UnknownNameError(f"'{name}' is a template", template.span, remedy).attach(self.sources)
        for declares, text in (("template", "a C++ template"), ("prototype", "declared but not defined here")):
            item = self._outer.item(name, declares)  # type: ignore[arg-type]
            if item is not None:
                remedy = "define it in this source as a plain function"
                return UnsupportedError(f"'{name}' is {text}", item.span, remedy).attach(self.sources)
        near = difflib.get_close_matches(name.partition("<")[0], [*self.functions, *self.templates], n=3)
        every = (
            ", ".join([*self.functions, *map(example, self._outer.templates(), self._outer.templates().values())])
            or "none"
        )
        remedy = f"did you mean {' or '.join(near)}?" if near else f"the functions are: {every}"
        return UnknownNameError(f"no function '{name}' in {self.name}", None, remedy)

    def explain(self, error: SourceError) -> SourceError:
        """With the source line, and with the headers that were not found where they may be the reason."""
        if self._missing and isinstance(error, UnknownNameError | UnknownTypeProblem) and error.source_line is None:
            names = ", ".join(f'"{name}"' for name, _ in self._missing)
            note = f"not found: {names}; pass its directory in include_dirs (-I)"
            error.remedy = f"{error.remedy}; {note}" if error.remedy else note
        if self._alone and isinstance(error, SyntaxProblem) and not error.remedy:
            error.remedy = 'if this is C++, read it as that: frontend="cpp"'
        return error.attach(self.sources)
