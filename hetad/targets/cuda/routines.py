"""Programs whose launches of kernels that stand for routines of cuBLAS and cuFFT become calls of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.names import reached
from hetad.ir.visit import map_body, own_nodes, walk_expr, walk_stmts
from hetad.rules import operations
from hetad.rules.routines import routine_of

_OF_MEMORY = frozenset({operations.device_malloc.name, "cudaMalloc", operations.release.name, "cudaFree"})


def libraries(functions: Iterable[ir.Function]) -> list[str]:
    """The libraries that functions need, `cublas` before `cufft`."""
    launches = [s for f in functions for s in walk_stmts(f.body) if isinstance(s, ir.Launch)]
    routines = [routine_of(s.kernel, s.span) for s in launches]
    return sorted({r.library for r in routines if r is not None})


def support_names(functions: Iterable[ir.Function]) -> list[str]:
    """The support functions that the calls of routines need."""
    used = libraries(functions)
    return ["hetad_routine"] * bool(used) + ["hetad_fft_plan", "hetad_check"] * ("cufft" in used)


def with_calls(program: ir.Program) -> ir.Program:
    """The program without the kernels that stand for routines, and without what only they need."""
    own = {n: f for n, f in program.functions.items() if routine_of(n, f.span) is None}
    if len(own) == len(program.functions):
        return program
    functions = {n: _without_work(f) if f.kind == "host" else f for n, f in own.items()}
    used = reached(functions, [n for n, f in functions.items() if f.kind in ("host", "kernel")])
    return replace(program, functions={n: f for n, f in functions.items() if n in used})


def _without_work(function: ir.Function) -> ir.Function:
    """Transforms need no memory of the program to work in, except those that may destroy what they are given."""

    def spared(s: ir.Stmt) -> ir.Stmt:
        routine = routine_of(s.kernel, s.span) if isinstance(s, ir.Launch) else None
        if routine is not None and routine.form in ("c2c", "r2c"):
            assert isinstance(s, ir.Launch)
            return replace(s, args=s.args[:-1])
        return s

    body = map_body(spared, function.body)
    if body is function.body:
        return function
    used = {x for s in walk_stmts(body) if _memory(s) is None for x in _mentioned(s)} | set(function.params)

    def needed(s: ir.Stmt) -> ir.Stmt | None:
        symbol = _memory(s)
        idle = s.symbol if isinstance(s, ir.Declare) and s.init is None else symbol
        allocated = symbol is not None or any(_memory(other) is idle for other in walk_stmts(body))
        return None if idle is not None and idle not in used and allocated else s

    return replace(function, body=map_body(needed, body))


def _memory(s: ir.Stmt) -> ir.Symbol | None:
    """The variable whose memory a statement allocates or releases, and does nothing else."""
    if not isinstance(s, ir.Call) or s.function not in _OF_MEMORY or s.result is not None:
        return None
    found = [e.symbol for e in walk_expr(s.args[0]) if isinstance(e, ir.Var)]
    return found[0] if len(found) == 1 else None


def _mentioned(s: ir.Stmt) -> list[ir.Symbol]:
    return [e.symbol for e in own_nodes(s) if isinstance(e, ir.Var)]
