"""`hetad grad`: writes the derivative of a function as CUDA."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import (
    STAGES,
    add_driver,
    add_limits,
    add_making,
    add_mode,
    add_source,
    function_of,
    limits,
    load,
    making,
    names,
    settings,
)
from hetad.diagnostics import ArgumentError

if TYPE_CHECKING:
    from hetad.api import Function


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "grad",
        help="write the derivative of a function as CUDA",
        description="Writes the gradient of a host function or kernel as a self-contained CUDA source, to compile with "
        "nvcc: the function FUNCTION_grad takes the arguments of FUNCTION, then the adjoints in the order of --of and "
        "--wrt.  The adjoints of --of hold the seeds; those of --wrt are added to.  With --mode tangent the function "
        "FUNCTION_tangent takes the arguments, then the tangents in the order of --wrt and --of.  With --mode jacobian "
        "it is the tangent along several directions at once, and with --mode hessian the product, that make the "
        "columns.  A problem file in place of the source says all this.",
        epilog="example: hetad grad samples/axpy.cu axpy --wrt a,x --of y -o axpy_grad.cu",
    )
    add_source(command)
    command.add_argument("function", metavar="FUNCTION", nargs="?",
                         help="the host function or kernel to differentiate")  # fmt: skip
    command.add_argument("--wrt", metavar="A,B", type=names, help="with respect to these parameters")
    command.add_argument("--of", metavar="C", type=names, help="of these parameters; without it, of the return value")
    add_mode(command, "what is written")
    command.add_argument("--batch", metavar="A,B", type=names, nargs="?", const=(),
                         help="write FUNCTION_grad_batch too, which goes through sets of seeds, and of these "
                         "parameters, as batch= and batched= do in Python")  # fmt: skip
    add_driver(command)
    add_limits(command)
    add_making(command)
    command.add_argument("-o", "--output", metavar="OUT.cu", type=Path, help="the file to write (default: stdout)")
    command.add_argument("--emit", metavar="STAGE", default="cuda",
                         help=f"print a stage of the pipeline instead: {', '.join(STAGES)}; the list of all passes: "
                         "passes; the program as one leaves it: after:PASS")  # fmt: skip
    command.add_argument("--verify-each", action="store_true", help="check after each pass that the program is valid")
    command.add_argument("--time-passes", action="store_true", help="say how long each pass takes")
    return command


def run(options: argparse.Namespace) -> int:
    options = _asked(options)
    if options.output is not None:
        refuse_overwriting(options.output, options.file)
    text = _watched(options)
    if options.output is not None:
        write(options.output, text)
    elif options.emit == "cuda":
        from hetad.cli.console import print_source

        print_source(text)
    else:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0


def _asked(options: argparse.Namespace) -> argparse.Namespace:
    """The options with what a problem file says in their place."""
    if options.file[0].suffix != ".toml":
        if options.function is None or options.wrt is None:
            raise ArgumentError("name the function and --wrt, or give a problem file (.toml) that does")
        return argparse.Namespace(**vars(options) | {"mode": options.mode or "gradient"})
    from hetad import problem as problems

    if options.function is not None or options.wrt is not None or options.of is not None:
        raise ArgumentError(f"{options.file[0]} says function, wrt and of: leave them out, or name the source instead")
    problem = problems.read(options.file[0])
    mode = options.mode or problem.mode
    said = {
        "file": problem.source if isinstance(problem.source, tuple) else (problem.source,),
        "function": problem.function, "wrt": problem.wrt, "of": problem.of, "mode": mode,
        "objective": problem.objective, "argv": problem.argv,
        "inputs": None if problem.objective is None else tuple(problem.inputs),
    }  # fmt: skip
    memory = dict(problem.memory) if mode != "tangent" else {}
    return argparse.Namespace(**vars(options) | said | problem.loading | memory | limits(options))


def _watched(options: argparse.Namespace) -> str:
    """The stage, with what was asked about the passes on standard error."""
    if not (options.verify_each or options.time_passes):
        return _stage(options)
    from hetad.passes.manager import watched
    from hetad.passes.watching import Times, Verifying
    from hetad.rules.signatures import signature

    times = Times()
    with watched(*([times] if options.time_passes else []), *([Verifying(signature)] if options.verify_each else [])):
        text = _stage(options)
    if options.time_passes:
        sys.stderr.write(times.table() + "\n")
    return text


def _stage(options: argparse.Namespace) -> str:

    if options.emit not in STAGES:
        from hetad.cli.stages import check_stage

        check_stage(options.emit)
    program = load(options)
    function = function_of(program, options)
    if options.emit == "cuda":
        return _source(function, options)
    from hetad.cli.stages import requested, stage_text

    if options.mode not in ("gradient", "tangent"):
        raise ArgumentError("--emit shows the stages of one differentiation: use --mode tangent or --mode gradient")
    if options.mode == "tangent":
        _without_batch(options)
    request = requested(
        function, options.wrt, options.of, limits(options), making(options), options.mode, options.batch
    )
    return stage_text(function.compiled.unit, request, options.emit)


def _source(function: Function, options: argparse.Namespace) -> str:
    import hetad

    if options.mode != "gradient":
        _without_batch(options)
    selected = {"wrt": options.wrt, "of": options.of}
    if options.mode == "jacobian":
        from hetad.jacobians import DIRECTIONS

        return hetad.jvp(function, directions=DIRECTIONS, optimize=options.optimize, **selected).source
    keywords = settings(options, options.mode)
    if options.batch is not None:
        keywords |= {"batch": 1, "batched": options.batch, "backend": "cuda"}  # the text is the same for any number
    makers: dict[str, Any] = {"gradient": hetad.gradient, "tangent": hetad.jvp}
    return str(makers.get(options.mode, hetad.hvp)(function, **selected, **keywords).source)


def _without_batch(options: argparse.Namespace) -> None:
    if options.batch is not None:
        raise ArgumentError(f"--batch is for gradients: leave it out, or --mode {options.mode}")


def refuse_overwriting(output: Path, sources: Sequence[Path]) -> None:
    if output.exists() and any(source.exists() and output.samefile(source) for source in sources):
        raise ArgumentError(f"{output} is the program itself; choose another name for the gradient")


def write(path: Path, text: str) -> None:
    """In one step, so that a file of this name is replaced as a whole or not at all."""
    if path.exists() and not path.is_file():  # a device or a pipe
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()
    handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(scratch).chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        Path(scratch).replace(target)
    finally:
        Path(scratch).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
