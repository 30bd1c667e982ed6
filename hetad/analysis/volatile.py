"""Volatile data: its reads and writes are kept as they are, and it carries no derivative."""

from __future__ import annotations

from collections.abc import Collection

from hetad.analysis.pointers import Location, PointsTo
from hetad.diagnostics import UnsupportedError, report
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.types import Float, is_volatile
from hetad.ir.visit import own_nodes, walk_stmts


def refuse_active_volatile(function: ir.Function, pointers: PointsTo, active: Collection[Location]) -> None:
    """Reports each access of active data through something volatile."""
    for s in walk_stmts(function.body):
        places = [e for e in own_nodes(s) if isinstance(e, ir.Var | ir.Index | ir.Member)]
        if isinstance(s, ir.Declare):
            places.append(var(s.symbol))
        for place in places:
            if not isinstance(place.type, Float) or not is_volatile(place.type):
                continue
            if any(location in active for location in pointers.storage(place)):
                what = "active data is volatile here, where it may change without a store that hetad sees"
                remedy = "remove volatile; order the accesses with __syncwarp() or __syncthreads()"
                report(UnsupportedError(what, place.span, remedy))
