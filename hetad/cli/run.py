"""`hetad run`: runs a program and its gradient at the inputs of a problem file."""

from __future__ import annotations

import argparse
import copy
from pathlib import Path
from typing import Any

from hetad.cli.options import add_graph, add_limits, add_making, add_problem, add_racecheck, limits, making, on_cpu


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="run a program and its gradient",
        description="Runs the function of a problem file and its gradient with all seeds 1, that of the sum of the "
        "outputs.  Shows what the function returned and wrote, and the gradient.",
        epilog="example: hetad run samples/host_sum.toml --save result.npz",
    )
    add_problem(command, ("cpu", "cuda"))
    add_limits(command)
    add_making(command)
    add_graph(command)
    add_racecheck(command, "run the program once more, on the CPU, under a detector that finds races; exit status 1 if "
                  "there is one", False)  # fmt: skip
    command.add_argument("--save", metavar="OUT.npz", type=Path,
                         help="save the arrays: outputs by name, gradients as grad_NAME")  # fmt: skip
    return command


def run(options: argparse.Namespace) -> int:
    from hetad import problem as problems
    from hetad.checks import comparison
    from hetad.cli.console import out, print_json, progress
    from hetad.run import mpi

    problem = problems.read(options.problem)
    with progress(f"running {problem.function}"):
        if options.racecheck:
            comparison.watch(problem)
        keywords = limits(options) | making(options) | on_cpu(options) | {"graph": options.graph, "tangent": False}
        subject, arguments = comparison.from_problem(problem, options.backend, **keywords)
        written = copy.deepcopy(arguments)
        returned = subject.primal(written)
        gradient = dict(subject.gradient(arguments, comparison.ones(subject, arguments)))
    outputs = {
        parameter.name: after
        for parameter, before, after in zip(subject.parameters, arguments, written, strict=True)
        if not comparison.same(before, after)
    }
    if returned is not None:
        outputs["return"] = returned
    if options.save is not None:
        _save(_own(options.save, mpi.rank(".", "").replace(" ", "-")), outputs, gradient)
    if options.json:
        print_json({"function": problem.function, "backend": subject.backend,
                    "outputs": _listed(outputs), "gradient": _listed(gradient)})  # fmt: skip
    else:
        _print(f"{problem.function} on {subject.backend}{mpi.rank(', ', '')}", outputs, gradient)
        if (report := subject.saved()) is not None and report.saved_bytes:
            out().print(str(report))
    return 0


def _own(path: Path, mark: str) -> Path:
    """The file of this rank."""
    return path.with_name(path.stem + mark + path.suffix)


def _save(path: Path, outputs: dict[str, Any], gradient: dict[str, Any]) -> None:
    import numpy as np

    arrays = {**outputs, **{f"grad_{name}": value for name, value in gradient.items()}}
    values: dict[str, Any] = {name: np.asarray(_as_record(value)) for name, value in arrays.items()}
    np.savez(path, **values)


def _as_record(value: Any) -> Any:
    """A struct passed by value as its fields' numbers."""
    return [_as_record(part) for part in value.values()] if isinstance(value, dict) else value


def _listed(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in values.items()}


def _print(title: str, outputs: dict[str, Any], gradient: dict[str, Any]) -> None:
    from rich.table import Table

    from hetad.cli.console import out

    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("", "type", "norm", "values"):
        table.add_column(heading, justify="right" if heading == "norm" else "left", no_wrap=heading != "values")
    for name, value in outputs.items():
        table.add_row(name, *_summary(value))
    table.add_section()
    for name, value in gradient.items():
        table.add_row(f"gradient of {name}", *_summary(value))
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
