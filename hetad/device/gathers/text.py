"""The text of several increments that are summed together: what their values need, in its order.

A gather adds to all its sums at the end.  A value that is another one by then is held where the increment stands:

    t = ...; adj_u[i - 1] += t;   →   t = ...; const double adj_u_part = t;
    t = ...; adj_v[i - 1] += t;       t = ...; adj_u_sum += adj_u_part; adj_v_sum += t;
"""

from __future__ import annotations

from collections.abc import Sequence

from hetad.analysis.accesses import Definition, Guard, Step
from hetad.device.accumulation.increments import Increment
from hetad.device.gathers.sources import NoGather, Source
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.places import changed_in
from hetad.ir.visit import variables


class Text:
    """Of increments with one key.

    last: the one behind all others in the text; those of several arrays may be given in another order.
    parts: by increment, the variables that hold values which change later.
    steps: what the values need, the increments themselves where there are parts of them.
    stale: for each step, the variables that it reads and that a later one changes.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        """Raises NoGather if one increment is not behind the steps that lead to another."""
        self.sources = sources
        self.last = max(sources, key=lambda s: len(s.access.steps))
        self._check()
        needed = IdentitySet[Step](t for s in sources for t in s.slice.steps)
        self.parts = self._parts(needed)
        held = self.parts
        whole = self.last.access.steps
        self.steps = [s for s in whole if s in needed or (isinstance(s, Definition) and s.statement in held)]
        self.stale = _changed_later(self.steps)

    def _check(self) -> None:
        """What integer variables hold at one increment they hold at the last."""
        last = self.last.access
        for s in self.sources:
            if any(a is not b for a, b in zip(s.access.steps, last.steps, strict=False)):
                raise NoGather
            if any(s.access.values.get(x) != last.values.get(x) for x in s.slice.indices):
                raise NoGather

    def _parts(self, needed: IdentitySet[Step]) -> IdentityMap[ir.Stmt, ir.Symbol]:
        found: IdentityMap[ir.Stmt, ir.Symbol] = IdentityMap()
        for s in self.sources:
            later = self.last.access.steps[len(s.access.steps) :]
            again = {x for t in later if isinstance(t, Definition) and t in needed for x in changed_in((t.statement,))}
            if not again.isdisjoint(variables(s.increment.value)):
                value, span = s.increment.value, s.access.statement.span
                found[s.increment.statement] = ir.Symbol(f"{s.root.name}_part", value.type, span, const=True)
        return found

    def held(self, s: ir.Stmt) -> ir.Stmt:
        """In place of an increment, the variable that holds its value."""
        if s not in self.parts:
            return s
        (value,) = (src.increment.value for src in self.sources if src.increment.statement is s)
        return ir.Declare(self.parts[s], value, span=s.span)

    def value(self, found: Increment) -> ir.Expr:
        """What the increment adds, at the end of the text."""
        part = self.parts.get(found.statement)
        return found.value if part is None else var(part, found.statement.span)


def _changed_later(steps: Sequence[Step]) -> IdentityMap[Step, frozenset[ir.Symbol]]:
    found: IdentityMap[Step, frozenset[ir.Symbol]] = IdentityMap()
    changed: set[ir.Symbol] = set()
    for step in reversed(steps):
        match step:
            case Definition(statement=s):
                found[step] = frozenset(changed.intersection(variables((s,))))
                changed.update(changed_in((s,)))
            case Guard(condition=condition):
                found[step] = frozenset(changed.intersection(variables(condition)))
            case _:
                found[step] = frozenset()
    return found
