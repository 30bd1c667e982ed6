"""Operations that are several of the table's in one: `cudaMallocPitch` and `realloc`."""

from __future__ import annotations

from dataclasses import replace

from hetad.adjoint.names import Names, integer
from hetad.analysis.pointer_expressions import out_place
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import BOOL, SIZE_T, VOID, Pointer
from hetad.ir.visit import declared, map_body
from hetad.passes.task import entry_pass
from hetad.rules import operations

_ALIGNMENT = 512  # of rows, as CUDA aligns them on every device


@entry_pass("plain-operations")
def in_plain_operations(function: ir.Function) -> ir.Function:
    """The host function, all calls inlined, with these operations taken apart."""
    names = Names({s.name for s in (*function.params, *declared(function.body))})

    def plain(s: ir.Stmt) -> ir.Stmt | ir.Body:
        match s:
            case ir.Call(function="cudaMallocPitch"):
                return _pitched(s)
            case ir.Call(function="realloc"):
                return _resized(s, names)
        return s

    return replace(function, body=map_body(plain, function.body))


def _pitched(s: ir.Call) -> ir.Body:
    """`pitch = width, rounded up; cudaMalloc(&p, pitch * height)`."""
    out, pitch, width, height = s.args
    place = out_place(pitch)
    if place is None:
        place = ir.Index(pitch, integer(0, s.span), SIZE_T, span=s.span)
    unit = integer(_ALIGNMENT, s.span, SIZE_T)
    padded = ir.Binary("+", width, integer(_ALIGNMENT - 1, s.span, SIZE_T), SIZE_T, span=s.span)
    rounded = ir.Binary("*", ir.Binary("/", padded, unit, SIZE_T, span=s.span), unit, SIZE_T, span=s.span)
    size = ir.Binary("*", place, height, SIZE_T, span=s.span)
    return ir.Assign(place, rounded, span=s.span), replace(s, function="cudaMalloc", args=(out, size))


def _resized(s: ir.Call, names: Names) -> ir.Body:
    """`old = p; p = malloc(bytes); if there is anything, memcpy(p, old, what both have room for); free(old)`."""
    if s.result is None or not isinstance(s.result.type, Pointer):
        raise UnsupportedError("the result of this realloc is not kept", s.span, "assign it to a variable")
    given, size = s.args
    while isinstance(given, ir.Cast):
        given = given.operand
    if not isinstance(given.type, Pointer):  # realloc(NULL, bytes)
        return (replace(s, function="malloc", args=(size,)),)
    old = names.symbol("old_memory", given.type, s.span)
    kept = names.symbol("kept_bytes", SIZE_T, s.span)
    before, count = ir.Var(old, span=s.span), ir.Var(kept, span=s.span)
    to, from_ = Pointer(VOID), Pointer(VOID, const=True)
    ends = (ir.Cast(s.result, to, span=s.span), ir.Cast(before, from_, span=s.span))
    some = ir.Binary(
        ">", count, integer(0, s.span, SIZE_T), BOOL, span=s.span
    )  # a null pointer is nothing to copy from
    return (
        ir.Declare(old, given, span=s.span),
        ir.Declare(kept, None, span=s.span),
        operations.kept_bytes(before, size, result=count, span=s.span),
        replace(s, function="malloc", args=(size,)),
        ir.If(some, (ir.Call("memcpy", (*ends, count), span=s.span),), (), span=s.span),
        ir.Call("free", (before,), span=s.span),
    )
