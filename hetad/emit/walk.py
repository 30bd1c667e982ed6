"""What a body mentions and what it changes, as emission needs to know it."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.visit import variables, walk_exprs, walk_stmts


def mentioned(statement: ir.Stmt) -> set[ir.Symbol]:
    """The symbols that occur in a statement, declared or used, however deep."""
    found = set(variables((statement,)))
    found.update(s.symbol for s in walk_stmts((statement,)) if isinstance(s, ir.Declare))
    return found


def called(body: ir.Body) -> dict[str, None]:
    """The names that a body calls, launches or uses as intrinsics, in order."""
    names: dict[str, None] = {}
    for statement in walk_stmts(body):
        if isinstance(statement, ir.Call):
            names[statement.function] = None
        elif isinstance(statement, ir.Launch):
            names[statement.kernel] = None
    for expr in walk_exprs(body):
        if isinstance(expr, ir.Intrinsic):
            names[expr.name] = None
        elif isinstance(expr, ir.CallExpr):
            names[expr.function] = None
    return names
