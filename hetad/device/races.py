"""Races between threads of a launch that do the same: cells that they read and write in no order.

Where neither the address of a store nor the conditions around it depend on a position, say threadIdx.y, all threads
along it store to one cell.  That is no harm where they store the same value and none reads the cell.  But of
`x[i] += a[i]` nobody knows how often it counts: a CPU adds for each of these threads, a GPU for one or for some.

Nothing is said of threads of which the kernel tells by position that they reach different cells, right or wrong.

Whether two of the pointers that a kernel is given lead to one cell is another question: a race is told with the
pointers that would have to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from typing import Literal

from hetad.analysis.affine import Address, Line, address, distinct, distinct_across
from hetad.analysis.control_dependence import ANYHOW, UNKNOWN, Position, Positions
from hetad.analysis.coordinates import AXES
from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects, positions_of
from hetad.analysis.given_pointers import GivenPointers, Pointers, is_told, may_fail
from hetad.analysis.pointer_expressions import cell_at
from hetad.analysis.pointers import Location, Root, points_to
from hetad.device.accumulation.barrier_intervals import Phases, Piece
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.facts import Fact, once, part_of_self
from hetad.ir.identity import Identity, IdentityMap
from hetad.ir.places import cells_read, exposed, root_symbol, written
from hetad.ir.printer import expr_text
from hetad.ir.simplify import conjuncts
from hetad.ir.types import BOOL, Float, Int
from hetad.ir.visit import bodies, variables, walk_stmts
from hetad.rules import callees

IN_BLOCK: tuple[Position, ...] = tuple(("threadIdx", axis) for axis in AXES)
_NOWHERE: Positions = frozenset()
EVERYWHERE: tuple[Position, ...] = (*IN_BLOCK, *(("blockIdx", axis) for axis in AXES))


Pairs = tuple[tuple[ir.Expr, ir.Expr], ...]


@dataclass(frozen=True, slots=True)
class Race:
    """Threads that differ along `along` alone meet in a cell: they read and write it, or store different values.

    `name`: of the memory; `given`: the parameters through which it is stored to, none for shared memory; `own`: what is
    read goes nowhere but into the cell itself.  `when`: what parameters alone decide, and must hold for the store to
    happen.  `pairs`: pointers, of parameters, of which two would have to be the same, none if it happens whatever they
    are; None if nobody knows which.  `exact`: it does happen if two are.
    """

    place: ir.Expr
    name: str
    along: tuple[Position, ...]
    given: frozenset[int]
    differ: bool
    own: bool
    when: tuple[ir.Expr, ...]
    pairs: Pairs | None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Access:
    kind: Literal["load", "store", "atomic"]
    place: ir.Expr
    statement: ir.Stmt
    piece: Piece
    where: frozenset[Location]
    fixed: Positions  # on what it depends which cell, and whether
    value: Positions  # on what it depends what is stored
    cell: Address | None  # None: it may be another one each time
    through: Pointers


def races(kernel: ir.Function, merged: tuple[tuple[str, ...], ...] = ()) -> tuple[Race, ...]:
    """`merged` groups pointers of parameters that may reach the same memory; so may those that points-to sets count as
    one."""
    apart = _Kernel(kernel, (), apart=True)
    found = tuple(apart.races())
    if not merged and not apart.several:
        return found
    sure = {(r.place, r.place.span): frozenset(r.along) for r in found if r.pairs == ()}
    more = (r for r in _Kernel(kernel, merged, apart=False).races() if r.pairs != () and not r.differ)
    return (*found, *(r for r in more if not sure.get((r.place, r.place.span), _NOWHERE) >= set(r.along)))


class _Kernel:
    def __init__(self, kernel: ir.Function, merged: tuple[tuple[str, ...], ...], *, apart: bool) -> None:
        """`apart`: different pointers of the kernel's parameters lead to different memory."""
        self._pointers = points_to(kernel, merged)
        self._each = points_to(kernel)  # as if no two parameters reached the same memory
        self._given = positions_of(kernel, self._each)
        self._apart = apart
        self._positions = Divergence(kernel.body, Effects(self._pointers, {}), same_memory=True)
        self._changing = written(kernel.body) | exposed(kernel.body)
        self._through = GivenPointers(kernel, self._each, self._changing)
        self._pairs_of: dict[frozenset[Location], Pairs | None] = {}
        self._nest = _Nest(kernel.body)
        pieces = Phases(kernel.body, kernel.span).pieces
        self._all = [a for p in pieces for s in walk_stmts(p.statements) for a in self._accesses(s, p)]
        self._reached = {p: p.reached for p in pieces}
        memory = _Memory(self._all, apart=apart)
        self.several = memory.several
        self._lines = _Lines(self._all, memory)
        self._stored_once = part_of_self(self._is_stored_once)
        self._changed_in: Fact[ir.Body, set[ir.Symbol]] = once(lambda body: written(body) | exposed(body))
        kept = frozenset(p for p in kernel.params if isinstance(p.type, Int | Float)) - self._changing
        self._told: Fact[ir.Expr, bool] = once(lambda c: is_told(c, kept) and not may_fail(c))

    def races(self) -> Iterator[Race]:
        for store in self._all:
            if store.kind == "load" or UNKNOWN in store.fixed:
                continue
            shared = any(not isinstance(x, Root) for x in store.where)
            along = [p for p in (IN_BLOCK if shared else EVERYWHERE) if p not in store.fixed]
            near = (self._in_the_way(store, g) for g in self._lines.beside(store))
            meeting = [(g, at) for g in near if g is not None and (at := self._together(store, g, along))]
            given, when = self._parameters(store), self._when(store)
            name = min(x.name for x in self._each.storage(store.place) if _is_looked_at(x))
            if meeting:
                met = [(a, at) for g, at in meeting for a in g.members]
                own = all(a.statement is store.statement for a, _ in met)
                for at, pairs, exact in self._kinds(store, met):
                    parts = tuple(p for p in along if p in at)
                    yield Race(store.place, name, parts, given, False, own, when, pairs, exact)
            elif store.kind == "store" and UNKNOWN not in store.value and isinstance(store.place.type, Float):
                parts = tuple(p for p in along if p in store.value)
                if parts:
                    yield Race(store.place, name, parts, given, True, True, when, ())

    def _parameters(self, store: _Access) -> frozenset[int]:
        return frozenset(i for x in self._each.storage(store.place) for i in self._given.get(x, ()))

    def _kinds(
        self, store: _Access, met: list[tuple[_Access, Positions]]
    ) -> Iterator[tuple[Positions, Pairs | None, bool]]:
        """The positions along which they meet, with the pointers of which two would have to be the same, and whether
        that is all it takes."""
        same = [(a, at) for a, at in met if self._is_same(store, a)]
        rest = [(a, at) for a, at in met if not self._is_same(store, a)]
        if same:
            pairs = () if self._apart else self._assumed(store)
            yield _NOWHERE.union(*(at for _, at in same)), pairs, self._apart
        if rest:
            through = {a.through for a, _ in rest}
            exact = all(t is not None and len(t) == 1 for t in (store.through, *through))
            yield _NOWHERE.union(*(at for _, at in rest)), _pairs({store.through}, through), exact

    def _assumed(self, store: _Access) -> Pairs | None:
        """Where a pointer meets itself because of what is stored through others: these."""
        if store.where not in self._pairs_of:
            near = [a for a in self._all if not a.where.isdisjoint(store.where)]
            stores = {a.through for a in near if a.kind != "load"}
            self._pairs_of[store.where] = _pairs(stores, {a.through for a in near})
        return self._pairs_of[store.where]

    def _is_same(self, a: _Access, b: _Access) -> bool:
        if a is b or all(not isinstance(x, Root) for x in a.where):
            return True
        if any(t is not None and len(t) == 1 for t in (a.through, b.through)):
            return a.through == b.through
        return self._through.same(a.place, b.place)

    def _when(self, store: _Access) -> tuple[ir.Expr, ...]:
        conditions = (c for cond in self._nest.conditions.get(store.statement, ()) for c in conjuncts(cond))
        return tuple(c for c in conditions if self._told(c))

    # -- accesses

    def _accesses(self, s: ir.Stmt, piece: Piece) -> Iterator[_Access]:
        around = self._positions.around.get(s, ANYHOW)

        def access(
            kind: Literal["load", "store", "atomic"], place: ir.Expr, value: ir.Expr | None
        ) -> Iterator[_Access]:
            where = frozenset(filter(_is_looked_at, self._pointers.storage(place)))
            if where:
                fixed = self._positions.of_address(place) | around
                told = self._positions.of(value) if value is not None else ANYHOW
                moving = bool(self._moving(place))
                through = self._through.to(place)
                yield _Access(kind, place, s, piece, where, fixed, told, None if moving else address(place), through)

        if isinstance(s, ir.Assign | ir.Update):
            yield from access("store", s.target, s.value)
        if callees.calls(s, "atomic"):
            yield from access("atomic", cell_at(s.args[0]), None)
        if isinstance(s, ir.Call) and s.result is not None:
            yield from access("store", s.result, None)
        for place in cells_read(s):
            yield from access("load", place, None)

    def _moving(self, place: ir.Expr) -> set[ir.Symbol]:
        """The variables that change, of those that tell which cell it is."""
        return self._changing.intersection(variables(place)) - {root_symbol(place)}

    # -- pairs

    def _in_the_way(self, store: _Access, group: _Group) -> _Group | None:
        """Those with which one thread may touch the same cell as with the store, while one that does the same would be
        in the way."""
        other = group.members[0]
        if other.kind in (store.kind, "store") or UNKNOWN in other.fixed:
            return None  # of a store and an atomic operation, the store asks
        if distinct(store.cell, other.cell):
            return None
        if other.kind != "load" or not isinstance(store.statement, ir.Assign) or not self._stored_once(store):
            return group
        left = [a for a in group.members if not self._own_value(store, a)]
        return group if len(left) == len(group.members) else _Group(left) if left else None

    def _together(self, store: _Access, group: _Group, along: list[Position]) -> Positions:
        """The positions along which threads come to both at once."""
        other = group.members[0]
        found = frozenset(along) - other.fixed
        ordered = store.piece is not other.piece and not (
            other.piece in self._reached[store.piece] or store.piece in self._reached[other.piece]
        )
        return found - frozenset(IN_BLOCK) if ordered else found

    def _own_value(self, store: _Access, load: _Access) -> bool:
        """Whether the load sees what its thread has just stored, where each cell is stored to once."""
        return store.place == load.place and self._nest.before(store.statement, load.statement)

    def _is_stored_once(self, store: _Access) -> bool:
        """Whether nobody else stores to the cell, and the store comes to another one in each turn."""
        for group in self._lines.beside(store):
            first = group.members[0]
            alone = first is store and len(group.members) == 1
            if first.kind != "load" and not alone and not distinct(store.cell, first.cell):
                return False
        loops = self._nest.loops[store.statement]
        indices = {d.symbol: x for x in loops if isinstance(x, ir.For) for d in x.init if isinstance(d, ir.Declare)}
        steady = all(x not in self._changed_in(loop.body) for x, loop in indices.items())
        moving = self._moving(store.place) - set(indices)
        cell = address(store.place)
        once = all(distinct_across(cell, cell, var(x)) for x in indices)
        return steady and not moving and once and len(indices) == len(loops)


