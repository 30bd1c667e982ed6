"""Watchers of passes: how long each takes, the program as one leaves it, whether each leaves valid IR."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hetad.ir.nodes import Program
from hetad.ir.printer import program_text
from hetad.ir.verify import Callees, InvalidIR, verify
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import Pass


@dataclass(slots=True)
class Row:
    """Of one pass: how often it ran, how long in all, and how many statements it added."""

    runs: int = 0
    seconds: float = 0.0
    statements: int = 0


@dataclass(slots=True)
class Times:
    """A table of passes, in the order in which each first ran.  A pass that runs passes itself has their time too."""

    rows: dict[str, Row] = field(default_factory=dict)

    def __call__(self, step: Pass[Any], before: Program, after: Program, seconds: float) -> None:
        row = self.rows.setdefault(step.name, Row())
        row.runs += 1
        row.seconds += seconds
        row.statements += _size(after, before) - _size(before, after)

    def table(self) -> str:
        lines = [f"{'pass':28} {'runs':>5} {'ms':>9} {'statements':>11}"]
        for name, row in self.rows.items():
            lines.append(f"{name:28} {row.runs:5} {row.seconds * 1000:9.1f} {row.statements:+11}")
        return "\n".join(lines)


def _size(program: Program, other: Program) -> int:
    """The statements of those functions that are not the same in the other program."""
    changed = (f for n, f in program.functions.items() if other.functions.get(n) is not f)
    return sum(1 for f in changed for _ in walk_stmts(f.body))


@dataclass(slots=True)
class Snapshots:
    """The programs as the pass of this name leaves them: one each time it runs."""

    name: str
    found: list[str] = field(default_factory=list)

    def __call__(self, step: Pass[Any], before: Program, after: Program, seconds: float) -> None:
        if step.name == self.name:
            self.found.append(program_text(after))

    def text(self) -> str:
        return "\n".join(self.found)


@dataclass(frozen=True, slots=True)
class Verifying:
    """Raises InvalidIR, which names the pass, where the program that it leaves breaks a rule of the IR.  `callees`
    tells of the functions of the tables."""

    callees: Callees

    def __call__(self, step: Pass[Any], before: Program, after: Program, _seconds: float) -> None:
        try:
            verify(after, after.forms, self.callees, before if after.forms <= before.forms else None)
        except InvalidIR as problem:
            raise InvalidIR(f"after {step.name}: {problem}") from None
