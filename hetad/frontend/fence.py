"""What later passes do not support is refused here, for reached code, with its position.

The front end itself has refused what it cannot express (C++ leftovers, unions, function pointers, volatile, unknown
functions).  Behind this fence a surprise is a bug of hetad.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.lower.builtins import ATOMICS, BARRIERS, SHUFFLES, VOTES
from hetad.frontend.lower.convert import unqualified
from hetad.ir.nodes import Call, CallExpr, Cast, Declare, Expr, Function, Launch, Program, Stmt
from hetad.ir.types import Float, Int, Pointer, Type, Void, holds_floating
from hetad.ir.visit import own_exprs, walk_expr, walk_exprs, walk_stmts


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why, and what to do instead."""

    message: str
    remedy: str


_LATER = "split the kernel at this point, or keep it out of the functions that are differentiated"

CALLS: dict[str, Refusal] = {
    **dict.fromkeys(BARRIERS, Refusal("barriers and memory fences", _LATER)),
    **dict.fromkeys(SHUFFLES, Refusal("warp shuffles", _LATER)),
    **dict.fromkeys(VOTES, Refusal("warp votes and reductions", _LATER)),
    **dict.fromkeys(
        ATOMICS - {"atomicAdd"}, Refusal("atomic operations other than atomicAdd", "use atomicAdd, or another kernel")
    ),
}
"""Functions that are refused wherever they are called; `atomicAdd` is looked at more closely below."""


def check(program: Program, entry: str) -> None:
    """Raise UnsupportedError at the first thing in the program that is not supported."""
    for refusal, span in refusals(program, entry):
        raise UnsupportedError(f"hetad does not support {refusal.message} yet", span, refusal.remedy).attach(
            program.sources
        )


def refusals(program: Program, entry: str) -> Iterator[tuple[Refusal, Span]]:
    """Everything that is refused, in the order of the functions reached from `entry`."""
    yield from _recursion(program, entry)
    for variable in program.globals:
        if not variable.symbol.const:
            remedy = "pass it to the functions that use it"
            yield (
                Refusal(f"variables at file scope that are not const, such as '{variable.symbol.name}',", remedy),
                (variable.span),
            )
    for function in program.functions.values():
        for stmt in walk_stmts(function.body):
            yield from _statement(stmt)
            for root in own_exprs(stmt):
                for e in walk_expr(root):
                    yield from _expression(e)


def _statement(stmt: Stmt) -> Iterator[tuple[Refusal, Span]]:
    match stmt:
        case Declare(symbol=symbol) if symbol.storage == "shared":
            yield Refusal("shared memory", "use global memory"), symbol.span
        case Call(function="atomicAdd", args=args, result=result):
            if not isinstance(args[1].type, Float):
                yield Refusal("atomicAdd on integers", "count in another kernel"), stmt.span
            elif result is not None:
                yield Refusal("the old value that atomicAdd returns", "ignore it"), stmt.span
        case Call(function=function) if function in CALLS:
            yield CALLS[function], stmt.span


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
