"""Kernels without their staging copies: what they read from a tile in shared memory, read from where it came.

A load `a[ty][d]` of an array that threads fill by `a[ty][tx] = value` gives the `value` of the thread at (d, ty): its
text, with d in place of tx.  With all its loads go the array, its store and the barriers, and what is left is the
kernel as it would be without shared memory:

    for (first = 0; first < k; first += 16)                             for (d = 0; d < k; d++)
        a[ty][tx] = first + tx < k ? A[row * k + first + tx] : 0;           sum += A[row * k + d] * ...
        ...                                                     becomes
        for (d = 0; d < 16; d++)
            sum += a[ty][d] * ...

Its derivative is that of the kernel, and its increments go straight to where the tiles came from, so that they can be
gathered; that it reads more is no matter, for the kernel itself runs as it is.  A thread at d must exist: the launch is
asked for blocks as large as the tile (`sizes`), and other launches have the pullback of the kernel with its tiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hetad.analysis.affine import Polynomial
from hetad.analysis.coordinates import AXES, block_dim
from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.analysis.staging import Copy, array_of, shared_arrays, staging_copies
from hetad.device.demotion.flatten import counted_loop, flattened
from hetad.device.demotion.stores import one_store
from hetad.device.demotion.tile_map import NoTile, Ranges, TileMap
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import Names, convert, integer, var
from hetad.ir.identity import IdentityMap
from hetad.ir.places import changed_in, exposed, subscripts
from hetad.ir.types import Array, Int, Pointer
from hetad.ir.visit import (
    bodies,
    map_bodies,
    map_body,
    map_children,
    map_exprs,
    map_own_exprs,
    own_exprs,
    substitute,
    variables,
    walk_expr,
    walk_stmts,
)
from hetad.rules import callees
from hetad.rules.math import is_math


@dataclass(frozen=True, slots=True)
class Unstaged:
    """`kernel`: without shared memory, for launches whose blocks have these `sizes`, by axis.  `sources`: the positions
    of the parameters that lead to what was staged.  `reduced`: the shared memory held trees, and every thread adds what
    they summed; to `totals`, if these are not empty, whose values must not matter."""

    kernel: ir.Function
    sizes: Mapping[str, int]
    sources: frozenset[int] = frozenset()
    reduced: bool = False
    totals: tuple[ir.Symbol, ...] = ()

    @property
    def conditions(self) -> tuple[Polynomial, ...]:
        """What must not be negative in a launch."""
        found: list[Polynomial] = []
        for axis, size in self.sizes.items():
            more = Polynomial({(block_dim(axis, self.kernel.span),): 1, (): -size})
            found += [more, more.scaled(-1)]
        return tuple(found)


def unstaged(kernel: ir.Function, merged: tuple[tuple[str, ...], ...], names: Names) -> Unstaged | None:
    """The kernel without its shared arrays, if all of them are staging copies, and some are read again and again."""
    arrays = shared_arrays(kernel.body)
    if not arrays or not any(_again_and_again(kernel.body, x) for x in arrays):
        return None
    body, sizes, sources = one_store(kernel.body, names), dict[str, int](), set[Location]()
    while shared_arrays(body):
        left = replace(kernel, body=body)
        effects = Effects(PointsTo(left, merged), {})
        for copy in staging_copies(left, effects):
            try:
                one = _Unstaging(left, effects, copy, names)
                body = one.result()
            except NoTile:
                continue
            for axis, size in one.tile.sizes.items():
                sizes[axis] = max(size, sizes.get(axis, 0))
            sources |= one.sources
            break
        else:
            return None
    body = map_body(lambda s: None if callees.calls(s, "barrier") else s, body)
    final = flattened(replace(kernel, body=with_sizes(body, sizes)), names)
    positions = frozenset(
        i for i, p in enumerate(kernel.params) if any(getattr(x, "symbol", None) is p for x in sources)
    )
    return Unstaged(final, {a: sizes[a] for a in AXES if a in sizes}, positions)


def _again_and_again(body: ir.Body, array: ir.Symbol) -> bool:
    """Whether a loop that does not store to the array reads it."""
    for s in walk_stmts(body):
        if isinstance(s, ir.For | ir.While) and array in variables(s.body):
            stores = (x.target for x in walk_stmts(s.body) if isinstance(x, ir.Assign))
            if all(array_of(t) is not array for t in stores):
                return True
    return False


def with_sizes(body: ir.Body, sizes: Mapping[str, int]) -> ir.Body:
    """For blocks of these sizes."""
    return map_exprs(lambda e: _sized(e, sizes), body)


def _sized(e: ir.Expr, sizes: Mapping[str, int]) -> ir.Expr:
    if isinstance(e, ir.ThreadIndex) and e.name == "blockDim" and e.axis in sizes:
        return integer(sizes[e.axis], e.span, e.type)
    return e


@dataclass(slots=True)
class _Read:
    """What stands for a load: statements in front of it, and an expression."""

    opening: list[ir.Stmt]
    value: ir.Expr


@dataclass(slots=True)
class _Place:
    """Where statements are written: those in front of the current one, and loads that were written before."""

    opening: list[ir.Stmt] = field(default_factory=list)
    known: dict[ir.Expr, ir.Expr] = field(default_factory=dict)


class _Unstaging:
    """One array.  Raises NoTile."""

    def __init__(self, kernel: ir.Function, effects: Effects, copy: Copy, names: Names) -> None:
        self.kernel, self.effects, self.copy, self.names = kernel, effects, copy, names
        self.divergence = Divergence(kernel.body, effects)
        self.sources: set[Location] = set()
        self.written = set(effects.written(kernel.body))
        self.exposed = exposed(kernel.body)
        self.order = IdentityMap((s, i) for i, s in enumerate(walk_stmts(kernel.body)))
        self.around = _loops_around(kernel.body, copy.body)
        self.writers: dict[ir.Symbol, list[ir.Stmt]] = {}
        for s in walk_stmts(kernel.body):
            for x in effects.writes(s):
                if isinstance(x, ir.Symbol):
                    self.writers.setdefault(x, []).append(s)
        self.type = copy.statement.target.type
        self.tile = TileMap(copy, self._told, _ranges(kernel.body, effects))
        if not self.divergence.axes(copy.statement.value) <= self.tile.axes:
            raise NoTile  # threads that differ store one cell
        self.named = False

    def result(self) -> ir.Body:
        copy = self.copy
        behind = self._block(copy.body[copy.barrier + 1 :])
        new = (*copy.body[: copy.store], *copy.body[copy.store + 1 : copy.barrier + 1], *behind)
        whole = _exchanged(self.kernel.body, copy.body, new)
        whole = map_body(lambda s: None if isinstance(s, ir.Declare) and s.symbol is copy.array else s, whole)
        if copy.array in variables(whole):
            raise NoTile
        return whole

    # -- loads

    def _block(self, body: ir.Body) -> ir.Body:
        place = _Place()
        out: list[ir.Stmt] = []
        for s in body:
            if self.copy.array not in variables((s,)):
                new = s
            else:
                place.opening = []
                new = self._statement(s, place)
                out += place.opening
            out.append(new)
            changed = set(self.effects.written((s,)))
            place.known = {e: v for e, v in place.known.items() if changed.isdisjoint(variables(e))}
        return tuple(out)

    def _statement(self, s: ir.Stmt, place: _Place) -> ir.Stmt:
        if isinstance(s, ir.For | ir.While):
            header = [*s.init, *s.step] if isinstance(s, ir.For) else []
            if self.copy.array in (*variables(header), *(variables(s.cond) if s.cond is not None else ())):
                raise NoTile  # read before each iteration
            return replace(s, body=self._block(s.body))
        if isinstance(s, ir.Call) and callees.kind(s.function) not in ("mathematics", "atomic"):
            raise NoTile
        s = map_own_exprs(lambda e: self._replaced(e, place), s)
        return map_bodies(self._block, s)

    def _replaced(self, e: ir.Expr, place: _Place) -> ir.Expr:
        if self.copy.array not in variables(e):
            return e
        if isinstance(e, ir.Select | ir.AddressOf) or (isinstance(e, ir.Binary) and e.op in ("&&", "||")):
            raise NoTile  # not always read
        if isinstance(e, ir.Index) and array_of(e) is self.copy.array:
            if any(self.copy.array in variables(i) for i in subscripts(e)):
                raise NoTile
            if e not in place.known:
                read = self._read(e)
                place.opening += read.opening
                place.known[e] = read.value
            return place.known[e]
        return map_children(lambda child: self._replaced(child, place), e)

    def _read(self, load: ir.Expr) -> _Read:
        storing = self.tile.storing(load)
        pieces = _Pieces(self, frozenset(storing))
        value = pieces.need(self.copy.statement.value)
        self.sources |= pieces.sources
        renamed: dict[ir.Symbol, ir.Symbol | ir.Expr] = {}
        for x in pieces.copied:
            renamed[x] = self._new(x) if x is not _variable(value) else self._own(load)
        steps: list[ir.Stmt] = [*pieces.statements(), ir.Return(value, span=load.span)]
        *opening, last = _at_thread(substitute(renamed, _again(steps)), storing)
        assert isinstance(last, ir.Return) and last.value is not None
        if isinstance(last.value, ir.Var | ir.Const):
            return _Read(opening, last.value)
        symbol = self._own(load)
        return _Read([*opening, ir.Declare(symbol, last.value, span=load.span)], ir.Var(symbol, span=load.span))

    def _new(self, like: ir.Symbol) -> ir.Symbol:
        return self.names.symbol(like.name, like.type, like.span)

    def _own(self, load: ir.Expr) -> ir.Symbol:
        """A variable in place of the array."""
        first, self.named = not self.named, True
        name = self.copy.array.name
        return ir.Symbol(name, self.type, load.span) if first else self.names.symbol(name, self.type, load.span)

    # -- variables

    def _told(self, e: ir.Expr) -> ir.Expr:
        """With thread indices in place of the variables that hold them, and nothing else."""
        value = self.spelled(e, frozenset(AXES)) if isinstance(e, ir.Var) else e
        if value is not e and not any(True for _ in variables(value)):
            return value
        return map_children(self._told, e)

    def spelled(self, e: ir.Expr, axes: frozenset[str]) -> ir.Expr:
        """With their definitions in place of the integers and pointers that differ along these axes."""
        if isinstance(e, ir.Var) and not self.divergence.axes(e).isdisjoint(axes):
            value = _chosen(self.definition(e.symbol))
            arithmetic = value is not None and isinstance(e.type, Int | Pointer) and _is_arithmetic(value)
            if value is not None and arithmetic and all(map(self.stays, variables(value))):
                return self.spelled(value, axes)
        return map_children(lambda child: self.spelled(child, axes), e)

    def definition(self, x: ir.Symbol) -> ir.Expr | None:
        """The value of a variable that has one value, of values that stay what they are."""
        writers = self.writers.get(x, [])
        if len(writers) != 1 or x in self.exposed:
            return None
        (s,) = writers
        return s.init if isinstance(s, ir.Declare) else None

    def stays(self, x: ir.Symbol) -> bool:
        """Whether a variable is the same at its definition, at the store and at the loads: it is set once, or counts in
        a loop around the store."""
        writers = self.writers.get(x, [])
        if x in self.exposed or isinstance(x.type, Array):
            return False
        if x.storage in ("param", "constant", "global", "static"):
            return not writers
        first, others = (writers[0], writers[1:]) if writers else (None, [])
        if not isinstance(first, ir.Declare):
            return False
        loop = next((w for w in self.around if any(s is first for s in w.init)), None)
        return not others if loop is None else all(any(s is t for t in loop.step) for s in others)


class _Pieces:
    """What must be written again to have a value in another thread: `copied` variables are set anew."""

    def __init__(self, of: _Unstaging, changed: frozenset[str]) -> None:
        self.of, self.changed = of, changed
        self.copied: dict[ir.Symbol, None] = {}
        self.sources: set[Location] = set()
        self._again: dict[int, ir.Stmt] = {}  # by their order

    def statements(self) -> list[ir.Stmt]:
        return [self._again[number] for number in sorted(self._again)]

    def need(self, e: ir.Expr) -> ir.Expr:
        e = self.of.spelled(e, self.changed)
        self._check_loads(e)
        for x in variables(e):
            self._variable(x)
        return e

    def _variable(self, x: ir.Symbol) -> None:
        differs = not self.of.divergence.axes(var(x)).isdisjoint({*self.changed, "*"})
        if x not in self.copied and (differs or not self.of.stays(x)):
            self._copy(x)

    def _copy(self, x: ir.Symbol) -> None:
        """Sets the variable again by all the statements that set it, which stand in front of the store."""
        if x in self.copied:
            return
        if x in self.of.exposed or x.storage != "local" or isinstance(x.type, Array):
            raise NoTile
        self.copied[x] = None
        writers = self.of.writers.get(x, [])
        if self.of.definition(x) is not None:
            self._statement(writers[0])
            return
        found: list[ir.Stmt] = []
        for s in self.of.copy.body[: self.of.copy.store]:
            inside = [w for w in writers if any(w is inner for inner in walk_stmts((s,)))]
            found += inside
            if inside:
                self._statement(s)
        if len(found) < len(writers) or not found or not isinstance(found[0], ir.Declare):
            raise NoTile  # set elsewhere as well

    def _statement(self, s: ir.Stmt) -> None:
        number = self.of.order[s]
        if number in self._again:
            return
        if not all(map(_is_local, walk_stmts((s,)))):
            raise NoTile
        (new,) = map_body(lambda t: map_own_exprs(lambda e: self.of.spelled(e, self.changed), t), (s,))
        self._again[number] = new
        for x in changed_in((s,)):
            self._copy(x)
        for inner in walk_stmts((new,)):
            for own in own_exprs(inner):
                self._check_loads(own)
                for x in variables(own):
                    self._variable(x)

    def _check_loads(self, e: ir.Expr) -> None:
        """Memory must be as it was when the tile was filled: what the kernel does not write."""
        for inner in walk_expr(e):
            if isinstance(inner, ir.CallExpr | ir.AddressOf | ir.String):
                raise NoTile
            if not isinstance(inner, ir.Index):
                continue
            places = self.of.effects.pointers.storage(inner)
            if not places or not self.of.written.isdisjoint(places):
                raise NoTile
            if any(not isinstance(x, Root) and x.storage not in ("constant", "global") for x in places):
                raise NoTile
            self.sources |= {x for x in places if isinstance(x, Root)}


def _at_thread(body: ir.Body, at: Mapping[str, ir.Expr]) -> ir.Body:
    """For the thread at other positions in its block."""

    def moved(e: ir.Expr) -> ir.Expr:
        if isinstance(e, ir.Cast) and _is_position(e.operand) in at and at[_is_position(e.operand)].type == e.type:
            return at[_is_position(e.operand)]
        if _is_position(e) in at:
            return convert(at[_is_position(e)], e.type)
        return map_children(moved, e)

    return map_body(lambda s: map_own_exprs(moved, s), body)


def _is_position(e: ir.Expr) -> str:
    return e.axis if isinstance(e, ir.ThreadIndex) and e.name == "threadIdx" else ""


def _again(body: Sequence[ir.Stmt]) -> ir.Body:
    """The same text a second time: statements of their own."""
    return map_body(replace, tuple(body))


def _exchanged(body: ir.Body, old: ir.Body, new: ir.Body) -> ir.Body:
    """With one of the nested bodies, or all of it, replaced."""
    if body is old:
        return new
    return tuple(map_bodies(lambda inner: _exchanged(inner, old, new), s) for s in body)


def _loops_around(body: ir.Body, inner: ir.Body) -> list[ir.For]:
    """The counted loops around one of the nested bodies."""
    for s in body:
        for nested in bodies(s):
            loops = [s] if isinstance(s, ir.For) else []
            if nested is inner:
                return loops
            found = _loops_around(nested, inner)
            if found or any(nested is not b and b is inner for t in walk_stmts(nested) for b in bodies(t)):
                return [*loops, *found]
    return []


def _ranges(body: ir.Body, effects: Effects) -> Ranges:
    """Where the indices of counted loops begin, where that is a number, and what they stay below."""
    found: dict[ir.Symbol, tuple[int, ir.Expr]] = {}
    for s in walk_stmts(body):
        if isinstance(s, ir.For):
            header = counted_loop(s, effects)
            first = integer_value(header.start) if header is not None else None
            if header is not None and first is not None and header.declares and not (header.down or header.inclusive):
                found[header.index] = first, header.bound
    return found


def _chosen(e: ir.Expr | None) -> ir.Expr | None:
    """The alternative that the text chooses."""
    if isinstance(e, ir.Select) and isinstance(bare(e.cond), ir.Const):
        cond = bare(e.cond)
        return _chosen(e.then if isinstance(cond, ir.Const) and cond.value else e.orelse)
    return e


def _variable(e: ir.Expr) -> ir.Symbol | None:
    return e.symbol if isinstance(e, ir.Var) else None


def _is_arithmetic(e: ir.Expr) -> bool:
    plain_nodes = ir.Const | ir.Var | ir.ThreadIndex | ir.Cast | ir.Unary | ir.Binary
    return all(isinstance(x, plain_nodes) for x in walk_expr(e))


def _is_local(s: ir.Stmt) -> bool:
    """Whether the statement itself only sets variables of its thread."""
    match s:
        case ir.Declare(symbol=symbol):
            return symbol.storage == "local" and not isinstance(symbol.type, Array)
        case ir.Assign(target=ir.Var()) | ir.Update(target=ir.Var()):
            return True
        case ir.Call(function=name, result=ir.Var()):
            return is_math(name)
    return isinstance(s, ir.If | ir.Block | ir.Comment)
