"""The parts of aggregates: elements of arrays, fields of structs."""

from __future__ import annotations

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import zero
from hetad.ir.types import INT, Array, Struct


def component(place: ir.Place, i: int, span: Span) -> ir.Place:
    """Element i of an array, or field i of a struct."""
    if isinstance(place.type, Struct):
        f = place.type.fields[i]
        return ir.Member(place, f.name, f.type, span=span)
    assert isinstance(place.type, Array)
    index = ir.Const(i, INT, span=span)
    return ir.Index(place, index, place.type.of, span=span)


def element_by_element(place: ir.Place, value: ir.Aggregate, span: Span) -> list[ir.Stmt]:
    """The assignments that a list initialiser stands for; what it does not list is zero."""
    if isinstance(place.type, Struct):
        count = len(place.type.fields)
    else:
        assert isinstance(place.type, Array) and place.type.length is not None
        count = place.type.length
    out: list[ir.Stmt] = []
    for i in range(count):
        cell = component(place, i, span)
        element = value.elements[i] if i < len(value.elements) else zero(cell.type, span)
        if isinstance(element, ir.Aggregate):
            out += element_by_element(cell, element, span)
        else:
            out.append(ir.Assign(cell, element, span=span))
    return out
