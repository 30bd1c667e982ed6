"""Calls that name a device variable: its address, its size, copies to it and from it.

`cudaMemcpyToSymbol(x, src, bytes, offset)` becomes `cudaGetSymbolAddress(&p, x)` and a copy to `p` and the offset.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from hetad.diagnostics import Span, SyntaxProblem
from hetad.frontend.lower import convert, expressions
from hetad.frontend.lower.c_nodes import arguments, called
from hetad.frontend.lower.context import Context
from hetad.ir.build import copy_kind
from hetad.ir.nodes import AddressOf, Assign, Binary, Call, Cast, Const, Declare, Expr, Index, Place, Symbol, Var
from hetad.ir.types import CUDA_ERROR, INT, SIZE_T, STREAM, VOID, Array, Int, Pointer, Type, innermost, size_of

ADDRESS = "cudaGetSymbolAddress"
SIZE = "cudaGetSymbolSize"
_COPIES = {  # the row that does it, the default of `kind`, whether the variable is written
    "cudaMemcpyToSymbol": ("cudaMemcpy", 1, True),
    "cudaMemcpyFromSymbol": ("cudaMemcpy", 2, False),
    "cudaMemcpyToSymbolAsync": ("cudaMemcpyAsync", 1, True),
    "cudaMemcpyFromSymbolAsync": ("cudaMemcpyAsync", 2, False),
}
CALLS = frozenset({ADDRESS, SIZE, *_COPIES})


def call(ctx: Context, node: c_ast.FuncCall, used: bool) -> Expr:
    """Emit the call; its status."""
    name, span, given = called(node), ctx.span(node), arguments(node)
    if name in _COPIES:
        return _copy(ctx, name, given, span, used)
    if len(given) != 2:
        raise SyntaxProblem(f"'{name}' takes 2 arguments, not {len(given)}", span)
    symbol = _variable(ctx, given[1], name)
    out = expressions.value(ctx, given[0])
    if name == SIZE:
        if not (isinstance(out.type, Pointer) and isinstance(out.type.to, Int)):
            raise SyntaxProblem(f"'{name}' needs the address of a size, not '{out.type}'", out.span)
        size = convert.convert(Const(size_of(symbol.type), SIZE_T, span=span), out.type.to)
        ctx.emit(Assign(_behind(out, span), size, span=span))
        return _success(span)
    if not (isinstance(out.type, Pointer) and isinstance(out.type.to, Pointer)):
        raise SyntaxProblem(f"'{name}' needs the address of a pointer, not '{out.type}'", out.span)
    return _emitted(ctx, ADDRESS, (out, handle(symbol, span)), span, used)


def handle(symbol: Symbol, span: Span) -> Expr:
    """What names a device variable to the runtime: its address, as host code sees it."""
    variable = Var(symbol, span=span)
    where = variable if isinstance(symbol.type, Array) else AddressOf(variable, Pointer(symbol.type), span=span)
    return Cast(where, Pointer(VOID, const=True), span=span)


def _copy(ctx: Context, name: str, given: Sequence[c_ast.Node], span: Span, used: bool) -> Expr:
    row, kind, to_symbol = _COPIES[name]
    asynchronous = row.endswith("Async")
    least, most = (5, 6) if asynchronous else (3, 5)
    if not least <= len(given) <= most:
        raise SyntaxProblem(f"'{name}' takes {least} to {most} arguments, not {len(given)}", span)
    symbol = _variable(ctx, given[0 if to_symbol else 1], name)
    other = convert.first_element(expressions.value(ctx, given[1 if to_symbol else 0]))
    if not isinstance(other.type, Pointer):
        raise SyntaxProblem(f"'{name}' needs a pointer, not '{other.type}'", other.span)
    size = convert.convert(expressions.value(ctx, given[2]), SIZE_T)
    offset = expressions.value(ctx, given[3]) if len(given) > 3 else Const(0, SIZE_T, span=span)
    way: Expr = copy_kind(kind, span)
    if len(given) > 4:
        way = expressions.value(ctx, given[4])
    element = symbol.type.of if isinstance(symbol.type, Array) else symbol.type
    pointer = ctx.fresh(f"{symbol.name}_address", Pointer(element), span)
    place = Var(pointer, span=span)
    out = Cast(AddressOf(place, Pointer(pointer.type), span=span), Pointer(Pointer(VOID)), span=span)
    ctx.emit(Declare(pointer, None, span=span))
    ctx.emit(Call(ADDRESS, (out, handle(symbol, span)), span=span))
    here = _at(ctx, place, element, offset, span)
    ends = (here, other) if to_symbol else (other, here)
    stream: tuple[Expr, ...] = ()
    if asynchronous:
        given_stream = expressions.value(ctx, given[5]) if len(given) > 5 else Const(0, INT, "0", span=span)
        stream = (convert.convert(given_stream, STREAM),)
    return _emitted(ctx, row, (*ends, size, way, *stream), span, used)


def _at(ctx: Context, start: Var, element: Type, offset: Expr, span: Span) -> Expr:
    """The address `offset` bytes behind `start`, counted in the scalars that the variable consists of."""
    if isinstance(offset, Const) and offset.value == 0:
        return start
    element = innermost(element)
    each = size_of(element)
    if isinstance(offset, Const) and isinstance(offset.value, int) and offset.value % each:
        ctx.refuse("an offset into the middle of an element", span, f"use a multiple of sizeof({element})")
    if isinstance(offset, Const):
        count: Expr = Const(int(offset.value) // each, SIZE_T, span=span)
    else:
        count = Binary("/", convert.convert(offset, SIZE_T), Const(each, SIZE_T, span=span), SIZE_T, span=span)
    scalar = Pointer(element)
    first = start if start.type == scalar else Cast(start, scalar, span=span)
    return Binary("+", first, count, scalar, span=span)


def _variable(ctx: Context, node: c_ast.Node, name: str) -> Symbol:
    """The device variable that an argument names."""
    target = expressions.expression(ctx, node)
    while isinstance(target, Cast | AddressOf):  # `&x` and `(const void *)x` are taken for `x`, as nvcc's C API does
        target = target.operand if isinstance(target, Cast) else target.place
    if isinstance(target, Var) and target.symbol.storage in ("global", "constant"):
        return target.symbol
    raise SyntaxProblem(f"'{name}' needs the name of a device variable", ctx.span(node))


def _behind(pointer: Expr, span: Span) -> Place:
    if isinstance(pointer, AddressOf):
        return pointer.place
    assert isinstance(pointer.type, Pointer)
    return Index(pointer, Const(0, INT, span=span), pointer.type.to, span=span)


def _emitted(ctx: Context, name: str, args: tuple[Expr, ...], span: Span, used: bool) -> Expr:
    if not used:
        ctx.emit(Call(name, args, span=span))
        return _success(span)
    status = ctx.fresh("status", CUDA_ERROR, span)
    ctx.emit(Declare(status, None, span=span))
    ctx.emit(Call(name, args, Var(status, span=span), span=span))
    return Var(status, span=span)


def _success(span: Span) -> Expr:
    return Const(0, CUDA_ERROR, "cudaSuccess", span=span)
