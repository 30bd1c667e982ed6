"""One stream: the derivative does its work in the order of the program, on the default stream.

That order is one that streams and events allow, in both sweeps.  So asynchronous copies become plain ones, launches
leave the streams that the program made, and what only orders streams is left out.  A stream that is a parameter is the
caller's, and stays.  Of several devices each has a default stream; a program that names no other device than number 0
has one.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.analysis.memory_calls import operands
from hetad.host.devices import uses_devices
from hetad.ir import nodes as ir
from hetad.ir.build import copy_kind, succeeded
from hetad.ir.types import STREAM
from hetad.ir.visit import map_body, variables, walk_stmts
from hetad.memops.table import TABLE, WAIT_FOR_DEVICES
from hetad.passes.task import entry_pass

_WAITS = ("cudaStreamSynchronize", "cudaEventSynchronize")  # of a stream that may be another device's


@entry_pass("one-stream")
def in_one_stream(function: ir.Function) -> ir.Function:
    """The host function, all calls inlined, without streams of its own."""
    aliases = _parameters(function)
    several = uses_devices(function.body)

    def alone(s: ir.Stmt) -> ir.Stmt | None:
        match s:
            case ir.Launch(stream=stream) if stream is not None and not _given(stream, aliases):
                return replace(s, stream=None)
            case ir.Call(function=name) if name in TABLE:
                return _alone(s, several)
        return s

    return replace(function, body=map_body(alone, function.body))


def _parameters(function: ir.Function) -> set[ir.Symbol]:
    """The parameters, and the variables that hold one of their streams throughout."""
    found = set(function.params)
    for s in walk_stmts(function.body):
        if isinstance(s, ir.Declare) and s.symbol.type == STREAM and s.init is not None and _given(s.init, found):
            found.add(s.symbol)
    return found


def _given(stream: ir.Expr, parameters: set[ir.Symbol]) -> bool:
    return not parameters.isdisjoint(variables(stream))


def _alone(s: ir.Call, several: bool) -> ir.Stmt | None:
    row = TABLE[s.function]
    if row.alone == "" or (row.switches and row.alone is not None and not several):
        return next(iter(succeeded(s)), None)
    if several and s.function in _WAITS:
        return replace(s, function=WAIT_FOR_DEVICES, args=())
    if row.alone is not None:
        given = operands(s)
        if "kind" not in given:  # between devices, of which one has all the memory
            given["kind"] = copy_kind(3, s.span)
        args = tuple(given[role] for role in TABLE[row.alone].roles)
        return replace(s, function=row.alone, args=args)
    null = ir.Const(0, STREAM, "0", span=s.span)
    if "stream" in row.roles and (row.roles[0] == "record" or row.action == "communicate"):
        return replace(s, args=tuple(null if r == "stream" else a for a, r in zip(s.args, row.roles, strict=True)))
    return s
