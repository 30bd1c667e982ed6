"""`hetad gradcheck`: compares a gradient with finite differences of the program itself."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_graph, add_limits, add_making, add_mode, add_problem, add_racecheck, running, settings

if TYPE_CHECKING:
    from hetad.checks.comparison import Report, Row
    from hetad.problem import Problem

_COLOURS = {"passed": "green", "failed": "bold red", "unsure": "yellow"}


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "gradcheck",
        help="check a derivative against finite differences of the program",
        description="Runs the program of a problem file at points moved along random directions and compares its "
        "central differences, extrapolated to step 0, with hetad's gradient; checks too that the gradient is linear in "
        "its seeds and that the call leaves its arguments as they were.",
        epilog="example: hetad gradcheck samples/axpy.toml --backend both",
    )
    add_problem(command, ("cpu", "cuda", "both"))
    add_limits(command)
    add_making(command)
    add_graph(command)
    add_racecheck(command, "run the program once under the race detector, on the CPU, if its launches are small "
                  "(default: yes)", True)  # fmt: skip
    add_mode(command, "what is checked, products and Hessians against differences of gradients")
    command.add_argument("--rtol", type=float, help="relative tolerance (default: 1e-6; 2e-4 where a float takes part)")
    command.add_argument("--atol", type=float, help="absolute tolerance (default: 0)")
    command.add_argument("--samples", type=_positive, help="directions per parameter (default: 3)")
    command.add_argument("--plot", metavar="FILE", type=Path, help="draw the Taylor test: what the gradient leaves of "
                         "a step's change falls with the square of the step")  # fmt: skip
    command.add_argument("--seed", type=int, default=0, help="of the random directions (default: 0)")
    return command


def run(options: argparse.Namespace) -> int:
    from hetad import problem as problems
    from hetad.cli.console import print_json
    from hetad.run import mpi

    problem = problems.read(options.problem)
    backends = ("cpu", "cuda") if options.backend == "both" else (options.backend,)
    reports, gradients, bits = [], [], 64
    for backend in backends:
        report, gradient, bits = _check(problem, backend, options, watch=options.racecheck and backend == backends[0])
        reports.append(report)
        gradients.append(gradient)
    if len(reports) == 2:
        reports.append(_agreement(problem, bits, *gradients))
    if options.json:
        print_json({"problem": str(options.problem), "passed": all(r.passed for r in reports),
                    "reports": [_as_dictionary(r) for r in reports]})  # fmt: skip
    else:
        for report in reports:
            if report.passed and mpi.number() > 0:
                continue  # sums over all ranks are the same on each
            _print(report, options.problem)
    return 0 if all(report.passed for report in reports) else 1


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def _check(
    problem: Problem, backend: str | None, options: argparse.Namespace, watch: bool
) -> tuple[Report, dict[str, Any], int]:
    from hetad.checks import along, comparison, taylor
    from hetad.checks.modes import subject_of
    from hetad.cli.console import progress

    accuracy: dict[str, Any] = dict(problem.gradcheck)
    given = {"rtol": options.rtol, "atol": options.atol, "samples": options.samples}
    accuracy |= {key: value for key, value in given.items() if value is not None}
    mode = options.mode or problem.mode
    subject, arguments = subject_of(problem, mode, backend, **settings(options, mode), **running(options))
    with progress(f"checking {problem.function} on {subject.backend}") as on_step:
        wanted = comparison.Accuracy(random_seed=options.seed, **accuracy)
        rows = along.rows if subject.forward else None
        report = comparison.check(subject, arguments, wanted, on_step=on_step, racecheck=watch, rows=rows)
    if options.plot is not None:
        taylor.save(taylor.taylor(subject, arguments, options.seed), options.plot)
    return report, dict(subject.derivative(arguments)), min(subject.bits, subject.inner_bits)


def _agreement(problem: Problem, bits: int, on_cpu: dict[str, Any], on_cuda: dict[str, Any]) -> Report:
    """Both backends give the same derivative, up to rounding."""
    from hetad.checks import comparison

    rows = tuple(comparison.same_gradient(name, on_cpu[name], on_cuda[name], bits) for name in on_cpu)
    return comparison.Report(problem.function, "cpu and cuda", rows)


def _as_dictionary(report: Report) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "function": report.function, "backend": report.backend, "passed": report.passed,
        "rows": [asdict(row) for row in report.rows], "notes": list(report.notes),
    }  # fmt: skip


def _print(report: Report, path: Path) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from hetad.cli.console import out, say

    out().print(f"[bold]{path}: {report.function} on {report.backend}[/]", soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("check", overflow="fold")
    for heading in ("gradient", "differences", "error", "tolerance"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in report.rows:
        table.add_row(*_cells(row))
    out().print(table)
    for row in report.rows:
        if row.note:
            say(out(), f"  {row.check}: {row.note}", indent=4)
    for note in report.notes:
        say(out(), note, indent=4)
    checks = f"{len(report.rows)} checks"
    out().print(f"[green]passed[/]: {checks}" if report.passed else f"[bold red]FAILED[/]: {checks}")


def _cells(row: Row) -> tuple[str, ...]:
    numbers = ("", "") if row.found is None or row.expected is None else (f"{row.found:.7g}", f"{row.expected:.7g}")
    colour = _COLOURS[row.verdict]
    return (row.check, *numbers, f"{row.error:.1e}", f"{row.tolerance:.1e}", f"[{colour}]{row.verdict}[/]")
