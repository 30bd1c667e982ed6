"""Where the launch stands in the program that an error is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetad.ir.nodes import Program

_KERNEL = re.compile(r"kernel (\w+)<<<")
_ERROR = re.compile(r"\((\d+)\): (?:catastrophic )?error")
_PLACE = re.compile(r"//.*\bline \d+")


def places(program: Program) -> Mapping[str, str]:
    """For each kernel where it is launched, in the order of the program."""
    from hetad.ir.nodes import Launch
    from hetad.ir.visit import walk_stmts

    found: dict[str, dict[str, None]] = {}
    for function in program.functions.values():
        for statement in walk_stmts(function.body):
            if isinstance(statement, Launch):
                found.setdefault(statement.kernel, {})[str(statement.span)] = None
    return {kernel: " or ".join(spans) for kernel, spans in found.items()}


def located(message: str, where: Mapping[str, str]) -> str:
    """The message of an error of a launch, with its place."""
    kernel = _KERNEL.search(message)
    return f"{message}\n  launched at {where[kernel[1]]}" if kernel and kernel[1] in where else message


def refused_lines(log: str, source: str) -> Iterator[str]:
    """The lines of an emitted source that a compiler's log is about, and what each of them was made of."""
    lines = source.splitlines()
    for number in sorted({int(found[1]) for found in _ERROR.finditer(log)}):
        if 1 <= number <= len(lines):
            made_of = next((line for line in reversed(lines[:number]) if _PLACE.search(line)), None)
            yield f"its line {number}: {lines[number - 1].strip()}"
            if made_of is not None:
                yield f"made of {made_of.strip().removeprefix('//').strip()}"
