"""Counted loops: recognising them, and what the text tells about their length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hetad.ir import nodes as ir
from hetad.ir.types import INT, Int, promote, promote_integer
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
    step = plain(step)
    if isinstance(step, ir.Const) and step.value < 0:
        sign, step = "-" if sign == "+" else "+", ir.Const(int(-step.value), INT, span=step.span)
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


def constant_trips(c: Counted) -> int | None:
    """The trip count where start, bound and step are literals, or made of them."""
    a, b, s = literal(c.start), literal(c.bound), literal(c.step)
    if a is None or b is None or not s:
        return None
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
    first, factor = plain(left), plain(right)
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


def _condition(cond: ir.Expr, index: ir.Symbol) -> tuple[str, ir.Expr] | None:
    flip = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    if not isinstance(cond, ir.Binary) or cond.op not in flip:
        return None
    left, right = plain(cond.left), plain(cond.right)
    if isinstance(left, ir.Var) and left.symbol is index:
        return cond.op, right
    if isinstance(right, ir.Var) and right.symbol is index:
        return flip[cond.op], left
    return None


def literal(expr: ir.Expr) -> int | None:
    """The value of signed arithmetic on literals."""
    expr = plain(expr)
    match expr:
        case ir.Const(value=value) if isinstance(expr.type, Int):
            return int(value)
        case ir.Unary(op="-", operand=operand) if _signed(expr):
            positive = literal(operand)
            return -positive if positive is not None else None
        case ir.Binary(op=op, left=left, right=right) if _signed(expr):
            a, b = literal(left), literal(right)
            return _computed(op, a, b) if a is not None and b is not None else None
    return None


def _signed(expr: ir.Expr) -> bool:
    return isinstance(expr.type, Int) and expr.type.signed


def _computed(op: str, a: int, b: int) -> int | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if b:
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return None


def plain(expr: ir.Expr) -> ir.Expr:
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
