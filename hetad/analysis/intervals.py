"""What the threads of a block do to shared arrays, or to arrays in global memory, between two barriers.

Everything from one barrier to the next is one interval.  In front of a statement with barriers inside, and behind it, a
new interval begins as well: what is not compared is only not found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from hetad.analysis.thread_words import Case, Sum, Words
from hetad.ir import nodes as ir
from hetad.ir.places import exposed, members
from hetad.ir.types import INT, Array, Int, Pointer, Type, cells_within, element_or_none, innermost, is_volatile
from hetad.ir.visit import (
    bodies,
    children,
    collected,
    own_exprs,
    own_nodes,
    own_variables,
    walk_stmts,
)
from hetad.rules import callees

Offset = tuple[tuple[ir.Expr, int], ...]  # products that are added, in innermost elements


@dataclass(frozen=True, slots=True)
class Range:
    """`first <= index < bound`, or `<=` as `op` says, in steps."""

    index: ir.Symbol
    first: ir.Expr
    op: str
    bound: ir.Expr
    step: int


@dataclass(frozen=True, slots=True)
class Around:
    """What is around an access since its interval began, and in the conditions around that."""

    guards: tuple[tuple[ir.Expr, bool], ...] = ()
    ranges: tuple[Range, ...] = ()
    known: bool = True  # whether that is all

    def guarded(self, cond: ir.Expr, holds: bool) -> Around:
        return Around((*self.guards, (cond, holds)), self.ranges, self.known)

    def repeated(self, of: Range | None) -> Around:
        if of is None:
            return Around(self.guards, self.ranges, known=False)
        return Around(self.guards, (*self.ranges, of), self.known)


@dataclass(frozen=True, slots=True, eq=False)
class IntervalAccess:
    """An access between two barriers.  `offset`: None where it is not known; `interval`: its number; `statement`: of
    which it is a part."""

    array: ir.Symbol
    path: tuple[str, ...]
    offset: Offset | None
    write: bool
    place: ir.Expr
    around: Around
    interval: int
    statement: ir.Stmt

    @property
    def is_known(self) -> bool:
        return self.offset is not None and self.around.known

    def coordinates(self, thread: str, of: str = "") -> list[str]:
        """Their names in a set."""
        return [f"{thread}_{of}{name}" for name in self.own.values()]

    @property
    def own(self) -> dict[ir.Symbol, str]:
        """The coordinates of the thread's own loops."""
        return {r.index: f"l{i}" for i, r in enumerate(self.around.ranges)}

    def reached(self, words: Words) -> list[Case] | None:
        """The cases in which a thread comes by; None if that is not known."""
        found: list[Case] | None = [()]
        for cond, holds in self.around.guards:
            found = _both(found, words.condition(cond, holds))
        for r in self.around.ranges:
            index = ir.Var(r.index, span=self.place.span)
            found = _both(found, words.compared(">=", index, r.first))
            found = _both(found, words.compared(r.op, index, r.bound))
            found = _both(found, words.in_steps(index, r.first, r.step))
        return found if self.around.known else None

    def cells(self, words: Words) -> list[Sum] | None:
        """The cell, in each case."""
        total = [Sum({})]
        for expr, factor in self.offset or ():
            value = words.value(expr)
            if value is None:
                return None
            total = [a.plus(b, factor) for a in total for b in value]
        return total if self.offset is not None else None


def _both(a: list[Case] | None, b: list[Case] | None) -> list[Case] | None:
    return [(*x, *y) for x in a for y in b] if a is not None and b is not None else None


def shared_arrays(body: ir.Body) -> set[ir.Symbol]:
    declared = (s.symbol for s in walk_stmts(body) if isinstance(s, ir.Declare))
    arrays = (x for x in declared if x.storage == "shared" and isinstance(x.type, Array))
    return {x for x in arrays if not is_volatile(innermost(x.type))}


