"""A translation unit: its items by name, lowered when they are reached."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from copy import copy
from functools import cached_property

from hetad.diagnostics import HetadError, SourceError, Span, UnknownNameError, UnknownTypeProblem, UnsupportedError
from hetad.frontend.driver import Driver
from hetad.frontend.file_scope import FileScope
from hetad.frontend.items import split_items
from hetad.frontend.libraries import LIBRARIES
from hetad.frontend.preprocess import Preprocessed
from hetad.ir import nodes as ir


class Unit:
    """One CUDA source after preprocessing.  Made by `hetad.frontend.load`."""

    def __init__(self, name: str, preprocessed: Preprocessed) -> None:
        self.name = name
        self._driver: Driver | None = None
        self.sources: Mapping[str, str] = preprocessed.sources
        self._missing = preprocessed.missing
        try:
            self._items = split_items(preprocessed.tokens)
        except SourceError as error:
            error.attach(self.sources)
            raise
        self._outer = FileScope(self._items)

    @cached_property
    def functions(self) -> Mapping[str, ir.Kind]:
        """Every function defined in the source, in order, with its kind, those of libraries left out.  Nothing is
        parsed for this."""
        own = [item for item in self._items if item.span.file not in LIBRARIES]
        return {name: item.kind for item in own for name, what in item.names.items() if what == "function"}

    def reach(self, function: str) -> ir.Program:
        """The program that `function` is the entry of, in lowered form: closed under calls, launches, variables.

        Raises UnknownNameError, SyntaxProblem or UnsupportedError, each with the position in the source.
        """
        try:
            if function not in self.functions:
                raise self._unknown(function)
            program = self._outer.reach(function, self.sources)
            if self._driver is not None and self._driver.function == function:
                return self._driver.of(program)
            return program
        except SourceError as error:
            self.explain(error)
            raise

    def of_library(self, function: str) -> ir.Program:
        """The same for a function of the text that stands for a library."""
        return self._outer.reach(function, self.sources)

    def driven(self, driver: Driver) -> Unit:
        """The unit in which one function is as the driver says."""
        other = copy(self)
        other._driver = driver
        return other

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

    def _unknown(self, name: str) -> HetadError:
        for declares, text in (("template", "a C++ template"), ("prototype", "declared but not defined here")):
            item = self._outer.item(name, declares)  # type: ignore[arg-type]
            if item is not None:
                remedy = "define it in this source as a plain function"
                return UnsupportedError(f"'{name}' is {text}", item.span, remedy).attach(self.sources)
        near = difflib.get_close_matches(name, list(self.functions), n=3)
        every = ", ".join(self.functions) or "none"
        remedy = f"did you mean {' or '.join(near)}?" if near else f"the functions are: {every}"
        return UnknownNameError(f"no function '{name}' in {self.name}", None, remedy)

    def explain(self, error: SourceError) -> SourceError:
        """With the source line, and with the headers that were not found where they may be the reason."""
        if self._missing and isinstance(error, UnknownNameError | UnknownTypeProblem) and error.source_line is None:
            names = ", ".join(f'"{name}"' for name, _ in self._missing)
            note = f"not found: {names}; pass its directory in include_dirs (-I)"
            error.remedy = f"{error.remedy}; {note}" if error.remedy else note
        return error.attach(self.sources)
