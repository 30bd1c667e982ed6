"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import ArgumentError
from hetad.frontend.settings import FRONTENDS
from hetad.problem import MODES, Mode

if TYPE_CHECKING:
    from hetad.api import Function, Program

STAGES = ("ir", "normalized", "activity", "needed", "loops", "access", "cuda")  # of the pipeline, to be printed


def names(text: str) -> tuple[str, ...]:
    """`A,B` as a list of names."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise argparse.ArgumentTypeError("expected parameter names with commas between them, as in A,B")
    return found


def sources(text: str) -> tuple[Path, ...]:
    """`a.cu,b.cu` as a list of files; commas may also stand in a file's name."""
    files = [text] if Path(text).exists() else [name for name in text.split(",") if name]
    return tuple(Path(name) for name in files or [text])


def macro(text: str) -> tuple[str, str]:
    """`NAME=VALUE`, or `NAME` for 1."""
    name, equals, value = text.partition("=")
    if not name.isidentifier():
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value if equals else "1"


_FILE = "a CUDA source (.cu), or several that make one program: main.cu,kernels.cu"


def add_source(command: argparse.ArgumentParser, file: str = _FILE) -> None:
    """The options of every command that reads a CUDA source."""
    command.add_argument("file", metavar="FILE", type=sources, help=file)
    command.add_argument("-D", dest="defines", metavar="NAME=VALUE", type=macro, action="append", default=[],
                         help="define a macro, as for a compiler")  # fmt: skip
    command.add_argument("-U", dest="undefines", metavar="NAME", action="append", default=[],
                         help="undefine a macro that nvcc defines")  # fmt: skip
    command.add_argument("-I", dest="include_dirs", metavar="DIR", type=Path, action="append", default=[],
                         help="where to look for included files")  # fmt: skip
    command.add_argument("--cuda-arch", metavar="NUMBER", type=int, default=900,
                         help="what __CUDA_ARCH__ is in device code (default: 900)")  # fmt: skip
    command.add_argument("--frontend", choices=FRONTENDS, default="auto", help="who reads it: pycparser as C, Clang as "
                         "C++, or the first that accepts a function (default)")  # fmt: skip


def load(options: argparse.Namespace) -> Program:
    """The program that the options of `add_source` tell."""
    import hetad

    return hetad.load(
        options.file, defines=dict(options.defines), include_dirs=options.include_dirs, undefines=options.undefines,
        cuda_arch=options.cuda_arch, frontend=options.frontend,
    )  # fmt: skip


def add_driver(command: argparse.ArgumentParser) -> None:
    """How a whole program is taken as a function."""
    command.add_argument("--objective", metavar="NAME", help="FUNCTION is a whole program, as main: the variable or "
                         "host function whose last value is differentiated")  # fmt: skip
    command.add_argument("--inputs", metavar="A,B", type=names, help="variables of the whole program that become "
                         "parameters (default: those of --wrt)")  # fmt: skip
    command.add_argument("--argv", metavar="WORDS", type=str.split, default=[], help="its command line, as in "
                         '--argv "0.1 20"')  # fmt: skip


def function_of(program: Program, options: argparse.Namespace) -> Function:
    """The function that a command is about."""
    if options.objective is None:
        if options.inputs or options.argv:
            raise ArgumentError("--inputs and --argv are for whole programs; name the objective with --objective")
        return program[options.function]
    inputs = options.inputs or options.wrt
    return program.driver(options.function, inputs=inputs, output=options.objective, argv=options.argv)


def add_limits(command: argparse.ArgumentParser) -> None:
    """How much a gradient may save."""
    command.add_argument("--memory-limit", metavar="SIZE", help="save at most this much for the reverse sweep at a "
                         "time, as in 8GB: time loops are recomputed piece by piece")  # fmt: skip
    command.add_argument("--host-memory", metavar="SIZE",
                         help="host memory for further checkpoints of device memory")  # fmt: skip
    command.add_argument("--checkpoint-dir", metavar="DIRECTORY",
                         help="a file in it holds what --host-memory allows for")  # fmt: skip