@dataclass(slots=True)
class Intervals:
    """`found`: the accesses of each interval, in the order of the text, to shared arrays that have no unknown other
    name, and to what the parameters `given` lead to; `values`: of variables that are set where they are declared;
    `agreed`: variables that are the same for all threads of a block, each in its scope."""

    kernel: ir.Function
    given: Collection[ir.Symbol] = ()
    found: list[list[IntervalAccess]] = field(default_factory=list)
    values: dict[ir.Symbol, ir.Expr] = field(default_factory=dict)
    agreed: set[ir.Symbol] = field(default_factory=set)
    _ordered: set[int] = field(default_factory=set)
    _escaped: set[ir.Symbol] = field(default_factory=set)
    _arrays: set[ir.Symbol] = field(default_factory=set)
    _changes: dict[ir.Symbol, int] = field(default_factory=dict)
    _statement: ir.Stmt | None = None

    def __post_init__(self) -> None:
        body = self.kernel.body
        self._arrays = shared_arrays(body)
        for s in walk_stmts(body):
            for symbol in _set_by(s):
                self._changes[symbol] = self._changes.get(symbol, 0) + 1
        pointed_to = exposed(body) - self._arrays
        self._arrays |= {p for p in self.given if p not in self._changes and p not in pointed_to}
        self.agreed = {p for p in self.kernel.params if p not in self._changes and p not in pointed_to}
        for s in walk_stmts(body):
            if isinstance(s, ir.Declare) and s.init is not None and self._changes[s.symbol] == 1:
                if (
                    isinstance(s.symbol.type, Int | Pointer)
                    and s.symbol.storage == "local"
                    and s.symbol not in pointed_to
                ):
                    self.values[s.symbol] = s.init
        self._next()
        self._walk(body, Around())
        self.found = [[a for a in accesses if a.array not in self._escaped] for accesses in self.found]

    def ordered(self, access: IntervalAccess) -> bool:
        """Whether lanes of a warp may be ordered in its interval."""
        return access.interval in self._ordered

    def _next(self) -> None:
        self.found.append([])

    # -- statements

    def _walk(self, body: ir.Body, around: Around) -> None:
        for s in body:
            if _waits_within(s):
                self._waiting(s, around)
            else:
                self._plain(s, around)

    def _waiting(self, s: ir.Stmt, around: Around) -> None:
        self._accesses(s, around)
        self._next()
        match s:
            case ir.If(cond=cond, then=then, orelse=orelse):
                self._walk(then, around.guarded(cond, True))
                self._next()
                self._walk(orelse, around.guarded(cond, False))
            case ir.For(init=init, step=step, body=body):
                self._walk((*init, *step), Around(known=False))
                self._next()
                self._agree(init, step)
                self._walk(body, around)
            case _:
                for body in bodies(s):
                    self._walk(body, around)
                    self._next()
        self._next()

    def _plain(self, s: ir.Stmt, around: Around) -> None:
        self._accesses(s, around)
        match s:
            case ir.If(cond=cond, then=then, orelse=orelse):
                self._walk(then, around.guarded(cond, True))
                self._walk(orelse, around.guarded(cond, False))
            case ir.For(init=init, step=step, body=body):
                self._walk((*init, *step), Around(known=False))
                self._walk(body, around.repeated(self._range(s)))
            case ir.Block(body=body):
                self._walk(body, around)
            case ir.Call() if callees.meets(s) or callees.calls(s, "fence"):
                self._ordered.add(len(self.found) - 1)  # a warp may wait
            case _:
                for body in bodies(s):
                    self._walk(body, around.repeated(None))

    def _agree(self, init: ir.Body, step: ir.Body) -> None:
        """The index of a loop with barriers, which all threads go through together, if it starts and moves alike."""
        for symbol in dict.fromkeys(x for s in init for x in _set_by(s)):
            changes = [s for s in (*init, *step) if symbol in _set_by(s)]
            mentioned = {x for s in changes for x in own_variables(s)} - {symbol}
            position = any(_is_position(e) for s in changes for e in own_nodes(s))
            known = all(x in self.agreed for x in mentioned)
            if known and not position and len(changes) == self._changes[symbol] and isinstance(symbol.type, Int):
                self.agreed.add(symbol)

    def _range(self, s: ir.For) -> Range | None:
        match s:
            case ir.For(
                init=(ir.Declare(symbol=index, init=first) | ir.Assign(target=ir.Var(symbol=index), value=first),),
                cond=ir.Binary(op="<" | "<=" as op, left=ir.Var(symbol=tested), right=bound),
                step=(ir.Update(op="+", target=ir.Var(symbol=moved), value=ir.Const(value=step)),),
            ) if index is tested and index is moved and self._changes[index] == 2 and first is not None:
                return Range(index, first, op, bound, int(step)) if step > 0 and isinstance(index.type, Int) else None
        return None

    # -- accesses

    def _accesses(self, s: ir.Stmt, around: Around) -> None:
        """Those of the statement itself."""
        self._statement = s
        if any(is_volatile(e.type) for e in own_nodes(s)):
            self._ordered.add(len(self.found) - 1)  # lanes of a warp go in step
        match s:
            case ir.Assign(target=target, value=value):
                self._read(value, around)
                self._write(target, around)
            case ir.Update(target=target, value=value):
                self._read(target, around)
                self._read(value, around)
                self._write(target, around)
            case ir.Declare(symbol=symbol, init=init) if symbol in self.values and isinstance(symbol.type, Pointer):
                if init is not None and self._offset(init) is None:
                    self._read(init, around)
            case ir.Call(function=name, args=(pointer, *rest), result=result) if callees.kind(name) == "atomic":
                zero = ir.Const(0, INT, span=s.span)
                self._write(ir.Index(pointer, zero, pointer.type.to, span=pointer.span), around)  # type: ignore[union-attr]
                for e in rest:
                    self._read(e, around)
                if result is not None:
                    self._write(result, around)
            case _:
                for e in own_exprs(s):
                    self._read(e, around)
                if isinstance(s, ir.Call) and s.result is not None:
                    self._write(s.result, around)

    def _read(self, e: ir.Expr, around: Around) -> None:
        if isinstance(e, ir.Index | ir.Member) and not isinstance(e.type, Array) and self._access(e, False, around):
            return
        if isinstance(e, ir.AddressOf):
            found = self._offset(e)
            self._escaped |= {found[0]} if found is not None else set()
        if isinstance(e, ir.Select):  # of its values only one is read
            self._read(e.cond, around)
            self._read(e.then, around.guarded(e.cond, True))
            self._read(e.orelse, around.guarded(e.cond, False))
            return
        if isinstance(e, ir.Binary) and e.op in ("&&", "||"):
            self._read(e.left, around)
            self._read(e.right, around.guarded(e.left, e.op == "&&"))
            return
        if isinstance(e, ir.Var):
            self._escaped |= {array for array in self._arrays if array is e.symbol or array is self._root(e)}
        for part in children(e):
            self._read(part, around)

    def _write(self, place: ir.Expr, around: Around) -> None:
        if not isinstance(place, ir.Var) and not self._access(place, True, around):
            for part in children(place):
                self._read(part, around)

    def _access(self, place: ir.Expr, write: bool, around: Around) -> bool:
        """Whether it is one to such an array."""
        element, path = members(place)
        found = self._element(element) if isinstance(element, ir.Index) else None
        if found is None:
            return False
        array, offset = found
        number = len(self.found) - 1
        assert self._statement is not None
        at = IntervalAccess(array, path, offset, write, place, around, number, self._statement)
        self.found[-1].append(at)
        for expr, _ in offset:
            self._read(expr, around)
        return True

    def _root(self, e: ir.Var) -> ir.Symbol | None:
        found = self._offset(e) if isinstance(e.type, Pointer) else None
        return found[0] if found is not None else None

    def _offset(self, e: ir.Expr) -> tuple[ir.Symbol, Offset] | None:
        """A pointer or array as such an array and what is added to its start; a pointer that lies in memory leads
        elsewhere."""
        match e:
            case ir.Var(symbol=symbol) if symbol in self._arrays:
                return symbol, ()
            case ir.Var(symbol=symbol) if symbol in self.values and isinstance(symbol.type, Pointer):
                return self._offset(self.values[symbol])
            case ir.Index() if isinstance(e.type, Array):
                return self._element(e)
            case ir.Binary(op="+" | "-" as op, left=left, right=right) if isinstance(left.type, Pointer | Array):
                held = left.type.to if isinstance(left.type, Pointer) else left.type.of
                return self._moved(left, right, 1 if op == "+" else -1, held)
            case ir.AddressOf(place=ir.Index() as place):
                return self._element(place)
            case ir.Cast(operand=operand, type=Pointer(to=to)) if element_or_none(operand.type) == to:
                return self._offset(operand)
        return None

    def _element(self, place: ir.Index) -> tuple[ir.Symbol, Offset] | None:
        return self._moved(place.base, place.index, 1, place.type)

    def _moved(self, base: ir.Expr, by: ir.Expr, sign: int, element: Type) -> tuple[ir.Symbol, Offset] | None:
        found = self._offset(base)
        cells = cells_within(element)
        return (found[0], (*found[1], (by, sign * cells))) if found is not None and cells else None


