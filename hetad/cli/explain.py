"""`hetad explain`: what the derivative does and why, before anything runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_driver, add_limits, add_making, add_source, function_of, limits, load, making, names
from hetad.diagnostics import ArgumentError

if TYPE_CHECKING:
    from hetad.checks.comparison import Subject
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
    _show(function.compiled.unit, requested(function, options.wrt, options.of, limits(options), making(options)))
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
    _show(function.compiled.unit, requested(function, problem.wrt, problem.of, memory, made))
    with progress(f"running {problem.function}"):
        subject, arguments = comparison.from_problem(problem, "cpu", measure=True, **memory, **made)
        subject.gradient(arguments, comparison.ones(subject, arguments))
    _measured(subject, options.file[0], memory.get("memory_limit"))
    return 0


def _show(unit: Any, request: Request) -> None:
    from hetad import pipeline
    from hetad.cli.console import out
    from hetad.cli.stages import explained

    derivative = pipeline.differentiate(unit, request)
    for stage, heading in _STAGES.items():
        if stage == "loops" and request.memory_limit is None:
            continue
        out().print(f"[bold]{heading}[/]")
        out().print(explained(derivative, stage), markup=False, soft_wrap=True)
        out().print()


def _measured(subject: Subject, path: Path, limit: int | str | None) -> None:
    """What the gradient saved at the inputs of the problem file."""
    from hetad.cli.console import out
    from hetad.run.report import size_in_bytes

    saves, report = subject.saves(), subject.saved()
    out().print(f"[bold]What is saved at the inputs of {path}, in bytes[/]", soft_wrap=True)
    for saved, size in saves:
        if saved is not None:
            out().print(f"{size:>14,}  {saved.span}: {saved.what}: {saved.how}", markup=False, soft_wrap=True)
        elif size:
            out().print(f"{size:>14,}  checkpoints of time loops", markup=False)
    out().print(f"{sum(size for _, size in saves):>14,}  in all", markup=False)
    if report is not None:
        allowed = f" (the memory limit is {size_in_bytes(limit, 'memory_limit'):,})" if limit is not None else ""
        out().print(f"{report}{allowed}", markup=False, soft_wrap=True)
