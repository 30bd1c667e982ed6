"""`hetad check`: what hetad does not support in a program, and where."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_json, add_source, load, names
from hetad.diagnostics import ArgumentError, RaceError, SourceError, Span, collecting, recoverable, report
from hetad.ir.types import Float, Pointer, holds_floating
from hetad.run.selection import select_of, select_wrt
from hetad.run.signature import signature_of

if TYPE_CHECKING:
    from hetad.frontend.unit import Unit
    from hetad.ir.nodes import Function
    from hetad.problem import Mode

Names = tuple[str, ...]


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
        description="Takes the functions of a program, or one and what it reaches, as far as differentiation does, and "
        "shows which ones hetad can differentiate and all that stands in the way of the others.  Exit status 1 if "
        "anything does.",
        epilog="example: hetad check samples/host_sum.cu",
    )
    add_source(command, "a CUDA source (.cu), or several that make one program: main.cu,kernels.cu; or a problem file "
               "(.toml), whose function runs once under the race detector, too")  # fmt: skip
    command.add_argument("function", metavar="FUNCTION", nargs="?", help="check this one only, and what it calls")
    command.add_argument("--wrt", metavar="A,B", type=names, help="the parameters to differentiate with respect to "
                         "(default: all that hold floating numbers)")  # fmt: skip
    command.add_argument("--of", metavar="C", type=names, help="the outputs (default: the return value, and all that "
                         "the function may write)")  # fmt: skip
    add_json(command)
    return command


def run(options: argparse.Namespace) -> int:
    if len(options.file) == 1 and options.file[0].suffix == ".toml":
        return _show([_examine_problem(options.file[0])], options)
    unit = load(options).unit
    if options.function is not None:
        options.function = unit.instance(options.function)
        if options.function not in unit.functions:
            unit.reach(options.function)  # raises, with the nearest names
    asked = [options.function] if options.function is not None else list(unit.functions)
    wrt, of = _selected(unit, options)
    parts = _called_by_others(unit) if options.function is None else frozenset()
    templates = unit.templates if options.function is None else {}
    return _show([examine(unit, name, wrt, of, name in parts) for name in asked], options, templates)


def _show(findings: list[Finding], options: argparse.Namespace, templates: Mapping[str, str] | None = None) -> int:
    """`templates`: those of which a user may name instances, with their kinds."""
    from hetad.cli.console import print_json

    templates = templates or {}
    if options.json:
        listed = {"functions": [_as_dictionary(finding) for finding in findings], "templates": list(templates)}
        print_json({"file": ",".join(map(str, options.file)), **listed})
    else:
        _print(findings, templates)
    return 1 if any(finding.errors for finding in findings) else 0


def _selected(unit: Unit, options: argparse.Namespace) -> tuple[Names | None, Names | None]:
    """What --wrt and --of name.  Raises ArgumentError."""
    if options.function is None and (options.wrt or options.of):
        raise ArgumentError("--wrt and --of are for one function; name it after the file")
    if not options.wrt and not options.of:
        return None, None
    function = unit.reach(options.function).functions[options.function]
    signature = signature_of(function)
    wrt = select_wrt(function, signature, options.wrt) if options.wrt else None
    return wrt, select_of(function, signature, options.of) if options.of else None


def _called_by_others(unit: Unit) -> frozenset[str]:
    found: set[str] = set()
    for name in unit.functions:
        with collecting(), recoverable():
            found.update(called for called in unit.reach(name).functions if called != name)
    return frozenset(found)


def _examine_problem(path: Path) -> Finding:
    """The function of a problem file, which has inputs to run it at: under the race detector."""
    import hetad
    from hetad import problem as problems
    from hetad.checks import comparison

    problem = problems.read(path)
    program = hetad.load(problem.source, **problem.loading)
    unit, name = program.unit, problem.function
    if problem.objective is not None:
        unit = comparison.function_of(program, problem).compiled.unit
    elif name not in unit.functions:
        unit.reach(name)  # raises, with the nearest names
    with collecting(), recoverable():
        function = unit.reach(name).functions[name]
        signature = signature_of(function)
        select_wrt(function, signature, problem.wrt)
        select_of(function, signature, problem.of)
    finding = examine(unit, name, problem.wrt, problem.of, only_value=problem.of is None, mode=problem.mode)
    if finding.errors:
        return finding
    try:
        comparison.watch(problem)
    except RaceError as race:
        return replace(finding, errors=(race,))
    return finding


def examine(
    unit: Unit, name: str, wrt: Names | None = None, of: Names | None = None, is_part: bool = False,
    only_value: bool = False, mode: Mode = "gradient",
) -> Finding:  # fmt: skip
    """Takes one function, and what it reaches, as far as differentiation does, and finds all that is in the way.

    Without `wrt` and `of` every floating parameter is active, and the outputs are all that it may write, and the value
    that it returns; with `only_value` this alone.  `is_part`: other functions call it, so that it need not be one that
    Python can call, too.  `mode` is the derivative that is taken.
    """
    from hetad import pipeline
    from hetad.analysis.pointer_expressions import holds_pointer
    from hetad.frontend import fence
    from hetad.host.derivation import Request

    notes: list[tuple[str, Span]] = []
    kind: str = unit.functions.get(name, "kernel")
    with collecting() as found:
        try:
            program = pipeline.reach(unit, name)
            notes += fence.notes(program)
            pipeline.normalized(program)
            function = program.functions[name]
            kind = unit.functions.get(name, function.kind)  # of a function for both, and of instances of templates
            tables = any(isinstance(p.type, Pointer) and holds_pointer(p.type.to) for p in function.params)
            for inputs, outputs in (
                _questions(function, wrt, of, only_value) if not (found or (is_part and tables)) else ()
            ):
                with recoverable():
                    request = Request(function=name, wrt=inputs, of=outputs)
                    if mode in ("hvp", "hessian"):
                        pipeline.differentiate_twice(unit, request)
                    else:
                        pipeline.differentiate(unit, replace(request, directions=int(mode != "gradient")))
        except SourceError as error:
            report(error)
        except Exception:
            if not found:  # else it comes of what is missing
                raise
    errors = {(str(error.span), error.message): unit.explain(error) for error in found}
    every = tuple(sorted(errors.values(), key=_place))
    return Finding(name, kind, unit.position(name).line, every, tuple(notes))


def _place(error: SourceError) -> tuple[str, int, int]:
    return (error.span.file, error.span.line, error.span.column) if error.span is not None else ("", 0, 0)


def _questions(
    function: Function, wrt: Names | None, of: Names | None, only_value: bool
) -> list[tuple[Names, Names | None]]:
    """What to differentiate, and with respect to what, as `pipeline.differentiate` takes it."""
    if "device" in function.kind:
        return []
    floating = [p for p in function.params if holds_floating(p.type)]
    inputs = wrt or tuple(p.name for p in floating)
    outputs = of or tuple(p.name for p in floating if isinstance(p.type, Pointer) and not p.type.const)
    asked: list[Names | None] = [outputs] if outputs and not only_value else []
    if of is None and isinstance(function.returns, Float):
        asked.append(None)
    return [(inputs, each) for each in asked] if inputs else []


def _as_dictionary(finding: Finding) -> dict[str, Any]:
    from hetad.cli.errors import as_dictionary

    errors = [as_dictionary(error) for error in finding.errors]
    notes = [{"line": span.line, "column": span.column, "message": text} for text, span in finding.notes]
    return {
        "name": finding.name, "kind": finding.kind, "line": finding.line, "supported": not errors, "errors": errors,
        "notes": notes,
    }  # fmt: skip


def _print(findings: list[Finding], templates: Mapping[str, str]) -> None:
    from rich.table import Table

    from hetad.cli.console import out, say
    from hetad.cli.errors import render

    table = Table()
    table.add_column("function")
    table.add_column("kind")
    table.add_column("line", justify="right")
    table.add_column("")
    for finding in findings:
        verdict = "[green]supported[/]" if not finding.errors else "[bold red]refused[/]"
        table.add_row(finding.name, finding.kind, str(finding.line), verdict)
    for name, kind in templates.items():
        table.add_row(f"{name}<…>", kind, "", "template: check an instance of it by its name")
    out().print(table)
    for text in dict.fromkeys(f"{span}: {text}" for finding in findings for text, span in finding.notes):
        say(out(), f"note: {text}", indent=4)
    # A refused function stands in the way of all that call it: show each place once.
    for error in {str(error): error for finding in findings for error in finding.errors}.values():
        out().print()
        say(out(), render(error), indent=4)
