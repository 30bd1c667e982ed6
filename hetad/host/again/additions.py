"""Kernels that add what a copy's adjoint holds, and their launches, in derivatives that say it in CUDA."""

from __future__ import annotations

from collections.abc import Mapping

from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, convert, integer
from hetad.ir.types import DOUBLE, FLOAT, SIZE_T, UINT, VOID, Float, Pointer, Type
from hetad.rules import operations

_NOWHERE = Span("hetad", 1, 1, 1)
_ADD = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] += term[i];
    }
""")
_ADD_ROWS = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i / row * pitch + i % row] += term[i / row * term_pitch + i % row];
    }
""")
_THREADS = 256


def _kernel(real: Float, name: str, body: Quote, sizes: tuple[str, ...]) -> ir.Function:
    ends: dict[str, Type] = {"sum": Pointer(real), "term": Pointer(real, const=True)}
    given = ends | dict.fromkeys(sizes, SIZE_T)
    params = {p: ir.Symbol(p, type_, _NOWHERE, "param") for p, type_ in given.items()}
    made = body(Names(params), _NOWHERE, **params)
    return ir.Function(f"{name}_{real}", "kernel", tuple(params.values()), VOID, made, _NOWHERE)


_ROWS = f"{operations.ADDITION}_rows"
KERNELS: Mapping[str, ir.Function] = {
    f.name: f
    for real in (FLOAT, DOUBLE)
    for f in (
        _kernel(real, operations.ADDITION, _ADD, ("n",)),
        _kernel(real, _ROWS, _ADD_ROWS, ("n", "row", "pitch", "term_pitch")),
    )
}


def added(roles: Mapping[str, ir.Expr], term: ir.Symbol | None, real: Float, span: Span) -> ir.Stmt:
    """A launch that adds what a copy's adjoint takes, at `term` or else where it lies, to the adjoint of the source."""
    from_ = ir.Var(term, span=span) if term is not None else roles["adj_dst"]
    into = roles["adj_src"]
    if "height" not in roles:
        n = _numbers(roles["bytes"], real)
        return _launch(f"{operations.ADDITION}_{real}", (into, from_), n, ())
    width, pitch, own = (_numbers(roles[role], real) for role in ("width", "from_pitch", "to_pitch"))
    n = binary("*", width, convert(roles["height"], SIZE_T))
    return _launch(f"{_ROWS}_{real}", (into, from_), n, (width, pitch, own if term is None else width))


def _numbers(size: ir.Expr, real: Float) -> ir.Expr:
    return binary("/", convert(size, SIZE_T), integer(real.bits // 8, size.span, SIZE_T))


def _launch(kernel: str, ends: tuple[ir.Expr, ...], n: ir.Expr, more: tuple[ir.Expr, ...]) -> ir.Stmt:
    span = n.span
    padded = binary("+", n, integer(_THREADS - 1, span, SIZE_T))
    blocks = convert(binary("/", padded, integer(_THREADS, span, SIZE_T)), UINT)
    return ir.Launch(kernel, blocks, integer(_THREADS, span, UINT), None, None, (*ends, n, *more), span=span)
