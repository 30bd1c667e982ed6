"""Integer variables that are set once, by what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetad.analysis.affine import Polynomial
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import integer
from hetad.ir.types import INT
from hetad.ir.visit import map_children

FEW = 3  # terms


@dataclass(frozen=True, slots=True)
class Values:
    held: Mapping[ir.Symbol, ir.Expr]

    def of(self, e: ir.Expr) -> ir.Expr:
        """With their values in place of the variables."""
        if isinstance(e, ir.Var):
            return self.held.get(e.symbol, e)
        return map_children(self.of, e)

    @staticmethod
    def simple(value: Polynomial) -> bool:
        """Whether it is a short sum of parameters."""
        atoms = [a for m in value.terms for a in m]
        params = all(isinstance(a, ir.Var) and a.symbol.storage == "param" and a.type == INT for a in atoms)
        return params and len(value.terms) <= FEW


def expression(value: Polynomial, span: Span) -> ir.Expr:
    """A sum of integers as an expression."""
    total: ir.Expr | None = None
    for monomial, factor in sorted(value.terms.items(), key=lambda t: not t[0]):
        term: ir.Expr | None = None
        for atom in monomial:
            term = atom if term is None else ir.Binary("*", _int(term), _int(atom), INT, span=span)
        if term is None or factor != 1:
            number = integer(factor, span)
            term = number if term is None else ir.Binary("*", _int(term), number, INT, span=span)
        total = term if total is None else ir.Binary("+", _int(total), _int(term), INT, span=span)
    return total if total is not None else integer(0, span)


def _int(e: ir.Expr) -> ir.Expr:
    return e if e.type == INT else ir.Cast(e, INT, implicit=True, span=e.span)
