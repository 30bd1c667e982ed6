"""Loads that do not see memory as it was at the launch.

A pullback runs with global memory as it was when the kernel was launched, and writes none of it.  A load in the
primal kernel has the same value there unless the kernel itself has overwritten the cell before.  Within one
thread that is decided here, from program order: such a load is replaced by the variable that held the stored
value where that is known, else it is marked, and refused if the pullback turns out to need it.  (Between threads
there is no such case without a barrier: it would be a race.)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hetad.analysis.affine import address
from hetad.analysis.effects import Effects
from hetad.analysis.loops import counted
from hetad.analysis.pointers import Location, Root
from hetad.device.tape.cells import Held, Lines, Stores
from hetad.device.tape.members import Members
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, zero
from hetad.ir.identity import IdentitySet
from hetad.ir.simplify import conjunction, opposite
from hetad.ir.types import Array, Float, Int, is_volatile, promote
from hetad.ir.visit import children, map_children, own_exprs, variables, walk_expr, walk_stmts
from hetad.rules import callees


@dataclass(slots=True)
class State:
    """What this thread has stored so far: by root, the places; and which variables hold what a place holds."""

    stored: dict[Root, Stores] = field(default_factory=dict)
    known: Held = field(default_factory=Held)

    def copy(self) -> State:
        return State({root: stores.copy() for root, stores in self.stored.items()}, self.known.copy())

    def join(self, other: State) -> None:
        for root, stores in other.stored.items():
            self.stored.setdefault(root, Stores()).join(stores)
        self.known.meet(other.known)


class StoredValues:
    """One kernel's rewriting; `stale` are the variables that received a value only a recording could provide."""

    def __init__(self, effects: Effects, names: Names, body: ir.Body) -> None:
        self.effects = effects
        self.names = names
        self.stale: dict[ir.Symbol, Span] = {}
        self.rereads: dict[ir.Symbol, ir.Expr] = {}  # stale values that were loaded, with the load
        self._guards: list[ir.Expr] = []  # under which the part of an expression that is looked at has a value
        self._members = Members(body)
        self._written: dict[Root, Stores] = {}
        for s in walk_stmts(body):
            for w in effects.writes(s):
                if isinstance(w, Root):
                    self._written.setdefault(w, Stores()).add(None, None, self._members.stored_by(s))
        self.messages = False  # whether blocks of the launch may hear of each other
        self.stale_loops = IdentitySet[ir.Stmt]()  # whose conditions read what the kernel has overwritten
        self._read = Lines(address(e) for s in walk_stmts(body) for e in _read_by(s))
        self.body = self._block(body, State())

    # -- walking

    def _block(self, body: ir.Body, state: State) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            out += self._statement(s, state)
        return tuple(out)

    def _statement(self, s: ir.Stmt, state: State) -> list[ir.Stmt]:
        before: list[ir.Stmt] = []
        match s:
            case ir.For() | ir.While():
                return [*self._loop(s, state)]
            case ir.If():
                cond = self._rewrite(s.cond, state, before)
                other = state.copy()
                then, orelse = self._block(s.then, state), self._block(s.orelse, other)
                state.join(other)
                return [*before, replace(s, cond=cond, then=then, orelse=orelse)]
            case ir.Block():
                return [replace(s, body=self._block(s.body, state))]
            case ir.Declare(init=init) if init is not None:
                s = replace(s, init=self._rewrite(init, state, before))
            case ir.Assign():
                s = replace(s, target=self._place(s.target, state, before), value=self._rewrite(s.value, state, before))
            case ir.Update():
                s = replace(s, target=self._place(s.target, state, before), value=self._rewrite(s.value, state, before))
            case ir.Call(function=name) if callees.kind(name) == "fence":
                self._hear(state)
            case ir.Call() if _waits(s):
                self._meet(state)
            case ir.Call(function=name, result=result):
                s = replace(s, args=tuple(self._rewrite(a, state, before) for a in s.args))
                told = callees.kind(name) == "atomic" and any(isinstance(w, Root) for w in self.effects.writes(s))
                if told and result is not None:
                    return [*before, *self._old_value(s, result, state)]
        return [*before, *self._store(s, state)]

    def _meet(self, state: State) -> None:
        """At a barrier the stores of the other threads become visible."""
        state.known = Held()
        state.stored = {root: stores.somewhere() for root, stores in state.stored.items()}

    def _hear(self, state: State) -> None:
        """From here on the thread may see what any other thread of the launch has stored."""
        self.messages = True
        state.known = Held()
        state.stored = {root: stores.copy() for root, stores in self._written.items()}

    def _hears(self, s: ir.Stmt) -> bool:
        if callees.calls(s, "fence"):
            return True
        loads = (e for e in _read_by(s) if is_volatile(e.type))
        return any(not self._written.keys().isdisjoint(self._roots(e)) for e in loads)

    def _old_value(self, s: ir.Call, result: ir.Place, state: State) -> list[ir.Stmt]:
        """The value that an atomic operation found: another run would find another one."""
        old = self.names.symbol("old", result.type, s.span)
        self.stale[old] = s.span
        held = ir.Var(old, span=s.span)
        call = self._store(replace(s, result=held), state)
        return [ir.Declare(old, None, span=s.span), *call, *self._store(ir.Assign(result, held, span=s.span), state)]

    def _store(self, s: ir.Stmt, state: State) -> list[ir.Stmt]:
        for location in self.effects.writes(s):
            if isinstance(location, ir.Symbol):
                state.known.changed(location)
                for stores in state.stored.values():
                    stores.changed(location)
        roots = [w for w in self.effects.writes(s) if isinstance(w, Root)]
        if not roots:
            return [s]
        place = s.target if isinstance(s, ir.Assign | ir.Update) else None
        target = address(place) if place is not None else None
        state.known.store(target)
        out: list[ir.Stmt] = [s]
        if place is not None and is_volatile(place.type):
            pass
        elif isinstance(s, ir.Assign) and self._read.meet(target):
            out = self._keep(s, s.value, state)
        elif isinstance(s, ir.Update) and self._read.meet(target) and self._fresh(s.target, state):
            out = self._keep(ir.Assign(s.target, self._sum(s), span=s.span), self._sum(s), state)
        for root in roots:
            state.stored.setdefault(root, Stores()).add(place, None, self._members.stored_by(s))
        return out

    def _keep(self, s: ir.Assign, value: ir.Expr, state: State) -> list[ir.Stmt]:
        """`p = e` as `v = e; p = v`, so that a later load of `p` is `v`."""
        symbol = self.names.symbol("stored", s.target.type, s.span)
        held = ir.Var(symbol, span=s.span)
        state.known.keep(s.target, symbol)
        return [ir.Declare(symbol, value, span=s.span), replace(s, value=held)]

    def _sum(self, s: ir.Update) -> ir.Expr:
        common = promote(s.target.type, s.value.type)
        total = ir.Binary(s.op, convert(s.target, common), convert(s.value, common), common, span=s.span)
        return convert(total, s.target.type)

    def _loop(self, s: ir.For | ir.While, state: State) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        init: ir.Body = ()
        index: ir.Symbol | None = None
        if isinstance(s, ir.For):
            init = self._block(s.init, state)
            changed = self.effects.written(s.body)
            header = counted(s, lambda e: self.effects.stable(e, changed), lambda x: x in changed)
            index = header.index if header else None
        self._enter(s, index, state)
        cond = s.cond
        if cond is not None:
            extra: list[ir.Stmt] = []
            self._rewrite(cond, state, extra)
            if extra:
                self.stale_loops.add(s)
        inner = state.copy()
        body = self._block(s.body, inner)
        step = self._block(s.step, inner) if isinstance(s, ir.For) else ()
        state.join(inner)
        self._forget_changed(s, state.known)
        out.append(replace(s, body=body, init=init, step=step) if isinstance(s, ir.For) else replace(s, body=body))
        return out

    def _enter(self, s: ir.For | ir.While, index: ir.Symbol | None, state: State) -> None:
        """At the head of a loop the body's stores of earlier iterations have happened."""
        self._forget_changed(s, state.known)
        changed = set(self.effects.written((*s.body, *(s.step if isinstance(s, ir.For) else ()))))
        alone = True  # whether earlier iterations of other threads cannot be seen
        if any(_waits(x) for x in walk_stmts(s.body)):
            self._meet(state)
            alone = False
        if any(self._hears(x) for x in walk_stmts(s.body)):
            self._hear(state)
            alone = False
        for inner in walk_stmts(s.body):
            for location in self.effects.writes(inner):
                if not isinstance(location, Root):
                    continue
                place = inner.target if alone and isinstance(inner, ir.Assign | ir.Update) else None
                stores = state.stored.setdefault(location, Stores())
                stores.add(*self._of_iterations(place, changed, index), self._members.stored_by(inner))

    def _of_iterations(
        self, place: ir.Expr | None, changed: set[Location], index: ir.Symbol | None
    ) -> tuple[ir.Expr | None, ir.Symbol | None]:
        """Where the iterations of a loop store to: at a place that moves with the index alone, or does not move."""
        moved = changed.intersection(self.effects.address(place)) if place is not None else None
        if moved is None or (moved and moved != {index}):
            return None, None
        return place, index if moved else None

    def _forget_changed(self, s: ir.For | ir.While, known: Held) -> None:
        """Nothing is known of cells that an iteration writes, or whose address one changes."""
        if any(_waits(x) for x in walk_stmts(s.body)):
            known.only(lambda *_: False)
            return
        changed = set(self.effects.written((*s.body, *(s.step if isinstance(s, ir.For) else ()))))
        known.only(lambda _, p: changed.isdisjoint(self._roots(p)) and changed.isdisjoint(variables(p)))

    # -- loads

    def _place(self, place: ir.Expr, state: State, before: list[ir.Stmt]) -> ir.Place:
        match place:
            case ir.Index(base=base, index=index):
                row = isinstance(base.type, Array) and isinstance(base, ir.Index | ir.Member)
                inner = self._place(base, state, before) if row else self._rewrite(base, state, before)
                return replace(place, base=inner, index=self._rewrite(index, state, before))
            case ir.Member(base=base):
                return replace(place, base=self._place(base, state, before))
        assert isinstance(place, ir.Var)
        return place

    def _rewrite(self, expr: ir.Expr, state: State, before: list[ir.Stmt]) -> ir.Expr:
        if isinstance(expr, ir.AddressOf):
            return replace(expr, place=self._place(expr.place, state, before))
        if isinstance(expr, ir.Index | ir.Member):
            new = self._place(expr, state, before)
            if isinstance(expr.type, Array):
                return new  # stands for its address
            if is_volatile(new.type) and not self._written.keys().isdisjoint(self._roots(new)):
                self._hear(state)
            if not self._fresh(new, state):
                held = state.known.get(new)
                if held is not None:
                    return ir.Var(held, span=expr.span)
                symbol = self.names.symbol("reread", expr.type, expr.span)
                self.stale[symbol] = expr.span
                self.rereads[symbol] = new
                load = ir.Declare(symbol, new, span=expr.span)
                return self._where_read(load, before) if self._guards else _declared(load, before)
            return new
        match expr:
            case ir.Select(cond=cond, then=then, orelse=orelse):
                first = self._rewrite(cond, state, before)
                chosen = self._guarded(then, first, state, before)
                return replace(
                    expr, cond=first, then=chosen, orelse=self._guarded(orelse, opposite(first), state, before)
                )
            case ir.Binary(op="&&" | "||" as op, left=left, right=right):
                first = self._rewrite(left, state, before)
                guard = first if op == "&&" else opposite(first)
                return replace(expr, left=first, right=self._guarded(right, guard, state, before))
        return map_children(lambda e: self._rewrite(e, state, before), expr)

    def _guarded(self, expr: ir.Expr, guard: ir.Expr, state: State, before: list[ir.Stmt]) -> ir.Expr:
        self._guards.append(guard)
        new = self._rewrite(expr, state, before)
        self._guards.pop()
        return new

    def _where_read(self, load: ir.Declare, before: list[ir.Stmt]) -> ir.Var:
        """The load in a branch of its own: elsewhere there may be no such cell."""
        held, span = ir.Var(load.symbol, span=load.span), load.span
        value = self.names.symbol(load.symbol.name, held.type, span)
        empty = zero(held.type, span) if isinstance(held.type, Int | Float) else None
        guard = conjunction(self._guards)
        branch = (load, ir.Assign(ir.Var(value, span=span), held, span=span))
        before += [ir.Declare(value, empty, span=span), ir.If(guard, branch, (), span=span)]
        return ir.Var(value, span=span)

    def _fresh(self, place: ir.Expr, state: State) -> bool:
        """Whether the cell certainly has its value of the launch."""
        here, member = address(place), self._members.of(place)
        stores = (state.stored[root] for root in self._roots(place) if root in state.stored)
        return all(s.miss(here, member) for s in stores)

    def _roots(self, place: ir.Expr) -> list[Root]:
        return [x for x in self.effects.pointers.storage(place) if isinstance(x, Root)]


def _declared(load: ir.Declare, before: list[ir.Stmt]) -> ir.Var:
    before.append(load)
    return ir.Var(load.symbol, span=load.span)


def _waits(s: ir.Stmt) -> bool:
    """Whether it is a barrier, also one that counts."""
    return callees.calls(s, "barrier") or (callees.calls(s, "vote") and callees.find(s.function).scope == "block")


def _read_by(s: ir.Stmt) -> list[ir.Expr]:
    """The cells whose value a statement needs; that of an updated cell is not, only its address."""
    found: list[ir.Expr] = []
    for own in own_exprs(s):
        if isinstance(s, ir.Assign | ir.Update) and own is s.target:
            found += [e for child in children(own) for e in _loads(child)]
        else:
            found += _loads(own)
    return found


def _loads(expr: ir.Expr) -> list[ir.Expr]:
    return [e for e in walk_expr(expr) if isinstance(e, ir.Index | ir.Member) and not isinstance(e.type, Array)]
