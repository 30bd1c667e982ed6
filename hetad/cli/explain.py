"""`hetad explain`: what the derivative does and why, before anything runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_driver, add_limits, add_making, add_source, function_of, limits, load, making, names
from hetad.diagnostics import ArgumentError

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.checks.comparison import Subject
    from hetad.debugger.findings import Debugged
    from hetad.host.derivation import Request

_STAGES = {
    "activity": "What is active: depends on --wrt, and --of depends on it",
    "needed": "What the reverse sweep needs of the primal, and so saves where it is overwritten",
    "loops": "How time loops keep within the memory limit: what a checkpoint holds",
    "access": "How each adjoint is accumulated",
}


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="say what is active, what is saved, how adjoints are accumulated",
        description="Shows the analyses behind a gradient: the active variables, the values saved and why, how many "
        "bytes they take, and how the increments of each adjoint meet.  With a problem file in place of a source the "
        "gradient is run at its inputs as well, on the CPU, and the bytes that each statement saves are counted.",
        epilog="example: hetad explain samples/collide.cu iter --wrt src,dst --of src,dst",
    )
    add_source(command)
    command.add_argument("function", metavar="FUNCTION", nargs="?",
                         help="the host function or kernel to differentiate")  # fmt: skip
    command.add_argument("--wrt", metavar="A,B", type=names, help="with respect to these parameters")
    command.add_argument("--of", metavar="C", type=names, help="of these parameters; without it, of the return value")
    command.add_argument("--html", metavar="FILE", type=Path, help="write a page instead: the call graph, program and "
                         "derivative side by side, what is saved, how adjoints are accumulated")  # fmt: skip
    add_driver(command)
    add_limits(command)
    add_making(command)
    return command


def run(options: argparse.Namespace) -> int:
    if options.file[0].suffix == ".toml":
        return _problem(options)
    if options.function is None or options.wrt is None:
        raise ArgumentError("name the function and --wrt, or give a problem file (.toml) that does")
    from hetad.cli.stages import requested

    function = function_of(load(options), options)
    request = requested(function, options.wrt, options.of, limits(options), making(options))
    if options.html is not None:
        return write_page(options.html, options.file, function, request)
    _show(function.compiled.unit, request)
    return 0


def write_page(
    out: Path, sources: Sequence[Path], function: Function, request: Request, saves: Sequence[tuple[Any, int]] = (),
    debugged: Debugged | None = None,
) -> int:  # fmt: skip
    """The page of a derivative, with what a run measured and the debugger found; `sources` are not overwritten."""
    from hetad import pipeline
    from hetad.cli.grad import refuse_overwriting, write
    from hetad.page.page import Subject, page

    refuse_overwriting(out, sources)
    compiled = function.compiled
    derivative = pipeline.differentiate(compiled.unit, request)
    of = "the return value" if request.of is None else ", ".join(request.of)
    title = f"Gradient of {of} of {function.name} with respect to {', '.join(request.wrt)}"
    measured = list(zip([*derivative.explanation.saved, None], (size for _, size in saves), strict=False))
    primal = pipeline.reach(compiled.unit, compiled.name)
    shown = compiled.unit.display
    write(out, page(Subject(title, compiled.signature.text, primal, derivative, shown, measured, debugged)))
    return 0


def _problem(options: argparse.Namespace) -> int:
    import hetad
    from hetad import problem as problems
    from hetad.checks import comparison
    from hetad.cli.console import progress
    from hetad.cli.stages import requested

    problem = problems.read(options.file[0])
    memory, made = {**problem.memory, **limits(options)}, making(options)
    program = hetad.load(problem.source, **problem.loading)
    function = comparison.function_of(program, problem)
    request = requested(function, problem.wrt, problem.of, memory, made)
    if options.html is None:
        _show(function.compiled.unit, request)
    with progress(f"running {problem.function}"):
        subject, arguments = comparison.from_problem(problem, "cpu", measure=True, **memory, **made)
        subject.gradient(arguments, comparison.ones(subject, arguments))
    if options.html is not None:
        return write_page(options.html, options.file, function, request, subject.saves())
    _measured(subject, options.file[0], memory.get("memory_limit"))
    return 0


def _show(unit: Any, request: Request) -> None:
    from hetad import pipeline
    from hetad.cli.console import out, say
    from hetad.cli.stages import explained

    derivative = pipeline.differentiate(unit, request)
    for stage, heading in _STAGES.items():
        if stage == "loops" and request.memory_limit is None:
            continue
        out().print(f"[bold]{heading}[/]")
        say(out(), explained(derivative, stage), indent=4)
        out().print()


def _measured(subject: Subject, path: Path, limit: int | str | None) -> None:
    """What the gradient saved at the inputs of the problem file."""
    from hetad.cli.console import out, say
    from hetad.run.report import size_in_bytes

    saves, report = subject.saves(), subject.saved()
    out().print(f"[bold]What is saved at the inputs of {path}, in bytes[/]", soft_wrap=True)
    for saved, size in saves:
        if saved is not None:
            say(out(), f"{size:>14,}  {saved.span}: {saved.what}: {saved.how}", indent=16)
        elif size:
            out().print(f"{size:>14,}  checkpoints of time loops", markup=False)
    out().print(f"{sum(size for _, size in saves):>14,}  in all", markup=False)
    if report is not None:
        allowed = f" (the memory limit is {size_in_bytes(limit, 'memory_limit'):,})" if limit is not None else ""
        say(out(), f"{report}{allowed}")
