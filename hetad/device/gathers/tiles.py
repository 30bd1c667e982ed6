"""Products of matrices on tiles in shared memory.

A block of 256 threads sums 64 x 64 targets, each thread 4 x 4 of them in registers.  Both factors are loaded into
shared memory, 16 iterations of the sum's last loop at a time, and every value serves 64 targets.

    for each tile of rows and columns:              if there are few, for each part of the first loop
        sum[4][4] = {0}
        for the loops of the sum, the last one in chunks:
            the rows' factor and the columns' factor into shared memory, zero beyond the end
            for each iteration of the chunk: sum[u][v] += left[u] * right[v]
        adj[...] += sum

Neighbouring threads load neighbouring cells, be it along the loop or along the targets.
Source: V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.adjoint.names import Names, convert, is_zero, zero
from hetad.device.accumulation.increments import Increment, atomic, plain
from hetad.device.gathers.arithmetic import Arithmetic
from hetad.device.gathers.coarsening import Target
from hetad.device.gathers.contraction import Contraction, Range, Side
from hetad.ir import nodes as ir
from hetad.ir.simplify import conjunction
from hetad.ir.types import BOOL, FLOAT, INT, LONG, SIZE_T, UINT, Array, Int, Type
from hetad.ir.visit import declared, substitute

TILE = 64  # rows, and columns, of a block
DEPTH = 16  # iterations of a chunk
SIDE = 16  # threads along the rows, and along the columns
EACH = TILE // SIDE  # rows, and columns, of a thread
THREADS = SIDE * SIDE
LOADS = TILE * DEPTH // THREADS  # of each factor, for a thread and a chunk
LEAST = 16  # rows and columns for which tiles pay
SHORTEST = 8  # loop for which chunks do
CHUNKS = 4  # of a part, at least


@dataclass(frozen=True, slots=True)
class Ranges:
    """Of each target: its least value, and how many values it has."""

    first: Mapping[ir.Symbol, ir.Expr]
    count: Mapping[ir.Symbol, ir.Symbol]


@dataclass(frozen=True, slots=True)
class Cells:
    """What the sums are added to: `place`, each a thread's own if they are `apart`."""

    place: ir.Place
    apart: bool
    statement: ir.Call


@dataclass(frozen=True, slots=True)
class _Matrix:
    """One side of the product; `number` counts its targets through, `loaded` holds those of which a thread loads."""

    side: Side
    number: ir.Symbol
    size: ir.Symbol
    origin: ir.Symbol  # the number of a tile's first
    tile: ir.Symbol
    along: ir.Symbol
    loaded: Mapping[ir.Symbol, ir.Symbol]


