"""How far an iteration of a loop moves a variable, and what the loop asks about it before it goes on.

    while (!stop) { k += 1; if (k > 20) stop = true; else { …; if (e < tol) stop = true; } }

An iteration that another one follows has moved `k` by one, and has found `k <= 20` after that.  This is abstract
interpretation of one iteration: states are told apart by the flags whose values are known, and hold how far the
variable has moved, at least and at most, and which tests it has passed, at what distance from where it began.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hetad.analysis.effects import Effects
from hetad.analysis.loops import plain
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import MIRRORED, OPPOSITE, integer_value
from hetad.ir.build import is_var, zero
from hetad.ir.types import BOOL, Int
from hetad.ir.visit import walk_stmts

K = TypeVar("K")
_MOST_STATES = 64
_WITHIN = {"up": ("<", "<=", "!="), "down": (">", ">=", "!=")}


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the variable is from where the iteration began; `most` is None where nobody knows."""

    least: int = 0
    most: int | None = 0

    def further(self, by: int) -> Distance:
        return Distance(self.least + by, None if self.most is None else self.most + by)

    def or_(self, other: Distance) -> Distance:
        known = self.most is not None and other.most is not None
        return Distance(min(self.least, other.least), max(self.most or 0, other.most or 0) if known else None)

    @property
    def exact(self) -> bool:
        return self.least == self.most


@dataclass(frozen=True, slots=True)
class Moved:
    """A variable that all statements of a loop move in one direction, by so many units; no unit: by numbers."""

    symbol: ir.Symbol
    down: bool
    unit: ir.Expr | None

    def amount(self, value: ir.Expr) -> int:
        number = integer_value(value)
        return abs(number) if self.unit is None and number is not None else 1


def moved(symbol: ir.Symbol, body: ir.Body, effects: Effects) -> Moved | None:
    """The variable as one that the body moves in one direction alone; None if it does anything else with it."""
    steps: list[tuple[bool, ir.Expr]] = []
    for s in walk_stmts(body):
        if symbol in effects.writes(s):
            step = step_of(s, symbol)
            if step is None:
                return None
            steps.append(step)
    if not steps or any(down != steps[0][0] for down, _ in steps):
        return None
    numbers = all(integer_value(value) is not None for _, value in steps)
    if not numbers and any(value != steps[0][1] for _, value in steps):
        return None
    return Moved(symbol, steps[0][0], None if numbers else steps[0][1])


def step_of(s: ir.Stmt, symbol: ir.Symbol) -> tuple[bool, ir.Expr] | None:
    """`k += 2` and `k = k + 2`: whether it goes down, and by what, which is more than nothing."""
    match s:
        case ir.Update(op="+" | "-" as op, target=ir.Var(symbol=x), value=value) if x is symbol:
            pass
        case ir.Assign(target=ir.Var(symbol=x), value=assigned) if x is symbol:
            match plain(assigned):
                case ir.Binary(op="+" | "-" as op, left=left, right=value) if is_var(plain(left), symbol):
                    pass
                case _:
                    return None
        case _:
            return None
    value = plain(value)
    number = integer_value(value)
    if number is None:
        return (op == "-", value) if grows(value) else None
    return ((op == "-") == (number > 0), value) if number else None


def grows(e: ir.Expr) -> bool:
    """Whether it is surely more than zero: a number, or a product with extents of the launch."""
    e = plain(e)
    if isinstance(e, ir.Binary) and e.op == "*":
        return grows(e.left) and grows(e.right)
    return (isinstance(e, ir.ThreadIndex) and e.name in ("blockDim", "gridDim")) or (integer_value(e) or 0) > 0


