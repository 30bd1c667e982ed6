"""The value of an expression together with masks of the inputs that it depends on.

For y = f(u, v):  mask_y = mask_u | mask_v, whatever the slopes are, unless one is zero for all numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import binary, convert, is_zero, zero
from hetad.ir.types import Float, Type
from hetad.rules import callees, math, operators
from hetad.rules.callee import Passed
from hetad.tangent.duals import Dual, Places, Tangents, refuse_without_slope


class Dependences:
    """Of the expressions of one statement.  `type_of`: of the mask of something of a type."""

    def __init__(self, places: Places, span: Span, type_of: Callable[[Type], Type]) -> None:
        self.places, self.span, self.type_of = places, span, type_of

    def __call__(self, expr: ir.Expr) -> Dual:
        return expr, self._masks(expr) if isinstance(expr.type, Float) else None

    def _masks(self, expr: ir.Expr) -> Tangents:
        match expr:
            case ir.Var() | ir.Index() | ir.Member():
                return self.places.tangents_of(expr)
            case ir.Select():
                return self._choice(expr)
            case ir.Intrinsic():
                return self._function(expr)
            case ir.CallExpr(function=name):
                raise UnsupportedError(f"a call of '{name}' inside an expression", expr.span, "assign it to a variable")
        return None if operators.row_of(expr) is None else self._any(operators.operands(expr), expr.type)

    def _choice(self, expr: ir.Select) -> Tangents:
        """Of the arm that is taken: the other one may read memory that is not there."""
        arms = self(expr.then)[1], self(expr.orelse)[1]
        if arms == (None, None):
            return None
        type_ = self.type_of(expr.type)
        none = (zero(type_, expr.span),) * self.places.count
        then, orelse = (tuple(convert(m, type_) for m in arm or none) for arm in arms)
        chosen = zip(then, orelse, strict=True)
        return tuple(a if a == b else ir.Select(expr.cond, a, b, type_, span=expr.span) for a, b in chosen)

    def _function(self, expr: ir.Intrinsic) -> Tangents:
        row = callees.find(expr.name)
        if isinstance(row.pullback, Passed):
            return self(expr.args[row.roles.index(row.pullback.role)])[1]
        if math.is_inactive(expr.name):
            return None
        masks = [(i, m) for i, a in enumerate(expr.args) if (m := self(a)[1]) is not None]
        if masks:
            refuse_without_slope(expr.name, self.span)
        sloped = (m for i, m in masks if math.partial(expr.name, i, expr.args, expr, self.span) is not None)
        return self._joined(sloped, expr.type)

    def _any(self, operands: Iterable[ir.Expr], type_: Type) -> Tangents:
        return self._joined((m for e in operands if (m := self(e)[1]) is not None), type_)

    def _joined(self, masks: Iterable[tuple[ir.Expr, ...]], type_: Type) -> Tangents:
        there = list(masks)
        if not there:
            return None
        made = self.type_of(type_)
        return tuple(reduce(joined, (convert(m, made) for m in each)) for each in zip(*there, strict=True))


def joined(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    """The inputs in one of two masks."""
    if is_zero(a) or is_zero(b):
        return b if is_zero(a) else a
    parts = _parts(a)
    return reduce(lambda whole, part: binary("|", whole, part), (p for p in _parts(b) if p not in parts), a)


def _parts(mask: ir.Expr) -> list[ir.Expr]:
    if isinstance(mask, ir.Binary) and mask.op == "|":
        return [*_parts(mask.left), *_parts(mask.right)]
    return [mask]
