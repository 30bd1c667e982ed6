"""Functions in which threads wait for each other, put into the kernels that call them.

The CPU runs the threads of a block from one barrier to the next, so it must see the barriers in the kernel itself.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.inline import inline
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.functions import callees
from hetad.ir.jumps import leaving
from hetad.ir.visit import walk_exprs
from hetad.targets.cpu.synchronisation import uses_block


def barriers_in_kernels(program: ir.Program, entry: str) -> ir.Program:
    """`program`, whose functions with barriers are normalised, without calls of these functions."""
    waiting = waiting_functions(program)
    for name in waiting:
        _refuse_unless_normalised(program.functions[name], waiting)
    return with_inlined_kernels(program, inline(program, entry)) if waiting else program


def with_inlined_kernels(program: ir.Program, flat: ir.Program) -> ir.Program:
    """`program` with its kernels as they are in `flat` where they call functions with barriers."""
    waiting = waiting_functions(program)
    if not waiting:
        return program
    functions = {
        f.name: flat.functions[f.name] if f.kind == "kernel" and waiting.intersection(callees(f)) else f
        for f in program.functions.values()
        if f.name not in waiting
    }
    return replace(program, functions=functions)


def waiting_functions(program: ir.Program) -> set[str]:
    """The device functions in which threads wait for each other, or that call one."""
    functions = [f for f in program.functions.values() if f.kind != "kernel"]
    waiting = {f.name for f in functions if uses_block(f.body)}
    while more := {f.name for f in functions if f.name not in waiting and waiting.intersection(callees(f))}:
        waiting |= more
    return waiting


def _refuse_unless_normalised(function: ir.Function, waiting: set[str]) -> None:
    body = function.body
    returns = list(leaving(body[:-1] if body and isinstance(body[-1], ir.Return) else body))
    calls = [e for e in walk_exprs(body) if isinstance(e, ir.CallExpr) and e.function in waiting]
    if returns or calls:
        raise UnsupportedError(
            f"{function.name}, in which threads wait for each other, is not normalised", function.span, "normalise it"
        )
