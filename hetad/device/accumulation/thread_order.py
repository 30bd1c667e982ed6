"""Whether it matters in which order the threads of a pullback run."""

from __future__ import annotations

from collections.abc import Collection

from hetad.analysis.pointer_expressions import cell_at
from hetad.device.accumulation.increments import increment
from hetad.device.accumulation.privatised_reductions import adds_up
from hetad.ir import nodes as ir
from hetad.ir.places import root_symbol
from hetad.ir.types import Array
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.rules import operations


def only_adds(body: ir.Body, alone: Collection[ir.Symbol]) -> bool:
    """Whether all that a kernel does to memory is to add to arrays that it does not read: in any order, then.

    `alone`: the arrays that no other one overlaps.
    """
    added: set[ir.Symbol | None] = set()
    seen: list[ir.Expr] = []
    for s in walk_stmts(body):
        found = increment(s)
        if found is not None:
            added.add(_base(found.place))
            seen += [*_indices(found.place), found.value]
        elif isinstance(s, ir.Update) and root_symbol(s.target) is None:
            added.add(_base(s.target))
            seen += [*_indices(s.target), s.value]
        elif isinstance(s, ir.Call) and (adds_up(s) or operations.does(s, operations.warp_add)):
            place = cell_at(s.args[0])
            added.add(_base(place))
            seen += [*_indices(place), *s.args[1:]]
        elif _other_effect(s):
            return False
        else:
            seen += own_exprs(s)
    parts = [e for each in seen for e in walk_expr(each)]
    if any(isinstance(e, ir.CallExpr | ir.AddressOf) or _takes(e) for e in parts):
        return False
    read = {_base(e) for e in parts if isinstance(e, ir.Index | ir.Member)}
    return None not in read and added <= set(alone) and added.isdisjoint(read)


def _other_effect(s: ir.Stmt) -> bool:
    """Whether a statement changes memory that threads may share, or that outlives the thread."""
    if isinstance(s, ir.Assign | ir.Update):
        root = root_symbol(s.target)
        return root is None or root.storage != "local"
    shared = isinstance(s, ir.Declare) and s.symbol.storage != "local"
    return shared or isinstance(s, ir.Call | ir.Push | ir.Pop | ir.Return | ir.Opaque)


def _takes(e: ir.Expr) -> bool:
    return operations.gives(e, operations.take)


def _indices(place: ir.Expr) -> list[ir.Expr]:
    match place:
        case ir.Index(base=base, index=index):
            return [index, *_indices(base)]
        case ir.Member(base=base):
            return _indices(base)
    return []


def _base(e: ir.Expr) -> ir.Symbol | None:
    """The variable by which a cell is reached; None where another cell holds the pointer."""
    while isinstance(e, ir.Index | ir.Member):
        inner = e.base
        held = isinstance(inner, ir.Index | ir.Member) and not isinstance(inner.type, Array)
        if held and isinstance(e, ir.Index):
            return None
        e = inner
    return e.symbol if isinstance(e, ir.Var) else None
