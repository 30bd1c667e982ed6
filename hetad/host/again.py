"""Programs that are derivatives themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TypeVar

from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.visit import declared, map_body, own_nodes, substitute
from hetad.passes.manager import program_pass
from hetad.rules import callees, operations
from hetad.rules.callee import Refused

P = TypeVar("P", bound=ir.Program)


@program_pass("own-operations")
def own_operations(program: P) -> P:
    """Operations of hetad's own are said plainly, and those without a derivative are refused.  Adjoints are variables
    like others.

    hetad_block_add_double(adj_a, seed * x[i]);   ->   atomicAdd(adj_a, seed * x[i]);
    """
    made = {n: _without_adjoints(program, f) for n, f in program.functions.items()}
    same = all(made[n] is f for n, f in program.functions.items())
    return program if same else replace(program, functions=made)


def _without_adjoints(program: ir.Program, f: ir.Function) -> ir.Function:
    body, sweep = map_body(partial(_plain, program), f.body), f.sweep
    texts = [body, *((sweep.body, sweep.alone or ()) if sweep is not None else ())]
    plain = {x: replace(x, adjoint=False) for x in (*f.params, *chain.from_iterable(map(declared, texts))) if x.adjoint}
    if not plain:
        return f if body is f.body else replace(f, body=body)
    if sweep is not None:
        alone = substitute(plain, sweep.alone) if sweep.alone is not None else None
        sweep = replace(sweep, body=substitute(plain, sweep.body), alone=alone)
    params = tuple(plain.get(p, p) for p in f.params)
    return replace(f, params=params, body=substitute(plain, body), sweep=sweep)


def _plain(program: ir.Program, s: ir.Stmt) -> ir.Stmt | ir.Body | None:
    called = [e.name for e in own_nodes(s) if isinstance(e, ir.Intrinsic)]
    if isinstance(s, ir.Call):
        if s.function in program.functions:  # a function of the user's may be called as an operation is
            return s
        called.append(s.function)
    for row in map(callees.find, called):
        if row.kind in ("support", "shuffle adjoint") and isinstance(row.pullback, Refused):
            raise UnsupportedError(
                f"a derivative is differentiated once more, and '{row.name}' in it has no derivative",
                s.span,
                "take hetad.hvp of the program itself, or differentiate its tangent (hetad.jvp) instead",
            )
    return operations.plain(s)
