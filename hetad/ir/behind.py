"""A variable that becomes memory behind a pointer."""

from __future__ import annotations

from hetad.ir import nodes as ir
from hetad.ir.build import integer
from hetad.ir.types import Array, Pointer
from hetad.ir.visit import map_exprs


def pointer_to(symbol: ir.Symbol) -> Pointer:
    """What leads to a variable, or to the first element of an array."""
    return Pointer(symbol.type.of if isinstance(symbol.type, Array) else symbol.type)


def behind(symbol: ir.Symbol, pointer: ir.Symbol, body: ir.Body) -> ir.Body:
    """`body` with the variable read and written through the pointer."""
    held = pointer_to(symbol).to

    def through(e: ir.Expr) -> ir.Expr:
        match e:
            case ir.Var(symbol=x) if x is symbol:
                here = ir.Var(pointer, span=e.span)
                if isinstance(symbol.type, Array):
                    return here
                return ir.Index(here, integer(0, e.span), held, span=e.span)
            case ir.Cast(operand=ir.Var(symbol=x) as inner, implicit=True) if x is pointer and e.type == pointer.type:
                return inner
            case ir.AddressOf(place=ir.Index(base=ir.Var(symbol=x) as base, index=ir.Const(value=0))) if x is pointer:
                return base
        return e

    return map_exprs(through, body)
