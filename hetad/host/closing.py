"""The derivative as a program of its own: its frame, its parameters, and all that it calls and launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hetad.host.derivation import Derivation, on_derivative
from hetad.host.kernels.bounds import bounded
from hetad.host.managed import in_step
from hetad.ir import nodes as ir
from hetad.ir import texts
from hetad.ir.build import integer
from hetad.ir.functions import callees
from hetad.ir.names import with_one_meaning
from hetad.ir.types import SIZE_T, STRING
from hetad.ir.visit import walk_stmts
from hetad.passes.manager import function_pass, program_pass
from hetad.rules import operations
from hetad.rules.callees import calls, has


@on_derivative("open-session")
def in_session(derivation: Derivation) -> ir.Body:
    """Where the run-time support keeps anything, the body stands in a session."""
    body, span = derivation.body, derivation.span
    if not any(calls(s, "support") and not has(s, "needs no session") for s in walk_stmts(body)):
        return body
    limit: tuple[ir.Stmt, ...] = ()
    if derivation.request.memory_limit is not None:
        sizes = (derivation.request.memory_limit.bytes, derivation.request.memory_limit.on_host)
        limit = (operations.limit(*(integer(n, span, SIZE_T) for n in sizes), span=span),)
        directory = derivation.request.memory_limit.directory
        if directory and derivation.request.memory_limit.on_host > 0:
            named = ir.String(texts.quoted(directory), STRING, span=span)
            limit = (*limit, operations.checkpoints_in(named, span=span))
    opening = (operations.begin(span=span), *limit, *derivation.arguments)
    end = operations.end(span=span)
    last = body[-1:] if body and isinstance(body[-1], ir.Return) else ()
    return in_step((*opening, *body[: len(body) - len(last)], end, *last))


@program_pass("close")
def closed(derivation: Derivation) -> Derivation:
    """The program is the derivative and all that it launches and calls.  Kernels of the forward sweep are as their
    author wrote them, but for those that take other parameters now."""
    changed = {n: k for n, k in derivation.kernels.items() if _differs(k, derivation.written.get(n))}
    there = {**derivation.written, **changed, **{n: derivation.functions[n] for n in derivation.outlined}}
    functions: dict[str, ir.Function] = {}
    entry = derivation.functions[derivation.name]
    _add_called(entry, there, functions)
    return replace(derivation, functions={**functions, entry.name: entry})


def _add_called(caller: ir.Function, there: Mapping[str, ir.Function], found: dict[str, ir.Function]) -> None:
    """What a function calls and is `there`, each behind what it calls itself."""
    for name in callees(caller):
        if name in there and name not in found:
            _add_called(there[name], there, found)
            found[name] = there[name]


@program_pass("launch-bounds")
def with_launch_bounds(derivation: Derivation) -> Derivation:
    """Kernels that are launched in large blocks are compiled for them."""
    found = derivation.reversed
    functions = bounded(derivation.functions, found.pullbacks.primal_of(), found.extents)
    return replace(derivation, functions=functions)


distinct_names = function_pass("distinct-names", with_one_meaning)


def _differs(kernel: ir.Function, written: ir.Function | None) -> bool:
    return written is None or [p.type for p in kernel.params] != [p.type for p in written.params]