@dataclass(frozen=True, slots=True)
class State:
    """`copies` are variables that hold what the variable was at some distance."""

    flags: dict[ir.Symbol, int] = field(default_factory=dict)
    at: Distance = field(default_factory=Distance)
    passed: dict[ir.Expr, Distance] = field(default_factory=dict)
    copies: dict[ir.Symbol, Distance] = field(default_factory=dict)

    def without(self, symbol: ir.Symbol) -> State:
        if symbol not in self.flags and symbol not in self.copies:
            return self
        flags = {x: v for x, v in self.flags.items() if x is not symbol}
        return replace(self, flags=flags, copies={x: d for x, d in self.copies.items() if x is not symbol})

    def with_flag(self, symbol: ir.Symbol, value: int) -> State:
        return replace(self, flags={**self.flags, symbol: value})

    def or_(self, other: State) -> State:
        flags = {x: v for x, v in self.flags.items() if other.flags.get(x) == v}
        return State(
            flags, self.at.or_(other.at), _both(self.passed, other.passed), _both(self.copies, other.copies)
        )  # fmt: skip


def _both(a: dict[K, Distance], b: dict[K, Distance]) -> dict[K, Distance]:
    return {k: d.or_(b[k]) for k, d in a.items() if k in b}


class Iteration:
    """One iteration; `own`: the variable that stands for the moved one in tests that are passed."""

    def __init__(self, what: Moved, own: ir.Symbol, effects: Effects) -> None:
        self.what = what
        self.own = own
        self.effects = effects

    def followed(self, cond: ir.Expr, body: ir.Body) -> State | None:
        """What holds of each iteration that another follows; None if none can follow."""
        return _joined(self._assume(self._block(body, self._assume([State()], cond, True)), cond, True))

    def begun(self, cond: ir.Expr) -> State | None:
        """What holds where an iteration begins."""
        return _joined(self._assume([State()], cond, True))

    # -- statements

    def _block(self, body: ir.Body, states: list[State]) -> list[State]:
        for s in body:
            states = _merged(self._statement(s, states))
        return states

    def _statement(self, s: ir.Stmt, states: list[State]) -> list[State]:
        match s:
            case ir.If(cond=cond, then=then, orelse=orelse):
                taken, other = self._assume(states, cond, True), self._assume(states, cond, False)
                return [*self._block(then, taken), *self._block(orelse, other)]
            case ir.Block(body=body):
                return self._block(body, states)
            case ir.For() | ir.While():
                return self._loop(s, states)
            case ir.Declare(symbol=x, init=value) | ir.Assign(target=ir.Var(symbol=x), value=value) if (
                value is not None and x is not self.what.symbol and isinstance(x.type, Int) and _alone(x)
            ):
                return self._set(x, value, states)
        step = step_of(s, self.what.symbol)
        if step is not None:
            by = self.what.amount(step[1])
            return [replace(state, at=state.at.further(by)) for state in states]
        return self._forget(s, states)

    def _forget(self, s: ir.Stmt, states: list[State]) -> list[State]:
        for x in self.effects.writes(s):
            if isinstance(x, ir.Symbol):
                states = [state.without(x) for state in states]
        return states

    def _loop(self, s: ir.For | ir.While, states: list[State]) -> list[State]:
        moves = False
        for inner in walk_stmts((s,)):
            states = self._forget(inner, states)
            moves = moves or step_of(inner, self.what.symbol) is not None
        if moves:
            states = [replace(state, at=Distance(state.at.least, None)) for state in states]
        return self._assume(states, s.cond, False) if s.cond is not None else []

    def _set(self, x: ir.Symbol, value: ir.Expr, states: list[State]) -> list[State]:
        out: list[State] = []
        for before in states:
            number, copied = integer_value(value, before.flags), self._seen(value, before)
            state = before.without(x)
            truth = value.operand if isinstance(value, ir.Cast) and value.operand.type == BOOL else value
            if number is not None:
                out.append(state.with_flag(x, number))
            elif copied is not None and is_var(copied[0], self.own):
                out.append(replace(state, copies={**state.copies, x: copied[1]}))
            elif truth.type == BOOL:
                out += [each.without(x).with_flag(x, 1) for each in self._given(before, truth, True)]
                out += [each.without(x).with_flag(x, 0) for each in self._given(before, truth, False)]
            else:
                out.append(state)
        return out

    # -- conditions

    def _assume(self, states: Iterable[State], cond: ir.Expr, holds: bool) -> list[State]:
        return [after for state in states for after in self._given(state, cond, holds)]

    def _given(self, state: State, cond: ir.Expr, holds: bool) -> list[State]:
        """The state in which the condition holds, or does not; none if that cannot be."""
        match cond:
            case ir.Cast(operand=operand, type=to) if to == BOOL:
                return self._given(state, operand, holds)
            case ir.Unary(op="!", operand=operand):
                return self._given(state, operand, not holds)
            case ir.Binary(op="&&" | "||", left=left, right=right):
                if (cond.op == "&&") == holds:
                    return self._assume(self._given(state, left, holds), right, holds)
                first = self._given(state, left, holds)
                return _merged([*first, *self._assume(self._given(state, left, not holds), right, holds)])
        value = integer_value(cond, state.flags)
        if value is not None:
            return [state] if bool(value) == holds else []
        if cond.type != BOOL and self._seen(cond, state) is not None:
            return [self._tested(state, "!=" if holds else "==", cond, zero(cond.type, cond.span))]
        match cond:
            case ir.Var(symbol=x) if cond.type == BOOL or (not holds and isinstance(cond.type, Int)):
                return [state.with_flag(x, int(holds))] if _alone(x) and x is not self.what.symbol else [state]
            case ir.Binary(op=op, left=left, right=right) if op in OPPOSITE and isinstance(left.type, Int):
                return [self._tested(state, op if holds else OPPOSITE[op], left, right)]
        return [state]

    def _tested(self, state: State, op: str, left: ir.Expr, right: ir.Expr) -> State:
        for sign, side, bound in ((op, left, right), (MIRRORED[op], right, left)):
            seen = self._seen(side, state)
            if seen is not None and sign in _WITHIN["down" if self.what.down else "up"]:
                test = ir.Binary(sign, seen[0], bound, BOOL, span=side.span)
                return replace(state, passed={**state.passed, test: seen[1]})
        return state

    def _seen(self, e: ir.Expr, state: State) -> tuple[ir.Expr, Distance] | None:
        """The expression over the variable of our own, and how far the variable was then."""
        match e:
            case ir.Var(symbol=x):
                at = state.at if x is self.what.symbol else state.copies.get(x)
                same = x.type == self.own.type
                return (ir.Var(self.own, span=e.span), at) if at is not None and same else None
            case ir.Cast(operand=operand, implicit=True) if isinstance(e.type, Int) and e.type != BOOL:
                seen = self._seen(operand, state)
                return (replace(e, operand=seen[0]), seen[1]) if seen is not None else None
            case ir.Binary(op="+" | "-" as op, left=left, right=right) if self.what.unit is None:
                seen, number = self._seen(left, state), integer_value(right)
                if seen is None or number is None or seen[0].type != e.type:
                    return None
                further = number if (op == "+") != self.what.down else -number
                return (seen[0], seen[1].further(further)) if seen[1].least + further >= 0 else None
        return None


def _alone(x: ir.Symbol) -> bool:
    """Whether no other thread changes it."""
    return x.storage in ("local", "param")


def _merged(states: Sequence[State]) -> list[State]:
    """One state for each way in which the flags are known."""
    found: dict[frozenset[tuple[ir.Symbol, int]], State] = {}
    for state in states:
        key = frozenset(state.flags.items())
        found[key] = found[key].or_(state) if key in found else state
    if len(found) <= _MOST_STATES:
        return list(found.values())
    one = _joined(list(found.values()))
    return [one] if one is not None else []


def _joined(states: Sequence[State]) -> State | None:
    one = states[0] if states else None
    for state in states[1:]:
        one = one.or_(state) if one is not None else state
    return one
