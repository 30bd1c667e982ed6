"""Runs of cells that neighbouring threads have in common: corners of elements, nodes of cells.

    for (int c = 0; c < 8; ++c)                              double chain[24];
        hetad_add_each_double(&adj_x[node(e, c)].x,          for (int c = 0; c < 8; ++c)
                              run, 3);                 for       chain[3 * c] = …; …
                                                             for (int c = 0; c < 8; c += 2)
                                                                 hetad_add_chain_double(&adj_x[node(e, c)].x,
                                                                                        chain + 3 * c, 6);

Where each odd iteration of a loop adds to the cells behind those of the iteration before, the next lane may begin with
just these.  Whether it does is compared when the program runs; then the lane passes its numbers on, and half of the
additions are made, which memory takes one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from hetad.adjoint.canonicalise.uses import inside
from hetad.analysis.loops import constant_trips, counted
from hetad.device.accumulation.cells import Cells
from hetad.device.accumulation.readers import Readers
from hetad.device.draft import Draft, on_body
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import literal
from hetad.ir.build import Names, address_of, binary, integer, is_one, var
from hetad.ir.places import cells_of, changed_in, changes, root_symbol, through_pointer
from hetad.ir.simplify import simplified
from hetad.ir.types import DOUBLE, Array, Int, Pointer
from hetad.ir.visit import map_exprs, same_or, substitute, substituted, variables
from hetad.rules import operations

MOST_TURNS = 16
LONGEST = 12  # cells of a run


@on_body("chain-runs")
def chained(draft: Draft) -> ir.Body:
    """Runs of doubles that go on in each other iteration are made chains, which lanes may have in common."""
    return _chained(draft.body, Cells(draft.body), Readers(draft.shadows), draft.names)


def _chained(body: ir.Body, cells: Cells, readers: Readers, names: Names) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        new = inside(lambda b: _chained(b, cells, readers, names), s)
        loop = _loop(new, readers) if isinstance(new, ir.For) else None
        found = [r for r in loop.runs() if loop.goes_on(r, cells)] if loop is not None else []
        out += _rewritten(loop, found, names) if loop is not None and found else [new]
    return same_or(body, tuple(out))


@dataclass(frozen=True, slots=True)
class _Run:
    """An addition of `cells` numbers in the local array `numbers` to those from `place` on."""

    statement: ir.Call
    place: ir.Place
    numbers: ir.Symbol
    cells: int


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop over the numbers below `trips`, each once.  `sets`: what it declares and does not change."""

    loop: ir.For
    index: ir.Symbol
    trips: int
    sets: Mapping[ir.Symbol, ir.Declare]

    def runs(self) -> Iterator[_Run]:
        declared = {s.symbol for s in self.loop.body if isinstance(s, ir.Declare)}
        for s in self.loop.body:
            if not operations.does(s, operations.add_run, operations.add_each):
                continue
            match s.args:
                case (ir.AddressOf(place=place) as address, ir.Var(symbol=numbers), count) if place.type == DOUBLE:
                    cells = literal(count) or 0
                    if numbers in declared and 0 < cells <= LONGEST and self._tells(address):
                        yield _Run(s, place, numbers, cells)

    def _tells(self, address: ir.Expr) -> bool:
        """Whether the cells are found without what changes in an iteration, and without a look at memory."""
        changed = changed_in(self.loop.body)
        told = [address, *(d.init for d in self.on_the_way(address) if d.init is not None)]
        steady = all(x in self.sets or x not in changed for e in told for x in variables(e))
        return steady and not any(through_pointer(cell) for e in told for cell in cells_of(e))

    def on_the_way(self, address: ir.Expr) -> list[ir.Declare]:
        """The declarations of the loop by which an address is found, in order."""
        wanted = set(variables(address))
        found: list[ir.Declare] = []
        for x, s in reversed(list(self.sets.items())):
            if x in wanted and s.init is not None:
                found.insert(0, s)
                wanted.update(variables(s.init))
        return found

    def goes_on(self, run: _Run, cells: Cells) -> bool:
        """Whether the cells of each odd iteration lie behind those of the iteration before."""
        known: dict[ir.Symbol, ir.Expr] = {}

        for d in self.on_the_way(run.place):
            assert d.init is not None
            known[d.symbol] = substituted(known, d.init)
        place = substituted(known, run.place)
        each = [
            cells.cell(simplified(substituted({self.index: integer(turn, place.span, self.index.type)}, place)))  # type: ignore[arg-type]
            for turn in range(self.trips)
        ]
        return all(
            a is not None and b is not None and a.key == b.key and b.shift == a.shift + run.cells
            for a, b in zip(each[::2], each[1::2], strict=True)
        )


