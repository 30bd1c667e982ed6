"""What later passes do not support is refused here, for reached code, with its position.

The front end itself has refused what it cannot express (C++ leftovers, unions, function pointers, unknown
functions).  Behind this fence a surprise is a bug of hetad.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from hetad.diagnostics import Span, UnsupportedError, report
from hetad.frontend import views
from hetad.ir.nodes import Call, CallExpr, Declare, Function, Launch, Opaque, Program, Var
from hetad.ir.places import is_dynamic
from hetad.ir.visit import walk_exprs, walk_stmts
from hetad.passes.manager import program_pass
from hetad.passes.task import Task

T = TypeVar("T", bound=Task)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why, and what to do instead."""

    message: str
    remedy: str


@program_pass("fence")
def supported(task: T) -> T:
    """What later passes do not support is not there."""
    check(task, task.entry)
    return task


def check(program: Program, entry: str) -> None:
    """Report what is not supported in the program."""
    for refusal, span in refusals(program, entry):
        error = UnsupportedError(f"hetad does not support {refusal.message} yet", span, refusal.remedy)
        report(error.attach(program.sources))


def refusals(program: Program, entry: str) -> Iterator[tuple[Refusal, Span]]:
    """Everything that is refused, in the order of the functions reached from `entry`."""
    yield from _recursion(program, entry)
    yield from _host_variables(program)
    for function in program.functions.values():
        yield from _dynamic_shared(function)
        for cast in views.refused(function):
            yield Refusal(f"a cast of '{cast.operand.type}' to '{cast.type}'", _access(function)), cast.span


def _access(function: Function) -> str:
    """What to do instead of looking at numbers as integers."""
    if any(isinstance(s, Call) and s.function == "atomicCAS" for s in walk_stmts(function.body)):
        return "if the loop around atomicCAS adds, call atomicAdd, which takes float and double"
    return "access floating-point memory by its own type; integers may be read out of it, not written"


def notes(program: Program) -> Iterator[tuple[str, Span]]:
    """What is supported in a way that the user should know of."""
    for function in program.functions.values():
        for stmt in walk_stmts(function.body):
            if isinstance(stmt, Opaque):
                yield "C++ that is kept in the emitted source, and left out when hetad runs the program", stmt.span


def _dynamic_shared(function: Function) -> Iterator[tuple[Refusal, Span]]:
    """Two `extern __shared__` arrays are one piece of memory under two names."""
    found = [s.symbol for s in walk_stmts(function.body) if isinstance(s, Declare) and is_dynamic(s.symbol)]
    for symbol in found[1:]:
        message = f"two extern __shared__ arrays ('{found[0].name}' and '{symbol.name}' are the same memory)"
        yield Refusal(message, "declare one, and let pointers into it mark the parts"), symbol.span


def _host_variables(program: Program) -> Iterator[tuple[Refusal, Span]]:
    """Where device code names a variable of the host, whose changes it would not see; `__managed__` ones are among
    them."""
    of_host = {
        g.symbol for g in program.globals if not g.device and g.symbol.storage == "global" and not g.symbol.const
    }
    waiting = [name for name, f in program.functions.items() if f.kind in ("kernel", "device")] if of_host else []
    seen = set(waiting)
    while waiting:
        function = program.functions[waiting.pop()]
        for e in walk_exprs(function.body):
            if isinstance(e, Var) and e.symbol in of_host:
                message = f"a variable that the host has, and device code uses ('{e.symbol.name}')"
                yield Refusal(message, "declare it __device__ and set it with cudaMemcpyToSymbol, or pass it"), e.span
        called = {name for name, _ in _calls(function) if name in program.functions} - seen
        seen |= called
        waiting += sorted(called)


def _recursion(program: Program, entry: str) -> Iterator[tuple[Refusal, Span]]:
    """The first call by which a function reaches itself."""
    path: list[str] = []
    done: set[str] = set()

    def visit(name: str) -> Iterator[tuple[Refusal, Span]]:
        path.append(name)
        for callee, span in _calls(program.functions[name]):
            if callee in path:
                yield Refusal(f"recursion ('{callee}' calls itself)", "write it as a loop"), span
            elif callee in program.functions and callee not in done:
                yield from visit(callee)
        path.pop()
        done.add(name)

    yield from visit(entry)


def _calls(function: Function) -> Iterator[tuple[str, Span]]:
    for stmt in walk_stmts(function.body):
        if isinstance(stmt, Call):
            yield stmt.function, stmt.span
        elif isinstance(stmt, Launch):
            yield stmt.kernel, stmt.span
    for e in walk_exprs(function.body):
        if isinstance(e, CallExpr):
            yield e.function, e.span
