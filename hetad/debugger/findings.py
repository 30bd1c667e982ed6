"""What the debugger found."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hetad.diagnostics import Span

Kind = Literal["race", "value", "tangent", "adjoint", "branch", "kink", "slope", "identity", "gradient"]

MEANING: Mapping[Kind, str] = {
    "race": "two threads race: the program itself has no one value here",
    "value": "the value is not finite, though all that it is computed of is",
    "tangent": "the tangent is not finite: the slope is infinite here, or overflows",
    "adjoint": "the adjoint is finite behind the statement and not finite before it",
    "branch": "the program takes another way when its arguments move a little: it is not smooth here",
    "kink": "the slopes to both sides differ: the program is not smooth here",
    "slope": "tangent and adjoint use a slope that differences of the program contradict",
    "identity": "⟨adjoint, tangent⟩ is not the same before and behind the statement: the two derivatives disagree",
    "gradient": "the gradient is not that of the same program with points in it",
}
_REMEDY: Mapping[Kind, str] = {
    "value": "keep the arguments of the function inside its domain, or the numbers below its overflow",
    "tangent": "add a small number below the root, or treat the end of the domain apart",
    "adjoint": "add a small number where the slope is infinite, or treat the end of the domain apart",
    "branch": "move the point away from the border, or accept the derivative of the side that was taken",
    "kink": "move the point, or accept the derivative of one side",
    "slope": "correct the rule given for the function; a rule of hetad's own: please report it",
    "identity": "correct the pullback: it must be linear in its seed; one of hetad's own: please report it",
    "gradient": "please report this; optimize=False may help meanwhile",
}


@dataclass(frozen=True)
class Seen:
    """One value of a statement.  `role`: "operand", "result", "before" or "behind"; of memory the worst cell."""

    what: str
    role: str
    value: float
    tangent: float
    difference: float
    adjoint: float


@dataclass(frozen=True)
class Finding:
    """A statement at which the derivative breaks.

    `thread`: the number of the thread in its launch, None on the host; `launch`: which of the kernel's launches, from
    1, 0 on the host.  `seen`: its values; `more` says what is special.
    """

    kind: Kind
    span: Span | None
    function: str
    line: str = ""
    thread: int | None = None
    launch: int = 0
    seen: tuple[Seen, ...] = ()
    more: str = ""

    @property
    def meaning(self) -> str:
        return MEANING[self.kind]

    @property
    def remedy(self) -> str:
        return _REMEDY.get(self.kind, "")

    @property
    def where(self) -> str:
        """The function, the launch and the thread."""
        parts = [self.function]
        parts += [f"launch {self.launch}"] if self.launch else []
        parts += [f"thread {self.thread}"] if self.thread is not None else []
        return ", ".join(parts)

    def __str__(self) -> str:
        place = f"{Path(self.span.file).name}:{self.span.line}" if self.span is not None else self.function
        lines = [f"{place}: {self.meaning}" if self.kind != "race" else f"{place}: {self.more}"]
        lines = textwrap.wrap(lines[0], 80, subsequent_indent="    ", break_long_words=False)
        lines += [f"    {self.line.strip()}"] if self.line else []
        lines.append(f"    in {self.where}")
        if self.seen:
            lines += _table(self.seen)
        if self.more and self.kind != "race":
            lines += textwrap.wrap(self.more, 76, initial_indent="    ", subsequent_indent="    ")
        if self.remedy:
            lines += textwrap.wrap(f"help: {self.remedy}", 76, initial_indent="    ", subsequent_indent="      ")
        return "\n".join(lines)


def _table(seen: tuple[Seen, ...]) -> list[str]:
    """80 columns wide."""
    head = f"    {'':<20} {'value':>13} {'tangent':>13} {'differences':>13} {'adjoint':>13}"
    rows = [
        f"    {_short(s):<20} {_number(s.value)} {_number(s.tangent)} {_number(s.difference)} {_number(s.adjoint)}"
        for s in seen
    ]
    return [head, *rows]


def _short(seen: Seen) -> str:
    name = {"result": "= ", "behind": "> "}.get(seen.role, "  ") + seen.what
    return name if len(name) <= 20 else f"{name[:17]}..."


def _number(x: float) -> str:
    return f"{x:>13.6g}"


@dataclass(frozen=True)
class Debugged:
    """What a session found: true if nothing is wrong.  `findings` in the order of the program; `looked` counts the
    statements that were judged, and `values` the numbers at their points."""

    function: str
    findings: tuple[Finding, ...]
    looked: int
    values: int
    notes: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        return not self.findings

    @property
    def first(self) -> Finding | None:
        """The first in the order of the program."""
        return self.findings[0] if self.findings else None

    def __str__(self) -> str:
        notes = [line for note in self.notes for line in textwrap.wrap(note, 80, subsequent_indent="    ")]
        counted = f"{self.looked} statements, {self.values} values"
        if not self.findings:
            head = f"{self.function}: tangent, adjoint and differences agree at each point ({counted})"
            return "\n".join([*textwrap.wrap(head, 80, subsequent_indent="    "), *notes])
        head = f"{self.function}: the derivative breaks ({counted} were looked at)"
        first, *others = self.findings
        parts = [head, str(first)]
        parts += ["and also:", *(str(f) for f in others)] if others else []
        return "\n".join([*parts, *notes])
