"""Which statements look at adjoint memory: an addition may not be moved past them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hetad.device.accumulation.increments import increment
from hetad.ir import nodes as ir
from hetad.ir.facts import Facts
from hetad.ir.places import reached_by
from hetad.ir.types import Pointer, holds_numbers
from hetad.ir.visit import bodies, own_exprs, walk_expr
from hetad.rules import callees, operations

_ADDING = (operations.add_run, operations.add_each, operations.warp_add, operations.block_add)


class Readers:
    """`adjoints`: the variables by which adjoint memory is reached."""

    def __init__(self, adjoints: Collection[ir.Symbol]) -> None:
        self.adjoints = frozenset(adjoints)
        self.seen = Facts(self._seen)

    def sees(self, s: ir.Stmt) -> bool:
        """Whether the statement, or one in it, waits for other threads, or looks at adjoints."""
        return bool(self.seen(s))

    def _seen(self, s: ir.Stmt) -> frozenset[ir.Symbol | None]:
        """The variables by which the statement, or one in it, reaches the adjoints that it looks at; None where these
        may be any."""
        own = {root for e in _values(s) for root in self._read(e)}
        if callees.calls(s, "barrier"):
            own.add(None)
        return frozenset(own).union(*(self.seen(inner) for body in bodies(s) for inner in body))

    def _read(self, expr: ir.Expr) -> Iterator[ir.Symbol | None]:
        """The variable by which the expression is a number in adjoint memory, if it is one, or may be."""
        if operations.gives(expr, operations.take):
            yield reached_by(expr.args[0])
        elif isinstance(expr, ir.Index | ir.Member) and holds_numbers(expr.type):
            root = reached_by(expr)
            pointed = root is not None and (isinstance(root.type, Pointer) or root.storage != "local")
            if root is None or (root in self.adjoints and pointed):
                yield root


def _values(s: ir.Stmt) -> Iterator[ir.Expr]:
    """The expressions that a statement itself evaluates; of a cell that it sets or increments only the address."""
    adds = increment(s) is not None or operations.does(s, *_ADDING)
    for own in own_exprs(s):
        if adds and own is s.args[0]:  # type: ignore[union-attr]
            continue
        addressed = isinstance(s, ir.Assign) and own is s.target
        yield from (e for e in walk_expr(own) if not (addressed and e is own))
