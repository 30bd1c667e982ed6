"""A thread that takes the seed of a cell of its own, and adds to the cell later, leaves there what it adds:

    seed = adj_x[i];                             seed = adj_x[i];
    adj_x[i] = 0;                 becomes
    adj_x[i] += seed * w[i];                     adj_x[i] = seed * w[i];

That is what kernels make of which the outputs are their inputs.  If it adds the seed itself, the cell stays as it is.
On an H100 clearing cells that are added to soon after took three quarters of a pullback's time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from hetad.analysis.accesses import Access, Accesses
from hetad.analysis.affine import address, distinct
from hetad.analysis.conflicts import Conflicts
from hetad.device.accumulation.increments import increment, takes
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentityMap
from hetad.ir.places import base, changed_in, exposed
from hetad.ir.visit import bodies, map_body, variables, walk_stmts
from hetad.rules import operations


def replaced(body: ir.Body, accesses: Accesses, conflicts: Conflicts, adjoints: Collection[ir.Symbol]) -> ir.Body:
    """`accesses`: where a body increments and takes adjoints; `adjoints`: those that no other parameter can overlap."""
    own = _own(body, accesses, conflicts, adjoints)
    moving = frozenset(exposed(body))
    chosen = IdentityMap[ir.Stmt, ir.Stmt | None]()
    for block in (body, *(inner for s in walk_stmts(body) for inner in bodies(s))):
        for i, s in enumerate(block):
            root = (
                base(takes(s)[0]) if isinstance(s, ir.Declare) and operations.gives(s.init, operations.take) else None
            )
            j = _addition(block, i, moving) if root in own else None
            if j is not None:
                chosen[s], chosen[block[j]] = _read(s), _stored(block[j], s)
    return map_body(lambda s: chosen.get(s, s), body) if chosen else body


def _own(body: ir.Body, accesses: Accesses, conflicts: Conflicts, adjoints: Collection[ir.Symbol]) -> set[ir.Symbol]:
    """The arrays of which each thread touches cells of its own, and only in ways that are known here."""
    groups: dict[ir.Symbol, list[Access]] = {}
    for access in accesses.all:
        if access.cell is None:
            return set()  # it may be any cell of any adjoint
        groups.setdefault(access.cell.root, []).append(access)
    mentions = Counter(variables(body))
    kinds = {x: {increment(a.statement) is not None for a in members} for x, members in groups.items()}
    return {
        root
        for root, members in groups.items()
        if root in adjoints and len(kinds[root]) == 2 and mentions[root] == len(members)
        and all(base(a.place) is root for a in members) and conflicts.exclusive(members)
    }  # fmt: skip


def _addition(block: ir.Body, i: int, moving: Collection[ir.Symbol]) -> int | None:
    """Where the block next adds to the cell that its statement i takes, if nothing between may touch the cell."""
    (place,) = takes(block[i])
    root, deciding = base(place), set(variables(place))
    if root is None or not deciding.isdisjoint(moving):
        return None
    for j in range(i + 1, len(block)):
        s = block[j]
        found = increment(s)
        if found is not None and found.place == place:
            return j if root not in variables(found.value) else None
        leaves = any(isinstance(inner, ir.Break | ir.Continue | ir.Return) for inner in walk_stmts((s,)))
        if leaves or not deciding.isdisjoint(changed_in((s,))):
            return None
        if root in set(variables((s,))) and not _elsewhere(s, place):
            return None
    return None


def _elsewhere(s: ir.Stmt, place: ir.Place) -> bool:
    """Whether a statement, which touches the array too, certainly touches another cell of it."""
    found = increment(s)
    touched = takes(s) if found is None else (found.place,)
    return not any(bodies(s)) and len(touched) == 1 and distinct(address(place), address(touched[0]))


def _read(s: ir.Stmt) -> ir.Stmt:
    assert isinstance(s, ir.Declare)
    return ir.Declare(s.symbol, takes(s)[0], span=s.span)


def _stored(s: ir.Stmt, taken: ir.Stmt) -> ir.Stmt | None:
    """The addition as a store; none where it puts back the seed that was taken."""
    found = increment(s)
    assert found is not None
    assert isinstance(taken, ir.Declare)
    if taken.symbol.const and isinstance(found.value, ir.Var) and found.value.symbol is taken.symbol:
        return None
    return ir.Assign(found.place, found.value, span=s.span)
