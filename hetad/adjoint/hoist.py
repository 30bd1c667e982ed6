"""Local variables that pointers point to live as long as the function, where the reverse sweep may want the pointers.

The body of a loop that is taped and its mirror in the reverse sweep are two scopes: a pointer saved in the one would
dangle in the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hetad.adjoint.components import element_by_element
from hetad.analysis.pointers import points_to
from hetad.ir import nodes as ir
from hetad.ir.visit import map_bodies
from hetad.passes.task import entry_pass


def hoist_pointed(function: ir.Function, taped: Callable[[ir.For | ir.While], bool] | None = None) -> ir.Function:
    """The function with the declarations of such variables at its top: those in loops that are `taped`, but for other
    loops in them; without it, those in all loops, branches and blocks."""
    pointed = points_to(function).pointed()
    top: list[ir.Stmt] = []

    def hoisted(body: ir.Body, inside: bool) -> ir.Body:
        found = [x for s in body for x in statement(s, inside)]
        return (
            body if len(found) == len(body) and all(a is b for a, b in zip(found, body, strict=True)) else tuple(found)
        )

    def statement(s: ir.Stmt, inside: bool) -> tuple[ir.Stmt, ...]:
        if isinstance(s, ir.For | ir.While):
            inner = taped is None or taped(s)
            return (map_bodies(lambda body: hoisted(body, inner), s),)
        if not isinstance(s, ir.Declare) or not inside or s.symbol not in pointed or s.symbol.storage != "local":
            return (map_bodies(lambda body: hoisted(body, inside or taped is None), s),)
        top.append(ir.Declare(s.symbol, None, span=s.span))
        place = ir.Var(s.symbol, span=s.span)
        if s.init is None:
            return ()
        if isinstance(s.init, ir.Aggregate):
            return tuple(element_by_element(place, s.init, s.span))
        return (ir.Assign(place, s.init, span=s.span),)

    body = hoisted(function.body, False)
    return replace(function, body=(*top, *body)) if top else function


pointed_locals_at_the_top = entry_pass("hoist-pointed")(hoist_pointed)
