"""What functions are like: what they call, and how deeply they nest."""

from __future__ import annotations

from hetad.diagnostics import Span
from hetad.ir.nodes import Body, Call, CallExpr, Function, Launch
from hetad.ir.visit import bodies, own_nodes, walk_stmts


def nesting(body: Body) -> int:
    """How deep statements lie in others."""
    depth, inside = 0, body
    while inside:
        depth += 1
        inside = tuple(s for stmt in inside for nested in bodies(stmt) for s in nested)
    return depth


def callees(function: Function) -> tuple[str, ...]:
    """The names that a function calls or launches, tables of hetad included, without repetitions, in order."""
    return tuple(calls(function))


def calls(function: Function) -> dict[str, Span]:
    """The same with the places of the first calls."""
    found: dict[str, Span] = {}
    for stmt in walk_stmts(function.body):
        for e in own_nodes(stmt):
            if isinstance(e, CallExpr):
                found.setdefault(e.function, e.span)
        if isinstance(stmt, Call):
            found.setdefault(stmt.function, stmt.span)
        elif isinstance(stmt, Launch):
            found.setdefault(stmt.kernel, stmt.span)
    return found
