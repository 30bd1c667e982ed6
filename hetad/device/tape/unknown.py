"""What a counting launch does not know, and how it counts all the same.

Where control flow depends on what only the launch itself can provide, both arms of a branch are counted, and a
loop that may be left early runs to its bound.  What is set there is not known further on, until it is set anew.  In the
iterations that the program makes, everything has the program's values: those that it does not make come after them.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import replace

from hetad.analysis.dataflow import settle, steady
from hetad.analysis.effects import Effects
from hetad.analysis.loops import counted, geometric_trips
from hetad.device.tape.progress import grows
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.simplify import conjunction, conjuncts
from hetad.ir.visit import declared, mentions, own_variables, variables


class Unknown:
    """What is not known where, on account of `stale` variables: `at`, by the id of a statement, as it begins, of a loop
    in each iteration; `open` are the ids of the loops whose end is not known."""

    def __init__(self, body: ir.Body, stale: Collection[ir.Symbol], effects: Effects) -> None:
        self.effects = effects
        self.at = IdentityMap[ir.Stmt, frozenset[ir.Symbol]]()
        self.open = IdentitySet[ir.Stmt]()
        self._always = {*stale}  # also what is in shared memory: how far the other threads are nobody knows
        if self._always:
            settle(self._always, lambda: self._block(body, frozenset(self._always)))

    def drops(self, s: ir.Stmt) -> bool:
        """Whether only what is not known comes of the statement."""
        match s:
            case ir.Declare() | ir.Assign() | ir.Update() | ir.Call():
                return self._mentions(s, self.here(s)) or any(x in self._always for x in self.effects.writes(s))
        return False

    def decides(self, s: ir.If | ir.For | ir.While) -> bool:
        """Whether the way that control takes here depends on it."""
        return s.cond is not None and not self.here(s).isdisjoint(variables(s.cond))

    def here(self, s: ir.Stmt) -> frozenset[ir.Symbol]:
        return self.at.get(s, frozenset())

    def _block(self, body: ir.Body, here: frozenset[ir.Symbol]) -> frozenset[ir.Symbol]:
        for s in body:
            here = self._after(s, here)
        return here

    def _after(self, s: ir.Stmt, here: frozenset[ir.Symbol]) -> frozenset[ir.Symbol]:
        if isinstance(s, ir.For | ir.While):
            return self._loop(s, here)
        self.at[s] = here
        match s:
            case ir.If(cond=cond, then=then, orelse=orelse):
                unsure = not here.isdisjoint(variables(cond))
                changed = self._set_by((s,)) if unsure else frozenset()
                # Both arms are run, one after the other.
                return self._block(then, here) | self._block(orelse, here | changed) | changed
            case ir.Block(body=body):
                return self._block(body, here)
        written = {x for x in self.effects.writes(s) if isinstance(x, ir.Symbol)}
        if self._mentions(s, here) or not written.isdisjoint(self._always):
            self._always.update(x for x in written if x.storage == "shared")
            return here if written <= here else here | written
        told = {x for x in written if x in here and _wholly(s, x)}
        return here - told if told else here

    def _loop(self, s: ir.For | ir.While, here: frozenset[ir.Symbol]) -> frozenset[ir.Symbol]:
        """It may run for too long: what it sets is not known in it, but for the index that it begins with anew."""
        init, step = (s.init, s.step) if isinstance(s, ir.For) else ((), ())
        here = self._block(init, here) | self.at.get(s, frozenset())
        inside = (*s.body, *step)
        known = {*declared((*init, *inside)), *(x for x in self.effects.written(init) if isinstance(x, ir.Symbol))}

        def after_one(here: frozenset[ir.Symbol]) -> frozenset[ir.Symbol]:
            self.at[s] = here
            after = here | self._block(inside, here)
            return after | (self._set_by(inside) - known) if self.decides(s) else after

        here = steady(after_one, here)
        if not self.decides(s):
            return here
        self.open.add(s)
        return here | self._set_by((s,))

    def _set_by(self, body: ir.Body) -> frozenset[ir.Symbol]:
        changed = frozenset(x for x in self.effects.written(body) if isinstance(x, ir.Symbol))
        self._always.update(x for x in changed if x.storage == "shared")
        return changed

    def _mentions(self, s: ir.Stmt, here: frozenset[ir.Symbol]) -> bool:
        """Whether what a statement sets depends on what is not known; not where it only sets it anew."""
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            return not here.isdisjoint(mentions(s.value))
        return not here.isdisjoint(own_variables(s))


def _wholly(s: ir.Stmt, symbol: ir.Symbol) -> bool:
    """Whether the statement surely sets the whole variable."""
    match s:
        case ir.Declare(symbol=x, init=init):
            return x is symbol and init is not None
        case ir.Assign(target=ir.Var(symbol=x)):
            return x is symbol
    return False


def bounded(s: ir.For, unknown: Container[ir.Symbol], effects: Effects) -> ir.For | None:
    """The loop without the parts of its condition that are not known, if one of the others counts its iterations."""
    parts = conjuncts(s.cond) if s.cond is not None else []
    left = [p for p in parts if not any(x in unknown for x in variables(p))]
    if not any(_counts(replace(s, cond=p), effects) for p in left):
        return None
    return replace(s, cond=conjunction(left))


def _counts(loop: ir.For, effects: Effects) -> bool:
    changed = effects.written(loop.body)
    header = counted(loop, lambda e: effects.stable(e, changed), lambda x: x in changed)
    if header is not None:
        return grows(header.step)  # else it may be zero, and the program leave the loop all the same
    return geometric_trips(loop, lambda x: x in changed) is not None
