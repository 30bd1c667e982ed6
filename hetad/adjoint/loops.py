"""Counted loops: recognising them, and the header that runs them backwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hetad.adjoint.names import Names, convert, integer
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.types import BOOL, Int, Type, promote, promote_integer
from hetad.ir.visit import variables

_UP, _DOWN = ("<", "<="), (">", ">=")


@dataclass(frozen=True, slots=True)
class Counted:
    """`for (i = start; i op bound; i += step)`, where nothing in the header changes while it runs."""

    index: ir.Symbol
    declares: bool
    start: ir.Expr
    op: str
    bound: ir.Expr
    step: ir.Expr  # positive; subtracted when `down`
    down: bool

    @property
    def inclusive(self) -> bool:
        return self.op in ("<=", ">=")


def counted(loop: ir.For, stable: Callable[[ir.Expr], bool], changes: Callable[[ir.Symbol], bool]) -> Counted | None:
    """The header as a counted loop, or None.

    `stable(expr)`: the loop's body leaves the value of `expr` alone; `changes(symbol)`: the body assigns it.
    """
    if len(loop.init) != 1 or len(loop.step) != 1 or loop.cond is None:
        return None
    match loop.init[0]:
        case ir.Declare(symbol=index, init=start) if start is not None:
            declares = True
        case ir.Assign(target=ir.Var(symbol=index), value=start):
            declares = False
        case _:
            return None
    match loop.step[0]:
        case ir.Update(op="+" | "-" as sign, target=ir.Var(symbol=stepped), value=step) if stepped is index:
            pass
        case _:
            return None
    found = _condition(loop.cond, index)
    if found is None or not isinstance(index.type, Int) or changes(index):
        return None
    op, bound = found
    step = _plain(step)
    if isinstance(step, ir.Const) and step.value < 0:
        sign, step = "-" if sign == "+" else "+", integer(int(-step.value), step.span)
    down = sign == "-"
    if op not in (_DOWN if down else _UP) or (isinstance(step, ir.Const) and step.value == 0):
        return None
    if not (isinstance(bound.type, Int) and isinstance(step.type, Int)):
        return None
    mixed = promote(index.type, bound.type) != promote_integer(index.type)
    if (
        mixed
        and not (isinstance(start, ir.Const) and start.value >= 0 and not down)
        and not _widening(index.type, bound.type)
    ):
        return None
    if not (stable(start) and stable(bound) and stable(step)):
        return None
    if any(index in set(variables(e)) for e in (start, bound, step)):
        return None
    return Counted(index, declares, start, op, bound, step, down)


def reversed_header(c: Counted, names: Names, loop: ir.For) -> tuple[ir.Body, ir.Body, ir.Expr, ir.Body, ir.Body]:
    """`(before, init, cond, step, first)`: statements before the loop, the header, and what opens the body."""
    span, index = loop.span, c.index
    type_ = index.type
    assert isinstance(type_, Int)
    if isinstance(c.step, ir.Const) and c.step.value == 1 and type_.signed:
        one = integer(1, span, type_)
        inner = convert(c.bound, type_)
        if not c.inclusive:
            inner = _fold(ir.Binary("+" if c.down else "-", inner, one, type_, span=span))
        return (
            (),
            (_set(c, inner, span),),
            ir.Binary("<=" if c.down else ">=", ir.Var(index, span=span), convert(c.start, type_), BOOL, span=span),
            (ir.Update("+" if c.down else "-", ir.Var(index, span=span), one, span=span),),
            (),
        )
    trips = names.symbol("trips", _counter(type_), span, const=True)
    n = names.symbol(f"{index.name}_trip", _counter(type_), span)
    count = trip_count(c, span)
    offset = ir.Binary(
        "*",
        convert(ir.Binary("-", ir.Var(n, span=span), integer(1, span, n.type), n.type, span=span), type_),
        convert(c.step, type_),
        type_,
        span=span,
    )
    value = ir.Binary("-" if c.down else "+", convert(c.start, type_), offset, type_, span=span)
    return (
        (ir.Declare(trips, count, span=span),),
        (ir.Declare(n, ir.Var(trips, span=span), span=span),),
        ir.Binary(">", ir.Var(n, span=span), integer(0, span, n.type), BOOL, span=span),
        (ir.Update("-", ir.Var(n, span=span), integer(1, span, n.type), span=span),),
        (_set(c, value, span),),
    )


def trip_count(c: Counted, span: Span) -> ir.Expr:
    """How often the body runs, in the arithmetic that the loop's own comparison uses."""
    assert isinstance(c.index.type, Int) and isinstance(c.bound.type, Int)
    type_ = promote(c.index.type, c.bound.type)
    start, bound = convert(convert(c.start, c.index.type), type_), convert(c.bound, type_)
    low, high = (bound, start) if c.down else (start, bound)
    runs = ir.Binary(c.op, start, bound, BOOL, span=span)
    distance: ir.Expr = _fold(ir.Binary("-", high, low, type_, span=span))
    if not c.inclusive:
        distance = ir.Binary("-", distance, integer(1, span, type_), type_, span=span)
    step = convert(c.step, type_)
    count = ir.Binary("+", ir.Binary("/", distance, step, type_, span=span), integer(1, span, type_), type_, span=span)
    counter = _counter(c.index.type)
    return ir.Select(runs, convert(count, counter), integer(0, span, counter), counter, span=span)


