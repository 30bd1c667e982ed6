"""Grids and blocks whose extents the text tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hetad.analysis.coordinates import AXES
from hetad.analysis.effects import Effects
from hetad.host.derivation import Derivation, on_derivative
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, small
from hetad.ir.simplify import simplest
from hetad.ir.types import DIM3, UINT
from hetad.ir.visit import map_body, map_expr

Extents = Mapping[ir.Symbol, ir.Expr]  # grids and blocks, and numbers that these are made of, by variable


def known_extents(body: ir.Body, effects: Effects) -> dict[ir.Symbol, ir.Expr]:
    """The values of grids and blocks, and of the numbers that these are made of, in variables that nothing changes."""
    kept = effects.constants(body)
    return {x: init for x, init in kept.items() if x.type == DIM3 or isinstance(init, ir.Const)}


def number_along(extent: ir.Expr, axis: str, known: Extents) -> int | None:
    """How many there are along an axis, where that is a number."""
    extent = bare(extent)
    match extent:
        case ir.Var(symbol=symbol) if symbol in known:
            return number_along(known[symbol], axis, known)
        case ir.Member(base=ir.Var(symbol=symbol), name=part) if symbol in known and axis == "x":
            return number_along(known[symbol], part, known)
        case ir.Aggregate(elements=elements, type=type_) if type_ == DIM3:
            return number_along(elements[AXES.index(axis)], "x", known)
    if axis != "x":
        return 1 if extent.type != DIM3 else None
    return small(extent)


@on_derivative("known-extents")
def with_known_extents(derivation: Derivation) -> ir.Body:
    """`dim3(grid.x, grid.y != 0)`, where `dim3 grid(n)`, is `grid`."""
    known = known_extents(derivation.body, derivation.setting.effects)

    def told(s: ir.Stmt) -> ir.Stmt:
        return replace(s, grid=_plain(s.grid, known), block=_plain(s.block, known)) if isinstance(s, ir.Launch) else s

    return map_body(told, derivation.body)


def _plain(extent: ir.Expr, known: Extents) -> ir.Expr:
    one = ir.Const(1, UINT, span=extent.span)
    parts = extent.elements if isinstance(extent, ir.Aggregate) else (extent, one, one)
    told = tuple(map_expr(lambda e: _told(e, known), e) for e in parts)
    for base in (e.base for e in parts if isinstance(e, ir.Member)):
        if told == tuple(_told(ir.Member(base, axis, UINT, span=extent.span), known) for axis in AXES):
            return base
    if not isinstance(extent, ir.Aggregate):
        return extent
    return told[0] if told[1:] == (one, one) else replace(extent, elements=told)


def _told(e: ir.Expr, known: Extents) -> ir.Expr:
    """An extent as a number, if it is one, or an expression of extents."""
    number = number_along(e, "x", known) if isinstance(e, ir.Member) else small(simplest(e))
    return simplest(e) if number is None else ir.Const(number, e.type, span=e.span)
