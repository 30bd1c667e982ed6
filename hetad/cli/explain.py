"""`hetad explain`: what the derivative does and why, before anything runs."""

from __future__ import annotations

import argparse
from typing import Any

from hetad.cli.options import add_limits, add_making, add_source, limits, making, names

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
        description="Shows the analyses behind a gradient: the active variables, the values saved and why, and how the "
        "increments of each adjoint meet.",
        epilog="example: hetad explain samples/collide.cu iter --wrt src,dst --of src,dst",
    )
    add_source(command)
    command.add_argument("function", metavar="FUNCTION", help="the host function or kernel to differentiate")
    command.add_argument("--wrt", metavar="A,B", type=names, required=True, help="with respect to these parameters")
    command.add_argument("--of", metavar="C", type=names, help="of these parameters; without it, of the return value")
    add_limits(command)
    add_making(command)
    return command


def run(options: argparse.Namespace) -> int:
    import hetad
    from hetad import api, pipeline
    from hetad.adjoint.options import Options
    from hetad.cli.console import out

    program = hetad.load(options.file, defines=dict(options.defines), include_dirs=options.include_dirs)
    limit, made = api.limits(**limits(options)), Options.of(**making(options))
    for stage, heading in _STAGES.items():
        if stage == "loops" and limit is None:
            continue
        text = pipeline.stage_text(program.unit, options.function, options.wrt, options.of, stage, limit, made)
        out().print(f"[bold]{heading}[/]")
        out().print(text, markup=False, soft_wrap=True)
        out().print()
    return 0
