"""The page: call graph, program and derivative side by side, what is saved and why, how adjoints are accumulated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from hetad import pipeline
from hetad.draw.graph import graph_of
from hetad.draw.svg import svg
from hetad.frontend.shipped import is_shipped
from hetad.ir.identity import IdentityMap
from hetad.page.code import Line, Note, key, pane

if TYPE_CHECKING:
    from hetad.debugger.findings import Debugged, Finding
    from hetad.diagnostics import Span
    from hetad.host.decisions import Saved
    from hetad.host.derivative import Derivative
    from hetad.ir import nodes as ir

_HERE = Path(__file__).parent
_LONG = 400  # lines of a file, of which only what is reached is shown where it has more


@dataclass(frozen=True)
class Subject:
    """What the page is about: the primal as it was reached, its derivative, and where a run measured them the bytes
    that each save took; and what the debugger found, if it looked."""

    title: str
    signature: str
    primal: ir.Program
    derivative: Derivative
    shown: Callable[[str], str] = str  # what the user calls a function
    measured: Sequence[tuple[Saved | None, int]] = ()
    debugged: Debugged | None = None


def page(subject: Subject) -> str:
    """The page as one file without anything outside of it."""
    shown = _Page(subject)
    sections = [
        ("graph", "Call graph", shown.graph()),
        ("code", "Program and derivative", shown.code()),
        ("active", "What is active", shown.active()),
        ("saved", "What is saved", shown.saved()),
        ("accumulated", "How adjoints are accumulated", shown.accumulated()),
    ]
    if subject.debugged is not None:
        sections.insert(0, ("debugged", "Where the derivative breaks", shown.debugged(subject.debugged)))
    if subject.derivative.explanation.loops:
        sections.append(("loops", "Time loops under the memory limit", shown.loops()))
    links = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, title, _ in sections)
    body = "".join(
        f'<section id="{name}"><h2>{escape(title)}</h2>{content}</section>' for name, title, content in sections
    )
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(subject.title)}</title><style>\n{style}</style></head><body>"
        f"<header><h1>{escape(subject.title)}</h1><p><code>{escape(subject.signature)}</code></p>"
        f"<nav>{links}</nav></header>{body}<script>\n{script}</script></body></html>\n"
    )


class _Page:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.explanation = subject.derivative.explanation
        sources = subject.primal.sources
        files = dict.fromkeys(f.span.file for f in subject.primal.functions.values())
        reached = [file for file in files if file in sources and not is_shipped(file)]
        self.files = {file: number for number, file in enumerate(reached)}
        self._derived = pipeline.located_source(subject.derivative)

    def graph(self) -> str:
        graph = graph_of(self.subject.primal.functions.values(), (), self.subject.shown, is_shipped)
        drawn = svg(graph, f"Call graph of {self.subject.title}")
        return f'<div class="scroll graph">{drawn}</div>'

    # --- code ------------------------------------------------------------------------------------

    def code(self) -> str:
        lead = (
            "<p>Lines that belong together light up together; a click holds them, and brings the other side along.</p>"
        )
        program = "".join(pane(file, self._primal_lines(file)) for file in self.files)
        derivative = pane("derivative, in CUDA C", list(self._derived_lines()))
        return f'{lead}<div class="panes"><div class="pane">{program}</div><div class="pane">{derivative}</div></div>'

    def _primal_lines(self, file: str) -> list[Line]:
        notes = self._notes()
        derived = {
            key(self.files, line.span.file, line.span.line) for _, ls in self._derived for line in ls if line.span
        }
        texts = self.subject.primal.sources[file].splitlines()
        wanted = self._reached_lines(file) if len(texts) > _LONG else range(1, len(texts) + 1)
        lines, last = [], 0
        for number in wanted:
            if number != last + 1:
                lines.append(Line("…"))
            last, own = number, key(self.files, file, number)
            of = own if own in derived else ""
            text = texts[number - 1].expandtabs(4)
            lines.append(Line(text, of, str(number), name=f"p{own}", notes=tuple(notes.get(own, ()))))
        return lines

    def _reached_lines(self, file: str) -> list[int]:
        """The lines of the functions that the derivative is made of, with some around."""
        texts = self.subject.primal.sources[file].splitlines()
        found: set[int] = set()
        for f in self.subject.primal.functions.values():
            if f.span.file == file:
                end = f.span.line
                while end < len(texts) and not texts[end - 1].startswith("}"):
                    end += 1
                found.update(range(max(f.span.line - 2, 1), end + 1))
        return sorted(found)

    def _notes(self) -> dict[str, list[Note]]:
        found: dict[str, dict[Note, None]] = {}
        for s in self.explanation.saved:
            note = Note("saved", f"saves {s.what}", f"{s.how}: {s.bytes}")
            found.setdefault(key(self.files, s.span.file, s.span.line), {})[note] = None
        for a in self.explanation.accumulated:
            note = Note("added", f"{a.what}: {re.split('[:,]', a.how)[0]}", f"{a.how}; {a.why}")
            found.setdefault(key(self.files, a.span.file, a.span.line), {})[note] = None
        for f in self.subject.debugged.findings if self.subject.debugged is not None else ():
            if f.span is not None:
                note = Note("broken", f"breaks: {f.kind}", f.meaning)
                found.setdefault(key(self.files, f.span.file, f.span.line), {})[note] = None
        return {line: list(notes) for line, notes in found.items()}

    def _derived_lines(self) -> Iterable[Line]:
        for number, (function, lines) in enumerate(self._derived):
            if number:
                yield Line("")
            for line in lines:
                of = key(self.files, line.span.file, line.span.line) if line.span is not None else ""
                inside = line.span is not None and line.span != function.span
                shown = str(line.span.line) if inside and line.span is not None and of else ""
                yield Line(line.text, of, shown, f"p{of}" if shown else "")

    # --- tables ----------------------------------------------------------------------------------

    def active(self) -> str:
        rows = ([_code(name), _code(", ".join(names) or "nothing")] for name, names in self.explanation.active.items())
        lead = "<p>Variables that depend on what the derivative is with respect to, and that its output depends on.</p>"
        return lead + _table(("function", "active"), rows)

    def saved(self) -> str:
        lead = (
            "<p>The reverse sweep needs these values of the program as they were, and the statement overwrites them: "
            "so it saves them before. What is not listed is read again where it still lies, or computed again.</p>"
        )
        sizes = IdentityMap["Saved", int]()
        for saved, bytes_ in self.subject.measured:
            if saved is not None:
                sizes[saved] = bytes_
        head = ("line", "what", "why and how", "bytes")
        rows = []
        for s in self.explanation.saved:
            size = sizes.get(s)
            count = escape(s.bytes) if size is None else f"{size:,}<br><small>{escape(s.bytes)}</small>"
            why = f"line {s.span.line} overwrites it while it is still needed; {s.how}"
            rows.append([self._link(s.span), _code(s.what), escape(why), count])
        rows += [
            [self._link(s.span), _code(s.what), escape(f"not saved: {s.how}"), escape(s.bytes)]
            for s in self.explanation.refilled
        ]
        total = sum(size for _, size in self.subject.measured)
        more = f"<p>{total:,} bytes in all at these inputs.</p>" if self.subject.measured else ""
        return lead + (_table(head, rows) if rows else "<p>Nothing is saved.</p>") + more

    def accumulated(self) -> str:
        lead = "<p>Many threads may add to one adjoint. How they do, and what was proven or stands in the way.</p>"
        rows = [
            [self._link(a.span), _code(a.function), _code(a.what), escape(a.how), escape(a.why)]
            for a in dict.fromkeys(self.explanation.accumulated)
        ]
        head = ("line", "kernel", "adjoint", "how", "proof or obstacle")
        return lead + (_table(head, rows) if rows else "<p>No adjoint is shared between threads.</p>")

    def loops(self) -> str:
        rows = ([self._link(loop.span), escape(str(loop))] for loop in self.explanation.loops)
        return _table(("line", "what a checkpoint holds"), rows)

    def debugged(self, told: Debugged) -> str:
        lead = (
            "<p>The values of each statement, their slopes along one direction by the tangent and by differences of "
            "the program, and their adjoints, at the statements where these do not fit together.</p>"
        )
        parts = [self._finding(f) for f in told.findings]
        notes = "".join(f"<p>{escape(note)}</p>" for note in told.notes)
        counted = f"{told.looked:,} statements and {told.values:,} values were looked at."
        return lead + ("".join(parts) or "<p>They fit together everywhere.</p>") + f"<p>{counted}</p>{notes}"

    def _finding(self, f: Finding) -> str:
        place = self._link(f.span) if f.span is not None else escape(f.function)
        text = f"<p>{place}: <b>{escape(f.meaning)}</b>, in {escape(f.where)}<br>{_code(f.line.strip())}</p>"
        help_ = f"help: {f.remedy}" if f.remedy else ""
        more = "".join(f"<p>{escape(x)}</p>" for x in (f.more, help_) if x)
        head = ("", "value", "tangent", "differences", "adjoint")
        rows = [
            [f"{escape(s.role)} {_code(s.what)}", *(f"{x:.9g}" for x in (s.value, s.tangent, s.difference, s.adjoint))]
            for s in f.seen
        ]
        return text + (_table(head, rows) if rows else "") + more

    def _link(self, span: Span) -> str:
        own = key(self.files, span.file, span.line)
        place = f"{Path(span.file).name}:{span.line}"
        return f'<a href="#p{own}">{escape(place)}</a>' if own else escape(place)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f"<th>{escape(h)}</th>" for h in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{heads}</tr>{body}</table></div>'


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
