"""Managed memory: the host waits for the device before it touches memory that both may use.

The program waits where it must; the gradient function has copies, fills and launches of its own between.
"""

from __future__ import annotations

from hetad.analysis.memory_calls import does
from hetad.ir import nodes as ir
from hetad.ir.visit import map_bodies, walk_stmts
from hetad.memops.table import TABLE
from hetad.rules import callees, operations


def in_step(body: ir.Body) -> ir.Body:
    """The body of a host function; with managed memory, a wait between work of the device and what the host does."""
    if any(operations.does(s, operations.managed_zeros) for s in walk_stmts(body)):
        return _with_waits(body)
    return body


def _with_waits(body: ir.Body) -> ir.Body:
    out: list[ir.Stmt] = []
    behind: ir.Stmt | None = None  # the last thing that the device was told to do
    for s in body:
        if _on_device(s):
            behind = s
        elif behind is not None and not isinstance(s, ir.Comment):
            if not (isinstance(s, ir.Call) and s.function == "cudaDeviceSynchronize"):
                out.append(_wait(behind))
            behind = None
        out.append(map_bodies(_with_waits, s))
    return (*out, _wait(behind)) if behind is not None else tuple(out)


def _wait(s: ir.Stmt) -> ir.Stmt:
    return ir.Call("cudaDeviceSynchronize", (), span=s.span)


def _on_device(s: ir.Stmt) -> bool:
    if not isinstance(s, ir.Call):
        return isinstance(s, ir.Launch)
    if callees.calls(s, "support"):
        return not callees.has(s, "on the host")
    return does(s, "copy", "fill") and TABLE[s.function].space == "device"
