"""Assignments of structs as assignments of their fields: derivatives, and aliasing, are decided field by field."""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.components import component, element_by_element
from hetad.analysis.pointer_expressions import holds_pointer
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names, integer
from hetad.ir.types import Array, Float, Struct, Type, holds_floating
from hetad.ir.visit import declared, map_body
from hetad.passes.manager import function_pass
from hetad.passes.task import entry_pass


def split_structs(function: ir.Function) -> ir.Function:
    """The function with every copy of a struct that holds floating fields, or pointers, written out."""
    names = Names({x.name for x in (*function.params, *declared(function.body))})

    def split(s: ir.Stmt) -> ir.Stmt | ir.Body:
        match s:
            case ir.Declare(symbol=symbol, init=ir.Var() | ir.Index() | ir.Member() as value) if _splits(symbol.type):
                return (replace(s, init=None), *_fields(ir.Var(symbol, span=s.span), value, s.span))
            case ir.Declare(symbol=symbol, init=ir.Aggregate() as value) if _holds_struct_values(value):
                return (replace(s, init=None), *_listed(ir.Var(symbol, span=s.span), value, s.span))
            case ir.Assign(target=target, value=ir.Var() | ir.Index() | ir.Member() as value) if _splits(target.type):
                return tuple(_fields(target, value, s.span))
            case ir.Assign(target=target, value=ir.Aggregate() as value) if _splits(target.type):
                return tuple(_through_copies(names, target, value, s.span))
        return s

    return replace(function, body=map_body(split, function.body))


field_by_field = function_pass("split-structs", split_structs)
fields_of_entry = entry_pass("split-structs-of-entry")(split_structs)


def _holds_struct_values(value: ir.Aggregate) -> bool:
    return any(
        _holds_struct_values(e) if isinstance(e, ir.Aggregate) else isinstance(e.type, Struct) for e in value.elements
    )


def _listed(place: ir.Place, value: ir.Aggregate, span: Span) -> list[ir.Stmt]:
    """The assignments of a list, structs in it field by field."""
    out: list[ir.Stmt] = []
    for s in element_by_element(place, value, span):
        whole = (
            isinstance(s, ir.Assign) and isinstance(s.value, ir.Var | ir.Index | ir.Member) and _splits(s.target.type)
        )
        out += _fields(s.target, s.value, span) if whole else [s]  # type: ignore[union-attr, arg-type]
    return out


def _through_copies(names: Names, target: ir.Place, value: ir.Aggregate, span: Span) -> list[ir.Stmt]:
    """All elements are evaluated before the first field is written: they may read the struct's old value."""
    before: list[ir.Stmt] = []
    after: list[ir.Stmt] = []
    for s in _listed(target, value, span):
        if isinstance(s, ir.Assign) and not isinstance(s.value, ir.Const):
            copy = names.symbol("element", s.value.type, span)
            before.append(ir.Declare(copy, s.value, span=span))
            s = replace(s, value=ir.Var(copy, span=span))
        after.append(s)
    return [*before, *after]


def floating_leaves(place: ir.Place) -> list[ir.Place]:
    """The floating scalars in a place, fields and elements in order."""
    if isinstance(place.type, Float):
        return [place]
    if isinstance(place.type, Struct):
        parts = [component(place, i, place.span) for i in range(len(place.type.fields))]
    elif isinstance(place.type, Array) and place.type.length is not None:
        at = (integer(i, place.span) for i in range(place.type.length))
        parts = [ir.Index(place, k, place.type.of, span=place.span) for k in at]
    else:
        return []
    return [leaf for part in parts for leaf in floating_leaves(part)]


def _splits(type_: Type) -> bool:
    return isinstance(type_, Struct) and (holds_floating(type_) or holds_pointer(type_))


def _fields(target: ir.Place, value: ir.Place, span: Span) -> list[ir.Stmt]:
    if isinstance(target.type, Struct):
        pairs = [(component(target, i, span), component(value, i, span)) for i in range(len(target.type.fields))]
    elif isinstance(target.type, Array) and target.type.length is not None:
        of = target.type.of
        at = [integer(i, span) for i in range(target.type.length)]
        pairs = [(ir.Index(target, k, of, span=span), ir.Index(value, k, of, span=span)) for k in at]
    else:
        return [ir.Assign(target, value, span=span)]
    return [s for a, b in pairs for s in _fields(a, b, span)]
