"""Where a kernel touches memory: the cell as an offset from a pointer parameter, and all that decides whether, how
often and for which cells the statement runs.

The kernel is walked once, in the order of its text, with the values of its integer variables at each point.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hetad.analysis import integer_sets
from hetad.analysis.affine import UNIT, Monomial, Polynomial
from hetad.analysis.coordinates import AXES, Coordinates, Values, grid_dim
from hetad.analysis.loops import Counted, counted
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import OPPOSITE
from hetad.ir.places import changed_in, exposed, members
from hetad.ir.types import BOOL, LONG, UINT, Array, Int, Pointer, Type, cells_within, promote
from hetad.ir.visit import variables


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around an access.  Where it is counted: `coordinate` counts, and the index is `value`.

    `shared`: the axis whose threads divide the iterations among them, with the threads of a block or of the grid.
    """

    statement: ir.For | ir.While
    coordinate: ir.Symbol | None = None
    value: Polynomial | None = None
    shared: tuple[str, str] | None = None
    header: Counted | None = None
    range: tuple[Polynomial, ...] = ()  # not negative in every iteration, and in no other place


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition around an access; `holds` is false in the branch that is taken when it fails.  `cases`: all
    of it where it is known, one of several lists of polynomials of which none is negative; empty where it is not."""

    condition: ir.Expr
    holds: bool
    cases: tuple[tuple[Polynomial, ...], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Definition:
    """A statement before an access, in the same block or in one around it."""

    statement: ir.Stmt


_CASES = 8  # of a guard
_HALF = 1 << 31  # unsigned numbers from here on may stand for negative ones

Step = Loop | Guard | Definition
Offset = tuple[ir.Symbol, Polynomial]  # a pointer parameter or an array, and a number of elements


@dataclass(frozen=True, slots=True)
class Cell:
    """`root[offset]`, and the fields below; the offset is in elements."""

    root: ir.Symbol
    offset: Polynomial
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Trail:
    """Steps, the last one first: what follows adds one, and leaves those before where they are."""

    last: Step
    before: _Trail | None


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One statement that touches memory.  Each of `bounds` is not negative when it runs; `loops` are those around it,
    and `steps` they and all else that lies before it."""

    statement: ir.Stmt
    place: ir.Place
    cell: Cell | None
    loops: tuple[Loop, ...]
    bounds: tuple[Polynomial, ...]
    values: Values
    _trail: _Trail | None

    @property
    def steps(self) -> tuple[Step, ...]:
        found, at = [], self._trail
        while at is not None:
            found.append(at.last)
            at = at.before
        return tuple(reversed(found))


@dataclass(slots=True)
class _State:
    trail: _Trail | None = None
    loops: tuple[Loop, ...] = ()
    bounds: tuple[Polynomial, ...] = ()
    values: Values = field(default_factory=dict)
    pointers: dict[ir.Symbol, Offset | None] = field(default_factory=dict)

    def inside(self, step: Step, bounds: Sequence[Polynomial] = ()) -> _State:
        loops = (*self.loops, step) if isinstance(step, Loop) else self.loops
        trail = _Trail(step, self.trail)
        return _State(trail, loops, (*self.bounds, *bounds), dict(self.values), dict(self.pointers))


