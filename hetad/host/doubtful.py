"""Tests in front of statements whose pointers may lead to the wrong memory, as `analysis/spaces.py` finds them."""

from __future__ import annotations

from hetad.analysis.spaces import Spaces
from hetad.ir import nodes as ir
from hetad.ir.build import integer
from hetad.ir.printer import expr_text
from hetad.ir.types import CHAR, Pointer
from hetad.rules import operations


def spaces_tested(s: ir.Stmt, spaces: Spaces) -> list[ir.Stmt]:
    """Statements that end the program where `s` would follow a pointer to the host on the device, or the reverse."""
    found: list[ir.Stmt] = []
    for use in spaces.doubtful.get(s, ()):
        other = "host" if use.space == "device" else "device"
        message = (
            f"{use.span}: '{expr_text(use.pointer)}' is {use.why} as {use.space} memory, but leads to {other} memory"
        )
        quoted = '"' + message.replace("\\", "\\\\").replace('"', '\\"') + '"'
        args = (
            use.pointer,
            integer(1 if use.space == "device" else 0, use.span),
            ir.String(quoted, Pointer(CHAR), span=use.span),
        )
        found.append(operations.require_space(*args, span=s.span))
    return found
