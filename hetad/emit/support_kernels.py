"""The kernels that hetad's support functions launch, as IR: they are emitted like the program's own."""

from __future__ import annotations

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import DOUBLE, FLOAT, SIZE_T, UINT, VOID, Float, Pointer, Type

_SPAN = Span("hetad", 1, 1)


def support_kernel(name: str) -> ir.Function:
    """`hetad_accumulate_float` and `hetad_accumulate_rows_float`, or for double, and `hetad_copy_frame`."""
    if name == "hetad_copy_frame":
        return _copy_frame(name)
    return _accumulate(name, FLOAT if name.endswith("_float") else DOUBLE, "_rows_" in name)


def _copy_frame(name: str) -> ir.Function:
    """`to[k] = from[k]` for n words: `head` ones, `tail` from `behind` on, and of each `pitch` from `at` on the first
    `gap`."""
    word = UINT
    to, from_ = _param("to", Pointer(word)), _param("from", Pointer(word, const=True))
    names = ("head", "tail", "behind", "at", "gap", "pitch", "n")
    head, tail, behind, at, gap, pitch, n = (_param(x, SIZE_T) for x in names)
    i, j, k = (ir.Symbol(x, SIZE_T, _SPAN) for x in "ijk")
    row = _binary("*", _binary("/", _var(j), _var(gap), SIZE_T), _var(pitch), SIZE_T)
    between = _binary("+", _sum(_var(at), row), _binary("%", _var(j), _var(gap), SIZE_T), SIZE_T)
    rest = ir.Declare(j, _binary("-", _binary("-", _var(i), _var(head), SIZE_T), _var(tail), SIZE_T), span=_SPAN)
    outside = ir.Select(
        _binary("<", _var(i), _var(head), UINT),
        _var(i),
        _sum(_var(behind), _binary("-", _var(i), _var(head), SIZE_T)),
        SIZE_T,
        span=_SPAN,
    )
    body: ir.Body = (
        ir.Declare(i, _index(), span=_SPAN),
        ir.If(
            _binary("<", _var(i), _var(n), UINT),
            (
                rest,
                ir.Declare(
                    k,
                    ir.Select(
                        _binary("<", _var(i), _sum(_var(head), _var(tail)), UINT), outside, between, SIZE_T, span=_SPAN
                    ),
                    span=_SPAN,
                ),
                ir.Assign(_at(to, _var(k), word), _at(from_, _var(k), word), span=_SPAN),
            ),
            (),
            span=_SPAN,
        ),
    )
    return ir.Function(name, "kernel", (to, from_, head, tail, behind, at, gap, pitch, n), VOID, body, _SPAN)


def _accumulate(name: str, real: Float, rows: bool) -> ir.Function:
    """`sum[i] += term[i]`, i < n; with `rows`, `sum[i / row * pitch + i % row] += term[i]`."""
    sum_, term = _param("sum", Pointer(real)), _param("term", Pointer(real, const=True))
    n, i = _param("n", SIZE_T), ir.Symbol("i", SIZE_T, _SPAN)
    row, pitch = _param("row", SIZE_T), _param("pitch", SIZE_T)
    where: ir.Expr = _var(i)
    if rows:
        start = _binary("*", _binary("/", _var(i), _var(row), SIZE_T), _var(pitch), SIZE_T)
        where = _binary("+", start, _binary("%", _var(i), _var(row), SIZE_T), SIZE_T)
    add = ir.Update("+", _at(sum_, where, real), _at(term, _var(i), real), span=_SPAN)
    body: ir.Body = (
        ir.Declare(i, _index(), span=_SPAN),
        ir.If(_binary("<", _var(i), _var(n), UINT), (add,), (), span=_SPAN),
    )
    params = (sum_, term, n, row, pitch) if rows else (sum_, term, n)
    return ir.Function(name, "kernel", params, VOID, body, _SPAN)


def _index() -> ir.Expr:
    """The number of the thread."""
    block = _binary("*", ir.Cast(_thread("blockIdx"), SIZE_T, span=_SPAN), _wide(_thread("blockDim")), SIZE_T)
    return _sum(block, _wide(_thread("threadIdx")))


def _sum(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return _binary("+", left, right, SIZE_T)


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
