"""From formula text to a typed IR expression."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Mapping, Sequence

from hetad.diagnostics import Span
from hetad.ir.nodes import Cast, Expr
from hetad.ir.types import Float, Int, Type
from hetad.rules import folding
from hetad.rules.folding import Operand
from hetad.rules.row import CONSTANTS, parse

#: base name of an inner function and the precision -> (name, parameter types, return type)
Resolve = Callable[[str, Float], tuple[str, tuple[Type, ...], Type]]

_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def build(formula: str, variables: Mapping[str, Expr], real: Float, resolve: Resolve, span: Span) -> Operand:
    """The expression of a formula; a number when it is constant.  `real` is the precision of constants and calls."""
    return _Builder(variables, real, resolve, span).value(parse(formula))


def problem(formula: str, parameters: Sequence[str], arities: Mapping[str, int | None]) -> str | None:
    """What is wrong with a formula over `parameters` and `r`; None if `build` can build it.

    `arities`: of each function, how many numbers it takes; None if it does not return a number.
    """
    try:
        tree = parse(formula)
    except (SyntaxError, ValueError) as e:
        return f"there is a syntax error ({getattr(e, 'msg', e)})"
    called = {n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if node not in called:
                wrong = _name_problem(name, parameters)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                wrong = _call_problem(name, len(args), arities)
            case _:
                wrong = None
        if wrong:
            return wrong
    return _form_problem(tree)


def _name_problem(name: str, parameters: Sequence[str]) -> str | None:
    if name in parameters and (name == "r" or name in CONSTANTS):
        meaning = "the result" if name == "r" else "a constant"
        return f"'{name}' is {meaning}, and a parameter too: rename the parameter"
    if name not in (*parameters, "r", *CONSTANTS):
        return f"'{name}' is unknown: it may use {', '.join((*parameters, 'r'))}"
    return None


def _call_problem(name: str, given: int, arities: Mapping[str, int | None]) -> str | None:
    if name not in arities:
        near = difflib.get_close_matches(name, sorted(arities), n=3)
        return f"the function '{name}' is unknown" + (f": did you mean {' or '.join(near)}?" if near else "")
    if arities[name] is None:
        return f"the function '{name}' stands for no number"
    return None if given == arities[name] else f"'{name}' takes {arities[name]} numbers, not {given}"


def _form_problem(node: ast.expr) -> str | None:
    """A part of a formula that has none of the forms that formulas may have."""
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float()) | ast.Name():
            return None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _form_problem(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _form_problem(left) or _form_problem(right)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _condition_problem(test) or _form_problem(body) or _form_problem(orelse)
        case ast.Call(func=ast.Name(), args=args, keywords=[]):
            return next(filter(None, map(_form_problem, args)), None)
    return f"'{ast.unparse(node)}' is not of the form of a formula: + - * /, calls, 'a if c else b'"


def _condition_problem(node: ast.expr) -> str | None:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _RELATIONS:
            return _form_problem(left) or _form_problem(right)
        case ast.BoolOp(values=values):
            return next(filter(None, map(_condition_problem, values)), None)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _condition_problem(operand)
    return _form_problem(node)


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
                return folding.neg(self.value(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                a, b = self.met(self.value(left), self.value(right), isinstance(op, ast.Div))
                return folding.operation(_ARITHMETIC[type(op)], a, b, self.span)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.condition(test)
                if isinstance(condition, bool):
                    return self.value(body if condition else orelse)
                then, other = (self.as_real(self.value(arm)) for arm in (body, orelse))
                return folding.select(condition, then, other, self.real, self.span)
            case ast.Call(func=ast.Name(id=base), args=args):
                name, params, returns = self.resolve(base, self.real)
                return folding.call(base, name, tuple(map(self.value, args)), params, returns, self.span)
        raise SyntaxError(f"not a formula: {ast.unparse(node)}")

    def met(self, left: Operand, right: Operand, divided: bool) -> tuple[Operand, Operand]:
        """Operands that meet: an integer becomes real in a quotient, and where it meets a number that is none."""
        if divided or isinstance(left, float) or isinstance(right, float):
            return self.as_real(left), self.as_real(right)
        return left, right

    def as_real(self, operand: Operand) -> Operand:
        if isinstance(operand, int | float) or not isinstance(operand.type, Int):
            return operand
        return Cast(operand, self.real, span=self.span)

    def condition(self, node: ast.expr) -> Expr | bool:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self.met(self.value(left), self.value(right), False)
                return folding.compare(_RELATIONS[type(op)], a, b, self.span)
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
