"""What a body mentions and what it changes, as emission needs to know it."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.visit import variables, walk_stmts


def mentioned(statement: ir.Stmt) -> set[ir.Symbol]:
    """The symbols that occur in a statement, declared or used, however deep."""
    found = set(variables((statement,)))
    found.update(s.symbol for s in walk_stmts((statement,)) if isinstance(s, ir.Declare))
    return found
