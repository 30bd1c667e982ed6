"""Saves and restores of a host function as calls of the support functions."""

from __future__ import annotations

from collections.abc import Mapping

from hetad.ir import nodes as ir
from hetad.ir.types import INT, SIZE_T, VOID, Array, Pointer, element, innermost, size_of
from hetad.ir.visit import map_body

_SAVE = {"value": "hetad_push", "range": "hetad_save_range", "part": "hetad_save_part", "allocation": "hetad_save"}
_RESTORE = {
    "value": "hetad_pop",
    "range": "hetad_restore_range",
    "part": "hetad_restore_part",
    "allocation": "hetad_restore",
}


def lower_tape(body: ir.Body, numbers: Mapping[ir.Symbol, int] | None = None) -> ir.Body:
    """`numbers`: of slots, for a program that tells what each of them takes; those without one share the next."""

    def numbered(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if numbers is None or not isinstance(s, ir.Push):
            return lower(s)
        number = ir.Const(numbers.get(s.slot, len(numbers)), INT, span=s.span)
        return ir.Call("hetad_site", (number,), span=s.span), lower(s)

    def lower(s: ir.Stmt) -> ir.Stmt:
        if not isinstance(s, ir.Push | ir.Pop):
            return s
        name = (_SAVE if isinstance(s, ir.Push) else _RESTORE)[s.extent]
        if s.extent == "value":
            assert isinstance(s.place, ir.Var | ir.Index | ir.Member)
            where: ir.Expr = s.place
            if not isinstance(s.place.type, Array):
                where = ir.AddressOf(s.place, Pointer(s.place.type), span=s.span)
            size = ir.Const(size_of(s.place.type), SIZE_T, span=s.span)
            return ir.Call(name, (where, size), span=s.span)
        place = s.place
        if isinstance(place.type, Pointer) and place.type.const:
            place = ir.Cast(place, Pointer(VOID), span=s.span)
        args: tuple[ir.Expr, ...] = (place,) if s.bytes is None else (place, s.bytes)
        if isinstance(s, ir.Push) and s.cells:
            args = (place, *s.cells, ir.Const(size_of(innermost(element(s.place.type))), SIZE_T, span=s.span))
        return ir.Call(name, args, span=s.span)

    return map_body(numbered, body)
