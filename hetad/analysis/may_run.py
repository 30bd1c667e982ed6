"""A walk through everything of a program that may run: both branches where nothing is known of a condition, and each
iteration of a loop as one that stands for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hetad.analysis.bounded import Bounded
from hetad.analysis.follower import Threads, forget, set_in
from hetad.analysis.holding import Objects
from hetad.analysis.known import Address, Cell, Conditions, Known, Value
from hetad.analysis.linear import Linear, Ranges
from hetad.analysis.stores import is_memory
from hetad.analysis.webs import place_of, targets
from hetad.ir import nodes as ir
from hetad.ir.types import Int, Pointer
from hetad.ir.visit import declared, own_exprs, walk_expr, walk_stmts

_LARGE = (1 << 31) - 1
_MOST_PASSES = 12  # until no further iteration changes what is known
_MOST_STATES = 3
_MOST_TURNS = 16  # of a loop that are followed one by one
_NEVER: Conditions = (Linear(-1),)
_COUNTED, _SMALL = 1 << 62, 1 << 10  # what counts reach, by such steps, in no time


class Unproven(Exception):
    """Nothing is known of what may run."""


class MayRun(Bounded):
    """`leaving`: by the loops in which the walk is, what is known where an iteration ends early."""

    def __init__(
        self, program: ir.Program, function: ir.Function, ranges: Ranges, memory: Objects,
        null: frozenset[ir.Symbol], threads: Threads | None = None,
    ) -> None:  # fmt: skip
        super().__init__(program, function, ranges, memory, null, threads)
        self.leaving: list[list[Known]] = []

    # -- statements

    def _statement(self, s: ir.Stmt, known: Known, given: Conditions) -> Conditions:
        self.given = given
        self.memory.steps += 1
        return super()._statement(s, known, given)

    def _branches(self, s: ir.If, known: Known, given: Conditions) -> Conditions:
        self._read(s.cond, known, given)
        holds, fails = self._holding(s.cond, known), self._failing(s.cond, known)
        ends: list[tuple[Known, Conditions]] = []
        for body, more in ((s.then, holds), (s.orelse, fails)):
            if not self.never(more):
                inner = dict(known)
                self.follow(body, inner, (*given, *more))
                ends += [] if _leaves(body) else [(inner, (*given, *more))]
        if ends:
            (after, one), (other, two) = ends[0], ends[-1]
            if len(ends) == 2:
                after = self._met(after, other, lambda a, b: self._between(((a, one), (b, two))))
            known.clear()
            known.update(after)
        return fails if _leaves(s.then) else holds if _leaves(s.orelse) else ()

    def _while(self, s: ir.While | ir.DoWhile, known: Known, given: Conditions) -> None:
        def run(inner: Known) -> None:
            self._read(s.cond, inner, given)
            holds = self._holding(s.cond, inner) if isinstance(s, ir.While) else ()
            if not self.never(holds):
                self.follow(s.body, inner, (*given, *holds))

        self._each_iteration(s.body, known, run)

    def _other(self, s: ir.Stmt, known: Known, given: Conditions) -> None:
        if isinstance(s, ir.Switch):
            self._read(s.subject, known, given)
            self._forget(known, (s,))
            for case in s.cases:
                self.follow(case.body, dict(known), given)
            return
        if not isinstance(s, ir.Return | ir.Break | ir.Continue | ir.Comment):
            raise Unproven
        for own in own_exprs(s):
            self._read(own, known, given)
        if isinstance(s, ir.Break | ir.Continue) and self.leaving:
            self.leaving[-1].append(dict(known))

    def _loop(self, s: ir.For, known: Known, given: Conditions) -> None:
        self.follow(s.init, known, given)
        start = {cell: known.get(cell) for cell in set_in(s.step)}
        turns, before = self._turns(s, start, known), dict(known)
        if turns is not None:
            if self._each_turn(s, turns, known, given):
                forget(known, s.step)
                return
            known.clear()
            known.update(before)
        forget(known, s.step)

        def run(inner: Known) -> None:
            self._read(s.cond, inner, given)
            before = dict(inner)
            more = self._iterations(s, start, inner)
            if more is None:
                inner.clear()
                inner.update(before)
                more = self._scaled(s, start, inner)
            if not self.never(more):
                self.follow((*s.body, *s.step), inner, (*given, *more))
            forget(inner, s.step)

        self._each_iteration((*s.body, *s.step), known, run)

    def _turns(self, s: ir.For, start: Mapping[Cell, Value | None], known: Known) -> list[Known] | None:
        """What the variable of a loop is in each turn and behind the last, if these are few, come to their end and
        launch nothing: each is followed by itself.  In kernels only where nothing less will do."""
        if (
            (self.threads is not None and not self.memory.thorough)
            or len(start) != 1
            or s.cond is None
            or self.memory.steps > self.memory.most_steps
        ):
            return None
        (key, value), by, body = next(iter(start.items())), self._step(s, known), set_in(s.body)
        varies = {place_of(e) for e in walk_expr(s.cond) if isinstance(e, ir.Var | ir.Member)} & {key, *body} != {key}
        if by is None or by.terms or key in body or varies or not all(map(_comes_to_its_end, walk_stmts(s.body))):
            return None
        turns: list[Known] = []
        while isinstance(value, Linear) and not value.terms and len(turns) <= _MOST_TURNS:
            turn: Known = {key: value}
            holds, _ = self.tested(s.cond, {**known, **turn})
            turns.append(turn)
            if holds != ():
                return turns if holds == _NEVER else None
            value = value + by
        return None

    def _each_turn(self, s: ir.For, turns: list[Known], known: Known, given: Conditions) -> bool:
        """Whether the loop has these turns; what they store may be what says how many there are."""
        outside, by = self.memory.turn, self._step(s, known)
        for i, turn in enumerate(turns):
            self.memory.turn = (*outside, i)
            if i and self._step(s, known) != by:
                break
            known.update(turn)
            self._read(s.cond, known, given)
            holds = self.tested(s.cond, known)[0] if s.cond is not None else ()
            if holds != (() if i + 1 < len(turns) else _NEVER):
                break
            if not holds:
                self.follow(s.body, known, given)
        else:
            self.memory.turn = outside
            return True
        self.memory.turn = outside
        return False

    def _step(self, s: ir.For, known: Known) -> Linear | None:
        """By how much the variable of a loop grows behind an iteration."""
        step = s.step[0]
        by = self.number(step.value, known) if isinstance(step, ir.Update) and step.op in ("+", "-") else None
        return by.scaled(-1) if by is not None and isinstance(step, ir.Update) and step.op == "-" else by

    def _each_iteration(self, body: ir.Body, known: Known, run: Callable[[Known], None]) -> None:
        """An iteration from each of the states that there are before one; `known` becomes what is known behind."""
        states = self._states(body, known, run)
        for state in states:
            self.leaving.append([])
            run(dict(state))
            self.leaving.pop()
        met = self._all_met(states)
        known.clear()
        known.update(met)

    def _states(self, body: ir.Body, known: Known, run: Callable[[Known], None]) -> list[Known]:
        """What may be known before an iteration, or behind the last: of numbers what is so always, with pointers as
        they are one way or another, where these ways are few.  In kernels, of numbers that the body sets, nothing."""
        states, own = [dict(known)], set(declared(body))
        worth = (self.threads is None or _sets_pointers(body)) and self.memory.steps < self.memory.most_steps
        for _ in range(_MOST_PASSES if worth else 0):
            before = states
            after = [end for state in states for end in self._ends_of(state, run)]
            seen = [*states, *({c: held for c, held in end.items() if c[0] not in own} for end in after)]
            met = self._all_met(seen)
            numbers: Known = {cell: held for cell, held in met.items() if not isinstance(held, Address)}
            numbers.update(self._counts(seen, met))
            states = []
            for state in seen:
                one: Known = {**numbers, **{cell: held for cell, held in state.items() if isinstance(held, Address)}}
                states += [one] if one not in states else []
            if len(states) > _MOST_STATES:
                states = [met]
            if states == before:
                return states
        self._forget(known, body)
        return [known]

    def _counts(self, states: list[Known], met: Known) -> Iterator[tuple[Cell, Linear]]:
        """Cells of 64 bits that an iteration raises by a small number, as the count of owners: they do not fall below
        what they have been, and no run is long enough for them to wrap."""
        for cell, first in states[0].items():
            if cell not in met and is_memory(cell) and cell[1][1] == 8 and isinstance(first, Linear):
                values = [state.get(cell) for state in states]
                steps = [v - first for v in values if isinstance(v, Linear)]
                if len(steps) == len(states) and not any(d.terms or not 0 <= d.constant < _SMALL for d in steps):
                    counted = first.terms and self.ranges.ends(first)[1] == _COUNTED
                    yield cell, first if counted else self.ranges.add(self.ranges.ends(first)[0], _COUNTED)

    def _ends_of(self, state: Known, run: Callable[[Known], None]) -> list[Known]:
        """What is known behind an iteration."""
        inner = dict(state)
        self.memory.quiet += 1
        self.leaving.append([])
        run(inner)
        self.memory.quiet -= 1
        return [inner, *self.leaving.pop()]

    def _all_met(self, states: list[Known]) -> Known:
        met = states[0]
        for state in states[1:]:
            met = self._met(met, state)
        return dict(met)

    def _scaled(self, s: ir.For, start: Mapping[Cell, Value | None], inner: Known) -> Conditions:
        """What holds in each iteration of a loop whose variable is divided or multiplied by a number, as the width of a
        tree; `inner` learns between which numbers it is."""
        if len(s.step) != 1 or s.cond is None or len(start) != 1:
            return ()
        key, first = next(iter(start.items()))
        op, factor = _operation(s.step[0])
        by = self.number(factor, inner) if factor is not None else None
        if (
            not isinstance(first, Linear)
            or by is None
            or by.terms
            or not 1 <= by.constant < 31
            or key in set_in(s.body)
        ):
            return ()
        low, high = self.ranges.ends(first)
        if low < 0 or op not in ("/", ">>", "*", "<<"):
            return ()
        grows = op in ("*", "<<")
        inner[key] = value = self.ranges.add(low, _LARGE) if grows else self.ranges.add(0, high)
        holds = self._holding(s.cond, inner)
        scale = by.constant if op == "*" else 1 << by.constant
        if grows and not self._at_most(value, _LARGE // scale, holds):  # might wrap
            del inner[key]
            return ()
        return holds

    def _set(self, target: ir.Place, value: ir.Expr | None, known: Known) -> None:
        super()._set(target, value, known)
        at = self._variable(target)
        if value is not None and at is not None and at not in known and isinstance(target.type, Int):
            self._some_number(at, target.type, known)

    def _some_number(self, at: Cell, type_: Int, known: Known) -> None:
        """What a guard says of a number is known, even if nothing else is."""
        if not type_.boolean:
            bits = type_.bits - type_.signed
            known[at] = self.ranges.add(-(1 << bits) * type_.signed, (1 << bits) - 1)


def _comes_to_its_end(s: ir.Stmt) -> bool:
    return not isinstance(s, ir.Break | ir.Continue | ir.Return | ir.Launch | ir.Switch)


def _sets_pointers(body: ir.Body) -> bool:
    return any(isinstance(place.type, Pointer) for s in walk_stmts(body) for place in targets(s))


def _operation(step: ir.Stmt) -> tuple[str, ir.Expr | None]:
    """By what a variable is changed, and with what."""
    match step:
        case ir.Update(op=op, value=value):
            return op, value
        case ir.Assign(target=ir.Var(symbol=x), value=ir.Binary(op=op, left=ir.Var(symbol=old), right=value)):
            return (op, value) if old is x else ("", None)
    return "", None


def _leaves(body: ir.Body) -> bool:
    """Whether nothing behind it runs."""
    return bool(body) and isinstance(body[-1], ir.Return | ir.Break | ir.Continue)
