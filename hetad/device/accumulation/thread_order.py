"""Whether it matters in which order the threads of a pullback run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Accesses
from hetad.analysis.conflicts import Conflicts
from hetad.analysis.pointer_expressions import cell_at
from hetad.device.accumulation.increments import increment
from hetad.device.accumulation.privatised_reductions import adds_up
from hetad.ir import nodes as ir
from hetad.ir.places import base, root_symbol, subscripts, through_pointer
from hetad.ir.types import Array
from hetad.ir.visit import own_exprs, own_nodes, variables, walk_expr, walk_stmts
from hetad.rules import operations

if TYPE_CHECKING:
    from hetad.device.accumulation.accumulate import LaunchAssumptions


def only_adds(body: ir.Body, alone: Collection[ir.Symbol], own: Collection[ir.Symbol] = ()) -> bool:
    """Whether all that a kernel does to memory is to add to arrays that it does not read: in any order, then.

    `alone`: the arrays that no other one overlaps; `own`: those of them of which each thread has cells for itself.
    """
    added: set[ir.Symbol | None] = set()
    seen: list[ir.Expr] = []
    for s in walk_stmts(body):
        found = increment(s)
        if found is not None:
            added.add(_base(found.place))
            seen += [*subscripts(found.place), found.value]
        elif isinstance(s, ir.Update) and root_symbol(s.target) is None:
            added.add(_base(s.target))
            seen += [*subscripts(s.target), s.value]
        elif isinstance(s, ir.Call) and (adds_up(s) or operations.does(s, operations.warp_add)):
            place = cell_at(s.args[0])
            added.add(_base(place))
            seen += [*subscripts(place), *s.args[1:]]
        elif isinstance(s, ir.Assign) and through_pointer(s.target) and base(s.target) in own:
            seen += [s.target, s.value]
        elif _other_effect(s):
            return False
        else:
            seen += own_exprs(s)
    parts = [e for each in seen for e in walk_expr(each)]
    if any(isinstance(e, ir.CallExpr | ir.AddressOf) or _takes(e) for e in parts):
        return False
    read = {_base(e) for e in parts if isinstance(e, ir.Index | ir.Member)}
    return None not in read and added <= set(alone) and (added - set(own)).isdisjoint(read)


def in_any_order(body: ir.Body, ground: LaunchAssumptions) -> bool:
    """Whether that is so but for what each thread stores to cells of its own."""
    stored = {base(s.target) for s in walk_stmts(body) if isinstance(s, ir.Assign) and through_pointer(s.target)}
    own = [x for x in stored if x is not None and x in ground.adjoints]
    return only_adds(body, ground.adjoints, own) and (not own or _are_own(own, body, ground))


def _are_own(arrays: Collection[ir.Symbol], body: ir.Body, ground: LaunchAssumptions) -> bool:
    """Whether each thread has cells of these arrays for itself."""

    def touched(s: ir.Stmt) -> list[ir.Place]:
        nodes = (e for e in own_nodes(s) if isinstance(e, ir.Index | ir.Member))
        return [e for e in nodes if through_pointer(e) and base(e) in arrays]

    accesses = Accesses(body, ground.span, touched, ground.axes.of_one_block, ground.sizes)
    conflicts = Conflicts(AccessMaps(accesses.coordinates, ground.axes.all, ground.known))
    mentions = Counter(variables(body))
    for array in arrays:
        members = [a for a in accesses.all if base(a.place) is array]
        elements = sum(1 for a in members if isinstance(a.place, ir.Index) and isinstance(a.place.base, ir.Var))
        if elements < mentions[array]:
            return False  # another pointer may have been made of it
        if not conflicts.exclusive(members):
            return False
    return True


def _other_effect(s: ir.Stmt) -> bool:
    """Whether a statement changes memory that threads may share, or that outlives the thread."""
    if isinstance(s, ir.Assign | ir.Update):
        root = root_symbol(s.target)
        return root is None or root.storage != "local"
    shared = isinstance(s, ir.Declare) and s.symbol.storage != "local"
    return shared or isinstance(s, ir.Call | ir.Push | ir.Pop | ir.Return | ir.Opaque)


def _takes(e: ir.Expr) -> bool:
    return operations.gives(e, operations.take)


def _base(e: ir.Expr) -> ir.Symbol | None:
    """The variable by which a cell is reached; None where another cell holds the pointer."""
    while isinstance(e, ir.Index | ir.Member):
        inner = e.base
        held = isinstance(inner, ir.Index | ir.Member) and not isinstance(inner.type, Array)
        if held and isinstance(e, ir.Index):
            return None
        e = inner
    return e.symbol if isinstance(e, ir.Var) else None
