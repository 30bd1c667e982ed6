"""`hetad graph`: draws who calls and who launches whom."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hetad.cli.options import add_source, load

FORMATS = ("mermaid", "dot", "svg")


def add(commands: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        "graph",
        help="draw the call graph: host functions, kernels, device functions",
        description="Draws the call graph of a program, or of what one function reaches.  Thick arrows are launches; "
        "functions that hetad cannot read stand alone, dashed.  The SVG needs no other program.",
        epilog="example: hetad graph samples/collide.cu --format svg -o collide.svg",
    )
    add_source(command)
    command.add_argument("function", metavar="FUNCTION", nargs="?", help="draw what this function reaches")
    command.add_argument("--format", choices=FORMATS, help="default: by the name of the output file, else mermaid")
    command.add_argument("-o", "--output", metavar="FILE", type=Path, help="the file to write (default: stdout)")
    return command


def run(options: argparse.Namespace) -> int:
    from hetad.cli.grad import refuse_overwriting, write
    from hetad.draw.call_graph import CallGraph, of_unit

    if options.output is not None:
        refuse_overwriting(options.output, options.file)
    drawn = CallGraph(
        of_unit(load(options).unit, options.function), f"Call graph of {', '.join(file.name for file in options.file)}"
    )
    text: str = getattr(drawn, options.format or _format_of(options.output))
    if options.output is not None:
        write(options.output, text)
    else:
        sys.stdout.write(text)
    return 0


def _format_of(output: Path | None) -> str:
    endings = {".svg": "svg", ".dot": "dot", ".gv": "dot"}
    return endings.get(output.suffix.lower(), "mermaid") if output is not None else "mermaid"