def constant_trips(c: Counted) -> int | None:
    """The trip count where start, bound and step are literals."""
    start, bound, step = _plain(c.start), _plain(c.bound), _plain(c.step)
    if not all(isinstance(e, ir.Const) for e in (start, bound, step)):
        return None
    a, b, s = (int(e.value) for e in (start, bound, step) if isinstance(e, ir.Const))
    distance = (a - b if c.down else b - a) + (1 if c.inclusive else 0)
    return max(0, -(-distance // s))


def geometric_trips(loop: ir.For, changes: Callable[[ir.Symbol], bool]) -> int | None:
    """A bound for loops that halve or double their index until it is zero or reaches something: its bits."""
    if len(loop.step) != 1 or len(loop.init) != 1 or loop.cond is None:
        return None
    match loop.step[0]:
        case ir.Assign(target=ir.Var(symbol=index), value=ir.Binary(op=op, left=left, right=right)):
            pass
        case _:
            return None
    first, factor = _plain(left), _plain(right)
    if not (isinstance(first, ir.Var) and first.symbol is index and isinstance(factor, ir.Const)):
        return None
    match loop.init[0]:
        case ir.Declare(symbol=started) | ir.Assign(target=ir.Var(symbol=started)):
            pass
        case _:
            return None
    if (
        started is not index
        or changes(index)
        or not isinstance(index.type, Int)
        or _condition(loop.cond, index) is None
    ):
        return None
    shrinks = (op == ">>" and factor.value >= 1) or (op == "/" and factor.value >= 2)
    grows = (op == "<<" and factor.value >= 1) or (op == "*" and factor.value >= 2)
    compare, bound = _condition(loop.cond, index) or ("", loop.cond)
    to_zero = compare in (">", ">=") and isinstance(bound, ir.Const) and bound.value >= (0 if compare == ">" else 1)
    # Zero never grows, so a doubling loop that starts there would not end: it has no bound either.
    return index.type.bits + 1 if (shrinks and to_zero) or (grows and compare in ("<", "<=")) else None


def _counter(type_: Type) -> Int:
    assert isinstance(type_, Int)
    return promote_integer(type_)


def _set(c: Counted, value: ir.Expr, span: Span) -> ir.Stmt:
    if c.declares:
        return ir.Declare(c.index, value, span=span)
    return ir.Assign(ir.Var(c.index, span=span), value, span=span)


def _condition(cond: ir.Expr, index: ir.Symbol) -> tuple[str, ir.Expr] | None:
    flip = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    if not isinstance(cond, ir.Binary) or cond.op not in flip:
        return None
    left, right = _plain(cond.left), _plain(cond.right)
    if isinstance(left, ir.Var) and left.symbol is index:
        return cond.op, right
    if isinstance(right, ir.Var) and right.symbol is index:
        return flip[cond.op], left
    return None


def _plain(expr: ir.Expr) -> ir.Expr:
    """Without implicit conversions between integers."""
    while (
        isinstance(expr, ir.Cast)
        and expr.implicit
        and isinstance(expr.type, Int)
        and isinstance(expr.operand.type, Int)
    ):
        expr = expr.operand
    return expr


def _widening(narrow: Int, wide: Int) -> bool:
    """Whether every value of `narrow` exists in the common type of the two."""
    common = promote(narrow, wide)
    assert isinstance(common, Int)
    return common.signed == narrow.signed or (not narrow.signed and common.bits > narrow.bits)


def _fold(expr: ir.Binary) -> ir.Expr:
    left, right = expr.left, expr.right
    if isinstance(left, ir.Const) and isinstance(right, ir.Const) and isinstance(expr.type, Int):
        a, b = int(left.value), int(right.value)
        value = a + b if expr.op == "+" else a - b
        if value >= 0:
            return integer(value, expr.span, expr.type)
    if isinstance(right, ir.Const) and right.value == 0:
        return left
    return expr
