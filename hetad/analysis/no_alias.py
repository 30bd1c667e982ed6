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

from collections.abc import Collection, Iterable, Iterator

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

Pair = frozenset[ir.Expr]  # of two places
State = frozenset[Pair]
_NONE: State = frozenset()


class NoAlias(Forward[State]):
    """What is known at the launches and calls of a host function in structured form."""

    def __init__(self, body: ir.Body, effects: Effects) -> None:
        self._effects, self._pointers = effects, effects.pointers
        self._at = IdentityMap[ir.Stmt, State]()
        self._near: dict[ir.Expr, list[ir.Expr]] = {}
        places = dict.fromkeys(p for s in walk_stmts(body) for p in _mentioned(s))
        self._targets = {p: frozenset(self._pointers.targets(p)) for p in places}
        self._of: dict[ir.Symbol, list[ir.Expr]] = {}
        for p in places:
            root = root_symbol(p)
            assert root is not None
            self._of.setdefault(root, []).append(p)
        if any(len(t) > 1 and any(map(_is_allocation, t)) for t in self._targets.values()):
            self.follow(body, _NONE)

    def apart(self, s: ir.Stmt, a: ir.Expr, b: ir.Expr) -> bool:
        """Whether two pointers certainly lead to different allocations where a launch or call is reached."""
        if _separate(self._pointers.targets(a), self._pointers.targets(b)):
            return True
        x, y = source(a), source(b)
        return x is not None and y is not None and frozenset((x, y)) in self._at.get(s, _NONE)

    def joined(self, one: State, other: State) -> State:
        return one & other

    def arrive(self, s: ir.Stmt, state: State) -> None:
        if isinstance(s, ir.Launch | ir.Call):
            self._at[s] = state

    def behind(self, s: ir.Stmt, state: State) -> State:
        if bodies(s):
            return _NONE
        fresh = _fresh(s)
        if fresh is not None and fresh in self._targets:
            return _without(state, (fresh,)) | {frozenset((fresh, x)) for x in self._others(fresh)}
        match s:
            case ir.Declare(symbol=symbol, init=init) if isinstance(symbol.type, Pointer):
                return self._copied(ir.Var(symbol, span=s.span), init, state)
            case ir.Declare(symbol=symbol, init=ir.Aggregate() as init) if isinstance(symbol.type, Struct):
                state = _without(state, self._in(symbol))
                for i, element in enumerate(init.elements):
                    if isinstance(element.type, Pointer):
                        state = self._copied(component_of(ir.Var(symbol, span=s.span), i), element, state)
                return state
            case ir.Assign(target=target, value=value) if target in self._targets:
                return self._copied(target, value, state)
            case ir.Assign(target=target) if not holds_pointer(target.type):
                return state
            case ir.Update():
                return state  # within the same allocation
            case ir.Pop(place=place, extent="value") if place in self._targets:
                return _without(state, (place,))
        return _without(state, [p for x in self._effects.writes(s) if isinstance(x, ir.Symbol) for p in self._in(x)])

    def _copied(self, into: ir.Expr, value: ir.Expr | None, state: State) -> State:
        given = source(value) if value is not None else None
        if given == into or into not in self._targets:
            return state
        kept = _without(state, (into,))
        if given is None:
            return kept

        def apart(x: ir.Expr) -> bool:
            return frozenset((given, x)) in kept or _separate(self._targets[given], self._targets[x])

        return kept | {frozenset((into, x)) for x in self._others(into) if x != given and apart(x)}

    def _others(self, place: ir.Expr) -> list[ir.Expr]:
        """The places that may lead where this one may; of all others nobody asks."""
        if place not in self._near:
            mine = self._targets[place]
            self._near[place] = [p for p, t in self._targets.items() if p != place and not mine.isdisjoint(t)]
        return self._near[place]

    def _in(self, symbol: ir.Symbol) -> Iterable[ir.Expr]:
        return self._of.get(symbol, ())


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


def _without(state: State, places: Iterable[ir.Expr]) -> State:
    gone = frozenset(places)
    return frozenset(pair for pair in state if pair.isdisjoint(gone)) if gone and state else state
