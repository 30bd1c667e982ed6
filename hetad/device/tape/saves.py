"""Shared cells that are saved before they are overwritten, where several threads may store one value to one cell.

A thread that saves what another one has just stored would put that back in the reverse sweep.

| what is known                                     | emitted                                                       |
|---------------------------------------------------|---------------------------------------------------------------|
| between two barriers, no two threads save a cell  | nothing more                                                  |
| the whole block comes to the statement            | a barrier: no thread stores before all have saved             |
| nothing                                           | a flag: a thread puts back only what its store has changed    |
"""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from dataclasses import replace
from functools import reduce

from hetad.adjoint.canonicalise.uses import inside
from hetad.adjoint.origin import Origin
from hetad.device.accumulation.accumulate import LaunchAssumptions
from hetad.device.accumulation.barrier_intervals import Phases
from hetad.device.accumulation.differences import Differences
from hetad.device.draft import Draft, on_body
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names, integer
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.places import root_symbol
from hetad.ir.types import BOOL, FLOAT, Array, Float, Int, Pointer, Struct, is_half, is_volatile, of_value
from hetad.ir.visit import map_body, walk_stmts
from hetad.rules import operations


@on_body("order-shared-saves")
def ordered_saves(draft: Draft) -> ir.Body:
    """Threads save and restore cells of shared memory in an order in which no other changes them meanwhile."""
    engine = draft.reversed.engine
    return with_ordered_saves(draft.body, engine.shared_saves, draft.ground, draft.names, engine.slot_origins)


def with_ordered_saves(
    body: ir.Body,
    saved: Collection[ir.Symbol],
    ground: LaunchAssumptions,
    names: Names,
    origins: MutableMapping[ir.Symbol, Origin],
) -> ir.Body:
    """`saved`: the slots and variables that hold what shared cells had; `origins`: of all slots, new ones are added."""
    saves = IdentitySet(s for s in walk_stmts(body) if _saved_in(s, saved) is not None)
    meeting = saves - _apart(body, saved, ground) if saves else saves
    if not meeting:
        return body
    return _Ordered(body, saved, meeting, names, origins).whole


def _saved_in(s: ir.Stmt, saved: Collection[ir.Symbol]) -> tuple[ir.Symbol, ir.Expr] | None:
    """Where the statement saves a shared cell, and the cell."""
    match s:
        case ir.Push(slot=symbol, place=place) | ir.Assign(target=ir.Var(symbol=symbol), value=place):
            return (symbol, place) if symbol in saved else None
        case ir.Declare(symbol=symbol, init=place) if place is not None:
            return (symbol, place) if symbol in saved else None
    return None


def _apart(body: ir.Body, saved: Collection[ir.Symbol], ground: LaunchAssumptions) -> IdentitySet[ir.Stmt]:
    """The saves of cells that no two threads save between two barriers."""
    found = [at for s in walk_stmts(body) if (at := _saved_in(s, saved)) is not None]
    roots = {symbol: root_symbol(place) for symbol, place in found}
    if any(root is None or root.storage != "shared" for root in roots.values()):
        roots = dict.fromkeys(roots)  # through pointers: together
    arrays: dict[ir.Symbol, ir.Symbol] = {}
    phases = Phases(body, ground.span)
    proven = IdentitySet[ir.Stmt]()
    for one in set(roots.values()):

        def touched(s: ir.Stmt) -> list[ir.Place]:
            at = _saved_in(s, saved)
            return [_element(at[1], arrays)] if at is not None and roots[at[0]] is one else []  # noqa: B023

        proven.update(phases.apart(ground, touched))
    return proven


def _element(place: ir.Expr, arrays: dict[ir.Symbol, ir.Symbol]) -> ir.Place:
    """The place as an element: a variable is that of an array of one."""
    match place:
        case ir.Member(base=base):
            return replace(place, base=_element(base, arrays))
        case ir.Var(symbol=symbol) if not isinstance(symbol.type, Array | Pointer):
            array = arrays.setdefault(symbol, replace(symbol, type=Array(symbol.type, 1)))
            return ir.Index(ir.Var(array, span=place.span), integer(0, place.span), symbol.type, span=place.span)
    assert isinstance(place, ir.Place)
    return place


