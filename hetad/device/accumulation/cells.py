"""Where cells lie: which of them follow each other in memory, whatever they are written as.

`high->energy` and `low->total` lie six cells apart where `high` is `low + 1` and a point has six fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from hetad.analysis.affine import Monomial, Polynomial, numeral, polynomial
from hetad.ir import nodes as ir
from hetad.ir.places import changes, exposed
from hetad.ir.types import Array, Float, Int, Pointer, Struct, Void, offset_of, size_of
from hetad.ir.visit import variables, walk_stmts


@dataclass(frozen=True, slots=True)
class Cell:
    """The cell `shift` cells of its type behind `root + base`, in bytes, where the base has no constant part."""

    root: ir.Expr  # a pointer variable, or a pointer that is a member
    type: Float
    base: frozenset[tuple[Monomial, int]]
    shift: int
    rest: int  # bytes by which the cell is not aligned to cells behind the root

    @property
    def key(self) -> object:
        """What cells that may follow each other have in common."""
        return (self.root, self.type, self.base, self.rest)


class Cells:
    """Finds where the places of a body lie, through the local pointers that never change."""

    def __init__(self, body: ir.Body) -> None:
        self.steady = _steady(body)

    def cell(self, place: ir.Place) -> Cell | None:
        found = self._place(place) if isinstance(place.type, Float) else None
        if found is None or not isinstance(place.type, Float):
            return None
        root, offset = found
        shift, rest = divmod(offset.terms.get((), 0), size_of(place.type))
        base = frozenset((m, c) for m, c in offset.terms.items() if m != ())
        return Cell(root, place.type, base, shift, rest)

    def _place(self, place: ir.Expr) -> tuple[ir.Expr, Polynomial] | None:
        """The pointer that a place is reached by, and how many bytes behind it."""
        match place:
            case ir.Member(base=base, name=name) if isinstance(base.type, Struct) and not isinstance(base, ir.Var):
                return _moved(self._place(base), numeral(offset_of(base.type, name)))
            case ir.Index(base=base, index=index):
                start = self._place(base) if isinstance(base.type, Array) else self._pointer(base)
                return _moved(start, polynomial(index).scaled(size_of(place.type)))
        return None

    def _pointer(self, pointer: ir.Expr) -> tuple[ir.Expr, Polynomial] | None:
        match pointer:
            case ir.Var(symbol=symbol) if symbol in self.steady:
                return self._pointer(self.steady[symbol])
            case ir.AddressOf(place=place):
                return self._place(place)
            case ir.Binary(op="+" | "-" as op, left=left, right=right, type=Pointer(to=to)) if (
                isinstance(right.type, Int) and isinstance(left.type, Pointer) and not isinstance(to, Void)
            ):
                return _moved(self._pointer(left), polynomial(right).scaled(size_of(to) if op == "+" else -size_of(to)))
            case ir.Cast(operand=operand) if isinstance(operand.type, Pointer):
                return self._pointer(operand)
            case ir.Var() | ir.Member() if isinstance(pointer.type, Pointer):
                return pointer, Polynomial({})
        return None


def _moved(start: tuple[ir.Expr, Polynomial] | None, by: Polynomial) -> tuple[ir.Expr, Polynomial] | None:
    return (start[0], start[1] + by) if start is not None else None


def _steady(body: ir.Body) -> Mapping[ir.Symbol, ir.Expr]:
    """Local pointers that always have the value they are declared with, in terms of what does not change either."""
    times = Counter(changes(body))
    given = exposed(body)
    pointers = {
        s.symbol: s.init
        for s in walk_stmts(body)
        if isinstance(s, ir.Declare) and isinstance(s.symbol.type, Pointer) and s.init is not None
    }

    def stays(x: ir.Symbol) -> bool:
        return x not in given and times[x] <= (0 if x.storage == "param" else 1)

    return {p: e for p, e in pointers.items() if stays(p) and all(map(stays, variables(e)))}
