"""Conditions on a loop's variable as bounds of the loop.

`for (i = first; i < end; ++i) if (i + 1 < n && i >= k) ...` visits only the iterations that pass the guard, and has no
branch in its body, so that the compiler sees straight code over neighbouring elements.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hetad.ir import nodes as ir
from hetad.ir.arithmetic import MIRRORED
from hetad.ir.simplify import simplest
from hetad.ir.types import LONG, Int
from hetad.ir.visit import map_children, walk_expr
from hetad.rules import operations


@dataclass(frozen=True, slots=True)
class Progression:
    """What grows by the same from iteration to iteration: `slope * variable + rest` in signed integers, where the rest
    does not depend on the variable."""

    slope: int
    rest: ir.Expr | None  # of type long; None for zero
    small: tuple[ir.Expr, ...] = ()  # which, with the variable, must not exceed an int


@dataclass(slots=True)
class Bounds:
    """What conditions say of a loop's variable: it is at least each of `least`, and below each of `below`; provided
    that the largest number of a thread, added to one of `small`, is an int."""

    least: list[ir.Expr]
    below: list[ir.Expr]
    others: list[ir.Expr]  # conditions that are no bounds
    small: list[ir.Expr] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counting:
    """A loop's variable, what others stand for that are set from it, and all that differ between its iterations."""

    variable: ir.Symbol | None  # None: the loop over threadIdx.x
    values: Mapping[ir.Symbol, ir.Expr]
    varying: Collection[ir.Symbol]
    wraps: bool = False  # unsigned sums that might wrap around count too: they are `small`


def bounds(conditions: Sequence[ir.Expr], loop: Counting) -> Bounds:
    found = Bounds([], [], [])
    for c in conditions:
        _sort(c, loop, found)
    return found


def _sort(c: ir.Expr, loop: Counting, found: Bounds) -> None:
    if isinstance(c, ir.Binary) and c.op in MIRRORED and c.op != "!=" and _signed(c.left) and _signed(c.right):
        left, right = progression(c.left, loop), progression(c.right, loop)
        if left is not None and right is not None and abs(left.slope - right.slope) == 1:
            op = c.op
            if left.slope - right.slope == -1:
                left, right, op = right, left, MIRRORED[op]
            found.small += [*left.small, *right.small]
            limit = _sum(right.rest, left.rest, "-") or _number(0, c)
            after = _sum(limit, _number(1, c), "+") or limit
            found.below += [limit] if op == "<" else [after] if op in ("<=", "==") else []
            found.least += [limit] if op in (">=", "==") else [after] if op == ">" else []
            return
    found.others.append(c)


def progression(e: ir.Expr, loop: Counting) -> Progression | None:
    """None where the expression is not one; overflow, which C leaves undefined, does not occur."""
    if _counts(e, loop):
        return Progression(1, None)
    if isinstance(e, ir.Var) and e.symbol in loop.values:
        return progression(loop.values[e.symbol], loop)
    if not any(_differs(x, loop) for x in walk_expr(e)):
        return Progression(0, _long(e)) if _signed(e) else None
    match e:
        case ir.Cast(operand=operand, type=Int() as to) if _signed(e) and _signed(operand):
            assert isinstance(operand.type, Int)
            return progression(operand, loop) if to.bits >= operand.type.bits else None
        case ir.Cast(operand=operand, type=Int(bits=32)) if loop.wraps and _signed(e):
            return _position(operand, e, loop)
        case ir.Binary(op="+" | "-" as op, left=left, right=right) if _signed(e):
            a, b = progression(left, loop), progression(right, loop)
            if a is None or b is None:
                return None
            sign = 1 if op == "+" else -1
            return Progression(a.slope + sign * b.slope, _sum(a.rest, b.rest, op), (*a.small, *b.small))
    return None


