"""A program starts with the first values of its variables, each time it runs.

As a function it may run several times in one process, where variables at file scope would have what the last run has
left in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hetad.analysis.between_calls import kept_between_calls
from hetad.ir import nodes as ir
from hetad.ir.build import address_of, copy_kind, zero
from hetad.ir.types import INT, SIZE_T, VOID, Array, Float, Int, Pointer, Struct, Type, size_of

_TO_DEVICE = 1  # cudaMemcpyHostToDevice


def with_first_values(program: ir.Program, function: ir.Function) -> tuple[ir.Function, list[ir.Global]]:
    """A function that first sets all variables that it may read as the last run has left them, and the values of
    arrays, which are new."""
    kept = kept_between_calls(program, function.name)
    body: list[ir.Stmt] = []
    values: list[ir.Global] = []
    for g in program.globals:
        if g.symbol in kept and _is_data(g.symbol.type):
            body += (_on_device if g.device or g.managed else _on_host)(g, values, function)
    return (replace(function, body=(*body, *function.body)) if body else function), values


def _is_data(type_: Type) -> bool:
    """Whether a variable holds numbers and pointers alone."""
    if isinstance(type_, Array):
        return type_.length is not None and _is_data(type_.of)
    if isinstance(type_, Struct):
        return all(_is_data(f.type) for f in type_.fields)
    return isinstance(type_, Int | Float | Pointer)


def _on_host(g: ir.Global, values: list[ir.Global], function: ir.Function) -> Iterator[ir.Stmt]:
    place, span, type_ = ir.Var(g.symbol, span=function.span), function.span, g.symbol.type
    if not isinstance(type_, Array):
        yield ir.Assign(place, g.init if g.init is not None else _zero(type_, function), span=span)
        return
    into = ir.Cast(place, Pointer(VOID), implicit=True, span=span)
    size = ir.Const(size_of(type_), SIZE_T, span=span)
    if g.init is None:
        yield ir.Call("memset", (into, ir.Const(0, INT, span=span), size), span=span)
    else:
        yield ir.Call("memcpy", (into, _value(g, values, function), size), span=span)


def _on_device(g: ir.Global, values: list[ir.Global], function: ir.Function) -> Iterator[ir.Stmt]:
    span, type_ = function.span, g.symbol.type
    pointer = ir.Symbol(f"{g.symbol.name}_address", Pointer(type_.of if isinstance(type_, Array) else type_), span)
    place, variable = ir.Var(pointer, span=span), ir.Var(g.symbol, span=span)
    out = ir.Cast(address_of(place), Pointer(Pointer(VOID)), span=span)
    named = ir.Cast(
        variable if isinstance(type_, Array) else address_of(variable), Pointer(VOID, const=True), span=span
    )
    into = ir.Cast(place, Pointer(VOID), implicit=True, span=span)
    size = ir.Const(size_of(type_), SIZE_T, span=span)
    yield ir.Declare(pointer, None, span=span)
    yield ir.Call("cudaGetSymbolAddress", (out, named), span=span)
    if g.init is None:
        yield ir.Call("cudaMemset", (into, ir.Const(0, INT, span=span), size), span=span)
    else:
        given = (into, _value(g, values, function), size, copy_kind(_TO_DEVICE, span))
        yield ir.Call("cudaMemcpy", given, span=span)


def _value(g: ir.Global, values: list[ir.Global], function: ir.Function) -> ir.Expr:
    """What leads to the first value of a variable, in a constant."""
    held = ir.Symbol(f"{g.symbol.name}_at_start", g.symbol.type, g.symbol.span, "global", const=True)
    values.append(ir.Global(held, g.init, False, g.symbol.span))
    there = ir.Var(held, span=function.span)
    where = there if isinstance(held.type, Array) else address_of(there)
    return ir.Cast(where, Pointer(VOID, const=True), implicit=True, span=function.span)


def _zero(type_: Type, function: ir.Function) -> ir.Expr:
    if isinstance(type_, Struct):
        return ir.Aggregate((), type_, span=function.span)
    if isinstance(type_, Pointer):
        return ir.Const(0, type_, "0", span=function.span)
    return zero(type_, function.span)