class Tiles:
    """The text for one product."""

    def __init__(
        self,
        found: Contraction,
        ranges: Ranges,
        total: ir.Symbol,
        cells: Cells,
        arithmetic: Arithmetic,
        names: Names,
        split: bool,
    ) -> None:
        """`total`: the sum of one target; `split`: whether blocks may share a tile, and add to it in any order."""
        self.found, self.ranges, self.total, self.cells = found, ranges, total, cells
        self.arithmetic, self.names, self.span = arithmetic, names, arithmetic.span
        self._names: dict[str, str] = {}
        self.small, self.wide = Arithmetic(INT, self.span), Arithmetic(SIZE_T, self.span)
        self.rows, self.columns = self._matrix(found.rows, "row"), self._matrix(found.columns, "column")
        self.ends = {r.variable: self._const(f"{r.variable.name}_end", arithmetic.type) for r in self._long_ends()}
        self.thread, self.x, self.y = (self._const(n, INT) for n in ("local", "local_x", "local_y"))
        self.across, self.tiles = self._const("tiles_across", SIZE_T), self._const("tiles", SIZE_T)
        self.sums = ir.Symbol(total.name, Array(Array(total.type, EACH), EACH), self.span)
        self.split = split and self._length(found.loops[0]) is not None
        self.tile = names.symbol("tile", SIZE_T, self.span, const=self.split)
        self.parts, self.part = self._const("parts", SIZE_T), self._const("part", SIZE_T)

    def _matrix(self, side: Side, name: str) -> _Matrix:
        (t, *more) = side.targets
        type_ = LONG if more else self.arithmetic.type
        shape = Array(Array(self.total.type, TILE + 1), DEPTH)
        alone = not more and is_zero(self.ranges.first[t.symbol])
        number = t.symbol if alone else self._const(name, type_)
        loaded = {d.symbol: self._local(f"{d.symbol.name}_loaded", Array(d.symbol.type, LOADS)) for d in side.targets}
        return _Matrix(
            side,
            number,
            self._const(f"{name}s", LONG) if more else self.ranges.count[t.symbol],
            self._const(f"first_{number.name}", type_),
            self.names.symbol(f"{side.array}_tile", shape, self.span, "shared"),
            self._const(f"{side.array}_along", BOOL),
            loaded if more else {},
        )

    @property
    def launch_bounds(self) -> str:
        """With as many blocks on a multiprocessor as have room for what a thread keeps in registers."""
        small = self.arithmetic.type == INT and self.total.type == FLOAT
        return f"{THREADS}, {4 if small else 3}"

    # -- before the choice

    def opening(self) -> list[ir.Stmt]:
        """How many rows and columns there are, behind the counts of the targets, and where loops end."""
        several = [m for m in (self.rows, self.columns) if len(m.side.targets) > 1]
        return [
            *(_declare(m.size, self._multiplied(self._counts(m.side.targets), LONG)) for m in several),
            *(_declare(self.ends[r.variable], self.arithmetic.least(r.upper)) for r in self._long_ends()),
        ]

    def _counts(self, targets: Sequence[Target]) -> list[ir.Expr]:
        return [_var(self.ranges.count[t.symbol]) for t in targets]

    def _long_ends(self) -> list[Range]:
        """The loops whose ends are worked out once."""
        several = [r for r in self.found.loops if not isinstance(self.arithmetic.least(r.upper), ir.Var | ir.Const)]
        return [r for r in several if not any(map(self.found.definitions.depends, r.upper))]

    def pays(self) -> ir.Expr:
        """Whether the launch is one for tiles, and large enough."""
        conditions = list(self.found.certain)
        for m in (self.rows, self.columns):
            a = self._of(m)
            conditions.append(a.compare(">=", _var(m.size), a.number(LEAST)))
        length = self._length(self.found.loops[-1])
        if length is not None and not isinstance(length, ir.Const):
            conditions.append(self.arithmetic.compare(">=", length, self.arithmetic.number(SHORTEST)))
        return conjunction(conditions)

    def _length(self, loop: Range) -> ir.Expr | None:
        """How many iterations a loop has, where that is the same everywhere."""
        start, end = self._bounds(loop)
        if self.found.definitions.depends(start) or self.found.definitions.depends(end):
            return None
        return self.arithmetic.binary("-", end, start)

    def _bounds(self, loop: Range) -> tuple[ir.Expr, ir.Expr]:
        known = self.ends.get(loop.variable)
        end = _var(known) if known is not None else self.arithmetic.least(loop.upper)
        return self.arithmetic.least(loop.lower, ">"), end

    # -- over the tiles

    def body(self) -> ir.Body:
        """All tiles, those of a block one after another."""
        i = self.small
        thread = convert(ir.ThreadIndex("threadIdx", "x", UINT, span=self.span), INT)
        sizes = [_var(self.across), self._tiles_along(self.rows), *self._counts(self.found.batch)]
        return (
            _declare(self.rows.tile, None),
            _declare(self.columns.tile, None),
            _declare(self.thread, thread),
            _declare(self.x, i.binary("%", _var(self.thread), i.number(SIDE))),
            _declare(self.y, i.binary("/", _var(self.thread), i.number(SIDE))),
            *(_declare(m.along, e) for m in (self.rows, self.columns) if not isinstance(e := m.side.along, bool)),
            _declare(self.across, self._tiles_along(self.columns)),
            _declare(self.tiles, self._multiplied(sizes, SIZE_T)),
            *(self._shares() if self.split else ()),
            self._over_tiles(),
        )

    def _tiles_along(self, m: _Matrix) -> ir.Expr:
        z = self.wide
        return z.binary("/", z.binary("+", convert(_var(m.size), SIZE_T), z.number(TILE - 1)), z.number(TILE))

    def _shares(self) -> list[ir.Stmt]:
        """In how many parts the first loop is taken: so many that all blocks have work, of some length each."""
        length = self._length(self.found.loops[0])
        assert length is not None
        z = self.wide
        most = convert(length, SIZE_T)
        if len(self.found.loops) == 1:
            most = z.binary("/", most, z.number(CHUNKS * DEPTH))
        wanted, possible = self._const("parts_wanted", SIZE_T), self._const("parts_possible", SIZE_T)
        return [
            _declare(wanted, z.least([z.binary("/", self._launched("gridDim"), _var(self.tiles)), z.number(1)], ">")),
            _declare(possible, z.least([most, z.number(1)], ">")),
            _declare(self.parts, z.least([_var(wanted), _var(possible)])),
        ]

    def _over_tiles(self) -> ir.Stmt:
        z = self.wide
        body: ir.Body = (
            *self._place(),
            *(s for m in (self.rows, self.columns) if m.loaded for s in self._loaded_targets(m)),
            _declare(self.sums, zero(self.sums.type, self.span)),
            *self._over_loops(self.found.loops),
            self._added(),
        )
        first, step, end = self._launched("blockIdx"), self._launched("gridDim"), _var(self.tiles)
        if not self.split:
            return self._loop(self.tile, first, end, step, body)
        work = self._local("work", SIZE_T)
        own = (
            _declare(self.tile, z.binary("/", _var(work), _var(self.parts))),
            _declare(self.part, z.binary("%", _var(work), _var(self.parts))),
        )
        return self._loop(work, first, z.binary("*", end, _var(self.parts)), step, (*own, *body))

    def _place(self) -> list[ir.Stmt]:
        """Where a tile begins."""
        z = self.wide
        tile, across, down = _var(self.tile), _var(self.across), self._tiles_along(self.rows)
        row = z.binary("/", tile, across)
        found: list[ir.Stmt] = []
        if self.found.batch:
            found += [_declare(x, e) for x, e in self._digits(self.found.batch, z.binary("/", row, down), z)]
            row = z.binary("%", row, down)
        for m, at in ((self.rows, row), (self.columns, z.binary("%", tile, across))):
            found.append(_declare(m.origin, convert(z.binary("*", at, z.number(TILE)), m.origin.type)))
        return found

    def _digits(self, targets: Sequence[Target], number: ir.Expr, a: Arithmetic) -> list[tuple[ir.Symbol, ir.Expr]]:
        """The targets with this number, the first of them fastest."""
        found: list[tuple[ir.Symbol, ir.Expr]] = []
        for t in targets:
            size = convert(_var(self.ranges.count[t.symbol]), a.type)
            digit = number if t is targets[-1] else a.binary("%", number, size)
            number = a.binary("/", number, size)
            found.append((t.symbol, self._from_first(t, convert(digit, t.symbol.type))))
        return found

    def _from_first(self, t: Target, value: ir.Expr) -> ir.Expr:
        return self.arithmetic.binary("+", self.ranges.first[t.symbol], value)

    # -- over the loops

    def _over_loops(self, loops: Sequence[Range]) -> ir.Body:
        loop, *inner = loops
        first, end = self._bounds(loop)
        a, name = self.arithmetic, loop.variable.name
        opening: list[ir.Stmt] = []
        if not isinstance(end, ir.Var | ir.Const):
            symbol = self._const(f"{name}_end", a.type)
            opening, end = [_declare(symbol, end)], _var(symbol)
        step = a.number(1 if inner else DEPTH)
        if self.split and loop is self.found.loops[0]:
            part, parts = convert(_var(self.part), a.type), convert(_var(self.parts), a.type)
            skipped = part if inner else a.binary("*", part, step)
            first = a.binary("+", first, skipped)
            step = parts if inner else a.binary("*", parts, step)
        if inner:
            return (*opening, self._loop(loop.variable, first, end, step, self._over_loops(inner)))
        start = self._local(f"first_{name}", a.type)
        return (*opening, self._loop(start, first, end, step, self._chunk(loop, start, end)))

    def _chunk(self, loop: Range, start: ir.Symbol, end: ir.Expr) -> ir.Body:
        wait = ir.Call("__syncthreads", (), span=self.span)
        loads = [self._load(m, loop, start, end) for m in (self.rows, self.columns)]
        return (*loads, wait, self._products(), wait)

    def _load(self, m: _Matrix, loop: Range, start: ir.Symbol, end: ir.Expr) -> ir.Stmt:
        """The factor of a side for one chunk, into shared memory."""
        i, a = self.small, self.arithmetic
        n = self._local("turn", INT)
        opening, depth, at = self._cell(m, n)
        value = self._local("value", self.total.type)
        inside = [self._of(m).compare("<", _var(m.number), _var(m.size)), a.compare("<", _var(loop.variable), end)]
        needed = self.found.definitions.needed(m.side.value)
        body: ir.Body = (
            *opening,
            *self._numbered(m, at),
            *(_declare(x, _at(_var(held), _var(n))) for x, held in m.loaded.items()),
            _declare(loop.variable, a.binary("+", _var(start), convert(depth, a.type))),
            _declare(value, zero(value.type, self.span)),
            ir.If(
                conjunction([*inside, *self.found.alike]),
                (*needed, ir.Assign(_var(value), m.side.value, span=self.span)),
                (),
                span=self.span,
            ),
            ir.Assign(_at(_at(_var(m.tile), depth), at), _var(value), span=self.span),
        )
        return _anew(self._loop(n, i.number(0), i.number(LOADS), i.number(1), body, unroll=""))

    def _cell(self, m: _Matrix, n: ir.Symbol) -> tuple[list[ir.Stmt], ir.Expr, ir.Expr]:
        """Which cell of a tile in shared memory a thread loads: the iteration of the chunk, and the row or column."""
        i = self.small
        cell, depth, at = (self._local(name, INT, const=True) for name in ("cell", "depth", "at"))
        number = i.binary("+", i.binary("*", _var(n), i.number(THREADS)), _var(self.thread))
        ways = [
            [i.binary(op, _var(cell), i.number(size)) for op, size in way]
            for way in ((("%", DEPTH), ("/", DEPTH)), (("/", TILE), ("%", TILE)))
        ]
        if isinstance(m.side.along, bool):
            chosen = ways[0] if m.side.along else ways[1]
        else:
            chosen = [ir.Select(_var(m.along), x, y, INT, span=self.span) for x, y in zip(*ways, strict=True)]
        opening = [_declare(x, e) for x, e in zip((cell, depth, at), (number, *chosen), strict=True)]
        return opening, _var(depth), _var(at)

    def _numbered(self, m: _Matrix, at: ir.Expr) -> list[ir.Stmt]:
        """The number of a row or column, and the target if that is one."""
        a = self._of(m)
        found = [_declare(m.number, a.binary("+", _var(m.origin), convert(at, a.type)))]
        (t, *more) = m.side.targets
        if not more and m.number is not t.symbol:
            found.append(_declare(t.symbol, self._from_first(t, _var(m.number))))
        return found

    def _loaded_targets(self, m: _Matrix) -> list[ir.Stmt]:
        """The targets for which a thread loads, told from their numbers once for a tile."""
        i, a = self.small, self._of(m)
        n = self._local("turn", INT)
        opening, _, at = self._cell(m, n)
        told = self._digits(m.side.targets, _var(m.number), a)
        body: ir.Body = (
            opening[0],
            opening[2],
            *self._numbered(m, at),
            *(ir.Assign(_at(_var(m.loaded[x]), _var(n)), e, span=self.span) for x, e in told),
        )
        arrays = [_declare(x, None) for x in m.loaded.values()]
        return [*arrays, _anew(self._loop(n, i.number(0), i.number(LOADS), i.number(1), body, unroll=""))]

    def _products(self) -> ir.Stmt:
        """What a chunk adds to the sums."""
        i, real = self.small, self.total.type
        depth, m, n = (self._local(name, INT) for name in ("depth", "u", "v"))
        left, right = self._local("left", Array(real, EACH)), self._local("right", Array(real, EACH))
        read = [
            ir.Assign(_at(_var(own), _var(m)), _at(_at(_var(of.tile), _var(depth)), self._own(at, m)), span=self.span)
            for own, of, at in ((left, self.rows, self.y), (right, self.columns, self.x))
        ]
        product = ir.Binary("*", _at(_var(left), _var(m)), _at(_var(right), _var(n)), real, span=self.span)
        add = ir.Update("+", _at(_at(_var(self.sums), _var(m)), _var(n)), product, span=self.span)
        body = (
            _declare(left, None),
            _declare(right, None),
            self._each(m, tuple(read)),
            self._each(m, (self._each(n, (add,)),)),
        )
        return _anew(self._loop(depth, i.number(0), i.number(DEPTH), i.number(1), body, unroll=""))

    # -- the targets

    def _added(self) -> ir.Stmt:
        """The sums of a thread, to their cells."""
        m, n = self._local("u", INT), self._local("v", INT)
        both = (self.rows, self.columns)
        of_row, of_column = (
            self._numbered(of, self._own(at, k)) for of, at, k in zip(both, (self.y, self.x), (m, n), strict=True)
        )
        total = _at(_at(_var(self.sums), _var(m)), _var(n))
        some = self.small.compare("!=", total, zero(total.type, self.span))
        inside = [self._of(of).compare("<", _var(of.number), _var(of.size)) for of in both]
        told = [x for of in both if of.loaded for x in self._digits(of.side.targets, _var(of.number), self._of(of))]
        body = (*(_declare(x, e) for x, e in told), self._into(total))
        guarded = ir.If(conjunction([*inside, some]), body, (), span=self.span)
        return _anew(self._each(m, (*of_row, self._each(n, (*of_column, guarded)))))

    def _into(self, total: ir.Expr) -> ir.Stmt:
        cells = self.cells
        meeting = atomic(cells.place, total)
        if not cells.apart:
            return meeting
        alone = plain(Increment(cells.place, total, cells.statement))
        if not self.split:
            return alone
        z = self.wide
        return ir.If(z.compare(">", _var(self.parts), z.number(1)), (meeting,), (alone,), span=self.span)

    # -- small pieces

    def _of(self, m: _Matrix) -> Arithmetic:
        return Arithmetic(LONG if m.number.type == LONG else self.arithmetic.type, self.span)

    def _own(self, at: ir.Symbol, k: ir.Symbol) -> ir.Expr:
        """Where in a tile the k-th row, or column, of a thread is."""
        i = self.small
        return i.binary("+", _var(at), i.binary("*", _var(k), i.number(SIDE)))

    def _each(self, k: ir.Symbol, body: ir.Body) -> ir.Stmt:
        i = self.small
        return self._loop(k, i.number(0), i.number(EACH), i.number(1), body, unroll="")

    def _loop(
        self, x: ir.Symbol, first: ir.Expr, end: ir.Expr, by: ir.Expr, body: ir.Body, unroll: str | None = None
    ) -> ir.Stmt:
        below = self.small.compare("<", _var(x), end)
        return ir.For((_declare(x, first),), below, (ir.Update("+", _var(x), by, span=self.span),), body, unroll,
                      span=self.span)  # fmt: skip

    def _launched(self, name: str) -> ir.Expr:
        return convert(ir.ThreadIndex(name, "x", UINT, span=self.span), SIZE_T)

    def _multiplied(self, factors: Sequence[ir.Expr], type_: Int) -> ir.Expr:
        product = convert(factors[0], type_)
        for f in factors[1:]:
            product = ir.Binary("*", product, convert(f, type_), type_, span=self.span)
        return product

    def _const(self, name: str, type_: Type) -> ir.Symbol:
        return self.names.symbol(name, type_, self.span, const=True)

    def _local(self, name: str, type_: Type, const: bool = False) -> ir.Symbol:
        """A variable of a small scope: its name serves other scopes too."""
        if name not in self._names:
            self._names[name] = self.names.fresh(name)
        return ir.Symbol(self._names[name], type_, self.span, const=const)


def _var(symbol: ir.Symbol) -> ir.Var:
    return ir.Var(symbol, span=symbol.span)


def _at(array: ir.Expr, index: ir.Expr) -> ir.Index:
    assert isinstance(array.type, Array)
    return ir.Index(array, index, array.type.of, span=array.span)


def _declare(symbol: ir.Symbol, value: ir.Expr | None) -> ir.Stmt:
    return ir.Declare(symbol, value, span=symbol.span)


def _anew(s: ir.Stmt) -> ir.Stmt:
    """With variables of its own: what is declared here is declared elsewhere too."""
    (copied,) = substitute({x: replace(x) for x in declared((s,))}, (s,))
    return copied