@dataclass(slots=True)
class _Group:
    """Accesses that meet others alike: in one piece, to one cell, which the same positions tell."""

    members: list[_Access]


_Part = tuple[Location, ir.Expr | None]  # of memory, what lies behind a pointer; behind any with None


class _Memory:
    """The parts of memory, by the pointers of parameters that lead there, or all of it as one."""

    def __init__(self, accesses: Iterable[_Access], *, apart: bool) -> None:
        self._apart = apart
        self._pointers: dict[Location, dict[ir.Expr | None, None]] = {}
        for a in accesses:
            for x in a.where:
                self._pointers.setdefault(x, {}).update(dict.fromkeys(_told(a, x)))
        self.several = any(len(p) > 1 for p in self._pointers.values())

    def of(self, a: _Access) -> Iterator[_Part]:
        for x in a.where:
            told = _told(a, x) if self._apart else [None]
            for pointer in self._pointers[x] if self._apart and None in told else told:
                yield x, pointer


def _told(a: _Access, x: Location) -> list[ir.Expr | None]:
    """The pointers through which an access comes to memory; None: perhaps through any."""
    return [*a.through] if isinstance(x, Root) and a.through is not None else [None]


class _Lines:
    """Accesses by memory, line and cell; those to cells of no line are with None."""

    def __init__(self, accesses: Iterable[_Access], memory: _Memory) -> None:
        self._memory = memory
        self._cells: dict[_Part, dict[Line | None, dict[int, dict[object, _Group]]]] = {}
        for a in accesses:
            line, at = (a.cell.line, a.cell.at) if a.cell is not None else (None, 0)
            for x in memory.of(a):
                groups = self._cells.setdefault(x, {}).setdefault(line, {}).setdefault(at, {})
                groups.setdefault((a.kind, a.piece, a.fixed), _Group([])).members.append(a)

    def beside(self, a: _Access) -> Iterator[_Group]:
        """The accesses to the same memory, but for those to other cells of the same line."""
        for x in self._memory.of(a):
            for line, cells in self._cells[x].items():
                same = a.cell is not None and line is a.cell.line
                for found in [cells.get(a.cell.at, {})] if same and a.cell is not None else cells.values():
                    yield from found.values()


