"""The options of every command."""

from __future__ import annotations

import argparse

from hetad import __version__
from hetad.cli import check, debug, doctor, explain, grad, gradcheck, graph, run

COMMANDS = (grad, run, gradcheck, debug, check, graph, explain, doctor)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hetad",
        description="Gradients of whole CUDA C programs, by reverse-mode automatic differentiation.",
        formatter_class=_Help,
        epilog="Exit status: 0 success; 1 a check failed or the program has errors; 2 wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"hetad {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        command = module.add(commands)
        command.set_defaults(run=module.run)
        command.add_argument("--debug", action="store_true", help="show the Python traceback of an error")
        command.add_argument("--time", action="store_true", help="say on stderr how long each step took, and what "
                             "another process had already done")  # fmt: skip
    return parser


class _Help(argparse.HelpFormatter):
    """With room for the longest command's name."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
