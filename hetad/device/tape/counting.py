"""Counting kernels: how many cells of a tape, or of a record, a thread of a launch needs at most.

A counting kernel runs the primal's control flow without its effects outside the block, counts what each statement would
push, and leaves the maximum over the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hetad.adjoint.canonicalise import in_order, tidy
from hetad.adjoint.liveness import Liveness
from hetad.analysis.effects import Effects
from hetad.device.tape.numbered import Entered, Outlook, Way, numbered
from hetad.device.tape.storage import Taped
from hetad.device.tape.unknown import Unknown, bounded
from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.quote import Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, integer, is_zero, var
from hetad.ir.identity import Identity, IdentityMap, IdentitySet
from hetad.ir.types import BOOL, UINT, VOID, Pointer
from hetad.ir.visit import bodies, declared, is_compound, map_bodies, map_body, variables
from hetad.rules import callees

L = TypeVar("L", ir.For, ir.While)


@dataclass(frozen=True, slots=True)
class Primal:
    """The kernel in which is counted.  `drops` tells statements with effects outside the block; `stale` variables have
    values that are not to be had here."""

    kernel: ir.Function
    effects: Effects
    drops: Callable[[ir.Stmt], bool]
    stale: Mapping[ir.Symbol, Span]


class TapeCounters:
    """Counters for `taped`, and the primal's statements with them."""

    def __init__(self, primal: Primal, taped: Sequence[Taped], names: Names) -> None:
        self.span = primal.kernel.span
        self.outside = primal.drops
        self.names = names
        self.effects = primal.effects
        self.unknown = Unknown(primal.kernel.body, primal.stale, primal.effects)
        self.first: dict[ir.Symbol, ir.Symbol] = {}  # parameters that change: with what the launch gave
        self.lost: dict[ir.Symbol, ir.For | ir.While] = {}  # what stands in conditions for what is not known
        self.counters: dict[tuple[Identity[ir.Stmt], bool], ir.Symbol] = {}
        self.met: set[tuple[Identity[ir.Stmt], bool]] = set()
        first = _first_of_each_body(primal.kernel.body, IdentitySet(one.statement for one in taped if one.total))
        self.leading = [replace(one, statement=first.get(one.statement, one.statement)) for one in taped]
        for one in self.leading:
            self.counters.setdefault(one.counted, names.symbol("most", UINT, self.span))

    def _parameter(self, symbol: ir.Symbol) -> ir.Symbol:
        if symbol not in self.first:
            self.first[symbol] = self.names.symbol(symbol.name, symbol.type, symbol.span)
        return self.first[symbol]

    def instrument(self, body: ir.Body, before: Way = ()) -> ir.Body:
        """`before`: what leads to the body."""
        return tuple(x for n, s in enumerate(body) for x in self._statement(s, (*before, *body[:n])))

    def _statement(self, s: ir.Stmt, before: Way) -> list[ir.Stmt]:
        if isinstance(s, ir.Declare) and s.symbol.storage == "shared":
            return [s]
        in_all, at_once = (Identity(s), True), (Identity(s), False)
        total, most = self.counters.get(in_all), self.counters.get(at_once)
        self.met.update({in_all, at_once} & self.counters.keys())
        if self.drops(s) and total is None:
            return list(self._left((s,)))
        if isinstance(s, ir.If) and self.unknown.decides(s):
            return [*self.instrument(s.then, before), *self.instrument(s.orelse, before)]
        out: list[ir.Stmt] = []
        inner: ir.Stmt
        if isinstance(s, ir.For | ir.While):
            lead, inner = self._loop(s, before)
            out += lead
        else:
            inner = map_bodies(lambda body: self.instrument(body, before), s)
        if total is not None:
            step = ir.Update("+", ir.Var(total, span=self.span), integer(1, self.span, UINT), span=self.span)
            if isinstance(inner, ir.For | ir.While):
                inner = replace(inner, body=(*inner.body, step))
            out.append(step)  # of a loop: what is saved before it
        if most is not None and isinstance(inner, ir.For | ir.While):
            return [*out, *_longest(inner, most, self.names)]
        return out if self.drops(s) else [*out, inner]

    def _loop(self, s: ir.For | ir.While, before: Way) -> tuple[ir.Body, ir.For | ir.While]:
        """The loop, and what is counted in front of it; one whose end is not known runs to a bound."""
        inside = (*before, Entered(s))
        unsure = self.unknown.decides(s)
        outlook = Outlook(self.unknown.here(s), self.effects, self.names, self._parameter)
        if isinstance(s, ir.While):
            loop = (numbered(s, before, outlook) or self._without_end(s)) if unsure else s
            return (), replace(loop, body=self.instrument(s.body, inside))
        header = bounded(s, outlook.unknown, self.effects) if unsure else s
        if header is None:
            header = numbered(s, (*before, *s.init), outlook)
            if header is not None:
                lead = self.instrument(s.init, before)
                return lead, replace(header, body=self.instrument((*s.body, *s.step), inside))
            header = self._without_end(s)
        if any((Identity(x), True) in self.counters for x in (*s.init, *s.step)):
            header = replace(header, init=(), step=(), body=self.instrument((*s.body, *s.step), inside))
            return self.instrument(s.init, before), header
        header = replace(header, init=self._left(s.init), step=self._left(s.step))
        return (), replace(header, body=self.instrument(s.body, inside))

    def _left(self, body: ir.Body) -> ir.Body:
        """The statements without what is not known: of declarations, the variables, which may be set anew."""
        blank = (replace(x, init=None) if self.unknown.drops(x) and isinstance(x, ir.Declare) else x for x in body)
        return tuple(x for x in blank if not self.drops(x))

    def _without_end(self, s: L) -> L:
        """A loop whose condition shows, if it stays, that it cannot be counted."""
        lost = self.names.symbol("lost", BOOL, s.span)
        self.lost[lost] = s
        return replace(s, cond=ir.Var(lost, span=s.span))

    def drops(self, s: ir.Stmt) -> bool:
        """Whether the statement has effects outside the block, or nothing but what is not known comes of it."""
        return self.unknown.drops(s) or self.outside(s)

    def cells(self, tape: int) -> ir.Expr:
        """The cells that the thread has counted for one tape."""
        cells: dict[ir.Symbol, int] = {}  # that are filled each time, by counter
        for one in self.leading:
            if one.tape == tape:
                counter = self.counters[one.counted]
                cells[counter] = cells.get(counter, 0) + one.cells
        total: ir.Expr = integer(0, self.span, UINT)
        for counter, each in cells.items():
            count: ir.Expr = ir.Var(counter, span=self.span)
            if each > 1:
                count = ir.Binary("*", integer(each, self.span, UINT), count, UINT, span=self.span)
            total = count if is_zero(total) else ir.Binary("+", total, count, UINT, span=self.span)
        return total


