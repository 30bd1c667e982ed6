"""Products of matrices on tiles in shared memory.

A block of 256 threads sums 64 x 64 targets, each thread 4 x 4 of them in registers.  Both factors are loaded into
shared memory, 16 iterations of the sum's last loop at a time, zeros beyond the end, and every value serves 64 targets.
Neighbouring threads load neighbouring cells, be it along the loop or along the targets.  Where there are few tiles,
blocks share them: each takes a part of the first loop.
Source: V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.device.gathers.arithmetic import Arithmetic
from hetad.device.gathers.coarsening import Target
from hetad.device.gathers.contraction import Contraction, Range, Side
from hetad.frontend.quote import Filling, Quote, Scope
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, is_zero, var
from hetad.ir.simplify import conjunction
from hetad.ir.types import BOOL, FLOAT, INT, LONG, SIZE_T, Array, Int
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


_BLOCK = Quote("""
    __shared__ real row_tile[DEPTH][TILE + 1];
    __shared__ real column_tile[DEPTH][TILE + 1];
    const int local = threadIdx.x;
    const int local_x = local % SIDE;
    const int local_y = local / SIDE;
    directions;
    const size_t tiles_across = ((size_t)columns + (TILE - 1)) / TILE;
    const size_t tiles_down = ((size_t)rows + (TILE - 1)) / TILE;
    const size_t tiles = tiles_across * tiles_down * batch;
    work;
""")
_TILES = Quote("""
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        sums;
    }
""")
_PARTS_OF_TILES = Quote("""
    const size_t parts_wanted = 1 > gridDim.x / tiles ? 1 : gridDim.x / tiles;
    const size_t parts_possible = 1 > (size_t)length / least ? 1 : (size_t)length / least;
    const size_t parts = parts_possible < parts_wanted ? parts_possible : parts_wanted;
    for (size_t work = blockIdx.x; work < tiles * parts; work += gridDim.x) {
        const size_t tile = work / parts;
        const size_t part = work % parts;
        sums;
    }
""")
_END = Quote("const index end = value;")
_MEMBER = Quote("const size_t member = tile / tiles_across / tiles_down;")
_SUMS = Quote("""
    member_of_batch;
    const row_number first_row = (batched ? tile / tiles_across % tiles_down : tile / tiles_across) * TILE;
    const column_number first_column = tile % tiles_across * TILE;
    loaded_targets;
    real sum[EACH][EACH] = {};
    products;
    #pragma unroll
    for (int u = 0; u < EACH; ++u) {
        const row_number row = first_row + (local_y + u * SIDE);
        row_target;
        #pragma unroll
        for (int v = 0; v < EACH; ++v) {
            const column_number column = first_column + (local_x + v * SIDE);
            column_target;
            if (row < rows && column < columns && sum[u][v] != 0) {
                targets;
                if (!apart || parts > 1)
                    atomicAdd(&place, sum[u][v]);
                else
                    place += sum[u][v];
            }
        }
    }
""")
_LOOP = Quote("""
    for (index variable = first + (index)part; variable < end; variable += (index)parts) {
        products;
    }
""")
_CHUNKS = Quote("""
    for (index start = first + (index)part * DEPTH; start < end; start += (index)parts * DEPTH) {
        rows_loaded;
        columns_loaded;
        __syncthreads();
        #pragma unroll
        for (int depth = 0; depth < DEPTH; ++depth) {
            real left[EACH];
            real right[EACH];
            #pragma unroll
            for (int u = 0; u < EACH; ++u) {
                left[u] = row_tile[depth][local_y + u * SIDE];
                right[u] = column_tile[depth][local_x + u * SIDE];
            }
            #pragma unroll
            for (int u = 0; u < EACH; ++u) {
                #pragma unroll
                for (int v = 0; v < EACH; ++v)
                    sum[u][v] += left[u] * right[v];
            }
        }
        __syncthreads();
    }
""")
_LOAD = Quote("""
    #pragma unroll
    for (int turn = 0; turn < LOADS; ++turn) {
        const int cell = turn * THREADS + local;
        const int depth = along ? cell % DEPTH : cell / TILE;
        const int at = along ? cell / DEPTH : cell % TILE;
        const type number = origin + at;
        target;
        index variable = start + depth;
        real value = 0;
        if (number < size && variable < end && alike) {
            needed;
            value = factor;
        }
        tile[depth][at] = value;
    }
