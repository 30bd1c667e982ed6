"""Loops whose text tells how often they run: the header that runs them backwards."""

from __future__ import annotations

from dataclasses import dataclass

from hetad.analysis.loops import Counted, Geometric
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import Names, binary, convert, integer
from hetad.ir.simplify import simplest, simplified
from hetad.ir.types import Int, Type, promote, promote_integer


@dataclass(frozen=True, slots=True)
class Backwards:
    """The header, statements `before` the loop, and what comes `first` in its body."""

    init: ir.Body
    cond: ir.Expr
    step: ir.Body
    before: ir.Body = ()
    first: ir.Body = ()


def reversed_header(c: Counted | Geometric, names: Names, loop: ir.For) -> Backwards:
    return _powers(c, loop.span) if isinstance(c, Geometric) else _counted(c, names, loop)


def _powers(g: Geometric, span: Span) -> Backwards:
    type_, index = g.index.type, ir.Var(g.index, span=span)
    grows = g.last < g.first
    scaled = binary("*" if grows else "/", index, integer(g.factor, span, type_))
    return Backwards(
        init=(ir.Declare(g.index, integer(g.last, span, type_), span=span),),
        cond=binary("<=" if grows else ">=", index, integer(g.first, span, type_)),
        step=(ir.Assign(index, scaled, span=span),),
    )


def _counted(c: Counted, names: Names, loop: ir.For) -> Backwards:
    span, index = loop.span, c.index
    type_ = index.type
    assert isinstance(type_, Int)
    if isinstance(c.step, ir.Const) and c.step.value == 1 and type_.signed:
        one = integer(1, span, type_)
        inner = convert(c.bound, type_)
        if not c.inclusive:
            inner = simplest(binary("+" if c.down else "-", inner, one))
        return Backwards(
            init=(set_index(c, inner, span),),
            cond=binary("<=" if c.down else ">=", ir.Var(index, span=span), convert(c.start, type_)),
            step=(ir.Update("+" if c.down else "-", ir.Var(index, span=span), one, span=span),),
        )
    trips = names.symbol("trips", _counter(type_), span, const=True)
    n = names.symbol(f"{index.name}_trip", _counter(type_), span)
    count = trip_count(c, span)
    offset = binary(
        "*", convert(binary("-", ir.Var(n, span=span), integer(1, span, n.type)), type_), convert(c.step, type_)
    )
    value = simplified(binary("-" if c.down else "+", convert(c.start, type_), offset))
    return Backwards(
        before=(ir.Declare(trips, count, span=span),),
        init=(ir.Declare(n, ir.Var(trips, span=span), span=span),),
        cond=binary(">", ir.Var(n, span=span), integer(0, span, n.type)),
        step=(ir.Update("-", ir.Var(n, span=span), integer(1, span, n.type), span=span),),
        first=(set_index(c, value, span),),
    )


def trip_count(c: Counted, span: Span) -> ir.Expr:
    """How often the body runs, in the arithmetic that the loop's own comparison uses."""
    assert isinstance(c.index.type, Int) and isinstance(c.bound.type, Int)
    type_ = promote(c.index.type, c.bound.type)
    start, bound = convert(convert(c.start, c.index.type), type_), convert(c.bound, type_)
    low, high = (bound, start) if c.down else (start, bound)
    runs = binary(c.op, start, bound)
    distance: ir.Expr = simplest(binary("-", high, low))
    count: ir.Expr
    one = integer(1, span, type_)
    if isinstance(c.step, ir.Const) and c.step.value == 1:
        count = simplest(binary("+", distance, one)) if c.inclusive else distance
    else:
        last = distance if c.inclusive else simplest(binary("-", distance, one))
        steps = binary("/", last, convert(c.step, type_))
        count = simplest(binary("+", steps, one))
    counter = _counter(c.index.type)
    return ir.Select(runs, convert(count, counter), integer(0, span, counter), counter, span=span)


def _counter(type_: Type) -> Int:
    assert isinstance(type_, Int)
    return promote_integer(type_)


def index_after(c: Counted, trips: ir.Expr) -> ir.Expr:
    """The index once the body has run `trips` times."""
    type_ = c.index.type
    steps = binary("*", convert(trips, type_), convert(c.step, type_))
    return simplified(binary("-" if c.down else "+", convert(c.start, type_), steps))


def set_index(c: Counted, value: ir.Expr, span: Span) -> ir.Stmt:
    if c.declares:
        return ir.Declare(c.index, value, span=span)
    return ir.Assign(ir.Var(c.index, span=span), value, span=span)
