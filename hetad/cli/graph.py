"""`hetad graph`: draws who calls and who launches whom."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hetad.cli.options import add_source, load
from hetad.diagnostics import SourceError

if TYPE_CHECKING:
    from hetad.draw.graph import Graph
    from hetad.frontend.unit import Unit
    from hetad.ir.nodes import Function

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

    if options.output is not None:
        refuse_overwriting(options.output, options.file)
    unit = load(options).unit
    graph = _graph(unit, options.function)
    text = _drawn(
        graph,
        options.format or _format_of(options.output),
        f"Call graph of {', '.join(file.name for file in options.file)}",
    )
    if options.output is not None:
        write(options.output, text)
    else:
        sys.stdout.write(text)
    return 0


def _graph(unit: Unit, function: str | None) -> Graph:
    """Of one function, which must be readable; or of all, as far as they are."""
    from hetad.draw.graph import graph_of

    if function is not None:
        return graph_of(unit.reach(function).functions.values())
    functions: list[Function] = []
    unsupported: list[str] = []
    for name in unit.functions:
        try:
            functions += unit.reach(name).functions.values()
        except SourceError:
            unsupported.append(name)
    return graph_of(functions, unsupported)


def _drawn(graph: Graph, form: str, title: str) -> str:
    if form == "svg":
        from hetad.draw.svg import svg

        return svg(graph, title)
    from hetad.draw import text

    return text.dot(graph) if form == "dot" else text.mermaid(graph)


def _format_of(output: Path | None) -> str:
    endings = {".svg": "svg", ".dot": "dot", ".gv": "dot"}
    return endings.get(output.suffix.lower(), "mermaid") if output is not None else "mermaid"
