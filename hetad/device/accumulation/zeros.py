"""What is added to an adjoint that is zero in every cell is stored: that saves reading it.

The host knows, when it launches a pullback, whether all of an adjoint is zero (`host/zeros.py`).  A pullback can make
use of that where it comes to each cell at most once, in whatever thread and iteration, and does nothing else with it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from hetad.analysis.access_maps import AccessMaps
from hetad.analysis.accesses import Accesses
from hetad.analysis.conflicts import Conflicts
from hetad.analysis.pointer_expressions import cell_at
from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.increments import atomic, increment
from hetad.device.draft import Draft, with_body
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.places import base
from hetad.ir.types import BOOL
from hetad.ir.visit import map_body, own_variables, variables, walk_exprs, walk_stmts
from hetad.passes.manager import program_pass


@program_pass("store-where-zero")
def store_where_zero(draft: Draft) -> Draft:
    """What is added to an adjoint that is still zero in every cell is stored; a parameter tells so."""
    asked = draft.asked.zeros if draft.options.zeros and draft.recording is None else frozenset()
    flags = {
        i: draft.names.symbol(f"{draft.parameters[i].name}_zero", BOOL, draft.span, "param")
        for i in sorted(asked)
        if not any(draft.parameters[i] in set(variables(k.body)) for k in draft.gathers)
    }
    told = {draft.parameters[i]: x for i, x in flags.items()}
    body = stored_where_zero(draft.body, draft.ground, draft.names, told)
    used = set(variables(body))
    return with_body(replace(draft, zeros={i: x for i, x in flags.items() if x in used}), body)


def stored_where_zero(
    body: ir.Body, ground: LaunchAssumptions, names: Names, flags: Mapping[ir.Symbol, ir.Symbol]
) -> ir.Body:
    """`flags`: by adjoint, a parameter that tells whether it is zero in every cell."""
    stores = IdentityMap[ir.Stmt, tuple[ir.Symbol, ir.Assign]]()
    for adjoint, flag in flags.items():
        users = [s for s in walk_stmts(body) if adjoint in own_variables(s)]
        if adjoint not in ground.adjoints or len(users) != 1:
            continue
        store = _as_store(users[0], adjoint)
        if store is not None:
            stores[users[0]] = flag, store
    once = _once(body, IdentityMap((s, store.target) for s, (_, store) in stores.items()), ground)
    chosen = IdentityMap((s, _either(flag, store, names)) for s, (flag, store) in stores.items() if s in once)
    return map_body(lambda s: chosen.get(s, s), body) if chosen else body


def adding(body: ir.Body, flags: Collection[ir.Symbol]) -> ir.Body:
    """The body where no adjoint is known to be zero."""

    def add(s: ir.Stmt) -> ir.Stmt | ir.Body:
        flagged = isinstance(s, ir.If) and isinstance(s.cond, ir.Var) and s.cond.symbol in flags
        return s.orelse if flagged and isinstance(s, ir.If) else s

    return map_body(add, body)


def _either(flag: ir.Symbol, store: ir.Assign, names: Names) -> ir.Body:
    span, value = store.span, store.value
    before: ir.Body = ()
    if not isinstance(value, ir.Var | ir.Const):
        added = names.symbol("added", store.target.type, span, const=True)
        before, value = (ir.Declare(added, value, span=span),), ir.Var(added, span=span)
    add = atomic(store.target, value)
    return (*before, ir.If(ir.Var(flag, span=span), (replace(store, value=value),), (add,), span=span))


def _as_store(s: ir.Stmt, adjoint: ir.Symbol) -> ir.Assign | None:
    """The increment `s` of a cell that is zero, if the adjoint is mentioned nowhere else in it."""
    found = increment(s)
    match s:
        case ir.Call() if found is not None:
            store = ir.Assign(cell_at(s.args[0]), found.value, span=s.span)
        case ir.Update(op="+", target=target, value=value):
            store = ir.Assign(target, value, span=s.span)
        case ir.Update(op="-", target=target, value=value):
            store = ir.Assign(target, ir.Unary("-", value, value.type, span=s.span), span=s.span)
        case _:
            return None
    mentioned = sum(1 for e in walk_exprs(store) if isinstance(e, ir.Var) and e.symbol is adjoint)
    return store if mentioned == 1 and base(store.target) is adjoint else None


def _once(body: ir.Body, places: IdentityMap[ir.Stmt, ir.Place], ground: LaunchAssumptions) -> IdentitySet[ir.Stmt]:
    """The statements that meet no cell of their place twice."""
    if not places:
        return IdentitySet()
    axes = ground.axes
    accesses = Accesses(
        body, ground.span, lambda s: [places[s]] if s in places else [], axes.of_one_block, ground.sizes
    )
    conflicts = Conflicts(AccessMaps(accesses.coordinates, axes.all, ground.known))
    found = ((a.statement, conflicts.maps.map(a)) for a in accesses.all)
    return IdentitySet(s for s, m in found if m is not None and conflicts.injective(m))