_Chain = tuple[tuple[Identity[ir.Body], int], ...]  # blocks, and the numbers of statements in them, from outside in


class _Nest:
    """Where statements stand: `loops` around each, and the `conditions` of branches."""

    def __init__(self, body: ir.Body) -> None:
        self.loops = IdentityMap[ir.Stmt, tuple[ir.Stmt, ...]]()
        self.conditions = IdentityMap[ir.Stmt, tuple[ir.Expr, ...]]()
        self._chains = IdentityMap[ir.Stmt, _Chain]()
        self._walk(body, (), (), ())

    def _walk(
        self,
        body: ir.Body,
        chain: _Chain,
        loops: tuple[ir.Stmt, ...],
        conditions: tuple[ir.Expr, ...],
    ) -> None:
        for i, s in enumerate(body):
            own = (*chain, (Identity(body), i))
            self._chains[s], self.loops[s], self.conditions[s] = own, loops, conditions
            inner = (*loops, s) if isinstance(s, ir.For | ir.While) else loops
            if isinstance(s, ir.If):
                self._walk(s.then, own, inner, (*conditions, s.cond))
                self._walk(s.orelse, own, inner, (*conditions, ir.Unary("!", s.cond, BOOL, span=s.cond.span)))
                continue
            for nested in bodies(s):
                self._walk(nested, own, inner, conditions)

    def before(self, s: ir.Stmt, other: ir.Stmt) -> bool:
        """Whether `other` runs only after s, in the same turns of the loops around s."""
        first, second = self._chains.get(s, ()), self._chains.get(other, ())
        if not first or len(second) < len(first) or first[:-1] != second[: len(first) - 1]:
            return False
        (body, i), (other_body, j) = first[-1], second[len(first) - 1]
        return body == other_body and i < j


def _is_looked_at(x: Location) -> bool:
    return isinstance(x, Root) or x.storage == "shared"


def _pairs(stored: AbstractSet[Pointers], others: AbstractSet[Pointers]) -> Pairs | None:
    """Of what is stored through, and other pointers; None where one of them may be on both sides."""
    found: dict[frozenset[ir.Expr], tuple[ir.Expr, ir.Expr]] = {}
    for mine, theirs in product(stored, others):
        if mine is None or theirs is None:
            return None
        if mine == theirs and len(mine) == 1:
            continue
        if not mine.isdisjoint(theirs):
            return None
        found.update({frozenset(x): x for x in product(mine, theirs)})
    by_text = (tuple(sorted(pair, key=expr_text)) for pair in found.values())
    return tuple(sorted(((a, b) for a, b in by_text), key=lambda pair: (expr_text(pair[0]), expr_text(pair[1]))))
