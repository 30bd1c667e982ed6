"""A host function that launches one kernel, so that a kernel can be called and differentiated like a host function."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hetad.ir import nodes as ir
from hetad.ir.types import DIM3, SIZE_T, STREAM, VOID, Type
from hetad.passes.manager import program_pass
from hetad.passes.task import Task

P = TypeVar("P", bound=ir.Program)
T = TypeVar("T", bound=Task)

CONFIGURATION = ("grid", "block", "shared_mem", "stream")


def launcher_name(kernel: str) -> str:
    return f"launch_{kernel}"


@program_pass("launch-kernel")
def launch_kernel(task: T) -> T:
    """Where the function is a kernel, it becomes a host function that is given the launch configuration and launches
    the kernel."""
    if task.function.kind != "kernel":
        return task
    return replace(launcher(task, task.entry), entry=launcher_name(task.entry))


def launcher(program: P, kernel: str) -> P:
    """`program` with `launch_<kernel>(grid, block, shared_mem, stream, <the kernel's parameters>)`."""
    function = program.functions[kernel]
    span = function.span
    taken = {p.name for p in function.params}
    types: tuple[Type, ...] = (DIM3, DIM3, SIZE_T, STREAM)
    configuration = [
        ir.Symbol(name + "_" * (name in taken), type_, span, "param", const=type_ == DIM3)
        for name, type_ in zip(CONFIGURATION, types, strict=True)
    ]
    params = [ir.Symbol(p.name, p.type, p.span, "param", p.const) for p in function.params]
    grid, block, shared, stream = (ir.Var(s, span=span) for s in configuration)
    launch = ir.Launch(kernel, grid, block, shared, stream, tuple(ir.Var(p, span=span) for p in params), span=span)
    name = launcher_name(kernel)
    wrapper = ir.Function(name, "host", (*configuration, *params), VOID, (launch,), span)
    return replace(program, functions={**program.functions, name: wrapper})
