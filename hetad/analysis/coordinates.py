"""The integer expressions of a kernel as polynomials over what counts in it.

A *coordinate* is the position of a thread along an axis of the launch, the index of a counted loop, or a digit of one
of these.  Digits come from division and remainder: where a kernel says `row = t / n` and `col = t % n`, t is
`n * row + col`, and row and col are coordinates in its place.  What has one value in all threads and iterations is
*uniform* and kept as it is written: a parameter, `blockDim.x`, memory that the kernel does not write at a uniform
address.  Everything else is *varying*: nothing is known of it.

Wrap-around is ignored: C forbids it for the signed numbers that indices are, and an unsigned index that wraps would
leave its array.  Divisors and strides are taken to be positive, as extents are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from hetad.analysis.affine import Monomial, Polynomial, atom, numeral
from hetad.analysis.modular_shifts import Entry, Turned, literals, turned
from hetad.analysis.scales import ONE, Scale, chain, scale
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.places import changed_by, exposed_by
from hetad.ir.types import INT, UINT, Array, Int, Pointer, Type
from hetad.ir.visit import walk_expr, walk_stmts

AXES = ("x", "y", "z")
WRAPS = 1 << 16  # a literal factor of this size in unsigned arithmetic is there to wrap around

Values = dict[ir.Symbol, Polynomial]  # of the integer variables, at one point of the kernel


@dataclass(frozen=True, slots=True)
class Part:
    """`base / low % (high / low)`: some digits of a coordinate; without `high` all from `low` on."""

    base: ir.Symbol
    low: Scale
    high: Scale | None


@dataclass(frozen=True, slots=True)
class Digit:
    """A coordinate worth `scale` in `base`; below `extent`, if the base has higher digits."""

    symbol: ir.Symbol
    scale: Scale
    extent: Scale | None


class Coordinates:
    """Evaluates expressions; `digits` tells, once all have been evaluated, what the coordinates consist of."""

    def __init__(
        self, body: ir.Body, span: Span, one_block: Collection[str] = (), sizes: Mapping[str, int] | None = None
    ) -> None:
        """`one_block`: axes along which a launch has one block, so that its threads are all there are; `sizes`: of the
        blocks, along axes where they are known."""
        self._sizes = dict(sizes or {})
        self.span = span
        self.one_block = frozenset(one_block)
        self.threads = {axis: ir.Symbol(f"thread_{axis}", INT, span) for axis in AXES}
        self.bases = set(self.threads.values())  # coordinates that start at zero, so that they have digits
        self.parts: dict[ir.Symbol, Part] = {}
        self.turned: dict[ir.Symbol, Turned] = {}
        self._entries: dict[ir.Symbol, Entry] = {}
        self._symbols: dict[Part, ir.Symbol] = {}
        self._uniform: dict[ir.Symbol, bool] = {}
        self._initial: dict[ir.Symbol, list[ir.Expr | None]] = {}
        self._changed: set[ir.Symbol] = set()
        for s in walk_stmts(body):
            self._tell(s)
        self.assumed: list[Polynomial] = []  # not negative, as far as the launches of the kernel are concerned
        self._digits: dict[ir.Symbol, list[Digit]] | None = None
        self._wanted: dict[ir.Symbol, set[Scale]] = {}
        self._counting = set(self.threads.values())
        self._twins: dict[ir.Symbol, ir.Symbol] = {}
        self._originals: dict[ir.Symbol, ir.Symbol] = {}

    # -- values

    def value(self, expr: ir.Expr, values: Values) -> Polynomial:
        """An integer expression where the variables have `values`."""
        match expr:
            case ir.Const(value=value) if isinstance(expr.type, Int):
                return numeral(int(value))
            case ir.Var(symbol=symbol) if symbol in values:
                return values[symbol]
            case ir.Cast(operand=operand, type=Int() as to) if isinstance(operand.type, Int):
                held = self.value(operand, values)
                if to.bits == operand.type.bits or (to.bits > operand.type.bits and self._exact(operand.type, held)):
                    return held
            case ir.Unary(op="-", operand=operand):
                return self.value(operand, values).scaled(-1)
            case ir.Binary(op="+" | "-" | "*", left=left, right=right) if isinstance(expr.type, Int):
                found = self._arithmetic(expr, self.value(left, values), self.value(right, values))
                return found if found is not None else self._opaque(expr)
            case ir.Binary(op="<<" | ">>" as op, left=left, right=ir.Const(value=int(places))) if 0 <= places < 16:
                if op == "<<":
                    shifted = self.value(left, values).scaled(1 << places)
                    return shifted if _stays(shifted, expr.type) else self._opaque(expr)
                part = self._divided("/", self.value(left, values), Polynomial({(): 1 << places}))
                return part if part is not None else self._opaque(expr)
            case ir.Binary(op="/" | "%" as op, left=left, right=right) if isinstance(expr.type, Int):
                whole, by = self.value(left, values), self.value(right, values)
                part = self._divided(op, whole, by)
                if part is None and op == "%":
                    part = self._turned(whole, by, expr)
                return part if part is not None else self._opaque(expr)
            case ir.Index(base=ir.Var(symbol=table), index=index) if self._keeps_literals(table):
                return self._entry(expr, table, self.value(index, values))
            case ir.ThreadIndex(name="threadIdx" | "blockIdx" as name, axis=axis):
                if axis in self.one_block:
                    return atom(self.threads[axis]) if name == "threadIdx" else Polynomial({})
                size = self.block(axis)
                low, high = (ONE, size) if name == "threadIdx" else (size, None)
                return self._part(Part(self.threads[axis], low, high))
            case ir.ThreadIndex(name="blockDim", axis=axis) if axis in self._sizes:
                return Polynomial({(): self._sizes[axis]})
        return self._opaque(expr)

    def position(self, axis: str) -> Polynomial:
        """`blockIdx.x * blockDim.x + threadIdx.x`"""
        if axis in self.one_block:
            return atom(self.threads[axis])
        return self._part(Part(self.threads[axis], ONE, None))

    def unknown(self, like: ir.Symbol) -> Polynomial:
        """A value of which nothing is known."""
        return atom(ir.Symbol(like.name, like.type, like.span))

    def coordinate(self, like: ir.Symbol, *, digits: bool) -> ir.Symbol:
        """A new coordinate for the loop index `like`; `digits`: it is never negative."""
        symbol = ir.Symbol(like.name, like.type, like.span)
        self._counting.add(symbol)
        if digits:
            self.bases.add(symbol)
        return symbol

    def counts(self, symbol: ir.Symbol) -> bool:
        """Whether it is a coordinate."""
        return symbol in self._counting

    def renamed(self, value: Polynomial) -> Polynomial:
        """The same for another thread, or in another iteration: over coordinates of their own."""
        terms = {tuple(sorted(map(self._twin, m), key=hash)): c for m, c in value.terms.items()}
        return Polynomial(terms)

    def original(self, symbol: ir.Symbol) -> ir.Symbol:
        return self._originals.get(symbol, symbol)

    def _twin(self, atom: ir.Expr) -> ir.Expr:
        if not isinstance(atom, ir.Var) or atom.symbol not in self._counting:
            return atom
        if atom.symbol not in self._twins:
            twin = ir.Symbol(f"{atom.symbol.name}_other", atom.symbol.type, atom.symbol.span)
            self._twins[atom.symbol], self._originals[twin] = twin, atom.symbol
            self._counting.add(twin)
        return var(self._twins[atom.symbol])

    def block_of(self, axis: str) -> Polynomial:
        """The position of the thread's block."""
        return self._part(Part(self.threads[axis], self.block(axis), None))

    def block(self, axis: str) -> Scale:
        size = self._sizes.get(axis)
        return Scale(size) if size is not None else scale(1, (block_dim(axis, self.span),))

    def _exact(self, type_: Int, value: Polynomial) -> bool:
        """Whether an expression of this type has not wrapped around, so that a wider type holds the same number."""
        return type_.signed or self.never_negative(value)

    def never_negative(self, value: Polynomial) -> bool:
        """Whether no difference of coordinates is in the value.  A uniform value that a launch tells is taken for an
        extent, and noted in `assumed`: the launch has to be looked at."""
        if self.is_count(value):
            return True
        if value.constant is not None or not all(told_by_launch(a) and self.uniform(a) for m in value.terms for a in m):
            return value.constant is not None and value.constant >= 0
        if value not in self.assumed:
            self.assumed.append(value)
        return True

    def is_count(self, value: Polynomial) -> bool:
        """Whether the value is one of coordinates that start at zero, extents and unsigned numbers, all added."""
        return all(c > 0 and self._counts_up(m) for m, c in value.terms.items())

    def _counts_up(self, monomial: Monomial) -> bool:
        """Whether the product is one of coordinates that start at zero and extents, or is unsigned."""
        varying = [a for a in monomial if not self.uniform(a)]
        if not varying:
            return all(
                isinstance(a, ir.ThreadIndex) or (isinstance(a.type, Int) and not a.type.signed) for a in monomial
            )
        return all(isinstance(a, ir.Var) and (a.symbol in self.bases or a.symbol in self.parts) for a in varying)

    def scale(self, value: Polynomial) -> Scale | None:
        """A polynomial that is one positive uniform product."""
        if len(value.terms) != 1:
            return None
        ((monomial, coefficient),) = value.terms.items()
        return scale(coefficient, monomial) if coefficient > 0 and all(map(self.uniform, monomial)) else None

    def _opaque(self, expr: ir.Expr) -> Polynomial:
        return Polynomial({(expr,): 1}) if self.uniform(expr) else atom(ir.Symbol("value", INT, expr.span))

    def _arithmetic(self, expr: ir.Binary, left: Polynomial, right: Polynomial) -> Polynomial | None:
        found = left + right if expr.op == "+" else left - right if expr.op == "-" else left * right
        return self._joined(found) if _stays(found, expr.type) else None

    def _joined(self, found: Polynomial) -> Polynomial:
        """With `blockIdx.x * blockDim.x + threadIdx.x` as the position of the thread."""
        for base in self.threads.values():
            for upper in [p for p in self._occurring(found) if p.base is base and p.high is None and p.low != ONE]:
                lower = self._symbols.get(Part(base, ONE, upper.low))
                if lower is None:
                    continue
                high, low = found.split(self._var(upper)), found.split(var(lower))
                if high is None or low is None or not low[0].terms or high[0] != low[0] * upper.low.polynomial():
                    continue
                rest = low[1].split(self._var(upper))
                if rest is not None:
                    found = low[0] * self._part(Part(base, ONE, None)) + rest[1]
        return found

    def _occurring(self, value: Polynomial) -> list[Part]:
        symbols = [a.symbol for m in value.terms for a in m if isinstance(a, ir.Var)]
        found = [self.parts[x] for x in symbols if x in self.parts]
        found += [p for x in symbols if x in self.turned for p in self._occurring(self.turned[x].digit)]
        return list(dict.fromkeys(found))

    def _divided(self, op: str, value: Polynomial, by: Polynomial) -> Polynomial | None:
        """`value / by` or `value % by`, where that selects digits of a coordinate."""
        divisor = self.scale(by)
        if divisor is None or len(value.terms) != 1:
            return None
        ((monomial, coefficient),) = value.terms.items()
        if coefficient != 1 or len(monomial) != 1 or not isinstance(monomial[0], ir.Var):
            return None
        symbol = monomial[0].symbol
        part = Part(symbol, ONE, None) if symbol in self.bases else self.parts.get(symbol)
        if part is None:
            return None
        middle = part.low * divisor
        if part.high is not None and part.high.over(middle) is None:
            return None
        found = Part(part.base, part.low, middle) if op == "%" else Part(part.base, middle, part.high)
        return self._part(found)

    def _turned(self, value: Polynomial, by: Polynomial, expr: ir.Expr) -> Polynomial | None:
        threads = set(self.threads.values())

        def is_digit(x: ir.Symbol) -> bool:
            return x in threads or (x in self.parts and self.parts[x].base in threads)

        found = None
        if self.scale(by) is not None:
            found = turned(value, by, is_digit, lambda x: x in self.bases and x not in threads, self._entries)
        if found is None:
            return None
        symbol = ir.Symbol("turned", INT, expr.span)
        self.turned[symbol] = found
        return atom(symbol)

    def _keeps_literals(self, table: ir.Symbol) -> bool:
        return table not in self._changed and literals(table, self._initial.get(table)) is not None

    def _entry(self, expr: ir.Expr, table: ir.Symbol, index: Polynomial) -> Polynomial:
        """An element of a table of literals."""
        threads = set(self.threads.values())
        values = literals(table, self._initial.get(table))
        varying = {a for m in index.terms for a in m if not self.uniform(a)}
        loops = {a.symbol for a in varying if isinstance(a, ir.Var) and a.symbol in self._counting - threads}
        if values and index.constant is not None and 0 <= index.constant < len(values):
            return numeral(values[index.constant])
        if self.uniform(expr) or not values or len(loops) < len(varying):
            return self._opaque(expr)
        symbol = ir.Symbol("entry", INT, expr.span)
        self._entries[symbol] = Entry(min(values), max(values), frozenset(loops))
        return atom(symbol)

    def _part(self, part: Part) -> Polynomial:
        if part not in self._symbols:
            symbol = ir.Symbol(part.base.name, part.base.type, part.base.span)
            self._symbols[part], self.parts[symbol] = symbol, part
        return Polynomial({(self._var(part),): 1})

    def _var(self, part: Part) -> ir.Var:
        return var(self._symbols[part])

    # -- uniform expressions

    def uniform(self, expr: ir.Expr) -> bool:
        """Whether the expression has one value in all threads, wherever it stands."""
        match expr:
            case ir.Const():
                return True
            case ir.ThreadIndex(name=name):
                return name in ("blockDim", "gridDim", "warpSize")
            case ir.Var(symbol=symbol):
                return self._uniform_variable(symbol)
            case ir.Index(base=base, index=index):
                return isinstance(base.type, Pointer | Array) and self.uniform(base) and self.uniform(index)
            case ir.Member(base=base):
                return self.uniform(base)
            case ir.Unary() | ir.Cast() | ir.Binary() | ir.Select() | ir.Aggregate():
                return all(self.uniform(e) for e in _operands(expr))
        return False

    def _uniform_variable(self, symbol: ir.Symbol) -> bool:
        if symbol in self._changed:
            return False
        if symbol not in self._uniform:
            self._uniform[symbol] = False  # until proven: a definition may mention itself
            given = self._initial.get(symbol)
            if given is None:
                self._uniform[symbol] = symbol.storage in ("param", "constant", "global", "static")
            else:
                # The sweeps of a pullback may both declare a variable: with one value.
                first = given[0]
                same = first is not None and all(g == first for g in given)
                self._uniform[symbol] = same and first is not None and self.uniform(first)
        return self._uniform[symbol]

    def _tell(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Declare):
            self._initial.setdefault(s.symbol, []).append(s.init)
        else:
            self._changed.update(changed_by(s))
        self._changed.update(exposed_by(s))

    # -- digits

    def ask(self, values: Iterable[Polynomial]) -> None:
        """Tells which values will be wanted in digits, the important ones first: those whose parts do not fit the parts
        that were asked for before stay as they are."""
        for value in values:
            for part in self._occurring(value):
                wanted = self._wanted.setdefault(part.base, {ONE})
                more = wanted | {part.low} | ({part.high} if part.high is not None else set())
                if chain(more) is not None:
                    self._wanted[part.base] = more
        self._digits = None

    def digits(self) -> dict[ir.Symbol, list[Digit]]:
        """The digits of each base that was divided, lowest first."""
        if self._digits is None:
            self._digits = {base: self._named(base, chain(wanted) or [ONE]) for base, wanted in self._wanted.items()}
        return self._digits

    def _named(self, base: ir.Symbol, ordered: list[Scale]) -> list[Digit]:
        if len(ordered) == 1:
            return [Digit(base, ONE, None)]
        found = []
        for i, low in enumerate(ordered):
            high = ordered[i + 1] if i + 1 < len(ordered) else None
            symbol = ir.Symbol(f"{base.name}_{i}", INT, base.span)
            self._counting.add(symbol)
            found.append(Digit(symbol, low, high.over(low) if high is not None else None))
        return found

    def resolved(self, value: Polynomial) -> Polynomial:
        """`value` over digits, loop indices, uniform and varying expressions."""
        out = Polynomial({})
        for monomial, coefficient in value.terms.items():
            term = Polynomial({(): coefficient})
            for factor in monomial:
                term = term * self._in_digits(factor)
            out = out + term
        return out

    def _in_digits(self, factor: ir.Expr) -> Polynomial:
        same = Polynomial({(factor,): 1})
        if not isinstance(factor, ir.Var):
            return same
        part = self.parts.get(factor.symbol, Part(factor.symbol, ONE, None))
        digits = self.digits().get(part.base, [])
        ends = {d.scale for d in digits}
        if part.low not in ends or (part.high is not None and part.high not in ends):
            return same
        out = Polynomial({})
        for d in digits:
            worth = d.scale.over(part.low)
            below = part.high is None or (part.high != d.scale and part.high.over(d.scale) is not None)
            if worth is not None and below:
                out = out + worth.polynomial() * atom(d.symbol)
        return out


def told_by_launch(atom: ir.Expr) -> bool:
    """Whether it is an integer passed by value, or a size of grid or block."""
    if isinstance(atom, ir.Var):
        return atom.symbol.storage == "param" and isinstance(atom.type, Int)
    return isinstance(atom, ir.ThreadIndex) and atom.name in ("blockDim", "gridDim")


def block_dim(axis: str, span: Span) -> ir.ThreadIndex:
    return ir.ThreadIndex("blockDim", axis, UINT, span=span)


def grid_dim(axis: str, span: Span) -> ir.ThreadIndex:
    return ir.ThreadIndex("gridDim", axis, UINT, span=span)


def _stays(value: Polynomial, type_: Type) -> bool:
    """Whether the value is not meant to wrap around: unsigned arithmetic with large factors is."""
    return not isinstance(type_, Int) or type_.signed or all(abs(c) < WRAPS for m, c in value.terms.items() if m)


def _operands(expr: ir.Expr) -> list[ir.Expr]:
    return [e for e in walk_expr(expr) if e is not expr]
