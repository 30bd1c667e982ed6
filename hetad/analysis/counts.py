"""Numbers that a host function keeps in memory of its own for nothing else, as those who share memory count themselves:
what they are, and which branches are taken for it.

The function is run as far as its text tells: the numbers and pointers in its variables and the members of structs, and
the first number behind each pointer that `malloc` returned.  What else a statement may write is forgotten, as is what
differs where ways meet.  What has changed on a way stands in a trail, so that the work at each meeting is that of the
ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

from hetad.analysis.effects import Effects
from hetad.analysis.known_numbers import member_of, path_to
from hetad.analysis.memory_calls import allocated
from hetad.analysis.pointers import Location, Root
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import COMPARISONS, computed, wrap
from hetad.ir.identity import Identity, IdentityMap
from hetad.ir.types import Int, Pointer, Struct, Type, is_volatile
from hetad.rules import callees


@dataclass(frozen=True, eq=False, slots=True)
class Address:
    """Where one allocation begins."""

    root: Root


Value = int | Address  # an int is the null pointer, too
Path = tuple[str, ...]
Number = tuple[int, Type]  # what is stored, and as what
Facts = dict[Any, Any]
Change = tuple[Facts, object, Any, Any]  # what was known before, and is known behind


class Counts:
    """`outcomes`: of branches, where one arm is never taken; `numbers`: whole numbers that declarations and assignments
    store whenever they run."""

    def __init__(self, function: ir.Function, effects: Effects) -> None:
        self.outcomes = IdentityMap[ir.Stmt, bool | None]()
        self.numbers = IdentityMap[ir.Stmt, int | None]()
        self._effects = effects
        self._roots = effects.pointers.heap_roots
        self._state = _State()
        self._block(function.body)

    def _block(self, body: ir.Body) -> None:
        for s in body:
            self._statement(s)

    def _statement(self, s: ir.Stmt) -> None:
        match s:
            case ir.Declare(symbol=symbol, init=init):
                self._note(s, init)
                self._state.give(ir.Var(symbol, span=s.span), init)
            case ir.Assign(target=target, value=value):
                self._note(s, value)
                self._store(s, target, value)
            case ir.Update(op=op, target=target, value=value):
                self._store(s, target, ir.Binary(op, target, value, target.type, span=s.span))
            case ir.Call(function="malloc", result=ir.Var() | ir.Member() as place) if s in self._roots:
                self._state.allocate(self._roots[s], place)
            case ir.If():
                self._branch(s)
            case ir.Block(body=body):
                self._block(body)
            case ir.For() | ir.While():
                self._loop(s)
            case ir.Call() | ir.Launch():
                self._forget(s)
            case ir.Comment() | ir.Return():
                pass
            case _:
                self._state.clear()

    def _branch(self, s: ir.If) -> None:
        known = self.outcomes[s] = self._state.truth(s.cond)
        if known is None:
            self._state.either(lambda: self._block(s.then), lambda: self._block(s.orelse))
        else:
            self._block(s.then if known else s.orelse)

    def _loop(self, s: ir.For | ir.While) -> None:
        """At its head stands what no iteration changes.  What is noted last holds in all of them."""
        self._block(s.init if isinstance(s, ir.For) else ())
        while self._state.changed_by(lambda: self._block((*s.body, *(s.step if isinstance(s, ir.For) else ())))):
            pass

    def _note(self, s: ir.Stmt, value: ir.Expr | None) -> None:
        found = self._state.value(value) if value is not None and isinstance(value.type, Int) else None
        self.numbers[s] = found if isinstance(found, int) else None

    def _store(self, s: ir.Stmt, target: ir.Place, value: ir.Expr) -> None:
        if _is_own(target):
            self._state.give(target, value)
            return
        address, found = self._state.behind(target), self._state.value(value)
        if address is None or not isinstance(found, int) or not isinstance(target.type, Int):
            self._forget(s)
        else:
            self._state.store(address, (found, target.type))

    def _forget(self, s: ir.Stmt) -> None:
        """What a statement may write of which no more is known."""
        if s in self._roots:
            self._state.allocate(self._roots[s])
        if not self._is_known(s):
            self._state.clear()
        for location in self._effects.writes(s):
            self._state.forget(location)

    def _is_known(self, s: ir.Stmt) -> bool:
        """Whether it is known where a statement writes."""
        if isinstance(s, ir.Assign | ir.Update):
            return bool(self._effects.pointers.storage(s.target))
        if not isinstance(s, ir.Call) or allocated(s) is not None:
            return True
        writes = callees.find(s.function).writes
        given = (a for i, a in enumerate(s.args) if i in writes)
        return callees.kind(s.function) != "unknown" and all(any(self._effects.behind(a)) for a in given)


class _State:
    """What is known at one place of the function.

    By variable: what it, and its members, hold.  By root: the address of its last allocation, to which alone what is
    known of addresses applies, and what is stored there.
    """

    def __init__(self) -> None:
        self._variables: dict[ir.Symbol, dict[Path, Value]] = {}
        self._last: dict[Root, Address] = {}
        self._stored: dict[Root, Number] = {}
        self._trail: list[tuple[Facts, object, object]] = []  # what was where, before it was changed

    # --- questions ---------------------------------------------------------------------------------

    def value(self, e: ir.Expr) -> Value | None:
        match e:
            case ir.Const(value=int(value), type=Int() | Pointer()):
                return int(value)
            case ir.Var() | ir.Member() if _is_own(e):
                symbol, path = path_to(e)
                found = self._variables.get(symbol, {}).get(path) if symbol is not None else None
                return None if isinstance(found, Address) and not self._is_last(found) else found
            case ir.Index():
                address = self.behind(e)
                stored = self._stored.get(address.root) if address is not None else None
                return stored[0] if stored is not None and stored[1] == e.type else None
            case ir.Cast(operand=operand, type=type_):
                return _converted(self.value(operand), type_)
            case ir.Unary(op="!", operand=operand):
                known = self.truth(operand)
                return None if known is None else int(not known)
            case ir.Binary():
                return self._operation(e)
        return None

    def behind(self, place: ir.Expr) -> Address | None:
        """The address of a place that is the first of an allocation."""
        if not isinstance(place, ir.Index) or not isinstance(place.index, ir.Const) or place.index.value != 0:
            return None
        found = self.value(place.base) if isinstance(place.base.type, Pointer) else None
        return found if isinstance(found, Address) and not is_volatile(place.type) else None

    def truth(self, e: ir.Expr) -> bool | None:
        """Whether a condition holds."""
        found = self.value(e)
        if isinstance(found, Address):
            return True if found.root in self._stored else None  # null, perhaps, where nothing has been stored
        return None if found is None else bool(found)

    def _operation(self, e: ir.Binary) -> int | None:
        if e.op in ("&&", "||"):
            sides, decisive = (self.truth(e.left), self.truth(e.right)), e.op == "||"
            if decisive in sides:
                return int(decisive)
            return None if None in sides else int(not decisive)
        left, right = self.value(e.left), self.value(e.right)
        if isinstance(left, int) and isinstance(right, int):
            result = computed(e.op, left, right)
            fits = result is not None and isinstance(e.type, Int) and result == wrap(result, e.type)
            return result if fits or e.op in COMPARISONS else None
        there = self.truth(e.right if left == 0 else e.left)
        return int(e.op == "!=") if e.op in ("==", "!=") and 0 in (left, right) and there else None

    def _is_last(self, address: Address) -> bool:
        return self._last.get(address.root) is address

    # --- changes -----------------------------------------------------------------------------------

    def give(self, place: ir.Place, value: ir.Expr | None) -> None:
        """A variable, or a member of one, is given a value; None: one of which nothing is known."""
        new = dict(self._parts(place, value)) if value is not None else {}
        self._give(place, new)

    def _give(self, place: ir.Place, new: dict[Path, Value]) -> None:
        symbol, path = path_to(place)
        assert symbol is not None
        old = self._variables.get(symbol, {})
        kept = {x: v for x, v in old.items() if x[: len(path)] != path}
        self._set(self._variables, symbol, {**kept, **new} or None)

    def _parts(self, place: ir.Expr, value: ir.Expr) -> Iterator[tuple[Path, Value]]:
        if isinstance(place.type, Struct):
            for n, f in enumerate(place.type.fields):
                if (part := member_of(value, n)) is not None:
                    yield from self._parts(ir.Member(place, f.name, f.type, span=place.span), part)
        elif _is_own(place) and (found := self.value(value)) is not None:
            yield path_to(place)[1], found

    def allocate(self, root: Root, place: ir.Place | None = None) -> None:
        """Memory that may be elsewhere than that which was allocated there before."""
        address = Address(root)
        self.forget(root)
        self._set(self._last, root, address)
        if place is not None and _is_own(place):
            self._give(place, {path_to(place)[1]: address})

    def store(self, address: Address, number: Number) -> None:
        self._set(self._stored, address.root, number)

    def forget(self, location: Location) -> None:
        self._set(self._variables if isinstance(location, ir.Symbol) else self._stored, location, None)

    def clear(self) -> None:
        for facts in (self._variables, self._last, self._stored):
            for key in list(facts):
                self._set(facts, key, None)

    def _set(self, facts: Facts, key: object, value: object) -> None:
        self._trail.append((facts, key, facts.get(key)))
        if value is None:
            facts.pop(key, None)
        else:
            facts[key] = value

    # --- ways --------------------------------------------------------------------------------------

    def either(self, one: Callable[[], None], other: Callable[[], None]) -> None:
        """Goes both ways; what differs behind them is forgotten."""
        begin = len(self._trail)
        one()
        there = self._changes(begin)
        self._back(begin)
        other()
        for at, (facts, key, before, _) in {**there, **self._changes(begin)}.items():
            behind_one = there[at][3] if at in there else before
            self._set(facts, key, _met(behind_one, facts.get(key)))

    def changed_by(self, iteration: Callable[[], None]) -> bool:
        """Whether an iteration changes anything that was known before it, which is forgotten then."""
        begin = len(self._trail)
        iteration()
        found = self._changes(begin)
        self._back(begin)
        for facts, key, before, after in found.values():
            if (met := _met(before, after)) != before:
                self._set(facts, key, met)
        return len(self._trail) > begin

    def _changes(self, begin: int) -> dict[tuple[Identity[Any], object], Change]:
        """What has been changed since there was so much in the trail."""
        first = {(Identity(facts), key): (facts, key, old) for facts, key, old in reversed(self._trail[begin:])}
        return {at: (facts, key, old, facts.get(key)) for at, (facts, key, old) in first.items()}

    def _back(self, begin: int) -> None:
        while len(self._trail) > begin:
            facts, key, old = self._trail.pop()
            if old is None:
                facts.pop(key, None)
            else:
                facts[key] = old


def _met(one: Any, other: Any) -> Any:
    """What is known where it is one of two."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {x: v for x, v in one.items() if other.get(x) == v} or None
    return one if one == other else None


def _is_own(place: ir.Expr) -> TypeGuard[ir.Var | ir.Member]:
    """Whether a place is a variable of the function itself, or a member of one that is no other member, too."""
    while isinstance(place, ir.Member):
        place = place.base
        if isinstance(place.type, Struct) and place.type.is_union:
            return False
    return isinstance(place, ir.Var) and place.symbol.storage == "local" and not is_volatile(place.type)


def _converted(value: Value | None, type_: Type) -> Value | None:
    if isinstance(value, int) and isinstance(type_, Int):
        return int(bool(value)) if type_.boolean else value if value == wrap(value, type_) else None
    return value if isinstance(type_, Pointer) else None
