"""Grids and blocks whose extents the text tells."""

from __future__ import annotations

from collections import Counter

from hetad.analysis.effects import Effects
from hetad.ir import nodes as ir
from hetad.ir.types import DIM3
from hetad.ir.visit import walk_stmts


def known_extents(body: ir.Body, effects: Effects) -> dict[ir.Symbol, ir.Expr]:
    """The grids and blocks, and the numbers that these are made of, in variables that nothing changes."""
    times = Counter(x for s in walk_stmts(body) for x in effects.writes(s))
    return {
        s.symbol: s.init
        for s in walk_stmts(body)
        if isinstance(s, ir.Declare) and s.init is not None and times[s.symbol] == 1
        if s.symbol.type == DIM3 or isinstance(s.init, ir.Const)
    }
