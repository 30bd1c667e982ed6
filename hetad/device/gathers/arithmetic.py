"""Polynomials over coordinates as expressions of the IR."""

from __future__ import annotations

from collections.abc import Sequence

from hetad.analysis.affine import Monomial, Polynomial
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import convert, integer
from hetad.ir.printer import expr_text
from hetad.ir.simplify import simplest
from hetad.ir.types import BOOL, Int
from hetad.ir.visit import variables


class Arithmetic:
    """Polynomials as expressions of one integer type."""

    def __init__(self, type_: Int, span: Span) -> None:
        self.type = type_
        self.span = span
        self.known: dict[ir.Symbol, ir.Expr] = {}
        self.constants: dict[ir.Expr, ir.Symbol] = {}  # variables for uniform values that are not variables yet

    def copy(self) -> Arithmetic:
        """The same, to learn more; constants are shared."""
        new = Arithmetic(self.type, self.span)
        new.constants = self.constants
        new.known = dict(self.known)
        return new

    def know(self, coordinate: ir.Symbol, expr: ir.Expr) -> None:
        """`expr` stands for the coordinate."""
        self.known[coordinate] = convert(expr, self.type)

    def expression(self, value: Polynomial) -> ir.Expr:
        """The value of a polynomial over uniform expressions and known coordinates."""
        terms = [(self._product(m, abs(c)), c > 0) for m, c in value.terms.items()]
        terms.sort(key=lambda t: (not t[1], isinstance(t[0], ir.Const), -len(expr_text(t[0])), expr_text(t[0])))
        if not terms:
            return integer(0, self.span, self.type)
        (total, positive), *rest = terms
        if not positive:
            if isinstance(total, ir.Const):
                total = integer(-int(total.value), self.span, self.type)
            else:
                total = ir.Unary("-", total, self.type, span=self.span)
        for term, plus in rest:
            total = ir.Binary("+" if plus else "-", total, term, self.type, span=self.span)
        return total

    def _product(self, monomial: Monomial, coefficient: int) -> ir.Expr:
        factors = sorted((self._atom(a) for a in sorted(monomial, key=expr_text)), key=expr_text)
        if coefficient != 1 or not factors:
            factors.append(integer(coefficient, self.span, self.type))
        product = factors[0]
        for f in factors[1:]:
            product = ir.Binary("*", product, f, self.type, span=self.span)
        return product

    def _atom(self, atom: ir.Expr) -> ir.Expr:
        if isinstance(atom, ir.Var) and atom.symbol in self.known:
            return self.known[atom.symbol]
        if isinstance(atom, ir.Var | ir.Const | ir.ThreadIndex):
            return convert(atom, self.type)
        if atom not in self.constants:
            named = next((x.name for x in variables(atom)), "value")
            symbol = ir.Symbol(f"{named}_{len(self.constants) + 1}", self.type, self.span, const=True)
            self.constants[atom] = symbol
        return ir.Var(self.constants[atom], span=self.span)

    def number(self, value: int) -> ir.Expr:
        return integer(value, self.span, self.type)

    def binary(self, op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        return simplest(ir.Binary(op, left, right, self.type, span=self.span))

    def compare(self, op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
        return ir.Binary(op, left, right, BOOL, span=self.span)

    def quotient_up(self, value: ir.Expr, by: ir.Expr) -> ir.Expr:
        """How many multiples of `by`, zero included, are below `value`."""
        one = self.number(1)
        count = self.binary("+", self.binary("/", self.binary("-", value, one), by), one)
        none = self.number(0)
        return ir.Select(self.compare("<=", value, none), none, count, self.type, span=self.span)

    def least(self, values: Sequence[ir.Expr], op: str = "<") -> ir.Expr:
        """The least of the values, or with ">" the greatest."""
        found = values[0]
        for v in values[1:]:
            found = ir.Select(self.compare(op, v, found), v, found, self.type, span=self.span)
        return found
