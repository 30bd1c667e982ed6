"""What hetad's own operations do, said in CUDA: the first pass over a program that is a derivative itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hetad.host.again.guards import without_guards
from hetad.host.again.meanings import Meanings
from hetad.host.again.schedules import without_schedules
from hetad.ir import nodes as ir
from hetad.ir.visit import declared, map_body, map_spans, substitute, walk_stmts
from hetad.passes.manager import program_pass

P = TypeVar("P", bound=ir.Program)


@program_pass("own-operations")
def own_operations(program: P) -> P:
    """Operations of hetad's own are said plainly, and those without a derivative are refused.  Adjoints are variables
    like others, and what is left out where one is zero has a derivative there.

    hetad_block_add_double(adj_a, seed * x[i]);   ->   atomicAdd(adj_a, seed * x[i]);
    """
    return plainly_said(program, differentiated=True)


def plainly_said(program: P, *, differentiated: bool = False) -> P:
    """The program without operations of hetad's own; those without a derivative stay, where none is asked for."""
    kernels: dict[str, ir.Function] = {}
    made = {n: _plain(program, f, differentiated, kernels) for n, f in program.functions.items()}
    if all(made[n] is f for n, f in program.functions.items()):
        return program
    return replace(program, functions={**kernels, **made})


def _plain(program: ir.Program, f: ir.Function, differentiated: bool, kernels: dict[str, ir.Function]) -> ir.Function:
    """`kernels`: to which those that it launches beside the program's own are added."""
    f = without_guards(program, _as_read(f))
    if differentiated and (body := without_schedules(f.body)) is not f.body:
        f = replace(f, body=body)
    meanings = Meanings(program, f, differentiated)
    kernels |= meanings.kernels
    return f if meanings.body is f.body else replace(f, body=meanings.body)


def _as_read(f: ir.Function) -> ir.Function:
    """The function as its text would be read: adjoints are variables like others, nobody has looked at loops, and
    nothing is inlined."""
    plain = {x: replace(x, adjoint=False) for x in (*f.params, *declared(f.body)) if x.adjoint}
    body = map_body(_plain_loop, f.body)
    if any(s.span.inlined is not None for s in walk_stmts(body)):
        body = map_spans(lambda span: replace(span, inlined=None), body)
    if not plain and body is f.body and f.sweep is None:
        return f
    params = tuple(plain.get(p, p) for p in f.params)
    return replace(f, params=params, body=substitute(plain, body), sweep=None)


def _plain_loop(s: ir.Stmt) -> ir.Stmt:
    if not isinstance(s, ir.For) or not (s.primal is not None or s.lanes or s.sums):
        return s
    return replace(s, primal=None, lanes=False, sums=())
