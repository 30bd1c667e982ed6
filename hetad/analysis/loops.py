"""Counted loops: recognising them, and what the text tells about their length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import ge, gt, le, lt

from hetad.ir import nodes as ir
from hetad.ir.arithmetic import MIRRORED, integer_value
from hetad.ir.types import INT, Int, promote, promote_integer
from hetad.ir.visit import variables

_UP, _DOWN = ("<", "<="), (">", ">=")
_COMPARED: dict[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


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
    a, b, s = integer_value(c.start), integer_value(c.bound), integer_value(c.step)
    if a is None or b is None or not s:
        return None
    distance = (a - b if c.down else b - a) + (1 if c.inclusive else 0)
    return max(0, -(-distance // s))


@dataclass(frozen=True, slots=True)
class Geometric:
    """`for (T i = first; ...; i *= factor)`, or `/=`, that runs more than once; `last`: the index of the last
    iteration."""

    index: ir.Symbol
    first: int
    last: int
    factor: int


def geometric(loop: ir.For, changes: Callable[[ir.Symbol], bool]) -> Geometric | None:
    """The header of a loop over powers that can be run the other way, where the text tells all values of the index."""
    found = _scaled(loop, changes)
    if found is None or not isinstance(loop.init[0], ir.Declare) or loop.init[0].init is None:
        return None
    first, end = integer_value(loop.init[0].init), integer_value(found.bound)
    if first is None or end is None or end < 0:
        return None
    values: list[int] = []
    value, holds = first, _COMPARED[found.op]
    while 0 < value * found.factor < 2 ** (found.bits - 1) and holds(value, end):
        values.append(value)
        value = value // found.factor if found.shrinks else value * found.factor
    small, large = (-1, 0) if found.shrinks else (0, -1)
    if len(values) < 2 or holds(value, end) or values[large] != values[small] * found.factor ** (len(values) - 1):
        return None
    return Geometric(found.index, first, values[-1], found.factor)


def geometric_trips(loop: ir.For, changes: Callable[[ir.Symbol], bool]) -> int | None:
    """A bound for loops that halve or double their index until it is zero or reaches something: its bits."""
    found = _scaled(loop, changes)
    if found is None:
        return None
    smallest = found.bound.value if isinstance(found.bound, ir.Const) else -1
    to_zero = found.op in _DOWN and smallest >= (0 if found.op == ">" else 1)
    # Zero never grows, so a doubling loop that starts there would not end: it has no bound either.
    return found.bits + 1 if (to_zero if found.shrinks else found.op in _UP) else None


@dataclass(frozen=True, slots=True)
class _Scaled:
    """`for (i = ...; i op bound; i *= factor)`, or `i /= factor` where it shrinks."""

    index: ir.Symbol
    op: str
    bound: ir.Expr
    factor: int
    shrinks: bool
    bits: int


def _scaled(loop: ir.For, changes: Callable[[ir.Symbol], bool]) -> _Scaled | None:
    if len(loop.step) != 1 or len(loop.init) != 1 or loop.cond is None:
        return None
    match loop.step[0], loop.init[0]:
        case (
            ir.Assign(target=ir.Var(symbol=index), value=ir.Binary(op=op, left=left, right=right)),
            ir.Declare(symbol=started) | ir.Assign(target=ir.Var(symbol=started)),
        ):
            pass
        case _:
            return None
    scaled, by, condition = plain(left), plain(right), _condition(loop.cond, index)
    if not (isinstance(scaled, ir.Var) and scaled.symbol is index is started and isinstance(by, ir.Const)):
        return None
    if condition is None or changes(index) or not isinstance(index.type, Int) or op not in ("*", "/", "<<", ">>"):
        return None
    factor = 2 ** min(int(by.value), 64) if op in ("<<", ">>") else int(by.value)
    return _Scaled(index, *condition, factor, op in ("/", ">>"), index.type.bits) if factor >= 2 else None


def _condition(cond: ir.Expr, index: ir.Symbol) -> tuple[str, ir.Expr] | None:
    if not isinstance(cond, ir.Binary) or cond.op not in (*_UP, *_DOWN):
        return None
    left, right = plain(cond.left), plain(cond.right)
    if isinstance(left, ir.Var) and left.symbol is index:
        return cond.op, right
    if isinstance(right, ir.Var) and right.symbol is index:
        return MIRRORED[cond.op], left
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
