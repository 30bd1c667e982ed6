"""The kernels that hetad's support functions launch, as IR: they are emitted like the program's own."""

from __future__ import annotations

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import DOUBLE, FLOAT, SIZE_T, UINT, VOID, Float, Pointer, Type

_SPAN = Span("hetad", 1, 1)


def support_kernel(name: str) -> ir.Function:
    """`hetad_accumulate_float`, `hetad_accumulate_rows_float`, or those for double."""
    return _accumulate(name, FLOAT if name.endswith("_float") else DOUBLE, "_rows_" in name)


def _accumulate(name: str, real: Float, rows: bool) -> ir.Function:
    """`sum[i] += term[i]`, i < n; with `rows`, `sum[i / row * pitch + i % row] += term[i]`."""
    sum_, term = _param("sum", Pointer(real)), _param("term", Pointer(real, const=True))
    n, i = _param("n", SIZE_T), ir.Symbol("i", SIZE_T, _SPAN)
    block = _binary("*", ir.Cast(_thread("blockIdx"), SIZE_T, span=_SPAN), _wide(_thread("blockDim")), SIZE_T)
    row, pitch = _param("row", SIZE_T), _param("pitch", SIZE_T)
    where: ir.Expr = _var(i)
    if rows:
        start = _binary("*", _binary("/", _var(i), _var(row), SIZE_T), _var(pitch), SIZE_T)
        where = _binary("+", start, _binary("%", _var(i), _var(row), SIZE_T), SIZE_T)
    add = ir.Update("+", _at(sum_, where, real), _at(term, _var(i), real), span=_SPAN)
    body: ir.Body = (
        ir.Declare(i, _binary("+", block, _wide(_thread("threadIdx")), SIZE_T), span=_SPAN),
        ir.If(_binary("<", _var(i), _var(n), UINT), (add,), (), span=_SPAN),
    )
    params = (sum_, term, n, row, pitch) if rows else (sum_, term, n)
    return ir.Function(name, "kernel", params, VOID, body, _SPAN)


def _param(name: str, type_: Type) -> ir.Symbol:
    return ir.Symbol(name, type_, _SPAN, "param")


def _var(symbol: ir.Symbol) -> ir.Var:
    return ir.Var(symbol, span=_SPAN)


def _thread(name: str) -> ir.ThreadIndex:
    return ir.ThreadIndex(name, "x", UINT, span=_SPAN)


def _wide(expr: ir.Expr) -> ir.Cast:
    return ir.Cast(expr, SIZE_T, implicit=True, span=_SPAN)


def _binary(op: str, left: ir.Expr, right: ir.Expr, type_: Type) -> ir.Binary:
    return ir.Binary(op, left, right, type_, span=_SPAN)


def _at(array: ir.Symbol, index: ir.Expr, type_: Type) -> ir.Index:
    return ir.Index(_var(array), index, type_, span=_SPAN)
