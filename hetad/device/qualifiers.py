"""`const` and `__restrict__` on the parameters of generated kernels, where that is certain."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.places import base
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import children, own_exprs, substitute, variables, walk_exprs, walk_stmts


def qualified(function: ir.Function, alone: Collection[ir.Symbol], adjoints: Collection[ir.Symbol]) -> ir.Function:
    """`alone`: those of the `adjoints` behind which lies memory that the kernel reaches through no other one.

    A parameter that is only read is `const`; one that another adjoint may overlap is not `__restrict__`.
    """
    escaping, stored = set(_escaping(function.body)), _stored(function.body)
    replacements: dict[ir.Symbol, ir.Symbol] = {}
    for p in function.params:
        if not isinstance(p.type, Pointer) or p in escaping or isinstance(p.type.to, Pointer):
            continue
        written = p in stored
        overlapped = p in adjoints and p not in alone
        if written and p not in alone:
            continue
        type_ = replace(p.type, const=p.type.const or not written, restrict=not overlapped)
        replacements[p] = replace(p, type=type_)
    params = tuple(replacements.get(p, p) for p in function.params)
    sweep = function.sweep
    if sweep is not None:
        serial = substitute(replacements, sweep.alone) if sweep.alone is not None else None
        sweep = replace(sweep, body=substitute(replacements, sweep.body), alone=serial)
    return replace(function, params=params, body=substitute(replacements, function.body), sweep=sweep)


def _stored(body: ir.Body) -> set[ir.Symbol]:
    """The pointers behind which something is stored, by assignments or by calls that are given the address."""
    targets: list[ir.Expr] = [s.target for s in walk_stmts(body) if isinstance(s, ir.Assign | ir.Update)]
    targets += [e.place for e in walk_exprs(body) if isinstance(e, ir.AddressOf)]
    return {x for t in targets if (x := base(t)) is not None}


def _escaping(body: ir.Body) -> list[ir.Symbol]:
    """Pointers that are used otherwise than to reach a cell at once: copied, moved, or passed on, themselves or as the
    array to which they lead."""
    found: list[ir.Symbol] = []

    def visit(expr: ir.Expr, reached: bool) -> None:
        if isinstance(expr.type, Array) and not reached and (x := base(expr)) is not None:
            found.append(x)
        if isinstance(expr, ir.Var):
            if isinstance(expr.type, Pointer) and not reached:
                found.append(expr.symbol)
            return
        for child in children(expr):
            visit(child, isinstance(expr, ir.Index | ir.Member) and child is expr.base)

    for s in walk_stmts(body):
        for own in own_exprs(s):
            kept = isinstance(s, ir.Declare | ir.Assign | ir.Update) and isinstance(own.type, Pointer)
            found += [x for x in variables(own) if isinstance(x.type, Pointer)] if kept else []
            visit(own, False)
    return found
