"""A program that Clang reads."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hetad.diagnostics import HetadError, SourceError, Span, UnknownNameError, ours, recoverable, speculative
from hetad.frontend import models
from hetad.frontend.cpp.alike import joined
from hetad.frontend.cpp.clang import Cursor
from hetad.frontend.cpp.entities import Entities
from hetad.frontend.cpp.families import Unopened
from hetad.frontend.cpp.foreseen import foreseen
from hetad.frontend.cpp.linkage import Linkage
from hetad.frontend.cpp.names import display_name, example
from hetad.frontend.cpp.questions import Question, Unasked
from hetad.frontend.cpp.source import Layout, Source, laid_out
from hetad.frontend.library_names import refuse_clashes
from hetad.frontend.preprocess import Preprocessed
from hetad.frontend.reached import used_globals, used_structs
from hetad.frontend.unit import Unit
from hetad.ir import nodes as ir
from hetad.ir.functions import calls
from hetad.ir.identity import IdentityMap


def _after(first: list[str], entry: ir.Function) -> ir.Function:
    """A function that calls others before anything else."""
    calls_ = tuple(ir.Call(name, (), span=entry.span) for name in first)
    return replace(entry, body=(*calls_, *entry.body))


class CppUnit(Unit):
    """CUDA sources after preprocessing, for the host and where it differs for the device."""

    def __init__(self, files: Sequence[tuple[Preprocessed, Preprocessed | None]]) -> None:
        super().__init__(", ".join(host.name for host, _ in files))
        self._files = [(host, device if device and device.tokens != host.tokens else None) for host, device in files]
        texts = [text for pair in self._files for text in pair if text is not None]
        shipped = [m for text in texts for m in models.named(t.text for t in text.tokens)]
        self.has_missing_headers = any(text.missing for text in texts)
        self.sources = {n: s for m in (*shipped, *texts) for n, s in m.sources.items()}
        self._asked: list[Question] = []
        self._layouts = IdentityMap[Preprocessed, Layout]()
        self._opened: list[str] = []  # the families of classes, see `families.py`
        self._instances: dict[str, str] = {}  # by what the user calls them
        self._linkage = self._read()

    def _read(self) -> Linkage:
        linkage = Linkage()
        try:
            for host, _ in self._files:
                refuse_clashes(host.tokens)
        except SourceError as error:
            raise error.attach(self.sources) from None
        for number, (host, device) in enumerate(self._files):
            twin = Entities(self._source(device), linkage, number, opened=self._opened) if device is not None else None
            Entities(self._source(host), linkage, number, twin, self._opened)
        try:
            linkage.find()
        except SourceError as error:
            raise error.attach(self.sources) from None
        for number, name in enumerate(list(self._instances)):
            found = ((text, text.source.instance(number)) for text in linkage.texts if not text.device)
            own = next((text.named(cursor) for text, cursor in found if cursor is not None), None)
            if own is None:
                del self._instances[name]
            else:
                self._instances[name] = own
        return linkage

    def _source(self, text: Preprocessed) -> Source:
        layout = self._layouts.get(text)
        if layout is None:
            layout = self._layouts[text] = laid_out(text.tokens)
        source = Source(text.name, layout, self._asked, list(self._instances))
        arrays = source.arrays_in_templates()
        if not arrays:
            return source
        self._layouts[text] = laid_out(text.tokens, layout.arrays | arrays)
        return Source(text.name, self._layouts[text], self._asked, list(self._instances))

    def instance(self, name: str) -> str:
        if "<" in name and name not in self._instances:
            self._instances[name] = ""
            self._linkage = self._read()
            if name not in self._instances:
                raise self._unknown(name)
        return self._instances.get(name, name)

    @property
    def functions(self) -> Mapping[str, ir.Kind]:
        """Every function that is defined at file scope, in order, with its kind."""
        return self._linkage.public()

    @property
    def templates(self) -> Mapping[str, ir.Kind]:
        return {name: owner.kind(cursor) for name, (owner, cursor) in self._linkage.templates().items()}

    def display(self, function: str) -> str:
        owner = self._linkage.owners.get(function)
        cursor = owner.cursor(function) if owner is not None else None
        return function if cursor is None else display_name(cursor) or function

    def program(self, function: str) -> ir.Program:
        try:
            if function not in self.functions and function not in self._instances.values():
                raise self._unknown(function)
            return self._closed(function)
        except SourceError as error:
            error.attach(self.sources)
            raise

    def _closed(self, function: str) -> ir.Program:
        """The program of a function, read again where a family of classes must be opened."""
        while True:
            try:
                return self._answered(function)
            except Unopened as unopened:
                self._opened.append(unopened.key)
                self._linkage = self._read()

    def _answered(self, function: str) -> ir.Program:
        """The program of a function, read again where Clang must be asked more."""
        while self._ask(self._foreseen(function)):
            pass
        while True:
            try:
                with speculative():
                    return self._reach(function)
            except Unasked as unasked:
                self._ask([unasked.question])
            except SourceError:
                return self._reach(function)  # where all problems are collected

    def _foreseen(self, function: str) -> list[Question]:
        _, cursor = self._defined(function)
        return foreseen(cursor)

    def _ask(self, questions: Iterable[Question]) -> bool:
        """Reads the program again if any of these has not been asked yet."""
        new = [q for q in questions if q not in self._asked]
        if new:
            self._asked += new
            self._linkage = self._read()
        return bool(new)

    def of_library(self, function: str) -> ir.Program:
        return self._closed(function)

    def _reach(self, entry: str) -> ir.Program:
        linkage = self._linkage
        waiting: list[tuple[str, Span | None]] = [(linkage.version(entry), None)]
        reached: dict[str, ir.Function] = {}
        first: dict[str, ir.Function] = {}  # the functions that give variables their first values
        while waiting:
            name, caller = waiting.pop(0)
            if name not in reached:
                with recoverable() as recovery, ours(caller):
                    reached[name] = self._lowered(linkage.owners[name], name, caller)
                if not recovery.failed:
                    waiting += self._called(reached[name])
            for function in () if waiting else self._first_values(reached):
                first[function.name] = reached[function.name] = function
                waiting += self._called(function)
        if first:
            ordered_first = sorted(first, key=linkage.order)
            reached[linkage.version(entry)] = _after(ordered_first, reached[linkage.version(entry)])
        ordered = dict(sorted(reached.items(), key=lambda pair: linkage.order(pair[0])))
        globals_ = used_globals(ordered, list(linkage.globals()))
        program = ir.Program(ordered, globals_, used_structs(ordered, globals_), dict(self.sources))
        return joined(program, entry, linkage.versions) if linkage.several else program

    def _called(self, function: ir.Function) -> list[tuple[str, Span | None]]:
        """The functions of the program that a function calls, and where."""
        return [(name, at) for name, at in calls(function).items() if self._is_programs(name)]

    def _first_values(self, reached: Mapping[str, ir.Function]) -> list[ir.Function]:
        """What gives variables at file scope that functions use the values that the program computes, and those whose
        values come with a change of these, as far as it is not reached."""
        used = [g.symbol.name for g in used_globals(reached, list(self._linkage.globals()))]
        acting = [name for text in self._linkage.texts for name in text.first_values.acting(used)] if used else []
        owned = ((name, self._linkage.owners.get(name)) for name in dict.fromkeys((*used, *acting)))
        made = (owner.first_values.function(name) for name, owner in owned if owner is not None)
        return [function for function in made if function is not None and function.name not in reached]

    def _is_programs(self, name: str) -> bool:
        """Whether a function is the program's, and no operation of hetad's own."""
        owner = self._linkage.owners.get(name)
        return owner is not None and owner.operation(name) is None

    def _lowered(self, owner: Entities, name: str, caller: Span | None) -> ir.Function:
        try:
            return owner.lowered(name, caller)
        except Unasked as unasked:
            if unasked.question in self._asked:
                shown = re.sub(r"\(lambda at [^)]*\)", "lambda", unasked.question.class_)
                what = f"'{shown}', an instance of a template for what has no name outside of a function"
                remedy = "give it a struct of the file's, or keep the lambda in a variable, outside of templates"
                owner.source.refuse(what, unasked.about, remedy)
            raise

    def signature(self, function: str) -> str:
        """The source lines of a function's head."""
        text, cursor = self._defined(function)
        tokens = text.source.inside(cursor)
        own = [t for t in tokens if t.file == tokens[0].file]
        last = next((t for t in own if t.text == "{"), own[-1])
        lines = self.sources[own[0].file].splitlines()
        return "\n".join(lines[own[0].line - 1 : last.line]).split("{")[0].rstrip()

    def position(self, function: str) -> Span:
        """Where a function is defined."""
        text, cursor = self._defined(function)
        return text.source.span(cursor)

    def home(self, function: str) -> str | None:
        """The source file, of those given to `load`, that has a function."""
        owner = self._linkage.owners.get(self._linkage.version(function))
        return owner.name if owner is not None and function in self.functions else None

    def _defined(self, function: str) -> tuple[Entities, Cursor]:
        name = self._linkage.version(function)
        owner = self._linkage.owners.get(name)
        cursor = owner.cursor(name) if owner is not None else None
        if owner is None or cursor is None:
            raise self._unknown(function)
        return owner, cursor

    def _unknown(self, name: str) -> HetadError:
        template = self._linkage.templates().get(name.partition("<")[0].strip())
        if template is not None:
            owner, cursor = template
            remedy = f"name an instance of it, as '{example(cursor)}', of types and numbers that the program knows"
            what = f"'{name}' is no instance of the template" if "<" in name else f"'{name}' is a template"
            return UnknownNameError(what, owner.source.span(cursor), remedy).attach(self.sources)
        near = difflib.get_close_matches(name.partition("<")[0], [*self.functions, *self._linkage.templates()], n=3)
        every = ", ".join((*self.functions, *self._linkage.templates())) or "none"
        remedy = f"did you mean {' or '.join(near)}?" if near else f"the functions are: {every}"
        return UnknownNameError(f"no function '{name}' in {self.name}", None, remedy)

    def explain(self, error: SourceError) -> SourceError:
        return error.attach(self.sources)
