"""`hetad run`: runs a program and its derivative at the inputs of a problem file."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import (
    add_graph,
    add_limits,
    add_making,
    add_mode,
    add_problem,
    add_racecheck,
    running,
    settings,
)
from hetad.diagnostics import ArgumentError

if TYPE_CHECKING:
    from hetad.api import Function
    from hetad.cli.derivatives import Found
    from hetad.problem import Problem


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="run a program and its derivative",
        description="Runs the function of a problem file and its gradient with all seeds 1, that of the sum of the "
        "outputs.  Shows what the function returned and wrote, and the gradient; or another derivative, tangents and "
        "products along the direction whose numbers are all 1.",
        epilog="example: hetad run samples/host_sum.toml --save result.npz",
    )
    add_problem(command, ("cpu", "cuda"))
    add_mode(command, "what is run beside the program")
    add_limits(command)
    command.add_argument("--resume", action="store_true", help="go on with a gradient that was killed, from the files "
                         "that it has left in --checkpoint-dir")  # fmt: skip
    add_making(command)
    add_graph(command)
    add_racecheck(command, "run the program once more, on the CPU, under a detector that finds races; exit status 1 if "
                  "there is one", False)  # fmt: skip
    command.add_argument("--save", metavar="OUT.npz", type=Path,
                         help="save the arrays: outputs by name, gradients as grad_NAME, other derivatives as "
                         "tangent_Y, hvp_X, jacobian_Y_X, hessian_X_Z")  # fmt: skip
    return command


def run(options: argparse.Namespace) -> int:
    from hetad import problem as problems
    from hetad.checks import comparison
    from hetad.cli.console import out, print_json, progress
    from hetad.cli.derivatives import Point, derivatives, nested
    from hetad.compiled import backend_for
    from hetad.run import mpi

    problem = problems.read(options.problem)
    mode = options.mode or problem.mode
    wanted = settings(options, mode)
    if options.resume and mode != "gradient":
        raise ArgumentError(f"--resume is for gradients: leave it out, or --mode {mode}")
    wanted |= {"resume": True} if options.resume else {}
    with progress(f"running {problem.function}"):
        if options.racecheck:
            comparison.watch(problem)
        function, arguments, keywords = comparison.loaded(problem, mode, wanted | running(options))
        backend = backend_for(options.backend)
        found, report = derivatives(Point(function, arguments, problem, backend), mode, keywords)
        outputs = _outputs(function, arguments, problem, backend, keywords)
    if options.save is not None:
        _save(_own(options.save, mpi.rank(".", "").replace(" ", "-")), outputs, found)
    if options.json:
        print_json({"function": problem.function, "backend": backend, "outputs": _listed(outputs), **nested(found)})
    else:
        _print(f"{problem.function} on {backend}{mpi.rank(', ', '')}", outputs, found)
        if report is not None and report.saved_bytes:
            out().print(str(report))
    return 0


def _outputs(
    function: Function, arguments: list[Any], problem: Problem, backend: str, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """What the function itself writes and returns."""
    from hetad.checks import comparison

    written = copy.deepcopy(arguments)
    running = {name: keywords[name] for name in ("cpu_threads", "checked")}
    returned = function(*written, backend=backend, **running, **problem.launch)
    pairs = zip(function.parameters, arguments, written, strict=True)
    outputs = {p.name: after for p, before, after in pairs if not comparison.same(before, after)}
    return outputs | ({"return": returned} if returned is not None else {})


def _own(path: Path, mark: str) -> Path:
    """The file of this rank."""
    return path.with_name(path.stem + mark + path.suffix)


def _save(path: Path, outputs: dict[str, Any], found: Found) -> None:
    import numpy as np

    arrays = {**outputs, **{part.key: part.value for part in found}}
    values: dict[str, Any] = {name: np.asarray(_as_record(value)) for name, value in arrays.items()}
    np.savez(path, **values)


def _as_record(value: Any) -> Any:
    """A struct passed by value as its fields' numbers."""
    return [_as_record(part) for part in value.values()] if isinstance(value, dict) else value


def _listed(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in values.items()}


def _print(title: str, outputs: dict[str, Any], found: Found) -> None:
    from rich.table import Table

    from hetad.cli.console import out

    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("", "type", "norm", "values"):
        table.add_column(heading, justify="right" if heading == "norm" else "left", no_wrap=heading != "values")
    for name, value in outputs.items():
        table.add_row(name, *_summary(value))
    table.add_section()
    for part in found:
        table.add_row(part.label, *_summary(part.value))
    out().print(table)


def _summary(value: Any) -> tuple[str, str, str]:
    """Type, norm and first values."""
    import numpy as np

    from hetad.directions import to_vector

    norm = f"{float(np.linalg.norm(to_vector(value))):.6g}"
    if not isinstance(value, np.ndarray):
        return type(value).__name__, norm, f"{value:.9g}" if isinstance(value, float) else str(value)
    kind = "struct" if value.dtype.names else str(value.dtype)
    shape = " x ".join(map(str, value.shape))
    first = ", ".join(f"{x:.5g}" if value.dtype.kind == "f" else str(x) for x in value.ravel()[:6])
    return f"{kind} {shape}", norm, first + (", …" if value.size > 6 else "")
