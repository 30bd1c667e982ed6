"""What a body mentions and what it changes, as emission needs to know it."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.types import Array
from hetad.ir.visit import variables, walk_exprs, walk_stmts


def mentioned(statement: ir.Stmt) -> set[ir.Symbol]:
    """The symbols that occur in a statement, declared or used, however deep."""
    found = set(variables((statement,)))
    found.update(s.symbol for s in walk_stmts((statement,)) if isinstance(s, ir.Declare))
    return found


def root_symbol(place: ir.Expr) -> ir.Symbol | None:
    """The variable whose own storage `place` is part of; None when it is reached through a pointer."""
    match place:
        case ir.Var(symbol=symbol):
            return symbol
        case ir.Member(base=base):
            return root_symbol(base)
        case ir.Index(base=base) if isinstance(base.type, Array):
            return root_symbol(base)
    return None


def written(body: ir.Body) -> set[ir.Symbol]:
    """The variables that statements of a body assign to, wholly or in part."""
    places: list[ir.Expr | None] = []
    for statement in walk_stmts(body):
        match statement:
            case ir.Assign(target=target) | ir.Update(target=target):
                places.append(target)
            case ir.Call(result=result):
                places.append(result)
    roots = [root_symbol(place) for place in places if place is not None]
    return {symbol for symbol in roots if symbol is not None}


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
