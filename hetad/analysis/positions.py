"""On which positions of threads and blocks the values of a kernel depend.

A value depends on a position by what it is computed from, and by the conditions under which it is set.  Memory is the
same for all threads: what is loaded depends on where it is loaded from.
"""

from __future__ import annotations

from collections.abc import Iterable

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location
from hetad.ir import nodes as ir
from hetad.ir.visit import bodies, own_exprs, walk_expr
from hetad.rules.math import is_math

Position = tuple[str, str]  # "threadIdx" or "blockIdx", and the axis
UNKNOWN: Position = ("", "")  # among others: threads that are nowhere apart may still have different values
NONE: frozenset[Position] = frozenset()


class Positions:
    """`around`: by id of statements, on what it depends whether they run, and how often."""

    def __init__(self, body: ir.Body, effects: Effects) -> None:
        self._effects = effects
        self._of: dict[Location, frozenset[Position]] = {}
        self.around: dict[int, frozenset[Position]] = {}
        while True:
            before = dict(self._of)
            self._block(body, NONE)
            if self._of == before:
                break

    def of(self, expr: ir.Expr) -> frozenset[Position]:
        """On what its value depends."""
        return self._mentioned(expr) | self._held(self._effects.loads(expr))

    def of_address(self, place: ir.Expr) -> frozenset[Position]:
        """On what it depends which cell this is."""
        return self._mentioned(place) | self._held(self._effects.address(place))

    def _mentioned(self, expr: ir.Expr) -> frozenset[Position]:
        inside = tuple(walk_expr(expr))
        found = {(e.name, e.axis) for e in inside if isinstance(e, ir.ThreadIndex) and e.name.endswith("Idx")}
        return frozenset(found | {UNKNOWN for e in inside if isinstance(e, ir.CallExpr)})

    def _held(self, locations: Iterable[Location]) -> frozenset[Position]:
        return frozenset(p for at in locations for p in self._of.get(at, NONE))

    def _block(self, body: ir.Body, around: frozenset[Position]) -> None:
        for s in body:
            self.around[id(s)] = around
            match s:
                case ir.If(cond=cond) | ir.While(cond=cond):
                    inner = around | self.of(cond)
                    for nested in bodies(s):
                        self._block(nested, inner)
                case ir.For(init=init, cond=cond, step=step, body=nested):
                    self._block(init, around)
                    inner = around | (self.of(cond) if cond is not None else NONE)
                    self._block(nested, inner)
                    self._block(step, inner)
                case _:
                    self._simple(s, around)
                    for nested in bodies(s):
                        self._block(nested, around)

    def _simple(self, s: ir.Stmt, around: frozenset[Position]) -> None:
        found = around.union(*map(self.of, own_exprs(s)))
        if isinstance(s, ir.Call):
            found |= NONE if is_math(s.function) else {UNKNOWN}
        for at in self._effects.writes(s):
            if isinstance(at, ir.Symbol) and at.storage != "shared":
                self._of[at] = self._of.get(at, NONE) | found
