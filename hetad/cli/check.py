"""`hetad check`: what hetad does not support in a program, and where."""

from __future__ import annotations

import argparse
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_json, add_source
from hetad.diagnostics import SourceError, Span, UnsupportedError

if TYPE_CHECKING:
    from hetad.frontend.fence import Refusal
    from hetad.frontend.unit import Unit


@dataclass(frozen=True)
class Finding:
    """One function, and everything for which it is refused."""

    name: str
    kind: str
    line: int
    errors: tuple[SourceError, ...]
    notes: tuple[tuple[str, Span], ...] = ()


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="show what is unsupported in a program, and where",
        description="Goes through the functions of a program, or through one and what it reaches, and shows which ones "
        "hetad can differentiate and what stands in the way of the others.  Exit status 1 if anything does.",
        epilog="example: hetad check samples/host_sum.cu",
    )
    add_source(command)
    command.add_argument("function", metavar="FUNCTION", nargs="?", help="check this one only, and what it calls")
    add_json(command)
    return command


def run(options: argparse.Namespace) -> int:
    import hetad
    from hetad.cli.console import print_json

    unit = hetad.load(options.file, defines=dict(options.defines), include_dirs=options.include_dirs).unit
    if options.function is not None and options.function not in unit.functions:
        unit.reach(options.function)  # raises, with the nearest names
    names = [options.function] if options.function is not None else list(unit.functions)
    findings = [examine(unit, name) for name in names]
    if options.json:
        print_json({"file": str(options.file), "functions": [_as_dictionary(finding) for finding in findings]})
    else:
        _print(findings)
    return 1 if any(finding.errors for finding in findings) else 0


def examine(unit: Unit, name: str) -> Finding:
    """Takes one function, and what it reaches, through the front end: lowering, the fence, normalisation."""
    from hetad import pipeline
    from hetad.frontend import fence

    found = functools.partial(Finding, name, unit.functions[name], unit.position(name).line)
    try:
        program = unit.reach(name)
    except SourceError as error:
        return found((error,))
    errors = [_refused(refusal, span) for refusal, span in fence.refusals(program, name)]
    if not errors:
        try:
            pipeline.normalized(program)
        except SourceError as error:
            errors = [error]
    return found(tuple(error.attach(program.sources) for error in errors), tuple(fence.notes(program)))


def _refused(refusal: Refusal, span: Span) -> SourceError:
    return UnsupportedError(f"hetad does not support {refusal.message} yet", span, refusal.remedy)


def _as_dictionary(finding: Finding) -> dict[str, Any]:
    from hetad.cli.errors import as_dictionary

    errors = [as_dictionary(error) for error in finding.errors]
    notes = [{"line": span.line, "column": span.column, "message": text} for text, span in finding.notes]
    return {
        "name": finding.name, "kind": finding.kind, "line": finding.line, "supported": not errors, "errors": errors,
        "notes": notes,
    }  # fmt: skip


def _print(findings: list[Finding]) -> None:
    from rich.table import Table

    from hetad.cli.console import out
    from hetad.cli.errors import render

    table = Table()
    table.add_column("function")
    table.add_column("kind")
    table.add_column("line", justify="right")
    table.add_column("")
    for finding in findings:
        verdict = "[green]supported[/]" if not finding.errors else "[bold red]refused[/]"
        table.add_row(finding.name, finding.kind, str(finding.line), verdict)
    out().print(table)
    for text in dict.fromkeys(f"{span}: {text}" for finding in findings for text, span in finding.notes):
        out().print(f"note: {text}", markup=False, highlight=False, soft_wrap=True)
    # A refused function stands in the way of all that call it: show each place once.
    for error in {str(error): error for finding in findings for error in finding.errors}.values():
        out().print()
        out().print(render(error), soft_wrap=True)