class Accesses:
    """`all`: the accesses of a body, in its order.  `touched(statement)` gives the places that make an access each."""

    def __init__(
        self,
        body: ir.Body,
        span: Span,
        touched: Callable[[ir.Stmt], Sequence[ir.Place]],
        one_block: Collection[str] = (),
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        """`one_block`: axes along which the launch has a single block; `sizes`: how many threads its blocks have along
        an axis, where that is known."""
        self.coordinates = Coordinates(body, span, one_block, sizes)
        self.all: list[Access] = []
        self._touched = touched
        self._exposed = exposed(body)
        self._block(body, _State())
        self.coordinates.ask(access.cell.offset for access in self.all if access.cell is not None)
        self.coordinates.ask(lane for access in self.all for lane in self._lanes(access))
        self.coordinates.ask(bound for access in self.all for bound in access.bounds)

    def _lanes(self, access: Access) -> list[Polynomial]:
        """The positions in the block of threads that share a loop around the access."""
        axes = [loop.shared[0] for loop in access.loops if loop.shared is not None and loop.shared[1] == "block"]
        return [self._lane(axis) for axis in axes]

    def _lane(self, axis: str) -> Polynomial:
        return self.coordinates.value(ir.ThreadIndex("threadIdx", axis, UINT, span=self.coordinates.span), {})

    # -- walking

    def _block(self, body: ir.Body, state: _State) -> None:
        for s in body:
            for place in self._touched(s):
                cell = self._cell(place, state)
                values = dict(state.values)
                self.all.append(Access(s, place, cell, state.loops, state.bounds, values, state.trail))
            self._statement(s, state)
            state.trail = _Trail(Definition(s), state.trail)

    def _statement(self, s: ir.Stmt, state: _State) -> None:
        match s:
            case ir.Declare(symbol=symbol, init=init):
                self._set(symbol, init, state)
            case ir.Assign(target=ir.Var(symbol=symbol), value=value):
                self._set(symbol, value, state)
            case ir.Update(target=ir.Var(symbol=symbol) as target, op=op, value=value):
                self._set(symbol, ir.Binary(op, target, value, target.type, span=s.span), state)
            case ir.If():
                self._branch(s, state)
            case ir.For():
                self._loop(s, state)
            case ir.While(cond=cond, body=body):
                self._forget(body, state)
                inner = state.inside(Loop(s), self._not_negative(cond, True, state.values, state.bounds))
                self._block(body, inner)
            case ir.Block(body=body):
                self._block(body, replace(state))
            case _:
                self._forget((s,), state)

    def _branch(self, s: ir.If, state: _State) -> None:
        for body, holds in ((s.then, True), (s.orelse, False)):
            guard = Guard(s.cond, holds, self._cases(s.cond, holds, state.values, state.bounds))
            self._block(body, state.inside(guard, self._not_negative(s.cond, holds, state.values, state.bounds)))
        self._forget((*s.then, *s.orelse), state)

    def _loop(self, s: ir.For, state: _State) -> None:
        inner_changes = set(changed_in(s.body))
        header = counted(s, lambda e: inner_changes.isdisjoint(variables(e)), lambda x: x in inner_changes)
        if header is None or self._wraps(header, state.values):
            self._block(s.init, replace(state))
            self._forget((*s.body, *s.step), state)
            bounds = self._not_negative(s.cond, True, state.values, state.bounds) if s.cond is not None else []
            self._block(s.body, state.inside(Loop(s), bounds))
            self._forget((*s.body, *s.step), state)
            return
        start = self.coordinates.value(header.start, state.values)
        step = self.coordinates.value(header.step, state.values)
        bound = self.coordinates.value(header.bound, state.values)
        self._forget(s.body, state)
        loop, bounds = self._counted(s, header, start, step, bound)
        inner = state.inside(loop, bounds)
        assert loop.value is not None
        inner.values[header.index] = loop.value
        self._block(s.body, inner)
        self._forget((*s.init, *s.body, *s.step), state)

    def _wraps(self, header: Counted, values: Values) -> bool:
        """Whether an unsigned index may start beyond every bound, at what would be a negative number."""
        unsigned = isinstance(header.index.type, Int) and not header.index.type.signed
        return unsigned and not self.coordinates.never_negative(self.coordinates.value(header.start, values))

    def _counted(
        self, s: ir.For, header: Counted, start: Polynomial, step: Polynomial, bound: Polynomial
    ) -> tuple[Loop, list[Polynomial]]:
        shared = self._shared(start, step) if not header.down else None
        by = step.constant
        one = UNIT
        slack = Polynomial({}) if header.inclusive else one
        direct = shared is not None or by == 1
        upwards = direct and not header.down
        from_zero = shared is not None or (start.constant is not None and start.constant >= 0)
        coordinate = self.coordinates.coordinate(header.index, digits=upwards and from_zero)
        count = Polynomial({(ir.Var(coordinate, span=s.span),): 1})
        if direct:
            value = count
            first = start - value if header.down else value - start if shared is None else value
        else:
            value = start - step * count if header.down else start + step * count
            first = count
        last = value - bound if header.down else bound - value
        return Loop(s, coordinate, value, shared, header, (first, last - slack)), [first, last - slack]

    def _shared(self, start: Polynomial, step: Polynomial) -> tuple[str, str] | None:
        """The axis whose threads share the iterations: `for (i = thread; i < n; i += threads)`."""
        span = self.coordinates.span
        for axis in AXES:
            block = self.coordinates.block(axis).polynomial()
            grid = Polynomial({(grid_dim(axis, span),): 1})
            if step == block and start == self._lane(axis):
                return axis, "block"
            if step == block * grid and start == self.coordinates.position(axis):
                return axis, "grid"
        return None

    # -- variables

    def _set(self, symbol: ir.Symbol, value: ir.Expr | None, state: _State) -> None:
        if symbol in self._exposed:
            value = None
        if isinstance(symbol.type, Int):
            unknown = self.coordinates.unknown(symbol)
            state.values[symbol] = self.coordinates.value(value, state.values) if value is not None else unknown
        elif isinstance(symbol.type, Pointer):
            state.pointers[symbol] = self._offset(value, state) if value is not None else None

    def _forget(self, body: ir.Body, state: _State) -> None:
        for symbol in changed_in(body):
            if isinstance(symbol.type, Int):
                state.values[symbol] = self.coordinates.unknown(symbol)
            elif isinstance(symbol.type, Pointer):
                state.pointers[symbol] = None

    # -- addresses

    def _cell(self, place: ir.Expr, state: _State) -> Cell | None:
        element, path = members(place)
        if not isinstance(element, ir.Index):
            return None
        found = self._element(element, state)
        return Cell(found[0], found[1], path) if found is not None else None

    def _offset(self, expr: ir.Expr, state: _State) -> Offset | None:
        """A pointer or array as a base and an offset in innermost elements; a pointer that lies in memory may lead
        anywhere, and those beside it to the same place."""
        match expr:
            case ir.Var(symbol=symbol) if symbol in state.pointers:
                return state.pointers[symbol]
            case ir.Var(symbol=symbol) if isinstance(symbol.type, Array) or symbol.storage == "param":
                return symbol, Polynomial({})
            case ir.Index() if isinstance(expr.type, Array):
                return self._element(expr, state)
            case ir.Binary(op="+" | "-" as op, left=left, right=right) if isinstance(left.type, Pointer | Array):
                held = left.type.to if isinstance(left.type, Pointer) else left.type.of
                return self._moved(left, right, 1 if op == "+" else -1, held, state)
            case ir.AddressOf(place=ir.Index() as place):
                return self._element(place, state)
            case ir.Cast(operand=operand, type=Pointer(to=to)):
                found = self._offset(operand, state)
                if found is None or _pointed(operand) == to:
                    return found
                # Elements of another size: fields of a parameter's structs would no longer be told apart by name.
                somewhere = self.coordinates.unknown(ir.Symbol(found[0].name, LONG, expr.span))
                return (found[0], somewhere) if isinstance(found[0].type, Array) else None
        return None

    def _element(self, place: ir.Index, state: _State) -> Offset | None:
        return self._moved(place.base, place.index, 1, place.type, state)

    def _moved(self, base: ir.Expr, by: ir.Expr, sign: int, element: Type, state: _State) -> Offset | None:
        found = self._offset(base, state)
        if found is None:
            return None
        cells = cells_within(element)
        return found[0], found[1] + self.coordinates.value(by, state.values).scaled(sign * cells)

    # -- conditions

    def conjuncts(self, guard: Guard, values: Values) -> list[tuple[ir.Expr, tuple[Polynomial, ...]]]:
        """The conditions that together are the guard; with polynomials where these say all of it."""
        given = self._signed(guard.condition, guard.holds, values)
        return [
            (c if holds else ir.Unary("!", c, BOOL, span=c.span), tuple(self._not_negative(c, holds, values, given)))
            for c, holds in _conjuncts(guard.condition, guard.holds)
        ]

    def _not_negative(
        self, cond: ir.Expr, holds: bool, values: Values, given: Sequence[Polynomial]
    ) -> list[Polynomial]:
        """Polynomials that are not negative where the condition holds; not all of what it says need be among them.
        Where it is asked, none of those `given` is."""
        compared = list(_comparisons(cond, holds))
        if any(_is_unsigned(c) for c, _ in compared):
            given = [*given, *self._signed(cond, holds, values)]
        found: list[Polynomial] = []
        for c, op in compared:
            a, b = self.coordinates.value(c.left, values), self.coordinates.value(c.right, values)
            found += self._unsigned(op, a, b, given) if _is_unsigned(c) else _compared(op, a, b)
        return found

    def _signed(self, cond: ir.Expr, holds: bool, values: Values) -> list[Polynomial]:
        """Those of signed comparisons, of which nothing is taken for granted."""
        value = self.coordinates.value
        signed = ((c, op) for c, op in _comparisons(cond, holds) if not _is_unsigned(c))
        return [p for c, op in signed for p in _compared(op, value(c.left, values), value(c.right, values))]

    def _cases(
        self, cond: ir.Expr, holds: bool, values: Values, given: Sequence[Polynomial]
    ) -> tuple[tuple[Polynomial, ...], ...]:
        """All that the condition says; see `Guard`."""
        match cond:
            case ir.Unary(op="!", operand=operand):
                return self._cases(operand, not holds, values, given)
            case ir.Cast(operand=operand) if operand.type == BOOL or cond.type == BOOL:
                return self._cases(operand, holds, values, given)
            case ir.Binary(op="&&" | "||" as op, left=left, right=right):
                if (op == "&&") == holds:
                    given = [*given, *self._signed(cond, holds, values)]
                first, second = (self._cases(e, holds, values, given) for e in (left, right))
                if (op == "&&") == holds:
                    found = tuple((*a, *b) for a in first for b in second)
                else:
                    found = (*first, *second) if first and second else ()
                return found if len(found) <= _CASES else ()
            case ir.Binary(op="==" | "!=" as op) if (op == "!=") == holds:
                same = self._not_negative(cond, not holds, values, given)
                return tuple((p - UNIT,) for p in same)
            case ir.Binary(op="==" | "!=" | "<" | "<=" | ">" | ">="):
                told = tuple(self._not_negative(cond, holds, values, given))
                return (told,) if told else ()
        return ()

    def _unsigned(self, op: str, a: Polynomial, b: Polynomial, given: Sequence[Polynomial]) -> list[Polynomial]:
        """A comparison in which negative numbers count as very large ones."""
        if op in (">", ">="):
            return self._unsigned("<" if op == ">" else "<=", b, a, given)
        known = self._fails_where_negative(op, a, b, given) if op in ("<", "<=") else False
        if not known and not self.coordinates.never_negative(b):
            return []
        if self.coordinates.is_count(a):
            return _compared(op, a, b)
        if op in ("<", "<="):
            return [a, *_compared(op, a, b)] if b.constant is None or b.constant < _HALF else []
        return _compared(op, a, b) if self.coordinates.never_negative(a) else []

    def _fails_where_negative(self, op: str, a: Polynomial, b: Polynomial, given: Sequence[Polynomial]) -> bool:
        """Whether `a < b`, unsigned, holds for no thread where b is negative: for none that is given is a then negative
        as well and less, or not negative."""
        if b.constant is not None or self.coordinates.is_count(b):
            return False
        one = UNIT
        negative = [*given, b.scaled(-1) - one]
        return self._impossible([*negative, a]) and self._impossible(
            [*negative, a.scaled(-1) - one, *_compared(op, a, b)]
        )

    def _impossible(self, conditions: Sequence[Polynomial]) -> bool:
        """Whether no values of the products in them make all the conditions not negative."""
        numbers: dict[Monomial, int] = {}
        texts = [_text(c, numbers) for c in conditions]
        texts += [f"c{n} >= 0" for m, n in numbers.items() if self.coordinates.is_count(Polynomial({m: 1}))]
        return integer_sets.is_empty(len(numbers), 0, integer_sets.all_of(texts))


def _text(condition: Polynomial, numbers: dict[Monomial, int]) -> str:
    """For isl, with a number for each product."""
    terms = ((c, f"c{numbers.setdefault(m, len(numbers))}" if m else "") for m, c in condition.terms.items())
    return f"{integer_sets.total(terms)} >= 0"


def _comparisons(cond: ir.Expr, holds: bool) -> Iterator[tuple[ir.Binary, str]]:
    """Comparisons of integers that all hold, with these operators, where the condition does."""
    match cond:
        case ir.Unary(op="!", operand=operand):
            yield from _comparisons(operand, not holds)
        case ir.Cast(operand=operand):
            yield from _comparisons(operand, holds)
        case ir.Binary(op="&&" | "||" as op, left=left, right=right) if (op == "&&") == holds:
            yield from _comparisons(left, holds)
            yield from _comparisons(right, holds)
        case ir.Binary(op=op, left=left, right=right) if isinstance(left.type, Int) and isinstance(right.type, Int):
            yield cond, op if holds else OPPOSITE.get(op, op)


def _is_unsigned(c: ir.Binary) -> bool:
    common = promote(c.left.type, c.right.type)
    return isinstance(common, Int) and not common.signed


def _compared(op: str, a: Polynomial, b: Polynomial) -> list[Polynomial]:
    one = UNIT
    match op:
        case "<":
            return [b - a - one]
        case "<=":
            return [b - a]
        case ">":
            return [a - b - one]
        case ">=":
            return [a - b]
        case "==":
            return [a - b, b - a]
    return []


def _conjuncts(cond: ir.Expr, holds: bool) -> list[tuple[ir.Expr, bool]]:
    match cond:
        case ir.Unary(op="!", operand=operand):
            return _conjuncts(operand, not holds)
        case ir.Cast(operand=operand) if operand.type == BOOL:
            return _conjuncts(operand, holds)
        case ir.Binary(op="&&" | "||" as op, left=left, right=right) if (op == "&&") == holds:
            return [*_conjuncts(left, holds), *_conjuncts(right, holds)]
    return [(cond, holds)]


def _pointed(expr: ir.Expr) -> Type | None:
    return expr.type.to if isinstance(expr.type, Pointer) else expr.type.of if isinstance(expr.type, Array) else None
