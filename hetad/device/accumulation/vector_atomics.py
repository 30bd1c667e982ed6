"""Atomic additions to cells that follow each other, as one operation for several.

A thread that looked up a row of a table adds to all of it, and one that moved a particle to its three coordinates.
From compute capability 9.0 on, a GPU adds two or four floats at a time where they are aligned.  For doubles it has no
such operation: there the lanes of a warp add one run after the other together, neighbouring lanes to neighbouring
cells, which memory takes as one transaction for four of them.  That pays where a thread has little else to do: one that
computes long for each cell had better not stop for the others.

    float run[3];                                  atomicAdd(&adj_x[3 * j], a);
    run[0] = a; run[1] = b; run[2] = c;       for  atomicAdd(&adj_x[3 * j + 1], b);
    hetad_add_run_float(&adj_x[3 * j], run, 3);    atomicAdd(&adj_x[3 * j + 2], c);
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise

from hetad.adjoint.canonicalise.declarations import without_unused_values
from hetad.adjoint.canonicalise.uses import inside
from hetad.analysis.affine import Monomial
from hetad.analysis.loops import constant_trips, counted
from hetad.analysis.pointers import points_to
from hetad.analysis.work import arithmetic, known_turns
from hetad.device.accumulation.cells import Cell, Cells
from hetad.device.accumulation.increments import Increment, increment
from hetad.device.accumulation.readers import Readers
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, binary, integer, is_one, is_zero
from hetad.ir.places import changed_in, reached_by
from hetad.ir.types import DOUBLE, FLOAT, Array, Float, Pointer, Struct, Type, size_of
from hetad.ir.visit import map_children, same_or, variables, walk_expr
from hetad.rules import operations

MOST = {FLOAT: 16, DOUBLE: 12}  # cells
FLOATS: Mapping[Float, int] = {FLOAT: 2}  # the fewest cells of a run
ALL: Mapping[Float, int] = {FLOAT: 2, DOUBLE: 3}
BUSY = 32  # operations for each cell of a run of doubles, with which memory keeps pace by itself


@on_body("vectorise-atomics")
def vectorised(draft: Draft) -> ir.Body:
    """Atomic additions to cells that follow each other are made together."""
    if draft.overlapping:
        return draft.body
    runs = _Runs(draft.function, draft.names, Readers(draft.shadows), ALL if draft.has_room else FLOATS)
    return without_unused_values(runs.block(draft.body, _Turn(draft.body)))


@dataclass(frozen=True, slots=True)
class _Addition:
    """An increment of a cell; `position`: of the statement in its block."""

    position: int
    found: Increment
    cell: Cell

    @property
    def root(self) -> ir.Symbol | None:
        """The parameter that is the way to the cell, if it is one."""
        pointer = self.cell.root
        return pointer.symbol if isinstance(pointer, ir.Var) and pointer.symbol.storage == "param" else None

    @property
    def used(self) -> Iterator[ir.Symbol]:
        """The variables that tell the cell."""
        return chain(variables(self.found.place), variables(self.cell.root))


@dataclass(frozen=True, slots=True)
class _Turn:
    """What is done each time: the body of the innermost loop of which nobody knows how often it runs, in which an
    addition comes so many `times`."""

    body: ir.Body
    times: int = 1

    def inside(self, s: ir.Stmt) -> _Turn:
        if not isinstance(s, ir.For):
            return self
        times = known_turns(s)
        return _Turn(s.body) if times is None else replace(self, times=self.times * times)

    def is_long_for(self, cells: int) -> bool:
        """Whether a thread computes so long that memory keeps pace with its additions to so many cells."""
        return arithmetic(self.body) >= BUSY * self.times * cells


class _Runs:
    """`least`: the types of cells, and how many make a run."""

    def __init__(self, function: ir.Function, names: Names, readers: Readers, least: Mapping[Float, int]) -> None:
        self.names, self.readers, self.least = names, readers, least
        self.cells = Cells(function.body)
        self.pointers = points_to(function)

    def block(self, body: ir.Body, turn: _Turn) -> ir.Body:
        inner = [inside(partial(self.block, turn=turn.inside(s)), s) for s in body]
        out: list[ir.Stmt] = []
        for s in inner:
            out += self._unrolled(s, turn) if isinstance(s, ir.For) else [s]
        return same_or(body, self._joined(tuple(out), turn))

    def _addition(self, position: int, s: ir.Stmt) -> _Addition | None:
        found = increment(s)
        cell = self.cells.cell(found.place) if found is not None else None
        if found is None or cell is None or cell.type not in self.least:
            return None
        if any(isinstance(x, ir.Symbol) and x.storage == "shared" for x in self.pointers.storage(found.place)):
            return None  # where a GPU adds one number at a time
        return _Addition(position, found, cell)

    # -- one after another in a block

    def _joined(self, body: ir.Body, turn: _Turn) -> ir.Body:
        open_: dict[object, list[_Addition]] = {}
        used: dict[object, set[ir.Symbol]] = {}  # by the cells of each
        runs: list[list[_Addition]] = []
        for i, s in enumerate(body):
            mine = self._addition(i, s)
            if mine is not None:
                open_.setdefault(mine.cell.key, []).append(mine)
                used.setdefault(mine.cell.key, set()).update(mine.used)
                continue
            for key in [k for k, members in open_.items() if not self._passes(s, used[k], members[0].root)]:
                runs += _consecutive(open_.pop(key))
                del used[key]
        for members in open_.values():
            runs += _consecutive(members)
        out: dict[int, list[ir.Stmt]] = {i: [s] for i, s in enumerate(body)}
        for run in runs:
            if len(run) >= self.least[run[0].cell.type]:
                _collect(out, run, self.names, turn)
        return tuple(s for i in sorted(out) for s in out[i])

    def _passes(self, s: ir.Stmt, used: Collection[ir.Symbol], root: ir.Symbol | None) -> bool:
        """Whether additions to cells from the root, told by `used`, may as well come after the statement."""
        if not isinstance(s, ir.Declare | ir.Assign | ir.Update | ir.Comment) and increment(s) is None:
            return False
        return not any(x in used for x in changed_in((s,))) and not self._touches(s, root)

    def _touches(self, s: ir.Stmt, root: ir.Symbol | None) -> bool:
        """Whether the statement may read or store to what is reached from the root; None: from anywhere."""
        if isinstance(s, ir.Declare) and isinstance(s.symbol.type, Pointer):
            return False
        found = increment(s)
        mentioned = set(variables(found.value)) if found is not None else set(variables((s,)))
        if root is not None and root in mentioned:
            return True
        ways = {x for x in mentioned & self.readers.adjoints if _leads_on(x.type)}
        return any(root is None or x.storage != "param" for x in ways)

    # -- in a loop over the cells

    def _unrolled(self, loop: ir.For, turn: _Turn) -> list[ir.Stmt]:
        changed = set(changed_in(loop.body))
        header = counted(loop, lambda e: changed.isdisjoint(variables(e)), lambda x: x in changed)
        trips = constant_trips(header) if header is not None else None
        plainly = header is not None and header.declares and not header.down and is_zero(header.start)
        if header is None or trips is None or trips <= 1 or not plainly or not is_one(header.step):
            return [loop]
        counter = (ir.Var(header.index, span=loop.span),)
        additions = (self._addition(i, s) for i, s in enumerate(loop.body))
        runs: list[list[_Addition]] = []
        for members in _by_key([a for a in additions if a is not None and _counts(a, counter)]).values():
            used = {x for m in members for x in m.used}
            if all(self._passes(s, used, members[0].root) for s in loop.body):
                runs += _rows(members, trips)
        runs = [r for r in runs if self.least[r[0].cell.type] <= trips * len(r) <= MOST[r[0].cell.type]]
        return _rewritten(loop, header.index, runs, trips, self.names, turn) if runs else [loop]


def _leads_on(type_: Type) -> bool:
    """Whether a value of this type is, or has, a pointer."""
    match type_:
        case Pointer():
            return True
        case Array(of=of):
            return _leads_on(of)
        case Struct(fields=fields):
            return any(_leads_on(f.type) for f in fields)
    return False


def _consecutive(members: Sequence[_Addition]) -> list[list[_Addition]]:
    """Runs of cells that follow each other."""
    ordered = sorted(members, key=lambda m: m.cell.shift)
    if len({m.cell.shift for m in ordered}) < len(ordered):
        return []
    runs: list[list[_Addition]] = []
    for m in ordered:
        if runs and runs[-1][-1].cell.shift + 1 == m.cell.shift and len(runs[-1]) < MOST[m.cell.type]:
            runs[-1].append(m)
        else:
            runs.append([m])
    return [r for r in runs if len(r) > 1]


def _counts(a: _Addition, counter: Monomial) -> bool:
    """Whether each iteration adds to the next cell."""
    (variable,) = counter
    elsewhere = any(variable in walk_expr(e) for m, _ in a.cell.base if m != counter for e in m)
    steps = (counter, size_of(a.cell.type)) in a.cell.base
    return isinstance(a.found.place, ir.Index) and steps and not elsewhere


def _by_key(found: Sequence[_Addition]) -> dict[object, list[_Addition]]:
    groups: dict[object, list[_Addition]] = {}
    for a in found:
        groups.setdefault(a.cell.key, []).append(a)
    return groups


def _rows(members: Sequence[_Addition], length: int) -> list[list[_Addition]]:
    """Runs of rows that follow each other; none where two rows overlap."""
    ordered = sorted(members, key=lambda m: m.cell.shift)
    if any(b.cell.shift - a.cell.shift < length for a, b in pairwise(ordered)):
        return []
    runs: list[list[_Addition]] = []
    for m in ordered:
        follows = runs and runs[-1][-1].cell.shift + length == m.cell.shift
        if follows and (len(runs[-1]) + 1) * length <= MOST[m.cell.type]:
            runs[-1].append(m)
        else:
            runs.append([m])
    return runs


# -- text


def _collect(out: dict[int, list[ir.Stmt]], run: Sequence[_Addition], names: Names, turn: _Turn) -> None:
    """The values into an array where they are known, and one addition where the last is."""
    array = _array(run[0], len(run), names)
    first, last = min(m.position for m in run), max(m.position for m in run)
    for cell, m in enumerate(run):
        out[m.position] = [_set(array, integer(cell, array.span), m)]
    out[first].insert(0, ir.Declare(array, None, span=array.span))
    out[last].append(_add(run[0].found.place, array, turn))


def _rewritten(
    loop: ir.For, index: ir.Symbol, runs: Sequence[Sequence[_Addition]], trips: int, names: Names, turn: _Turn
) -> list[ir.Stmt]:
    """The loop, which sets the values of its runs, and their additions behind it."""
    body = list(loop.body)
    opening: list[ir.Stmt] = []
    closing: list[ir.Stmt] = []
    for run in runs:
        array = _array(run[0], trips * len(run), names)
        opening.append(ir.Declare(array, None, span=array.span))
        for row, m in enumerate(run):
            body[m.position] = _set(array, _moved(ir.Var(index, span=loop.span), row * trips), m)
        place = run[0].found.place
        assert isinstance(place, ir.Index)
        closing.append(_add(replace(place, index=_without(place.index, index)), array, turn))
    return [*opening, replace(loop, body=tuple(body), unroll="", primal=None), *closing]


def _array(a: _Addition, cells: int, names: Names) -> ir.Symbol:
    root = reached_by(a.found.place)
    name = f"{root.name}_run" if root is not None else "run"
    return names.symbol(name, Array(a.cell.type, cells), a.found.statement.span)


def _set(array: ir.Symbol, index: ir.Expr, a: _Addition) -> ir.Stmt:
    span = a.found.statement.span
    return ir.Assign(ir.Index(ir.Var(array, span=span), index, a.cell.type, span=span), a.found.value, span=span)


def _add(place: ir.Place, array: ir.Symbol, turn: _Turn) -> ir.Stmt:
    span, type_ = array.span, array.type
    assert isinstance(type_, Array) and type_.length is not None
    busy = place.type == DOUBLE and turn.is_long_for(type_.length)
    add = operations.add_each if busy else operations.add_run
    return add(address_of(place), ir.Var(array, span=span), integer(type_.length, span), span=span)


def _moved(index: ir.Expr, by: int) -> ir.Expr:
    return binary("+", index, integer(by, index.span, index.type)) if by else index


def _without(index: ir.Expr, counter: ir.Symbol) -> ir.Expr:
    """The index where the counter is zero."""
    match index:
        case ir.Var(symbol=symbol) if symbol is counter:
            return integer(0, index.span, index.type)
        case ir.Binary(op="+", left=left, right=ir.Var(symbol=symbol)) if symbol is counter:
            return left
        case ir.Binary(op="+", left=ir.Var(symbol=symbol), right=right) if symbol is counter:
            return right
    return map_children(lambda e: _without(e, counter), index)
