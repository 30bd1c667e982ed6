"""The derivatives of C's floating operators, a row each.

Operators of numbers that have no row here (comparisons, the logical and the integer ones) give no floating value: no
derivative passes through them, nor through a cast from or to an integer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from hetad.ir.nodes import Binary, Cast, Expr, Select, Unary


@dataclass(frozen=True, slots=True)
class Operator:
    """ā += ȳ · numerator / divisor, for each operand a.

    A numerator is 1, an operand, or `r`, the operation's result, perhaps with a minus; `divisor` is an operand or
    nothing.  A quotient may be infinite or undefined: then a zero seed must give zero, as for a function's slope (see
    `rules.row.Row`), and the numerators that stand beside one as well.

    `chosen`: the first operand chooses one of the others, which has all of the seed.
    """

    form: str
    operands: tuple[str, ...]
    numerators: tuple[str, ...]
    divisor: str = ""
    chosen: bool = False


_PLUS = Operator("a + b", ("a", "b"), ("1", "1"))
_MINUS = Operator("a - b", ("a", "b"), ("1", "-1"))
_TIMES = Operator("a * b", ("a", "b"), ("b", "a"))
_OVER = Operator("a / b", ("a", "b"), ("1", "-r"), divisor="b")
_NEGATED = Operator("-a", ("a",), ("-1",))
_CONVERTED = Operator("(T)a", ("a",), ("1",))
_SELECTED = Operator("c ? a : b", ("a", "b"), ("1", "1"), chosen=True)

ROWS: Mapping[str, Operator] = {
    row.form: row for row in (_PLUS, _MINUS, _TIMES, _OVER, _NEGATED, _CONVERTED, _SELECTED)
}
_BINARY = {"+": _PLUS, "-": _MINUS, "*": _TIMES, "/": _OVER}
_UNARY = {"-": _NEGATED}


def row_of(expr: Expr) -> Operator | None:
    """The row of an operation; None where it has none."""
    match expr:
        case Binary(op=op):
            return _BINARY.get(op)
        case Unary(op=op):
            return _UNARY.get(op)
        case Cast():
            return _CONVERTED
        case Select():
            return _SELECTED
    return None


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The operands of an operation through which a derivative may pass, whether it has a row or not."""
    match expr:
        case Binary(left=a, right=b) | Select(then=a, orelse=b):
            return a, b
        case Unary(operand=a) | Cast(operand=a):
            return (a,)
    return ()


def powers(expr: Expr) -> Mapping[Expr, int]:
    """How often each factor is in a product; of anything else nothing."""
    return Counter(factors(expr)) if row_of(expr) is _TIMES else {}


def factors(expr: Expr) -> list[Expr]:
    """Those of a product, as it is written from left to right; of anything else itself."""
    if isinstance(expr, Binary) and row_of(expr) is _TIMES:
        return [*factors(expr.left), *factors(expr.right)]
    return [expr]