def _waits(s: ir.Stmt) -> bool:
    """Whether threads of a block may wait for each other: functions of the program are not looked into."""
    callee = callees.find(s.function) if isinstance(s, ir.Call) else None
    return callee is not None and (callee.kind == "unknown" or (callee.meets and callee.scope == "block"))


_waits_within = collected(lambda s: (True,) if _waits(s) else ())


def _set_by(s: ir.Stmt) -> Iterable[ir.Symbol]:
    match s:
        case ir.Declare(symbol=symbol, init=init) if init is not None or not isinstance(symbol.type, Int | Pointer):
            return (symbol,)
        case ir.Declare(symbol=symbol):
            return (symbol, symbol)  # has no value yet: it is set elsewhere too
        case ir.Assign(target=ir.Var(symbol=symbol)) | ir.Update(target=ir.Var(symbol=symbol)):
            return (symbol,)
        case ir.Call(result=ir.Var(symbol=symbol)):
            return (symbol,)
    return ()


def _is_position(e: ir.Expr) -> bool:
    """Whether threads of a block may differ in it, beside variables."""
    return (isinstance(e, ir.ThreadIndex) and e.name == "threadIdx") or isinstance(
        e, ir.Index | ir.Member | ir.Intrinsic | ir.CallExpr
    )
