"""Threads that work on one target together."""

from __future__ import annotations

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert
from hetad.ir.types import UINT, Int
from hetad.rules import operations


class Team:
    """Neighbouring threads that share the work on a target: they divide its innermost free loop among them.

    `by_launch`: the launch is told how many they are, and has as many times more blocks; else they are a warp.
    """

    def __init__(self, type_: Int, names: Names, span: Span, by_launch: bool) -> None:
        self.by_launch = by_launch
        self.span = span
        self._lane = names.symbol("lane", type_, span, const=True)
        self.size = names.symbol("lanes", UINT, span, "param" if by_launch else "local", const=not by_launch)
        self.lane = ir.Var(self._lane, span=span)
        self.lanes = ir.Var(self.size, span=span)

    def threads(self, blocks: ir.Expr, of_block: ir.Expr, type_: Int) -> ir.Expr:
        """How many threads the primal has, given the extents of this launch."""
        if self.by_launch:
            blocks = ir.Binary("/", blocks, convert(self.lanes, type_), type_, span=self.span)
        return ir.Binary("*", blocks, of_block, type_, span=self.span)

    def share(
        self, thread: ir.Symbol, threads: ir.Symbol, names: Names, span: Span
    ) -> tuple[ir.Symbol, ir.Symbol, list[ir.Stmt]]:
        """The number of this thread's team and how many there are, with the statements that find it out."""
        team = names.symbol("team", thread.type, span, const=True)
        teams = names.symbol("teams", thread.type, span, const=True)

        def of(op: str, symbol: ir.Symbol) -> ir.Expr:
            return ir.Binary(op, ir.Var(symbol, span=span), convert(self.lanes, symbol.type), symbol.type, span=span)

        warp = ir.Declare(self.size, operations.lanes(span=span), span=span)
        return (
            team,
            teams,
            [
                *(() if self.by_launch else (warp,)),
                ir.Declare(self._lane, convert(of("%", thread), self._lane.type), span=span),
                ir.Declare(team, of("/", thread), span=span),
                ir.Declare(teams, of("/", threads), span=span),
            ],
        )

    def total(self, symbol: ir.Symbol, span: Span) -> ir.Stmt:
        value = ir.Var(symbol, span=span)
        total = operations.lane_sum(value, self.lanes, span=span)
        return ir.Assign(value, total, span=span)