def _first_of_each_body(body: ir.Body, counted: IdentitySet[ir.Stmt]) -> IdentityMap[ir.Stmt, ir.Stmt]:
    """For each simple statement of `counted` the first one of the same body: as control is structured, it runs just as
    often, so that they share a counter."""
    first = IdentityMap[ir.Stmt, ir.Stmt]()
    waiting = [body]
    while waiting:
        inside = waiting.pop()
        together = [s for s in inside if s in counted and not is_compound(s)]
        for s in together:
            first[s] = together[0]
        waiting += (nested for s in inside for nested in bodies(s))
    return first


def counting_kernel(
    name: str, primal: Primal, tapes: int, taped: Sequence[Taped], names: Names
) -> tuple[ir.Function, tuple[int, ...]]:
    """The counting kernel, and the primal parameters it takes, by position.

    Raises:
        UnsupportedError: how much is to be counted depends on a value that is not to be had here.
    """
    kernel, effects = primal.kernel, primal.effects
    span = kernel.span
    depth = names.symbol("depth", Pointer(UINT), span, "param")
    counting = TapeCounters(primal, taped, names)
    body = counting.instrument(kernel.body)
    if counting.met != counting.counters.keys():
        raise UnsupportedError("the size of this kernel's tape cannot be found out", span, "please report this kernel")
    opening = [ir.Declare(m, integer(0, span, UINT), span=span) for m in counting.counters.values()]
    opening += [ir.Declare(x, var(p), span=p.span) for p, x in counting.first.items()]
    closing: list[ir.Stmt] = []
    for k in range(tapes):
        cell = ir.Index(ir.Var(depth, span=span), integer(k, span), UINT, span=span)
        closing.append(ir.Call("atomicMax", (address_of(cell), counting.cells(k)), span=span))
    pruned = Liveness(effects, _is_effect).prune((*opening, *body, *closing))
    lost = [counting.lost[x] for x in variables(pruned) if x in counting.lost]
    if lost:
        raise _refusal(primal, lost[0])
    final = in_order(tidy(_without_idle_barriers(pruned)), declared(primal.kernel.body))
    used = set(variables(final))
    taken = tuple(i for i, p in enumerate(kernel.params) if p in used)
    params = (*(kernel.params[i] for i in taken), depth)
    comment = f"cells of tape that a thread of {kernel.name}'s pullback needs"
    return ir.Function(name, "kernel", params, VOID, final, span, comment=comment), taken


def _refusal(primal: Primal, loop: ir.For | ir.While) -> UnsupportedError:
    body, effects = primal.kernel.body, primal.effects
    alone = (span for x, span in primal.stale.items() if loop in Unknown(body, (x,), effects).open)
    return UnsupportedError(
        "how often this runs depends on a value that only the launch itself can provide",
        next(alone, loop.span),
        "bound the turns by what the kernel does not overwrite: for (int k = 0; k < most; ++k), with a break",
    )


def _without_idle_barriers(body: ir.Body) -> ir.Body:
    """Without barriers where no shared memory is left."""
    if any(x.storage == "shared" for x in variables(body)):
        return body
    return map_body(lambda s: None if callees.calls(s, "barrier") else s, body)


def _is_effect(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Call) and (s.function == "atomicMax" or callees.kind(s.function) == "barrier")


_NEXT = Quote("++iterations;")
_LONGEST = Quote("""
    unsigned int iterations = 0;
    loop;
    if (iterations > most)
        most = iterations;
""")


def _longest(loop: ir.For | ir.While, most: ir.Symbol, names: Names) -> ir.Body:
    text = Scope(names, loop.span, most=most)
    return text(_LONGEST, loop=lambda: (replace(loop, body=(*loop.body, *text(_NEXT))),))
