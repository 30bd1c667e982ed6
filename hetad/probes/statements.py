"""Floating statements, each with points at its operands and its result.

    y[i] = a * sqrt(x[i]);   →   double operand = a, operand_1 = x[i];       // a point at each
                                 double result = operand * sqrt(operand_1);  // and here
                                 y[i] = result;

The copies are used once: in the reverse sweep the adjoint of an operand is what this statement adds to it, whatever
else adds to the variable.  So Σ adjoint · tangent over the operands is that of the result.  What only moves a value
has no points.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import Names, var
from hetad.ir.printer import expr_text
from hetad.ir.types import Float
from hetad.ir.visit import map_children, walk_expr
from hetad.probes.points import Point, Points, Statement
from hetad.rules import callees

Looks = Callable[[ir.Place, Point, Span], Sequence[ir.Stmt]]


class Statements:
    """Of one function.  `looks`: what is done at a point; `others`: what becomes of a statement of another kind;
    `ruled`: functions for which the user gave rules."""

    def __init__(
        self, function: str, names: Names, points: Points, looks: Looks, ruled: Collection[str],
        others: Callable[[ir.Stmt], Sequence[ir.Stmt]] = lambda s: (s,),
    ) -> None:  # fmt: skip
        self.function, self.names, self.points, self.looks = function, names, points, looks
        self.ruled, self.others = ruled, others

    def body(self, body: ir.Body) -> ir.Body:
        return tuple(x for s in body for x in self._statement(s))

    def _statement(self, s: ir.Stmt) -> Sequence[ir.Stmt]:
        match s:
            case ir.Declare(symbol=symbol, init=init) if isinstance(symbol.type, Float) and init is not None:
                before, value = self._value(init, s.span, symbol.name)
                return [*before, replace(s, init=value)]
            case ir.Assign(target=target, value=value) if isinstance(target.type, Float):
                before, value = self._value(value, s.span, expr_text(target))
                return [*before, replace(s, value=value)]
            case ir.Update(target=target, value=value) if isinstance(target.type, Float):
                before, value = self._value(value, s.span, f"{s.op}= {expr_text(target)}")
                return [*before, replace(s, value=value)]
            case ir.Call(function=name, result=ir.Var() | ir.Index() | ir.Member() as result) if name in self.ruled:
                return self._ruled(s, result)
            case ir.Call(args=(cell, value), result=None) if callees.calls(s, "atomic"):
                before, value = self._value(value, s.span, expr_text(cell))
                return [*before, replace(s, args=(cell, value))]
            case ir.If(then=then, orelse=orelse):
                return [replace(s, then=self.body(then), orelse=self.body(orelse))]
            case ir.For(body=body) | ir.While(body=body) | ir.DoWhile(body=body) | ir.Block(body=body):
                return [replace(s, body=self.body(body))]
        return self.others(s)

    def _value(self, e: ir.Expr, span: Span, what: str) -> tuple[list[ir.Stmt], ir.Expr]:
        """What comes before the statement, and the value in it."""
        if not isinstance(e.type, Float) or isinstance(bare(e), ir.Var | ir.Index | ir.Member | ir.Const):
            return [], e
        return self._choice(e, span, what) if isinstance(e, ir.Select) else self._points(e, span, what)

    def _choice(self, e: ir.Select, span: Span, what: str) -> tuple[list[ir.Stmt], ir.Expr]:
        """A branch for each of the two: what is not chosen may not be there to be read."""
        symbol = self.names.symbol("chosen", e.type, span)
        sides = []
        for side in (e.then, e.orelse):
            if isinstance(side, ir.Select):
                before, value = self._choice(side, span, what)
            else:
                before, value = self._points(side, span, what)
            sides.append((*before, ir.Assign(var(symbol, span), value, span=span)))
        return [ir.Declare(symbol, None, span=span), ir.If(e.cond, sides[0], sides[1], span=span)], var(symbol, span)

    def _points(self, e: ir.Expr, span: Span, what: str) -> tuple[list[ir.Stmt], ir.Expr]:
        chosen = any(isinstance(x, ir.Select) for x in walk_expr(e))  # only one of two may be there to be read
        statement = self.points.statement(span, self.function, missing="a choice" if chosen else "")
        before: list[ir.Stmt] = []
        if not chosen:
            e = self._operands(e, statement, before)
        what = f"{e.name}(...)" if isinstance(e, ir.Intrinsic) else what
        result = self.names.symbol("result", e.type, span)
        before.append(ir.Declare(result, e, span=span))
        before += self.looks(var(result, span), self.points.add(statement, "result", what), span)
        return before, var(result, span)

    def _operands(self, e: ir.Expr, statement: Statement, before: list[ir.Stmt]) -> ir.Expr:
        """The expression over copies of the floating places in it."""
        held: dict[ir.Expr, ir.Expr] = {}

        def copied(x: ir.Expr) -> ir.Expr:
            if not isinstance(x, ir.Var | ir.Index | ir.Member):
                return map_children(copied, x)
            if not isinstance(x.type, Float):
                return x
            if x not in held:
                held[x] = self._operand(x, expr_text(x), statement, before)
            return held[x]

        return copied(e)

    def _operand(self, x: ir.Expr, what: str, statement: Statement, before: list[ir.Stmt]) -> ir.Expr:
        span = statement.span
        symbol = self.names.symbol("operand", x.type, span)
        before.append(ir.Declare(symbol, x, span=span))
        before += self.looks(var(symbol, span), self.points.add(statement, "operand", what), span)
        return var(symbol, span)

    def _ruled(self, s: ir.Call, result: ir.Place) -> list[ir.Stmt]:
        """A call of a function of the user's that has a rule."""
        statement = self.points.statement(s.span, self.function)
        before: list[ir.Stmt] = []
        args = [
            self._operand(a, expr_text(bare(a)), statement, before) if isinstance(a.type, Float) else a for a in s.args
        ]
        symbol = self.names.symbol("result", result.type, s.span)
        before += [ir.Declare(symbol, None, span=s.span), replace(s, args=tuple(args), result=var(symbol, s.span))]
        before += self.looks(var(symbol, s.span), self.points.add(statement, "result", expr_text(result)), s.span)
        return [*before, ir.Assign(result, var(symbol, s.span), span=s.span)]
