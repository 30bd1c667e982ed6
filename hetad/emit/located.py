"""Functions as lines of text that know which statement of the primal they come of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hetad.diagnostics import Span
from hetad.emit.assembly import Assembly
from hetad.emit.expressions import Expressions
from hetad.emit.layout import wrapped
from hetad.emit.statements import Initialised, Statements
from hetad.ir import nodes as ir
from hetad.ir import texts

_MARK = re.compile("\0([0-9]+)\0")


@dataclass(frozen=True)
class LocatedLine:
    """`span` is a place in the primal; None for lines that are of the function's frame."""

    text: str
    span: Span | None


class _Marking(Statements):
    """Marks the first line of each statement with the number of its span."""

    def __init__(self, expressions: Expressions, function: ir.Function) -> None:
        super().__init__(expressions, function)
        self.spans: list[Span] = []

    def statement(self, statement: ir.Stmt | Initialised) -> Iterator[str]:
        span = statement.call.span if isinstance(statement, Initialised) else statement.span
        self.spans.append(span)
        mark = f"\0{len(self.spans) - 1}\0"
        for line in super().statement(statement):
            yield line if "\0" in line else f"{mark}{line}"


def located(assembly: Assembly, function: ir.Function, linkage: str) -> list[LocatedLine]:
    """A function as `Assembly.function` prints it."""
    printer = _Marking(assembly.expressions(function), function)
    comment = texts.comment(function.comment) if function.comment else []
    head = [*comment, *assembly.signature(function, linkage).splitlines(), "{"]
    found = [LocatedLine(text, None if text in comment else function.span) for text in head]
    for line in printer.lines(function.body):
        number = _MARK.search(line)
        span = printer.spans[int(number[1])] if number is not None else None
        found += [LocatedLine(part, span) for part in wrapped(_MARK.sub("", line))]
    return [*found, LocatedLine("}", None)]
