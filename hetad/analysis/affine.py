"""Index expressions as polynomials, to tell whether two addresses can be equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakValueDictionary

from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.facts import lasting
from hetad.ir.places import members
from hetad.ir.types import Array, Int, Pointer
from hetad.ir.visit import variables, walk_expr

Monomial = tuple[ir.Expr, ...]  # atoms, ordered by hash so that equal products are equal; () is the constant


@dataclass(frozen=True, slots=True)
class Polynomial:
    terms: Mapping[Monomial, int]

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for m, c in other.terms.items():
            terms[m] = terms.get(m, 0) + c
        return Polynomial({m: c for m, c in terms.items() if c})

    def scaled(self, by: int) -> Polynomial:
        return Polynomial({m: c * by for m, c in self.terms.items() if c * by})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scaled(-1)

    def differs_by_number(self, other: Polynomial) -> bool:
        """Whether the difference is a number other than zero."""
        mine, theirs = self.terms, other.terms
        if any(m and theirs.get(m) != c for m, c in mine.items()) or any(m and m not in mine for m in theirs):
            return False
        return mine.get((), 0) != theirs.get((), 0)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                key = tuple(sorted((*m, *n), key=hash))
                terms[key] = terms.get(key, 0) + c * d
        return Polynomial({m: c for m, c in terms.items() if c})

    @property
    def constant(self) -> int | None:
        """The value, where the polynomial is a number."""
        if not self.terms:
            return 0
        return self.terms[()] if set(self.terms) == {()} else None

    def split(self, atom: ir.Expr) -> tuple[Polynomial, Polynomial] | None:
        """`(a, b)` with self = a * atom + b where a and b do not depend on the atom; None if it is not linear in it."""
        a: dict[Monomial, int] = {}
        b: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            times = sum(1 for x in m if x == atom)
            if times > 1 or any(x != atom and atom in walk_expr(x) for x in m):
                return None
            if times:
                rest = list(m)
                rest.remove(atom)
                a[tuple(rest)] = c
            else:
                b[m] = c
        return Polynomial(a), Polynomial(b)


UNIT = Polynomial({(): 1})


def numeral(value: int) -> Polynomial:
    """The number."""
    return Polynomial({(): value} if value else {})


def atom(symbol: ir.Symbol) -> Polynomial:
    """The value of a variable."""
    return Polynomial({(var(symbol),): 1})


def symbols(value: Polynomial) -> list[ir.Symbol]:
    """The variables among the atoms, each once."""
    return list(dict.fromkeys(a.symbol for m in value.terms for a in m if isinstance(a, ir.Var)))


def polynomial(expr: ir.Expr) -> Polynomial:
    """An integer expression as a polynomial over its non-arithmetic parts (wrap-around is ignored: C forbids it
    for the signed indices this is used for, and an unsigned one that wraps would leave its array)."""
    match expr:
        case ir.Const(value=value) if isinstance(expr.type, Int):
            return Polynomial({(): int(value)} if value else {})
        case ir.Binary(op="+", left=left, right=right):
            return polynomial(left) + polynomial(right)
        case ir.Binary(op="-", left=left, right=right):
            return polynomial(left) - polynomial(right)
        case ir.Binary(op="*", left=left, right=right):
            return polynomial(left) * polynomial(right)
        case ir.Unary(op="-", operand=operand):
            return polynomial(operand).scaled(-1)
        case ir.Cast(operand=operand, type=Int() as to) if (
            isinstance(operand.type, Int) and to.bits >= operand.type.bits
        ):
            return polynomial(operand)
    return Polynomial({(expr,): 1})


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Line:
    """Cells that lie a known number of elements apart.  There is one object for each line.

    `symbols`: the variables that tell where it is.
    """

    symbols: frozenset[ir.Symbol]


_lines: WeakValueDictionary[object, Line] = WeakValueDictionary()


def _line(base: ir.Expr, path: tuple[str, ...], offset: Polynomial) -> Line:
    terms = frozenset((m, c) for m, c in offset.terms.items() if m)
    line = _lines.get((base, path, terms))
    if line is None:
        atoms = (atom for monomial, _ in terms for atom in monomial)
        line = Line(frozenset(variables(base)).union(*map(variables, atoms)))
        _lines[base, path, terms] = line
    return line


@dataclass(frozen=True, slots=True)
class Address:
    """A cell: base pointer or array variable, element offset, and the path of fields below the element.

    Of a cell of an array that is a member, `outer` is the address of that array.
    """

    base: ir.Expr
    offset: Polynomial
    path: tuple[str, ...]
    line: Line
    outer: Address | None = None

    @property
    def at(self) -> int:
        """Where in its line the cell lies."""
        return self.offset.terms.get((), 0)


def _find_address(place: ir.Expr) -> Address | None:
    element, fields = members(place)
    if not isinstance(element, ir.Index):
        return None
    base, offset = element.base, polynomial(element.index)
    while True:
        match base:
            case ir.Binary(op="+", left=left, right=right) if isinstance(left.type, Pointer):
                base, offset = left, offset + polynomial(right)
            case ir.Binary(op="-", left=left, right=right) if isinstance(left.type, Pointer) and isinstance(
                right.type, Int
            ):
                base, offset = left, offset - polynomial(right)
            case ir.Cast(operand=operand, implicit=True) if operand.type == base.type or (
                isinstance(operand.type, Pointer) and isinstance(base.type, Pointer) and operand.type.to == base.type.to
            ):
                base = operand
            case _:
                array = isinstance(base, ir.Member) and isinstance(base.type, Array)
                return Address(base, offset, fields, _line(base, fields, offset), address(base) if array else None)


address = lasting(_find_address)


def distinct(a: Address | None, b: Address | None) -> bool:
    """Whether two places, evaluated with the same values of all variables, are certainly different cells."""
    if a is None or b is None:
        return False
    if a.line is b.line:
        return a.at != b.at
    if a.base != b.base:
        return _in_other_members(a, b)
    if any(x != y for x, y in zip(a.path, b.path, strict=False)):
        return True
    return a.offset.differs_by_number(b.offset)


def distinct_across(a: Address | None, b: Address | None, index: ir.Expr) -> bool:
    """Whether the places differ whenever they are evaluated with different values of `index`, all else equal."""
    if a is None or b is None:
        return False
    if a.base != b.base:
        return _in_other_members(a, b)
    if any(x != y for x, y in zip(a.path, b.path, strict=False)) and a.offset == b.offset:
        return True
    left, right = a.offset.split(index), b.offset.split(index)
    if left is None or right is None:
        return False
    slope = left[0].constant
    return left[0] == right[0] and left[1] == right[1] and slope is not None and slope != 0


def _in_other_members(a: Address, b: Address) -> bool:
    """Whether the places are, or lie in, different members of structs that one pointer leads to: no two elements of
    an array of structs share memory, so which elements does not matter."""
    a, b = _outermost(a), _outermost(b)
    return a.base == b.base and any(x != y for x, y in zip(a.path, b.path, strict=False))


def _outermost(a: Address) -> Address:
    while a.outer is not None:
        a = a.outer
    return a
