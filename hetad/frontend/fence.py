"""What later passes do not support is refused here, for reached code, with its position.

The front end itself has refused what it cannot express (C++ leftovers, unions, function pointers, volatile, unknown
functions).  Behind this fence a surprise is a bug of hetad.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.lower.convert import unqualified
from hetad.ir.nodes import Call, CallExpr, Cast, Expr, Function, Launch, Program
from hetad.ir.types import Int, Pointer, Type, Void, holds_floating
from hetad.ir.visit import own_exprs, walk_expr, walk_exprs, walk_stmts


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why, and what to do instead."""

    message: str
    remedy: str


def check(program: Program, entry: str) -> None:
    """Raise UnsupportedError at the first thing in the program that is not supported."""
    for refusal, span in refusals(program, entry):
        raise UnsupportedError(f"hetad does not support {refusal.message} yet", span, refusal.remedy).attach(
            program.sources
        )


def refusals(program: Program, entry: str) -> Iterator[tuple[Refusal, Span]]:
    """Everything that is refused, in the order of the functions reached from `entry`."""
    yield from _recursion(program, entry)
    for function in program.functions.values():
        for stmt in walk_stmts(function.body):
            for root in own_exprs(stmt):
                for e in walk_expr(root):
                    yield from _expression(e)


def _expression(e: Expr) -> Iterator[tuple[Refusal, Span]]:
    if isinstance(e, Cast) and _reinterprets(e.operand.type, e.type):
        yield (
            Refusal(f"a cast of '{e.operand.type}' to '{e.type}'", "access floating-point memory by its own type only"),
            e.span,
        )


def _reinterprets(given: Type, wanted: Type) -> bool:
    """Whether floating data could be reached under another type than its own."""
    if isinstance(given, Pointer) and isinstance(wanted, Pointer):
        a, b = unqualified(given.to), unqualified(wanted.to)
        if a == b or isinstance(a, Void) or isinstance(b, Void):
            return False
        if isinstance(a, Pointer) and b == Pointer(Void()):  # (void **)&p, as cudaMalloc wants it
            return False
        return holds_floating(a) or holds_floating(b)
    if isinstance(given, Pointer) and isinstance(wanted, Int) and wanted.bits > 8:
        return holds_floating(given)
    return isinstance(given, Int) and isinstance(wanted, Pointer) and holds_floating(wanted)


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