def _position(e: ir.Expr, converted: ir.Expr, loop: Counting) -> Progression | None:
    """An unsigned sum, converted to int, as the thread's number in its row and what stays."""
    steps = _steps(e, loop)
    if steps is None or steps != 1:
        return None

    def first(x: ir.Expr) -> ir.Expr:
        if isinstance(x, ir.ThreadIndex) and (x.name, x.axis) == ("threadIdx", "x"):
            return ir.Const(0, x.type, span=x.span)
        if isinstance(x, ir.Var) and x.symbol in loop.values:
            return first(loop.values[x.symbol])
        return map_children(first, x)

    begin = _long(replace(converted, operand=first(e)) if isinstance(converted, ir.Cast) else converted)
    return Progression(1, begin, (begin,))


def _steps(e: ir.Expr, loop: Counting) -> int | None:
    """By how much an expression grows, modulo 2^32, from one thread to the next."""
    if isinstance(e, ir.ThreadIndex) and (e.name, e.axis) == ("threadIdx", "x"):
        return 1
    if isinstance(e, ir.Var) and e.symbol in loop.values:
        return _steps(loop.values[e.symbol], loop)
    if not any(_differs(x, loop) for x in walk_expr(e)):
        return 0
    match e:
        case ir.Cast(operand=operand, type=Int(bits=32)) if isinstance(operand.type, Int) and operand.type.bits == 32:
            return _steps(operand, loop)
        case ir.Binary(op="+" | "-" as op, left=left, right=right, type=Int(bits=32)):
            a, b = _steps(left, loop), _steps(right, loop)
            return None if a is None or b is None else a + b if op == "+" else a - b
    return None


def _counts(e: ir.Expr, loop: Counting) -> bool:
    if loop.variable is not None:
        return isinstance(e, ir.Var) and e.symbol is loop.variable
    index = e.operand if isinstance(e, ir.Cast) and _signed(e) else None
    return isinstance(index, ir.ThreadIndex) and (index.name, index.axis) == ("threadIdx", "x")


def _differs(e: ir.Expr, loop: Counting) -> bool:
    if isinstance(e, ir.Var):
        return e.symbol is loop.variable or e.symbol in loop.values or e.symbol in loop.varying
    return isinstance(e, ir.ThreadIndex) and e.name == "threadIdx"


def _signed(e: ir.Expr) -> bool:
    return isinstance(e.type, Int) and e.type.signed and not e.type.boolean and e.type.bits >= 32


def _long(e: ir.Expr) -> ir.Expr:
    if isinstance(e, ir.Const):
        return ir.Const(e.value, LONG, span=e.span)
    return e if e.type == LONG else ir.Cast(e, LONG, span=e.span)


def _number(value: int, like: ir.Expr) -> ir.Expr:
    return ir.Const(value, LONG, span=like.span)


def _sum(a: ir.Expr | None, b: ir.Expr | None, op: str) -> ir.Expr | None:
    if b is None:
        return a
    return simplest(ir.Binary(op, a if a is not None else _number(0, b), b, LONG, span=b.span))


def limited(value: ir.Expr, bounds: Sequence[ir.Expr], nearer: operations.Value, limit: ir.Expr, type_: Int) -> ir.Expr:
    """Where a loop begins or ends that all `bounds` admit: the value, raised or lowered (`nearer`) to each of them, but
    not beyond `limit`."""
    for b in bounds:
        value = nearer(value, b, limit, span=value.span)
    return ir.Cast(value, type_, True, span=value.span) if bounds else value


def pure(e: ir.Expr) -> bool:
    """Whether an expression may be evaluated where the program does not: no load, no division, no call."""
    harmless = (ir.Var, ir.Const, ir.ThreadIndex, ir.Unary, ir.Binary, ir.Cast, ir.Select)
    return all(
        isinstance(x, harmless) and not (isinstance(x, ir.Binary) and x.op in ("/", "%") and isinstance(x.type, Int))
        for x in walk_expr(e)
    )
