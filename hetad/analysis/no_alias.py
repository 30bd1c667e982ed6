"""Pointers that never lead to the same allocation, although each may lead to several.

    cudaMalloc(&now, bytes);                       // apart from all that was there before
    cudaMalloc(&next, bytes);
    for (int t = 0; t < steps; t++) {
        step<<<blocks, threads>>>(next, now, n);   // apart, whichever of the two each is
        double *held = now; now = next; next = held;
    }

Points-to sets forget the order in which variables take turns.  Here the facts are pairs of variables (and members of
struct variables) that are apart at a statement: what is allocated is apart from all others, a copy from what its source
is apart from; where ways meet, only what holds on all of them remains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hetad.analysis.dataflow import Forward
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import allocated, does, operands
from hetad.analysis.pointer_expressions import component_of, holds_pointer, out_place, pointer_parts
from hetad.analysis.pointers import Location, Root
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.identity import IdentityMap
from hetad.ir.places import root_symbol
from hetad.ir.types import Pointer, Struct
from hetad.ir.visit import bodies, own_nodes, walk_stmts
from hetad.rules import operations

# Places by their numbers, and sets of them as bits: each with those that it is apart from, if any.
State = Mapping[int, int]
_NONE: State = {}


class NoAlias(Forward[State]):
    """What is known at the launches and calls of a host function in structured form."""

    def __init__(self, body: ir.Body, effects: Effects) -> None:
        self._effects, self._pointers = effects, effects.pointers
        self._at = IdentityMap[ir.Stmt, State]()
        places = dict.fromkeys(p for s in walk_stmts(body) for p in _mentioned(s))
        self._numbers = {p: number for number, p in enumerate(places)}
        self._targets = [frozenset(self._pointers.targets(p)) for p in places]
        self._of: dict[ir.Symbol, int] = {}
        self._leading: dict[Location, int] = {}
        for number, p in enumerate(places):
            root = root_symbol(p)
            assert root is not None
            self._of[root] = self._of.get(root, 0) | 1 << number
            for t in self._targets[number]:
                self._leading[t] = self._leading.get(t, 0) | 1 << number
        self._owned = sum(1 << n for n, t in enumerate(self._targets) if t and all(map(_is_allocation, t)))
        if any(len(t) > 1 and any(map(_is_allocation, t)) for t in self._targets):
            self.follow(body, _NONE)

    def apart(self, s: ir.Stmt, a: ir.Expr, b: ir.Expr) -> bool:
        """Whether two pointers certainly lead to different allocations where a launch or call is reached."""
        if _separate(self._pointers.targets(a), self._pointers.targets(b)):
            return True
        x, y = self._number(source(a)), self._number(source(b))
        return x is not None and y is not None and bool(self._at.get(s, _NONE).get(x, 0) >> y & 1)

    def joined(self, one: State, other: State) -> State:
        """What holds whichever of two ways was taken."""
        if one is other:
            return one
        return {place: both for place, apart in one.items() if (both := apart & other.get(place, 0))}

    def arrive(self, s: ir.Stmt, state: State) -> None:
        if isinstance(s, ir.Launch | ir.Call):
            self._at[s] = state

    def behind(self, s: ir.Stmt, state: State) -> State:
        if bodies(s):
            return _NONE
        fresh = self._number(_fresh(s))
        if fresh is not None:
            return _with(_without(state, 1 << fresh), fresh, self._others(fresh))
        match s:
            case ir.Declare(symbol=symbol, init=init) if isinstance(symbol.type, Pointer):
                return self._copied(ir.Var(symbol, span=s.span), init, state)
            case ir.Declare(symbol=symbol, init=ir.Aggregate() as init) if isinstance(symbol.type, Struct):
                state = _without(state, self._in(symbol))
                for i, element in enumerate(init.elements):
                    if isinstance(element.type, Pointer):
                        state = self._copied(component_of(ir.Var(symbol, span=s.span), i), element, state)
                return state
            case ir.Assign(target=target) if not holds_pointer(target.type):
                return state
            case ir.Assign(target=target, value=value) if target in self._numbers:
                return self._copied(target, value, state)
            case ir.Update():
                return state  # within the same allocation
            case ir.Pop(place=place, extent="value") if place in self._numbers:
                return _without(state, 1 << self._numbers[place])
        gone = 0
        for x in self._effects.writes(s) if state else ():
            gone |= self._in(x) if isinstance(x, ir.Symbol) else 0
        return _without(state, gone)

    def _copied(self, target: ir.Expr, value: ir.Expr | None, state: State) -> State:
        into = self._number(target)
        from_ = source(value) if value is not None else None
        if into is None or from_ == target:
            return state
        kept = _without(state, 1 << into)
        if from_ is None:
            return kept
        given = self._numbers[from_]
        apart = kept.get(given, 0)
        if self._owned >> given & 1:
            apart |= self._owned & ~self._sharing(given)
        return _with(kept, into, self._others(into) & apart & ~(1 << given))

    def _others(self, place: int) -> int:
        """The places that may lead where this one may; of all others nobody asks."""
        return self._sharing(place) & ~(1 << place)

    def _sharing(self, place: int) -> int:
        found = 0
        for t in self._targets[place]:
            found |= self._leading[t]
        return found

    def _number(self, place: ir.Expr | None) -> int | None:
        return None if place is None else self._numbers.get(place)

    def _in(self, symbol: ir.Symbol) -> int:
        return self._of.get(symbol, 0)


def source(pointer: ir.Expr) -> ir.Expr | None:
    """The variable, or the member of a struct variable, into whose allocation a pointer leads; None if it comes from
    elsewhere."""
    match bare(pointer):
        case ir.Var() | ir.Member() as place if isinstance(place.type, Pointer) and _is_variable(place):
            return place
        case ir.Binary(left=left, right=right):
            return source(left if isinstance(left.type, Pointer) else right)
        case ir.AddressOf(place=place):
            base: ir.Expr = place
            while isinstance(base, ir.Index | ir.Member):
                if isinstance(base, ir.Index) and isinstance(base.base.type, Pointer):
                    return source(base.base)
                base = base.base
    return None


def _is_variable(place: ir.Expr) -> bool:
    while isinstance(place, ir.Member):
        place = place.base
    return isinstance(place, ir.Var)


def _mentioned(s: ir.Stmt) -> Iterator[ir.Expr]:
    """The places with pointers in a statement, those in structs that a launch is given included."""
    parts = [p for arg in s.args for p in pointer_parts(arg)] if isinstance(s, ir.Launch) else []
    declared = [ir.Var(s.symbol, span=s.span)] if isinstance(s, ir.Declare) else []
    for e in (*own_nodes(s), *parts, *declared):
        if isinstance(e, ir.Var | ir.Member) and isinstance(e.type, Pointer) and _is_variable(e):
            yield e


def _fresh(s: ir.Stmt) -> ir.Expr | None:
    """The place that receives memory which nobody had before."""
    if does(s, "allocate"):
        return allocated(s) if "pointer" not in operands(s) else None
    if operations.does(s, *operations.ALLOCATIONS):
        return s.result if s.result is not None else out_place(s.args[0])
    return None


def _is_allocation(x: Location) -> bool:
    return isinstance(x, Root) and x.heap


def _separate(mine: Collection[Location], theirs: Collection[Location]) -> bool:
    """Whether these are allocations of the function's own, and others."""
    known = mine and theirs and all(map(_is_allocation, (*mine, *theirs)))
    return bool(known) and set(mine).isdisjoint(theirs)


def _with(state: State, place: int, apart: int) -> State:
    """`apart`: the places that this one is apart from now, of which nothing is known yet."""
    if not apart:
        return state
    new = dict(state)
    new[place] = apart
    for other in _places(apart):
        new[other] = new.get(other, 0) | 1 << place
    return new


def _without(state: State, gone: int) -> State:
    """What is known of all other places."""
    beside = 0
    for place in _places(gone):
        beside |= state.get(place, 0)
    if not beside:
        return state
    new = dict(state)
    for place in _places(gone):
        new.pop(place, None)
    for place in _places(beside & ~gone):
        new[place] &= ~gone
        if not new[place]:
            del new[place]
    return new


def _places(found: int) -> Iterator[int]:
    while found:
        first = found & -found
        yield first.bit_length() - 1
        found ^= first
