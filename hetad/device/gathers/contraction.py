"""Gathers that are products of matrices: each target's sum runs over products of two factors, one of which depends on
some of the target's subscripts, the other one on the others.

For `adj_A[i, k] += sum over j of adj_C[i, j] * B[k, j]` the *rows* are told by i, the *columns* by k.  A subscript on
which both factors depend is one of a *batch*.  Every row must meet every column, in the same iterations of the loops:
then what is read for a tile of rows and columns is what the primal reads too, and zeros stand for nothing that is left
out of a sum (zero times infinity is no zero).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hetad.analysis.affine import UNIT, Polynomial, polynomial
from hetad.device.gathers.coarsening import Target
from hetad.device.gathers.ends import Threads
from hetad.device.gathers.nest import Nest, may_fail
from hetad.ir import nodes as ir
from hetad.ir.build import convert, var
from hetad.ir.types import Array, Float, Int, Pointer
from hetad.ir.visit import map_children, variables, walk_expr

LONG = 16  # iterations of a literal loop that is worth a chunk of its own

_Symbols = frozenset[ir.Symbol]


@dataclass(frozen=True, slots=True)
class Range:
    """A loop of the sum: the greatest of `lower` is the first index, the least of `upper` is past the last."""

    variable: ir.Symbol
    lower: tuple[ir.Expr, ...]
    upper: tuple[ir.Expr, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """The factor that depends on the rows, or on the columns; `array` is the name of what it reads.

    `along`: whether it is read cell by cell along the last loop, rather than along the targets; a condition if only the
    launch tells."""

    targets: tuple[Target, ...]
    value: ir.Expr
    array: str
    along: ir.Expr | bool


@dataclass(frozen=True, slots=True)
class Contraction:
    """`loops`, outermost first, are uniform but for the batch and the loops around them; along the last one the factors
    are read in chunks.  `alike`: conditions on the loops and the batch.  `certain`: what must hold in the launch."""

    rows: Side
    columns: Side
    batch: tuple[Target, ...]
    loops: tuple[Range, ...]
    alike: tuple[ir.Expr, ...]
    certain: tuple[ir.Expr, ...]
    definitions: Definitions


class Definitions:
    """The variables that a nest declares, and on which of the targets and the loops an expression depends."""

    def __init__(self, nest: Nest, basic: Iterable[ir.Symbol]) -> None:
        self.basic = frozenset(basic)
        self.of: dict[ir.Symbol, ir.Declare] = {}
        declared = [*nest.indices.values(), *(i.what for i in nest.items if isinstance(i.what, ir.Stmt))]
        for s in declared:
            if not isinstance(s, ir.Declare) or s.init is None or s.symbol in self.of:
                raise NoProduct
            self.of[s.symbol] = s

    def depends(self, e: ir.Expr) -> _Symbols:
        return self.basic.intersection(self._all(variables(e)))

    def needed(self, e: ir.Expr) -> list[ir.Declare]:
        """The declarations that must stand before an expression, in order."""
        return [self.of[x] for x in dict.fromkeys(self._all(variables(e))) if x in self.of]

    def inlined(self, e: ir.Expr) -> ir.Expr:
        """An integer expression over the targets and the loops alone."""
        if isinstance(e, ir.Var) and e.symbol in self.of and isinstance(e.symbol.type, Int):
            init = self.of[e.symbol].init
            assert init is not None
            return convert(self.inlined(init), e.type)
        return map_children(self.inlined, e)

    def _all(self, symbols: Iterable[ir.Symbol]) -> Iterator[ir.Symbol]:
        """The symbols after those that their declarations mention."""
        for x in symbols:
            init = self.of[x].init if x in self.of else None
            if init is not None:
                yield from self._all(variables(init))
            yield x


class NoProduct(Exception):
    """The gather is no product of matrices."""


def contraction(nest: Nest, targets: Sequence[Target]) -> Contraction:
    """The sum of a nest with one source.  Raises NoProduct."""
    return _Reading(nest, targets).result()


class _Reading:
    def __init__(self, nest: Nest, targets: Sequence[Target]) -> None:
        self.nest, self.targets = nest, targets
        self.free = {c: _variable(nest, c) for c in nest.free}
        self.definitions = Definitions(nest, [*(t.symbol for t in targets), *self.free.values()])
        self.certain: list[ir.Expr] = []

    def result(self) -> Contraction:
        (source,) = self.nest.sources
        value = self.nest.adapted(source.increment.value)
        if not isinstance(value.type, Float):
            raise NoProduct
        factors, negative = self._factors(value)
        rows, columns, batch = self._sides(factors)
        loops = self._loops(batch)
        left, right = self._product(factors, rows, columns, value.type)
        if negative:
            left = ir.Unary("-", left, left.type, span=left.span)
        alike = self._conditions(batch)
        return Contraction(
            self._side(rows, left), self._side(columns, right), self._ordered(batch), loops, alike,
            tuple(dict.fromkeys(self.certain)), self.definitions,
        )  # fmt: skip

    # -- factors

    def _factors(self, e: ir.Expr) -> tuple[list[ir.Expr], bool]:
        """A product's factors, and whether it is negated."""
        match e:
            case ir.Binary(op="*", left=left, right=right):
                (a, minus_a), (b, minus_b) = self._factors(left), self._factors(right)
                return a + b, minus_a != minus_b
            case ir.Unary(op="-", operand=operand):
                found, negative = self._factors(operand)
                return found, not negative
            case ir.Var(symbol=symbol) if symbol in self.definitions.of:
                init = self.definitions.of[symbol].init
                assert init is not None
                found, negative = self._factors(init) if init.type == symbol.type else ([], False)
                return (found, negative) if len(found) > 1 or negative else ([e], False)
        return [e], False

    def _told(self, e: ir.Expr) -> _Symbols:
        """The targets on which a factor depends."""
        return self.definitions.depends(e) & {t.symbol for t in self.targets}

    def _sides(self, factors: Sequence[ir.Expr]) -> tuple[_Symbols, _Symbols, _Symbols]:
        """The rows, the columns and the batch."""
        told = {t for f in factors if (t := self._told(f))}
        largest = [t for t in told if not any(t < other for other in told)]
        if len(largest) < 2:
            raise NoProduct
        batch = frozenset.intersection(*largest)
        parts = _connected([t - batch for t in largest])
        if len(parts) < 2:
            raise NoProduct
        fastest = next(t.symbol for t in self.targets if any(t.symbol in p for p in parts))
        columns = next(p for p in parts if fastest in p)
        rows = frozenset(t.symbol for t in self.targets) - columns - batch
        return rows, columns, batch

    def _product(
        self, factors: Sequence[ir.Expr], rows: _Symbols, columns: _Symbols, type_: Float
    ) -> tuple[ir.Expr, ir.Expr]:
        """What the rows tell and what the columns do; both must change along the last loop."""
        right = [f for f in factors if self._told(f) & columns]
        left = [f for f in factors if not self._told(f) & columns]
        for side, own in ((left, rows), (right, columns)):
            depends = frozenset[ir.Symbol]().union(*map(self.definitions.depends, side))
            if not own & depends or self.last not in depends or not any(map(self._read, side)):
                raise NoProduct
        return _times(left, type_), _times(right, type_)

    def _read(self, e: ir.Expr) -> list[ir.Index]:
        """The cells of memory that an expression reads."""
        found = [*(d.init for d in self.definitions.needed(e) if d.init is not None), e]
        reads = [x for f in found for x in walk_expr(f) if isinstance(x, ir.Index)]
        return [x for x in reads if isinstance(x.base.type, Pointer)]

    def _side(self, own: _Symbols, value: ir.Expr) -> Side:
        targets, read = self._ordered(own), self._read(value)
        base = read[0].base
        array = base.symbol.name if isinstance(base, ir.Var) else "factor"
        return Side(targets, value, array, self._along(read, targets[0].symbol))

    def _along(self, read: Sequence[ir.Index], lowest: ir.Symbol) -> ir.Expr | bool:
        by_loop, by_target = ([self._step(x, symbol) for x in read] for symbol in (self.last, lowest))
        one_by_loop, one_by_target = (sum(x == 1 for x in found) for found in (by_loop, by_target))
        if one_by_loop or one_by_target:
            return one_by_loop > one_by_target
        a = self.nest.arithmetic
        for found, op in ((by_loop, "=="), (by_target, "!=")):
            size = next((x for x in found if isinstance(x, ir.Expr)), None)
            if size is not None:
                return a.compare(op, size, a.number(1))
        return True

    def _step(self, read: ir.Index, by: ir.Symbol) -> ir.Expr | int | None:
        """How far apart neighbouring values of a variable are read; None: not the same everywhere."""
        parts = polynomial(self.definitions.inlined(read.index)).split(var(by))
        if parts is None:
            return None
        size = self.nest.arithmetic.expression(parts[0])
        if self.definitions.depends(size):
            return None
        return parts[0].constant if parts[0].constant is not None else size

    def _ordered(self, symbols: _Symbols) -> tuple[Target, ...]:
        return tuple(t for t in self.targets if t.symbol in symbols)

    # -- loops

    def _loops(self, batch: _Symbols) -> tuple[Range, ...]:
        ranges = [self._range(c, x, batch) for c, x in self.free.items()]
        chunked = next((r for r in reversed(ranges) if not _short(r)), None)
        if chunked is None:
            raise NoProduct
        others = [r for r in ranges if r is not chunked]
        self.last = chunked.variable
        if any(self.last in self.definitions.depends(e) for r in others for e in (*r.lower, *r.upper)):
            raise NoProduct
        return (*others, chunked)

    def _range(self, c: ir.Symbol, variable: ir.Symbol, batch: _Symbols) -> Range:
        nest, a = self.nest, self.nest.arithmetic
        allowed = batch | set(self.free.values())
        lower: list[ir.Expr] = []
        upper: list[ir.Expr] = []
        for bound in nest.bounds[c]:
            parts = bound.split(var(c))
            assert parts is not None
            slope, rest = parts
            if slope.constant == 1:
                found, among = a.expression(rest.scaled(-1)), lower
            elif slope.constant == -1:
                found, among = a.expression(rest + UNIT), upper
            else:
                size = a.expression(slope.scaled(-1))
                found, among = a.quotient_up(a.expression(rest + UNIT), size), upper
            if self.definitions.depends(found) <= allowed:
                among.append(self.definitions.inlined(found))
            else:
                self._all_threads(bound)
        if not lower or not upper:
            raise NoProduct
        return Range(variable, tuple(lower), tuple(upper))

    def _all_threads(self, bound: Polynomial) -> None:
        """A bound that a launch with all the threads that the guards ask for keeps."""
        nest = self.nest
        threads = Threads(nest.maps, [*nest.certain, *(p for b in nest.bounds.values() for p in b)])
        least = threads.least(bound) if threads.counted(bound) else None
        if least is None:
            raise NoProduct
        self.certain.append(nest.ends.holds(nest.arithmetic, least))

    # -- conditions

    def _conditions(self, batch: _Symbols) -> tuple[ir.Expr, ...]:
        """Those on the loops and the batch alone; of others only that the threads exist can be asked of the launch."""
        alike: list[ir.Expr] = []
        for item in self.nest.items:
            if isinstance(item.what, ir.Stmt):
                continue
            condition = self.definitions.inlined(item.what)
            if may_fail(condition) or any(isinstance(x.type, Array | Float) for x in variables(condition)):
                raise NoProduct
            if self.definitions.depends(condition) <= batch | set(self.free.values()):
                alike.append(condition)
            elif item.condition is not None:
                self._all_threads(item.condition)
            else:
                raise NoProduct
        return tuple(alike)


def _variable(nest: Nest, coordinate: ir.Symbol) -> ir.Symbol:
    known = nest.arithmetic.known[coordinate]
    assert isinstance(known, ir.Var)
    return known.symbol


def _connected(sets: Iterable[_Symbols]) -> list[_Symbols]:
    """The unions of the sets that have something in common."""
    found: list[_Symbols] = []
    for s in sets:
        meeting = [f for f in found if f & s]
        found = [f for f in found if not f & s] + [s.union(*meeting)]
    return found


def _times(factors: Sequence[ir.Expr], type_: Float) -> ir.Expr:
    product = convert(factors[0], type_)
    for f in factors[1:]:
        product = ir.Binary("*", product, convert(f, type_), type_, span=f.span)
    return product


def _short(r: Range) -> bool:
    """Whether the text tells that the loop has few iterations."""
    low = [e.value for e in r.lower if isinstance(e, ir.Const)]
    high = [e.value for e in r.upper if isinstance(e, ir.Const)]
    return bool(low and high) and min(high) - max(low) < LONG
