"""Loops that number their iterations, or steps of them, in a variable of the program, as loops with a bound.

    k = 0; while (error > e && k < 10) { …; k += 1; }
    while (!stop) { k += 1; if (k > 20) stop = true; else { …; if (error < e) stop = true; } }

How far `k` gets is not known to a launch that only counts, but it is at most as far as it gets if nothing else ends the
loop.  Each iteration that another follows moves `k` by a step at least; the test that it passes tells how many there
may be, from where the variable begins, or from where it began before loops that only move it the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from hetad.analysis.effects import Effects
from hetad.analysis.loops import counted
from hetad.analysis.pointers import Location
from hetad.device.tape.progress import Distance, Iteration, Moved, State, moved, step_of
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, integer
from hetad.ir.simplify import simplified
from hetad.ir.types import BOOL, Int
from hetad.ir.visit import substituted, variables, walk_stmts


@dataclass(frozen=True, slots=True)
class Entered:
    """A loop, in an iteration of which one is."""

    loop: ir.For | ir.While


Way = tuple[ir.Stmt | Entered, ...]  # what has run so far, and the loops that have been entered


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a launch that only counts knows; `parameter`: what holds the value that a parameter has at first."""

    unknown: Container[ir.Symbol]
    effects: Effects
    names: Names
    parameter: Callable[[ir.Symbol], ir.Symbol]

    def knows(self, e: ir.Expr, *but: ir.Symbol) -> bool:
        return not any(x in self.unknown for x in variables(e) if x not in but)


def numbered(s: ir.For | ir.While, before: Way, outlook: Outlook) -> ir.For | None:
    """A loop with a number of its own that has the same body, steps in it, and runs no less often; None if none is
    found.  `before`: what leads to the loop, what a `for` begins with included."""
    step: ir.Body = s.step if isinstance(s, ir.For) else ()
    body = (*s.body, *step)
    changed = outlook.effects.written(body)
    for symbol in (x for x in changed if isinstance(x, ir.Symbol)):
        what = _counter(symbol, body, outlook)
        if what is None or s.cond is None:
            continue
        start, exact = _start(what, before, outlook)
        if start is None:
            continue
        own = outlook.names.symbol(symbol.name, symbol.type, s.span)
        iteration = Iteration(what, own, outlook.effects)
        followed, begun = iteration.followed(s.cond, body), iteration.begun(s.cond)
        if followed is None or begun is None or followed.at.least < 1:
            continue
        loops = _Loops(body, what, own, start, exact, followed.at, changed, outlook)
        found = loops.from_tests(begun, before=True) or loops.from_tests(followed, before=False)
        if found is not None:
            return found
    return None


def _counter(symbol: ir.Symbol, body: ir.Body, outlook: Outlook) -> Moved | None:
    if not isinstance(symbol.type, Int) or symbol.type == BOOL or symbol.storage not in ("local", "param"):
        return None
    return moved(symbol, body, outlook.effects)


@dataclass(frozen=True, slots=True)
class _Loops:
    """Makes the loop that counts; `step` is how far an iteration that another follows moves the variable."""

    body: ir.Body
    what: Moved
    own: ir.Symbol
    start: ir.Expr
    exact: bool  # whether the variable has that value where the loop begins
    step: Distance
    changed: dict[Location, None]
    outlook: Outlook

    def from_tests(self, state: State, before: bool) -> ir.For | None:
        """`before`: whether the tests are passed by each iteration, else by each that another follows."""
        for test, at in state.passed.items():
            assert isinstance(test, ir.Binary)
            found = self._from_test(test, at, before)
            if found is not None:
                return found
        return None

    def _from_test(self, test: ir.Binary, at: Distance, before: bool) -> ir.For | None:
        if not self.outlook.knows(test, self.own):
            return None
        if test.op == "!=" and not (self.exact and at.exact and self.step.exact):
            return None
        span, here = test.span, ir.Var(self.own, span=test.span)
        first = simplified(self._moved(self.start, integer(at.least, span, self.own.type)))
        width = self._width()
        again = ir.Update("-" if self.what.down else "+", here, width, span=span)
        begin = ir.Declare(self.own, first, span=span)
        # Of a comparison for difference it is only asked what it compares: it ends where the program's does.
        asked = ir.Binary(">" if self.what.down else "<", test.left, test.right, BOOL, span=span)
        plain = ir.For((begin,), asked if test.op == "!=" else test, (again,), self.body, span=span)
        if counted(plain, self._stays, lambda x: x in self.changed) is None:
            return None
        if before:
            return ir.For((begin,), test, (again,), self.body, span=span)
        # The first iteration runs in any case, each other one if the one before it passed the test.
        last = self._moved(here, width, back=True)
        passed = substituted({self.own: last}, test)
        begins = ir.Binary(">=" if self.what.down else "<=", here, first, BOOL, span=span)
        return ir.For((begin,), ir.Binary("||", begins, passed, BOOL, span=span), (again,), self.body, span=span)

    def _width(self) -> ir.Expr:
        number: ir.Expr = integer(self.step.least, self.own.span, self.own.type)
        if self.what.unit is None:
            return number
        unit = convert(self.what.unit, self.own.type)
        return simplified(ir.Binary("*", unit, number, self.own.type, span=self.own.span))

    def _moved(self, e: ir.Expr, by: ir.Expr, back: bool = False) -> ir.Expr:
        op = "-" if self.what.down != back else "+"
        return ir.Binary(op, convert(e, self.own.type), by, self.own.type, span=e.span)

    def _stays(self, e: ir.Expr) -> bool:
        return self.outlook.effects.stable(e, self.changed)


def _start(what: Moved, before: Way, outlook: Outlook) -> tuple[ir.Expr | None, bool]:
    """Where the variable is, or has been before it was only moved the same way; and whether it is there surely."""
    exact = True
    changed: dict[Location, None] = {}
    symbol, effects = what.symbol, outlook.effects
    for each in reversed(before):
        given = _given(each, symbol)
        if given is not None:
            known = outlook.knows(given) and effects.stable(given, changed)
            return given if known else None, exact
        passed = _inside(each)
        for s in walk_stmts(passed):
            if symbol in effects.writes(s):
                step = step_of(s, symbol)
                if step is None or step[0] != what.down:
                    return None, False
                exact = False
        changed.update(effects.written(passed))
    if symbol.storage != "param":
        return None, False
    return ir.Var(outlook.parameter(symbol), span=symbol.span), exact


def _given(each: ir.Stmt | Entered, symbol: ir.Symbol) -> ir.Expr | None:
    """What the statement sets the variable to, whatever it was."""
    match each:
        case ir.Declare(symbol=x, init=value) | ir.Assign(target=ir.Var(symbol=x), value=value) if x is symbol:
            return None if value is None or symbol in variables(value) else value
    return None


def _inside(each: ir.Stmt | Entered) -> ir.Body:
    if not isinstance(each, Entered):
        return (each,)
    return (*each.loop.body, *(each.loop.step if isinstance(each.loop, ir.For) else ()))
