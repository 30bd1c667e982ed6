"""From formula text to a typed IR expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from hetad.diagnostics import Span
from hetad.ir.nodes import Expr
from hetad.ir.types import Float, Type
from hetad.rules import folding
from hetad.rules.folding import Operand
from hetad.rules.row import CONSTANTS, parse

#: base name of an inner function and the precision -> (name, parameter types, return type)
Resolve = Callable[[str, Float], tuple[str, tuple[Type, ...], Type]]

_ARITHMETIC = {ast.Add: folding.add, ast.Sub: folding.sub, ast.Mult: folding.mul, ast.Div: folding.div}
_RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def build(formula: str, variables: Mapping[str, Expr], real: Float, resolve: Resolve, span: Span) -> Operand:
    """The expression of a formula; a number when it is constant.  `real` is the precision of constants and calls."""
    return _Builder(variables, real, resolve, span).value(parse(formula))


class _Builder:
    def __init__(self, variables: Mapping[str, Expr], real: Float, resolve: Resolve, span: Span) -> None:
        self.variables = variables
        self.real = real
        self.resolve = resolve
        self.span = span

    def value(self, node: ast.expr) -> Operand:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name):
                return CONSTANTS[name] if name in CONSTANTS else self.variables[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return folding.neg(self.value(operand), self.span)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return _ARITHMETIC[type(op)](self.value(left), self.value(right), self.span)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.condition(test)
                if isinstance(condition, bool):
                    return self.value(body if condition else orelse)
                return folding.select(condition, self.value(body), self.value(orelse), self.real, self.span)
            case ast.Call(func=ast.Name(id=base), args=args):
                name, params, returns = self.resolve(base, self.real)
                return folding.call(base, name, tuple(map(self.value, args)), params, returns, self.span)
        raise SyntaxError(f"not a formula: {ast.unparse(node)}")

    def condition(self, node: ast.expr) -> Expr | bool:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return folding.compare(_RELATIONS[type(op)], self.value(left), self.value(right), self.span)
            case ast.BoolOp(op=op, values=[first, *rest]):
                symbol = "&&" if isinstance(op, ast.And) else "||"
                result = self.condition(first)
                for value in rest:
                    result = folding.combine(symbol, result, self.condition(value), self.span)  # type: ignore[arg-type]
                return result
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return folding.invert(self.condition(operand), self.span)
        truth = self.value(node)
        return bool(truth) if isinstance(truth, int | float) else truth