class _Ordered:
    """The body, with barriers behind the saves to which all threads come, and flags for the others."""

    def __init__(
        self,
        body: ir.Body,
        saved: Collection[ir.Symbol],
        meeting: IdentitySet[ir.Stmt],
        names: Names,
        origins: MutableMapping[ir.Symbol, Origin],
    ) -> None:
        self._saved, self._meeting, self._names, self._origins = saved, meeting, names, origins
        self._differences = Differences(body)
        self._flags: dict[ir.Symbol, ir.Symbol] = {}
        self._values: dict[ir.Symbol, ir.Symbol] = {}  # of slots
        self._slots: dict[ir.Symbol, ir.Symbol] = {}  # and those of their flags
        self._opening: list[ir.Stmt] = []
        ordered = self._block(body, True)
        self.whole = (*self._opening, *map_body(self._restore, ordered))

    def _block(self, body: ir.Body, all_come: bool) -> ir.Body:
        out: list[ir.Stmt] = []
        waiting: list[ir.Stmt] = []  # a barrier, in front of the next store
        flags: list[tuple[ir.Expr, list[ir.Stmt]]] = []
        swaps = IdentityMap[ir.Stmt, list[ir.Stmt]]()  # in place of stores
        for i, s in enumerate(body):
            at = _saved_in(s, self._saved) if s in self._meeting else None
            if at is not None and all_come:
                out.append(s)
                waiting = [ir.Call("__syncthreads", (), span=s.span)]
            elif at is not None:
                store = next((x for x in body[i + 1 :] if _target(x) == at[1]), None)
                held = self._held(*at, s.span)
                swap = _swap(store, held, self._names) if isinstance(store, ir.Assign) else None
                pushed = [replace(s, place=held)] if isinstance(s, ir.Push) else []
                if swap is not None and store is not None:
                    swaps[store] = [*swap[1], *pushed]
                else:
                    out += [ir.Assign(held, at[1], span=s.span), *pushed] if pushed else [s]
                flags.append((at[1], self._flag(at[0], held, swap[0] if swap is not None else at[1], s.span)))
            else:
                cond = s.cond if isinstance(s, ir.If | ir.For | ir.While) else None
                here = all_come and not (cond is not None and self._differences.differ_in(cond))
                out += [*waiting, *swaps.get(s, (inside(lambda b: self._block(b, here), s),))]  # noqa: B023
                waiting = []
                stored = _target(s)
                out += [x for place, flag in flags if place == stored for x in flag]
                flags = [(place, flag) for place, flag in flags if place != stored]
        return (*out, *waiting, *(x for _, flag in flags for x in flag))

    def _held(self, symbol: ir.Symbol, place: ir.Expr, span: Span) -> ir.Var:
        """What the cell held: a variable, from where it goes to the slot if it is one."""
        if symbol not in self._origins:
            return ir.Var(symbol, span=span)
        value = self._values[symbol] = self._names.symbol("held", place.type, span)
        self._opening.append(ir.Declare(value, None, span=span))
        return ir.Var(value, span=span)

    def _flag(self, symbol: ir.Symbol, held: ir.Var, stored: ir.Expr, span: Span) -> list[ir.Stmt]:
        """Statements behind the store that keep whether it has changed the cell."""
        flag = self._flags[symbol] = self._names.symbol("changed", BOOL, span)
        self._opening.append(ir.Declare(flag, None, span=span))
        changed = ir.Assign(ir.Var(flag, span=span), _differ(held, stored, span), span=span)
        if symbol not in self._origins:
            return [changed]
        slot = self._slots[symbol] = self._names.symbol("changed", BOOL, span)
        self._origins[slot] = self._origins[symbol]
        return [changed, ir.Push(slot, ir.Var(flag, span=span), span=span)]

    def _restore(self, s: ir.Stmt) -> ir.Stmt | ir.Body:
        match s:
            case ir.Assign(value=ir.Var(symbol=symbol)) if symbol in self._flags and symbol not in self._slots:
                return ir.If(ir.Var(self._flags[symbol], span=s.span), (s,), (), span=s.span)
            case ir.Pop(slot=symbol, place=place) if symbol in self._flags:
                flag, value = ir.Var(self._flags[symbol], span=s.span), ir.Var(self._values[symbol], span=s.span)
                assert isinstance(place, ir.Place)
                again = ir.If(flag, (ir.Assign(place, value, span=s.span),), (), span=s.span)
                return ir.Pop(self._slots[symbol], flag, span=s.span), replace(s, place=value), again
        return s


def _target(s: ir.Stmt) -> ir.Place | None:
    return s.target if isinstance(s, ir.Assign | ir.Update) else None


def _swap(store: ir.Assign, held: ir.Var, names: Names) -> tuple[ir.Var, list[ir.Stmt]] | None:
    """What is stored, and the store and the save before it in one step: no thread reads while another one writes."""
    type_, span = of_value(store.target.type), store.span
    if is_half(type_) or (not isinstance(type_, Float) and not (isinstance(type_, Int) and type_.bits == 32)):
        return None
    value = names.symbol("value", type_, span, const=True)
    cell: ir.Expr = ir.AddressOf(store.target, Pointer(store.target.type), span=span)
    if is_volatile(store.target.type):
        cell = ir.Cast(cell, Pointer(type_), span=span)
    stored = ir.Var(value, span=span)
    if isinstance(type_, Float):
        swapped = operations.swap(cell, stored, result=held, span=span)
    else:
        swapped = ir.Call("atomicExch", (cell, stored), held, span=span)
    return stored, [ir.Declare(value, store.value, span=span), swapped]


def _differ(a: ir.Expr, b: ir.Expr, span: Span) -> ir.Expr:
    """Whether two places of one type hold different values."""
    if is_half(a.type):
        a, b = (ir.Cast(x, FLOAT, span=span) for x in (a, b))
    if isinstance(a.type, Int | Float | Pointer):
        return ir.Binary("!=", a, b, BOOL, span=span)
    if isinstance(a.type, Struct) and a.type.fields:
        members = ((ir.Member(x, f.name, f.type, span=span) for x in (a, b)) for f in a.type.fields)
        found = [_differ(one, other, span) for one, other in members]
        return reduce(lambda x, y: ir.Binary("||", x, y, BOOL, span=span), found)
    raise UnsupportedError(
        "several threads may store to this part of shared memory, whose old value the derivative needs",
        span,
        "store its elements one by one, or let one thread store",
    )
