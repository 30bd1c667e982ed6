"""Conditions of loops that read memory, as tests inside the loop.

`for (…; a && b; …) body` becomes `for (…; !stop && a; …) { if (b) body else stop = true; }`, so that what `b` reads can
be recorded turn by turn, as what a body reads is; `a`, which reads no memory, still bounds the number of turns.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.identity import IdentitySet
from hetad.ir.places import changes_only
from hetad.ir.simplify import conjunction, conjuncts
from hetad.ir.types import BOOL
from hetad.ir.visit import map_bodies, walk_expr


def with_tests_inside(body: ir.Body, loops: IdentitySet[ir.Stmt], names: Names) -> ir.Body:
    """`loops`: those whose conditions are to be tested inside."""
    out: list[ir.Stmt] = []
    for s in body:
        inner = map_bodies(lambda nested: with_tests_inside(nested, loops, names), s)
        out += _tested_inside(inner, names) if s in loops else [inner]
    return tuple(out)


def _tested_inside(loop: ir.Stmt, names: Names) -> list[ir.Stmt]:
    assert isinstance(loop, ir.For | ir.While)
    assert loop.cond is not None
    span = loop.cond.span
    parts = conjuncts(loop.cond)
    bounds = [c for c in parts if _is_plain(c)]
    tests = [c for c in parts if not _is_plain(c)]
    stop = names.symbol("stop", BOOL, span)
    lead = ir.Declare(stop, ir.Const(False, BOOL, "false", span=span), span=span)
    leave = ir.Assign(ir.Var(stop, span=span), ir.Const(True, BOOL, "true", span=span), span=span)
    goes_on = ir.Unary("!", ir.Var(stop, span=span), BOOL, span=span)
    cond = conjunction([goes_on, *bounds])
    init, step = (loop.init, loop.step) if isinstance(loop, ir.For) else ((), ())
    own = {s.symbol for s in init if isinstance(s, ir.Declare)}
    if isinstance(loop, ir.For) and own and all(changes_only(s, own) for s in step):
        return [lead, replace(loop, cond=cond, body=(ir.If(conjunction(tests), loop.body, (leave,), span=span),))]
    inner = ir.If(conjunction(tests), (*loop.body, *step), (leave,), span=span)
    return [lead, *init, ir.While(cond, (inner,), span=loop.span)]


def _is_plain(cond: ir.Expr) -> bool:
    """Whether it can be evaluated wherever it stands, and reads no memory."""
    return all(
        isinstance(e, ir.Var | ir.Const | ir.Cast | ir.Unary | ir.ThreadIndex)
        or (isinstance(e, ir.Binary) and e.op not in ("/", "%"))
        for e in walk_expr(cond)
    )
