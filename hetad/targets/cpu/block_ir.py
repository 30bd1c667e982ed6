"""IR for what the CPU's kernels add to the program's own statements: masks and exchange buffers."""

from __future__ import annotations

from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import binary, integer, var
from hetad.ir.types import SIZE_T, Array, Int, size_of
from hetad.ir.types import element as element_type

_SPAN = Span("hetad", 1, 1)

THREAD = ir.Symbol("hetad_t", SIZE_T, _SPAN, const=True)
"""The number of a thread in its block."""

THREADS = ir.Symbol("hetad_threads", SIZE_T, _SPAN, const=True)
"""How many threads a block has."""

FIRST = ir.Symbol("hetad_first", SIZE_T, _SPAN, const=True)
LAST = ir.Symbol("hetad_last", SIZE_T, _SPAN, const=True)
"""The blocks that one thread of the machine runs: from the first, up to the last."""


def at(array: ir.Symbol, index: ir.Expr, span: Span) -> ir.Index:
    return ir.Index(var(array, span), index, element_type(array.type), span=span)


def element(array: ir.Symbol, span: Span) -> ir.Index:
    """What an array with an element for each thread holds for this one."""
    return at(array, var(THREAD, span), span)


_WARP = Quote("thread / 32")
_LANE_BIT = Quote("1u << thread % 32")


def warp(span: Span) -> ir.Expr:
    """The number of this thread's warp."""
    return _WARP.value(span, thread=THREAD)


def lane_bit(span: Span) -> ir.Expr:
    return _LANE_BIT.value(span, thread=THREAD)


def assign(place: ir.Place, value: int) -> ir.Assign:
    type_ = place.type
    assert isinstance(type_, Int)
    return ir.Assign(place, integer(value, place.span, type_), span=place.span)


def clear(array: ir.Symbol, span: Span) -> ir.Stmt:
    """Zeros for every thread of the block."""
    assert isinstance(array.type, Array)
    size = binary("*", integer(size_of(array.type.of), span, SIZE_T), var(THREADS, span))
    return ir.Call("memset", (var(array, span), integer(0, span), size), span=span)