def add_graph(command: argparse.ArgumentParser) -> None:
    """How a gradient runs on a GPU."""
    command.add_argument("--graph", action="store_true", help="on a GPU, run the gradient as CUDA graphs once it comes "
                         "again; refused where data read back decides what runs")  # fmt: skip


def add_racecheck(command: argparse.ArgumentParser, text: str, default: bool) -> None:
    """Whether the race detector watches."""
    command.add_argument("--racecheck", action=argparse.BooleanOptionalAction, default=default, help=text)


def limits(options: argparse.Namespace) -> dict[str, Any]:
    """Those of `add_limits` that were given, as keywords of `hetad.gradient`."""
    given = {"memory_limit": options.memory_limit, "host_memory": options.host_memory}
    given["checkpoint_dir"] = options.checkpoint_dir
    return {name: size for name, size in given.items() if size is not None}


def add_making(command: argparse.ArgumentParser) -> None:
    """How a gradient is made."""
    command.add_argument("--optimize", metavar="A,B", type=_optimisations, default=True,
                         help="these optimisations alone, or none (default: all)")  # fmt: skip
    command.add_argument("--deterministic", action="store_true",
                         help="sums of fixed order, so that equal calls give equal bits")  # fmt: skip


def making(options: argparse.Namespace) -> dict[str, Any]:
    """Those of `add_making`, as keywords of `hetad.gradient`."""
    return {"optimize": options.optimize, "deterministic": options.deterministic}


def add_mode(command: argparse.ArgumentParser, text: str) -> None:
    """Which derivative a command is about."""
    command.add_argument("--mode", choices=MODES, help=f"{text}: gradient (reverse mode, the default), tangent "
                         "(forward mode), hvp (the product of a Hessian with a vector: the gradient of the tangent), "
                         "jacobian, hessian; a problem file may say which, and --mode comes first")  # fmt: skip


def settings(options: argparse.Namespace, mode: Mode) -> dict[str, Any]:
    """Those of `add_limits`, `add_making` and `add_graph`, as keywords of what makes a derivative of this mode."""
    if getattr(options, "graph", False) and mode != "gradient":
        raise ArgumentError(f"--graph is for gradients: leave it out, or --mode {mode}")
    if mode != "tangent":
        graph = {"graph": True} if getattr(options, "graph", False) else {}
        return limits(options) | making(options) | graph
    if limits(options) or options.deterministic:
        raise ArgumentError("a tangent saves nothing and sums nothing: leave out limits and --deterministic")
    return {"optimize": options.optimize}


def _optimisations(text: str) -> bool | tuple[str, ...]:
    return text == "all" if text in ("all", "none") else names(text)


def add_problem(command: argparse.ArgumentParser, backends: tuple[str, ...]) -> None:
    """The options of every command that reads a problem file."""
    command.add_argument("problem", metavar="PROBLEM.toml", type=Path,
                         help="names source, function, wrt, of and inputs; see samples/")  # fmt: skip
    command.add_argument("--backend", choices=backends, help="where to run (default: cuda if usable, else cpu)")
    command.add_argument("--cpu-threads", type=int, metavar="N",
                         help="threads for the blocks of a grid on the CPU; 0: one per processor (default: the "
                         "problem file's, or $HETAD_CPU_THREADS, or 1)")  # fmt: skip
    command.add_argument("--checked", action=argparse.BooleanOptionalAction, default=None, help="check "
                         "each access for leaving its memory, or none (default: the problem file's, or on the CPU "
                         "those that are not proven to stay within it)")  # fmt: skip
    add_json(command)


def running(options: argparse.Namespace) -> dict[str, Any]:
    """--cpu-threads and --checked, where they were given, as keywords of `hetad.gradient`."""
    given = {"cpu_threads": options.cpu_threads, "checked": options.checked}
    return {name: value for name, value in given.items() if value is not None}


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the result as JSON")
