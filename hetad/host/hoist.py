"""Local variables that pointers point to live as long as the function.

A loop body of the forward sweep and its mirror in the reverse sweep are two scopes: a pointer saved in the one would
dangle in the other.
"""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.components import element_by_element
from hetad.analysis.pointers import PointsTo
from hetad.ir import nodes as ir
from hetad.ir.visit import map_body


def hoist_pointed(function: ir.Function) -> ir.Function:
    """The function with the declarations of such variables at its top."""
    pointed = PointsTo(function).pointed()
    top: list[ir.Stmt] = []

    def hoist(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Declare) or s.symbol not in pointed:
            return s
        top.append(ir.Declare(s.symbol, None, span=s.span))
        place = ir.Var(s.symbol, span=s.span)
        if s.init is None:
            return ()
        if isinstance(s.init, ir.Aggregate):
            return tuple(element_by_element(place, s.init, s.span))
        return ir.Assign(place, s.init, span=s.span)

    kept = function.body
    body = tuple(
        s if isinstance(s, ir.Declare) else x
        for s in kept
        for x in (map_body(hoist, (s,)) if not isinstance(s, ir.Declare) else (s,))
    )
    return replace(function, body=(*top, *body)) if top else function