def _loop(loop: ir.For, readers: Readers) -> _Loop | None:
    """The loop if all that it does to memory of adjoints is to add runs."""
    changed = changed_in(loop.body)
    header = counted(loop, lambda e: changed.keys().isdisjoint(variables(e)), lambda x: x in changed)
    trips = constant_trips(header) if header is not None else None
    if header is None or trips is None or trips % 2 or not 0 < trips <= MOST_TURNS or not header.declares:
        return None
    first = literal(header.start)
    if not is_one(header.step) or first != (trips - 1 if header.down else 0):
        return None
    if not all(_is_local(s) or operations.does(s, operations.add_run, operations.add_each) for s in loop.body):
        return None
    if any(map(readers.sees, loop.body)):
        return None
    times = Counter(changes(loop.body))
    sets = {
        s.symbol: s
        for s in loop.body
        if isinstance(s, ir.Declare) and isinstance(s.symbol.type, Int | Pointer) and times[s.symbol] == 1
    }
    return _Loop(loop, header.index, trips, sets)


def _is_local(s: ir.Stmt) -> bool:
    """Whether a statement sets local variables alone."""
    match s:
        case ir.Assign(target=target) | ir.Update(target=target):
            root = root_symbol(target)
            return root is not None and root.storage == "local"
        case ir.Declare() | ir.Comment():
            return True
    return False


# -- text


def _rewritten(loop: _Loop, runs: list[_Run], names: Names) -> list[ir.Stmt]:
    """The loop, which sets the numbers, and behind it one that adds those of two iterations at a time."""
    span, body = loop.loop.span, loop.loop.body
    opening: list[ir.Stmt] = []
    adding: list[ir.Stmt] = []
    turn = names.symbol(loop.index.name, loop.index.type, span)
    for run in runs:
        chain = names.symbol(run.numbers.name, Array(DOUBLE, run.cells * loop.trips), run.statement.span)
        opening.append(ir.Declare(chain, None, span=chain.span))
        gone = (run.statement, *(s for s in body if isinstance(s, ir.Declare) and s.symbol is run.numbers))
        body = tuple(s for s in body if not any(s is g for g in gone))
        body = map_exprs(partial(_in_chain, run, chain, loop.index), body)
        adding += _addition(loop, run, chain, turn, names)
    count = var(turn)
    closing = ir.For(
        (ir.Declare(turn, integer(0, span, turn.type), span=span),),
        binary("<", count, integer(loop.trips, span, turn.type)),
        (ir.Update("+", count, integer(2, span, turn.type), span=span),),
        tuple(adding),
        unroll="",
        span=span,
    )
    return [*opening, replace(loop.loop, body=body, unroll="", primal=None), closing]


def _in_chain(run: _Run, chain: ir.Symbol, index: ir.Symbol, e: ir.Expr) -> ir.Expr:
    """A number of the run where it lies in the chain."""
    if not (isinstance(e, ir.Index) and isinstance(e.base, ir.Var) and e.base.symbol is run.numbers):
        return e
    return replace(e, base=var(chain, e.span), index=binary("+", _row(run, index), e.index))


def _row(run: _Run, index: ir.Symbol) -> ir.Expr:
    return binary("*", integer(run.cells, run.statement.span, index.type), var(index, run.statement.span))


def _addition(loop: _Loop, run: _Run, chain: ir.Symbol, turn: ir.Symbol, names: Names) -> list[ir.Stmt]:
    span = run.statement.span
    way = loop.on_the_way(run.place)
    own: dict[ir.Symbol, ir.Symbol | ir.Expr] = {loop.index: turn}
    own |= {d.symbol: names.symbol(d.symbol.name, d.symbol.type, d.span, const=d.symbol.const) for d in way}
    first = address_of(ir.Index(var(chain, span), _row(run, turn), DOUBLE, span=span))
    call = operations.add_chain(address_of(run.place), first, integer(2 * run.cells, span), span=span)
    return list(substitute(own, (*way, call)))
