"""The kernels that hetad's support functions launch, as IR: they are emitted like the program's own."""

from __future__ import annotations

from dataclasses import replace

from hetad.diagnostics import Span
from hetad.emit import support
from hetad.emit.dialect import Dialect
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.names import called
from hetad.ir.types import DOUBLE, FLOAT, SIZE_T, UINT, VOID, Pointer, Type

_SPAN = Span("hetad", 1, 1)

_ACCUMULATE = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += term[i];
""")
_ACCUMULATE_ROWS = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i / row * pitch + i % row] += term[i];
""")
# n words: `head` ones, `tail` from `behind` on, and of each `pitch` from `at` on the first `gap`.
_COPY_FRAME = Quote("""
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t j = i - head - tail;
        size_t k = i < head + tail ? (i < head ? i : behind + (i - head)) : at + j / gap * pitch + j % gap;
        to[k] = from[k];
    }
""")


def with_support_kernels(program: ir.Program, dialect: Dialect) -> ir.Program:
    """The program together with the kernels that the support functions it uses launch."""
    names = [n for f in program.functions.values() for n in called(f.body) if n not in program.functions]
    kernels = support.launched(support.needed(names, dialect))
    missing = {k: _support_kernel(k) for k in kernels if k not in program.functions}
    return replace(program, functions={**program.functions, **missing}) if missing else program


def _support_kernel(name: str) -> ir.Function:
    """`hetad_accumulate_float` and `hetad_accumulate_rows_float`, or for double, and `hetad_copy_frame`."""
    if name == "hetad_copy_frame":
        sizes = ("head", "tail", "behind", "at", "gap", "pitch", "n")
        return _kernel(name, _COPY_FRAME, "to", "from", UINT, *sizes)
    real = FLOAT if name.endswith("_float") else DOUBLE
    if "_rows_" in name:
        return _kernel(name, _ACCUMULATE_ROWS, "sum", "term", real, "n", "row", "pitch")
    return _kernel(name, _ACCUMULATE, "sum", "term", real, "n")


def _kernel(name: str, quote: Quote, into: str, from_: str, held: Type, *sizes: str) -> ir.Function:
    params = (
        ir.Symbol(into, Pointer(held), _SPAN, "param"),
        ir.Symbol(from_, Pointer(held, const=True), _SPAN, "param"),
        *(ir.Symbol(size, SIZE_T, _SPAN, "param") for size in sizes),
    )
    body = quote(Names(()), _SPAN, **{x.name: x for x in params})
    return ir.Function(name, "kernel", params, VOID, body, _SPAN)
