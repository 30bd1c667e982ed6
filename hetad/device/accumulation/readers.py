"""Which statements look at adjoint memory: an addition may not be moved past them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hetad.device.accumulation.increments import increment
from hetad.ir import nodes as ir
from hetad.ir.facts import lasting, part_of_self
from hetad.ir.places import reached_by
from hetad.ir.types import Pointer, holds_numbers
from hetad.ir.visit import bodies, own_exprs, walk_expr
from hetad.rules import callees, operations

_ADDING = (*operations.RUNS, operations.warp_add, operations.block_add)


class Readers:
    """`adjoints`: the variables by which adjoint memory is reached."""

    def __init__(self, adjoints: Collection[ir.Symbol]) -> None:
        self.adjoints = frozenset(adjoints)
        self.seen = part_of_self(self._seen)

    def sees(self, s: ir.Stmt) -> bool:
        """Whether the statement, or one in it, waits for other threads, or looks at adjoints."""
        return bool(self.seen(s))

    def _seen(self, s: ir.Stmt) -> frozenset[ir.Symbol | None]:
        """The variables by which the statement, or one in it, reaches the adjoints that it looks at; None where these
        may be any."""
        own = {r.variable for r in _looked_at(s) if r.taken or r.variable is None or self._leads(r.variable)}
        if callees.calls(s, "barrier"):
            own.add(None)
        return frozenset(own).union(*(self.seen(inner) for body in bodies(s) for inner in body))

    def _leads(self, variable: ir.Symbol) -> bool:
        """Whether adjoint memory is behind the variable."""
        return variable in self.adjoints and (isinstance(variable.type, Pointer) or variable.storage != "local")


@dataclass(frozen=True, slots=True)
class _Read:
    """A number in memory that is read, or `taken` from adjoint memory, by this variable if it is known."""

    variable: ir.Symbol | None
    taken: bool


def _find_looked_at(s: ir.Stmt) -> tuple[_Read, ...]:
    found: dict[_Read, None] = {}
    for e in _values(s):
        if operations.gives(e, operations.take):
            found[_Read(reached_by(e.args[0]), True)] = None
        elif isinstance(e, ir.Index | ir.Member) and holds_numbers(e.type):
            found[_Read(reached_by(e), False)] = None
    return tuple(found)


_looked_at = lasting(_find_looked_at)  # by the statement itself


def _values(s: ir.Stmt) -> Iterator[ir.Expr]:
    """The expressions that a statement itself evaluates; of a cell that it sets or increments only the address."""
    adds = increment(s) is not None or operations.does(s, *_ADDING)
    for own in own_exprs(s):
        if adds and own is s.args[0]:  # type: ignore[union-attr]
            continue
        addressed = isinstance(s, ir.Assign) and own is s.target
        yield from (e for e in walk_expr(own) if not (addressed and e is own))
