"""`hetad debug`: names the lines of a program at which its derivative goes wrong, or is not finite."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_json, add_making, making

if TYPE_CHECKING:
    from hetad.debugger.findings import Debugged


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "debug",
        help="name the lines at which a derivative goes wrong or is not finite",
        description="Follows the program of a problem file along its lines, on the CPU.  At each statement of the host "
        "and at each launch it compares the tangent with differences of the program, and <adjoint, tangent> before and "
        "behind; and so it does at each statement in the threads of a launch that breaks.",
        epilog="example: hetad debug samples/axpy.toml --html axpy.html",
    )
    command.add_argument("problem", metavar="PROBLEM.toml", type=Path,
                         help="names source, function, wrt, of and inputs; see samples/")  # fmt: skip
    add_making(command)
    command.add_argument("--html", metavar="FILE", type=Path, help="write the page of hetad explain too, with what was "
                         "found")  # fmt: skip
    command.add_argument("--seed", type=int, default=0, help="of the random direction and seeds (default: 0)")
    add_json(command)
    return command


def run(options: argparse.Namespace) -> int:
    import hetad
    from hetad import problem as problems
    from hetad.checks import comparison
    from hetad.cli.console import out, print_json, progress

    problem = problems.read(options.problem)
    program = hetad.load(problem.source, **problem.loading)
    function = comparison.function_of(program, problem)
    made = making(options)
    gradient = hetad.gradient(function, problem.wrt, problem.of, "cpu", **made)
    with progress(f"looking at {problem.function}"):
        told = gradient.debug(*problem.arguments(function.parameters), random_seed=options.seed, **problem.launch)
    if options.html is not None:
        from hetad.cli.explain import write_page
        from hetad.cli.stages import requested

        sources = problem.source if isinstance(problem.source, tuple) else (problem.source,)
        request = requested(function, problem.wrt, problem.of, {}, made)
        write_page(options.html, (options.problem, *sources), function, request, debugged=told)
    if options.json:
        print_json(_as_dictionary(told))
    else:
        out().print(str(told), markup=False, soft_wrap=True)
    return 0 if told else 1


def _as_dictionary(told: Debugged) -> dict[str, Any]:
    from dataclasses import asdict

    findings = [{**asdict(f), "span": str(f.span), "meaning": f.meaning, "remedy": f.remedy} for f in told.findings]
    return {
        "function": told.function, "passed": bool(told), "findings": findings, "statements": told.looked,
        "values": told.values, "notes": list(told.notes),
    }  # fmt: skip
