"""The partial derivatives of C's floating operators.

| y      | ∂y/∂a      | ∂y/∂b      |
|--------|------------|------------|
| a + b  | 1          | 1          |
| a - b  | 1          | -1         |
| a * b  | b          | a          |
| a / b  | 1 / b      | -y / b     |
| -a     | -1         |            |
| c ? a : b | c ? 1 : 0 | c ? 0 : 1 |
| (T)a   | 1 between floating types; none from or to an integer: the derivative stops there, deliberately |
"""

from __future__ import annotations

from hetad.ir.nodes import Binary, Cast, Const, Expr, Select, Unary
from hetad.ir.types import Float
from hetad.rules import folding
from hetad.rules.folding import Operand


def operands(expr: Expr, result: Expr | None = None) -> tuple[tuple[Expr, Expr], ...]:
    """The operands through which a floating operation can carry a derivative, each with its partial.

    A partial of one is the constant 1.  `result` is a place that holds the value of `expr`, where one exists: the
    quotient's partial uses it.  An expression that is no floating operation has none.
    """
    if not isinstance(expr.type, Float):
        return ()
    span, type_ = expr.span, expr.type

    def each(*pairs: tuple[Expr, Operand]) -> tuple[tuple[Expr, Expr], ...]:
        return tuple((e, folding.typed(p, type_, span)) for e, p in pairs if isinstance(e.type, Float))

    match expr:
        case Binary(op="+", left=a, right=b):
            return each((a, 1), (b, 1))
        case Binary(op="-", left=a, right=b):
            return each((a, 1), (b, -1))
        case Binary(op="*", left=a, right=b):
            return each((a, b), (b, a))
        case Binary(op="/", left=a, right=b):
            quotient = result if result is not None else expr
            return each((a, folding.div(1, b, span)), (b, folding.div(folding.neg(quotient, span), b, span)))
        case Unary(op="-", operand=a):
            return each((a, -1))
        case Select(cond=cond, then=a, orelse=b):
            return each((a, folding.select(cond, 1, 0, type_, span)), (b, folding.select(cond, 0, 1, type_, span)))
        case Cast(operand=a):
            return each((a, 1))
    return ()


def may_be_infinite(expr: Expr) -> bool:
    """Whether a partial of this operation can be infinite at finite operands: a quotient, unless by a constant.

    There a zero seed must give zero, as for a function's slope (see `rules.row.Row`).
    """
    return isinstance(expr, Binary) and expr.op == "/" and not (isinstance(expr.right, Const) and expr.right.value != 0)
