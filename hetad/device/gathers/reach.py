"""How far the sums of a stencil reach: the cells between the first and the last that some thread adds to.

What lies between two cells of an array is in the array.  So the sum may be added to each of them without a question,
and what stands there can be loaded while the sum is still under way.
"""

from __future__ import annotations

from collections.abc import Mapping

from hetad.analysis.affine import UNIT, Polynomial, atom, numeral
from hetad.analysis.scales import Scale
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.device.gathers.ends import Ends
from hetad.device.gathers.stencil import Stencil
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.simplify import conjunction


class Reach:
    def __init__(
        self, sides: Stencil, targets: Mapping[Scale, ir.Symbol], arithmetic: Arithmetic, names: Names, ends: Ends
    ) -> None:
        """`targets`: the variables that hold the subscripts, none of them negative."""
        self.sides, self.arithmetic = sides, arithmetic
        span = arithmetic.span
        self.ends = {
            s: ends.least(arithmetic, targets[s].name.removesuffix("_to"), [u + UNIT for u in x.upper])
            for s, x in sides.items()
        }
        self.cell = names.symbol("cell", arithmetic.type, span, const=True)
        self._place = _sum({s: atom(x) for s, x in targets.items()})
        first = _sum({s: x.lower + numeral(x.lowest) for s, x in sides.items()})
        last = _sum({s: atom(self.ends[s]) + numeral(x.highest - 1) for s, x in sides.items()})
        some = conjunction([self._compare("<", x.lower, atom(self.ends[s])) for s, x in sides.items()])
        end = ir.Select(some, arithmetic.expression(last), arithmetic.number(-1), arithmetic.type, span=span)
        self.last = names.symbol("last", arithmetic.type, span, const=True)
        self.declarations: list[ir.Stmt] = [ir.Declare(self.last, end, span=span)]
        self.first: Polynomial | None = None
        if first.constant is not None:
            self.first = first if first.constant > 0 else None
        else:
            symbol = names.symbol("first", arithmetic.type, span, const=True)
            self.declarations.insert(0, ir.Declare(symbol, arithmetic.expression(first), span=span))
            self.first = atom(symbol)

    def guarded(self, body: ir.Body) -> ir.Body:
        """The body, where the target is within reach."""
        span = self.arithmetic.span
        inside = [self._compare("<=", atom(self.cell), atom(self.last))]
        if self.first is not None:
            inside.insert(0, self._compare(">=", atom(self.cell), self.first))
        declared = ir.Declare(self.cell, self.arithmetic.expression(self._place), span=span)
        return (declared, ir.If(conjunction(inside), body, (), span=span))

    def _compare(self, op: str, left: Polynomial, right: Polynomial) -> ir.Expr:
        return self.arithmetic.compare(op, self.arithmetic.expression(left), self.arithmetic.expression(right))


def _sum(subscripts: Mapping[Scale, Polynomial]) -> Polynomial:
    total = Polynomial({})
    for stride, subscript in subscripts.items():
        total = total + stride.polynomial() * subscript
    return total
