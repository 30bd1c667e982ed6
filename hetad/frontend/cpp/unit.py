"""A program that Clang reads."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from hetad.diagnostics import HetadError, SourceError, Span, UnknownNameError, UnsupportedError, ours, recoverable
from hetad.frontend import models
from hetad.frontend.cpp.entities import Entities
from hetad.frontend.cpp.source import Source
from hetad.frontend.cpp.special import Unasked
from hetad.frontend.preprocess import Preprocessed
from hetad.frontend.reached import used_globals, used_structs
from hetad.frontend.unit import Unit
from hetad.ir import nodes as ir
from hetad.ir.functions import callees


class CppUnit(Unit):
    """One CUDA source after preprocessing."""

    def __init__(self, files: Sequence[tuple[Preprocessed, Preprocessed | None]]) -> None:
        host, device = files[0]
        if len(files) > 1:
            message = "hetad does not read several files in C++ as one program"
            raise UnsupportedError(message, Span(files[1][0].name, 1, 1), "include one in the other")
        if device is not None and device.tokens != host.tokens:
            at = next((a for a, b in zip(host.tokens, device.tokens, strict=False) if a != b), host.tokens[0])
            message = "C++ that is other code on the device, by __CUDA_ARCH__,"
            raise UnsupportedError(f"hetad does not support {message}", at.span, "write both in one")
        super().__init__(host.name)
        shipped = models.named(t.text for t in host.tokens)
        self.sources: Mapping[str, str] = {n: s for m in shipped for n, s in m.sources.items()} | dict(host.sources)
        self._tokens = host.tokens
        self._asked: list[str] = []
        self._instances: dict[str, str] = {}  # by what the user calls them
        self._entities = self._read()

    def _read(self) -> Entities:
        entities = Entities(Source(self.name, self._tokens, self._asked, list(self._instances)), self._asked)
        for name, cursor in zip(list(self._instances), entities.source.instances(len(self._instances)), strict=True):
            if cursor is None:
                del self._instances[name]
            else:
                self._instances[name] = entities.named(cursor)
        return entities

    def instance(self, name: str) -> str:
        if "<" in name and name not in self._instances:
            self._instances[name] = ""
            self._entities = self._read()
            if name not in self._instances:
                raise self._unknown(name)
        return self._instances.get(name, name)

    @property
    def functions(self) -> Mapping[str, ir.Kind]:
        """Every function that is defined at file scope, in order, with its kind."""
        return self._entities.public

    def program(self, function: str) -> ir.Program:
        try:
            if function not in self.functions and function not in self._instances.values():
                raise self._unknown(function)
            return self._closed(function)
        except SourceError as error:
            error.attach(self.sources)
            raise

    def _closed(self, function: str) -> ir.Program:
        """The program of a function, read again where Clang must be asked more."""
        while True:
            try:
                return self._reach(function)
            except Unasked as unasked:
                self._asked.append(unasked.spelling)
                self._entities = self._read()

    def of_library(self, function: str) -> ir.Program:
        return self._reach(function)

    def _reach(self, entry: str) -> ir.Program:
        waiting: list[tuple[str, Span | None]] = [(entry, None)]
        reached: dict[str, ir.Function] = {}
        while waiting:
            name, caller = waiting.pop(0)
            if name in reached:
                continue
            with recoverable() as recovery, ours(caller):
                reached[name] = self._entities.lowered(name, caller)
            if not recovery.failed:
                found = reached[name]
                waiting += [(n, found.span) for n in callees(found) if self._entities.is_own(n)]
        ordered = dict(sorted(reached.items(), key=lambda pair: self._entities.order(pair[0])))
        globals_ = used_globals(ordered, list(self._entities.globals()))
        return ir.Program(ordered, globals_, used_structs(ordered, globals_), dict(self.sources))

    def signature(self, function: str) -> str:
        """The source lines of a function's head."""
        cursor = self._entities.cursor(function)
        if cursor is None:
            raise self._unknown(function)
        tokens = self._entities.source.inside(cursor)
        own = [t for t in tokens if t.file == tokens[0].file]
        last = next((t for t in own if t.text == "{"), own[-1])
        lines = self.sources[own[0].file].splitlines()
        return "\n".join(lines[own[0].line - 1 : last.line]).split("{")[0].rstrip()

    def position(self, function: str) -> Span:
        """Where a function is defined."""
        cursor = self._entities.cursor(function)
        if cursor is None:
            raise self._unknown(function)
        return self._entities.source.span(cursor)

    def home(self, function: str) -> str | None:
        return self.name if function in self.functions else None

    def _unknown(self, name: str) -> HetadError:
        near = difflib.get_close_matches(name, list(self.functions), n=3)
        every = ", ".join(self.functions) or "none"
        remedy = f"did you mean {' or '.join(near)}?" if near else f"the functions are: {every}"
        return UnknownNameError(f"no function '{name}' in {self.name}", None, remedy)

    def explain(self, error: SourceError) -> SourceError:
        return error.attach(self.sources)
