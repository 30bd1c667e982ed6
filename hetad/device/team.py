"""Threads that work on one target together."""

from __future__ import annotations

from hetad.adjoint.names import Names, convert
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import UINT, Int


class Team:
    """Neighbouring threads that share the work on a target: they divide a free loop among them."""

    def __init__(self, loop: ir.Symbol, type_: Int, span: Span) -> None:
        self.loop = loop  # the coordinate
        self._lane = ir.Symbol("lane", type_, span, const=True)
        self._lanes = ir.Symbol("lanes", UINT, span, const=True)
        self.lane = ir.Var(self._lane, span=span)
        self.lanes = ir.Var(self._lanes, span=span)

    def share(
        self, thread: ir.Symbol, threads: ir.Symbol, names: Names, span: Span
    ) -> tuple[ir.Symbol, ir.Symbol, list[ir.Stmt]]:
        """The number of this thread's team and how many there are, with the statements that find it out."""
        team = names.symbol("team", thread.type, span, const=True)
        teams = names.symbol("teams", thread.type, span, const=True)

        def of(op: str, symbol: ir.Symbol) -> ir.Expr:
            return ir.Binary(op, ir.Var(symbol, span=span), convert(self.lanes, symbol.type), symbol.type, span=span)

        lanes = ir.Intrinsic("hetad_lanes", (), UINT, span=span)
        return (
            team,
            teams,
            [
                ir.Declare(self._lanes, lanes, span=span),
                ir.Declare(self._lane, convert(of("%", thread), self._lane.type), span=span),
                ir.Declare(team, of("/", thread), span=span),
                ir.Declare(teams, of("/", threads), span=span),
            ],
        )

    def total(self, symbol: ir.Symbol, span: Span) -> ir.Stmt:
        value = ir.Var(symbol, span=span)
        total = ir.Intrinsic(f"hetad_lane_sum_{symbol.type}", (value, self.lanes), symbol.type, span=span)
        return ir.Assign(value, total, span=span)