""")
_LOAD_TARGETS = Quote("""
    #pragma unroll
    for (int turn = 0; turn < LOADS; ++turn) {
        const int cell = turn * THREADS + local;
        const int at = along ? cell / DEPTH : cell % TILE;
        const type number = origin + at;
        told;
    }
""")


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


@dataclass(frozen=True, slots=True)
class _Matrix:
    """One side of the product; `number` counts its targets through, `loaded` holds those of which a thread loads."""

    name: str
    side: Side
    number: ir.Symbol
    size: ir.Symbol
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
        self.rows, self.columns = self._matrix(found.rows, "row"), self._matrix(found.columns, "column")
        self.ends = {r.variable: self._const(f"{r.variable.name}_end", arithmetic.type) for r in self._long_ends()}
        self.split = split and self._length(found.loops[0]) is not None
        self.text = self._scope()

    def _matrix(self, side: Side, name: str) -> _Matrix:
        (t, *more) = side.targets
        alone = not more and is_zero(self.ranges.first[t.symbol])
        loaded = {
            d.symbol: self.names.symbol(f"{d.symbol.name}_loaded", Array(d.symbol.type, LOADS), self.span)
            for d in side.targets
            if more
        }
        return _Matrix(
            name,
            side,
            t.symbol if alone else self._const(name, LONG if more else self.arithmetic.type),
            self._const(f"{name}s", LONG) if more else self.ranges.count[t.symbol],
            self._const(f"{side.array}_along", BOOL),
            loaded,
        )

    def _scope(self) -> Scope:
        rows, columns, real = self.rows, self.columns, self.total.type
        return Scope(
            self.names, self.span, TILE=TILE, DEPTH=DEPTH, SIDE=SIDE, EACH=EACH, THREADS=THREADS, LOADS=LOADS,
            real=real, index=self.arithmetic.type, row_number=rows.number.type, column_number=columns.number.type,
            rows=rows.size, columns=columns.size, row=rows.number, column=columns.number,
            first_row=f"first_{rows.number.name}", first_column=f"first_{columns.number.name}",
            row_tile=f"{rows.side.array}_tile", column_tile=f"{columns.side.array}_tile",
            sum=replace(self.total, type=Array(Array(real, EACH), EACH)), part=0, parts=1,
            place=self.cells.place, apart=self.cells.apart, batched=bool(self.found.batch),
        )  # fmt: skip

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
        return [var(self.ranges.count[t.symbol]) for t in targets]

    def _long_ends(self) -> list[Range]:
        """The loops whose ends are worked out once."""
        several = [r for r in self.found.loops if not isinstance(self.arithmetic.least(r.upper), ir.Var | ir.Const)]
        return [r for r in several if not any(map(self.found.definitions.depends, r.upper))]

    def pays(self) -> ir.Expr:
        """Whether the launch is one for tiles, and large enough."""
        conditions = list(self.found.certain)
        for m in (self.rows, self.columns):
            a = self._of(m)
            conditions.append(a.compare(">=", var(m.size), a.number(LEAST)))
        none = self.arithmetic.number(0)
        conditions += [self.arithmetic.compare(">", count, none) for count in self._counts(self.found.batch)]
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
        end = var(known) if known is not None else self.arithmetic.least(loop.upper)
        return self.arithmetic.least(loop.lower, ">"), end

    # -- over the tiles

    def body(self) -> ir.Body:
        """All tiles, those of a block one after another."""
        counts = self._counts(self.found.batch)
        told = ((m.along, m.side.along) for m in (self.rows, self.columns))
        return self.text(
            _BLOCK,
            directions=tuple(_declare(x, e) for x, e in told if not isinstance(e, bool)),
            batch=self._multiplied(counts, SIZE_T) if counts else 1,
            work=self._work,
        )

    def _work(self) -> ir.Body:
        length = self._length(self.found.loops[0]) if self.split else None
        if length is None:
            return self.text(_TILES, sums=self._sums)
        least = CHUNKS * DEPTH if len(self.found.loops) == 1 else 1
        return self.text(_PARTS_OF_TILES, length=length, least=least, sums=self._sums)

    def _sums(self) -> ir.Body:
        both = (self.rows, self.columns)
        return self.text(
            _SUMS,
            member_of_batch=self._member_of_batch,
            loaded_targets=lambda: tuple(s for m in both if m.loaded for s in self._loaded_targets(m)),
            products=lambda: self._over_loops(self.found.loops),
            row_target=self._target(self.rows),
            column_target=self._target(self.columns),
            targets=tuple(_declare(x, e) for m in both if m.loaded for x, e in self._told(m)),
        )

    def _member_of_batch(self) -> ir.Body:
        if not self.found.batch:
            return ()
        opening = self.text(_MEMBER)
        told = self._digits(self.found.batch, self.text["member"], Arithmetic(SIZE_T, self.span))
        return (*opening, *(_declare(x, e) for x, e in told))

    def _target(self, m: _Matrix) -> ir.Body:
        """The target, if a row or column is one under another number."""
        (t, *more) = m.side.targets
        if more or m.number is t.symbol:
            return ()
        return (_declare(t.symbol, self._from_first(t, var(m.number))),)

    def _told(self, m: _Matrix) -> list[tuple[ir.Symbol, ir.Expr]]:
        return self._digits(m.side.targets, var(m.number), self._of(m))

    def _digits(self, targets: Sequence[Target], number: ir.Expr, a: Arithmetic) -> list[tuple[ir.Symbol, ir.Expr]]:
        """The targets with this number, the first of them fastest."""
        found: list[tuple[ir.Symbol, ir.Expr]] = []
        for t in targets:
            size = convert(var(self.ranges.count[t.symbol]), a.type)
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
        name = loop.variable.name
        opening: ir.Body = ()
        if not isinstance(end, ir.Var | ir.Const):
            opening = self.text(_END, end=f"{name}_end", value=end)
            end = self.text["end"]
        holes: dict[str, Filling] = {"first": first, "end": end}
        if loop is not self.found.loops[0]:
            holes |= {"part": 0, "parts": 1}
        if inner:
            over = self.text(_LOOP, variable=loop.variable, products=lambda: self._over_loops(inner), **holes)
        else:
            over = self.text(
                _CHUNKS,
                start=f"first_{name}",
                rows_loaded=lambda: self._load(self.rows, loop, end),
                columns_loaded=lambda: self._load(self.columns, loop, end),
                **holes,
            )
        return (*opening, *over)

    def _load(self, m: _Matrix, loop: Range, end: ir.Expr) -> ir.Body:
        """The factor of a side for one chunk, into shared memory."""
        held = (_declare(x, self._of_turn(array)) for x, array in m.loaded.items())
        return self._each_turn(
            _LOAD,
            m,
            target=lambda: (*self._target(m), *held),
            variable=loop.variable,
            size=m.size,
            end=end,
            alike=conjunction(self.found.alike) if self.found.alike else True,
            needed=tuple(self.found.definitions.needed(m.side.value)),
            factor=m.side.value,
            tile=self.text[f"{m.name}_tile"],
        )

    def _loaded_targets(self, m: _Matrix) -> ir.Body:
        """The targets for which a thread loads, told from their numbers once for a tile."""
        told = (ir.Assign(self._of_turn(m.loaded[x]), e, span=self.span) for x, e in self._told(m))
        arrays = (_declare(x, None) for x in m.loaded.values())
        return (*arrays, *self._each_turn(_LOAD_TARGETS, m, told=lambda: tuple(told)))

    def _each_turn(self, quote: Quote, m: _Matrix, **holes: Filling) -> ir.Body:
        along = m.side.along if isinstance(m.side.along, bool) else m.along
        origin = self.text[f"first_{m.name}"]
        body = self.text(quote, along=along, type=m.number.type, number=m.number, origin=origin, **holes)
        return substitute({x: replace(x) for x in declared(body)}, body)  # the same is declared elsewhere too

    def _of_turn(self, array: ir.Symbol) -> ir.Place:
        assert isinstance(array.type, Array)
        return ir.Index(var(array), self.text["turn"], array.type.of, span=self.span)

    # -- small pieces

    def _of(self, m: _Matrix) -> Arithmetic:
        return Arithmetic(LONG if m.number.type == LONG else self.arithmetic.type, self.span)

    def _multiplied(self, factors: Sequence[ir.Expr], type_: Int) -> ir.Expr:
        product = convert(factors[0], type_)
        for f in factors[1:]:
            product = ir.Binary("*", product, convert(f, type_), type_, span=self.span)
        return product

    def _const(self, name: str, type_: Int) -> ir.Symbol:
        return self.names.symbol(name, type_, self.span, const=True)


def _declare(symbol: ir.Symbol, value: ir.Expr | None) -> ir.Stmt:
    return ir.Declare(symbol, value, span=symbol.span)
