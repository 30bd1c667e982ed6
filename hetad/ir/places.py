"""Which variables a body writes, wholly or in part, and of which it makes pointers."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.types import Array
from hetad.ir.visit import children, own_exprs, walk_stmts


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


def exposed(body: ir.Body) -> set[ir.Symbol]:
    """The variables to which, or to a part of which, a body makes a pointer: by `&`, or as arrays decay."""
    found: set[ir.Symbol | None] = set()

    def visit(e: ir.Expr) -> None:
        match e:
            case ir.AddressOf(place=place):
                found.add(root_symbol(place))
            case ir.Index(base=base, index=index) if isinstance(base.type, Array):
                visit(index)
                for child in children(base):  # the array is indexed, and does not decay
                    visit(child)
                return
            case ir.Var() | ir.Member() | ir.Index() if isinstance(e.type, Array):
                found.add(root_symbol(e))
        for child in children(e):
            visit(child)

    for s in walk_stmts(body):
        for own in own_exprs(s):
            visit(own)
    return {symbol for symbol in found if symbol is not None}
