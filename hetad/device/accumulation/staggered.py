"""Loops in which threads add to the same cells of shared memory, one after the other: each begins at another cell.

    for (int m = 9; m >= 0; --m) {                        for (int m = 9; m >= 0; --m) {
        atomicAdd(&adj_u[m], seed * d[10 * i + m]);   →       const int m_at = (m + threadIdx.x) % 10;
    }                                                         atomicAdd(&adj_u[m_at], seed * d[10 * i + m_at]);
                                                          }

A GPU adds to shared memory by compare-and-swap: of threads that come to one cell at a time one goes on, and the others
try again.  Each thread still does all iterations of its own, in an order that begins elsewhere: so these must do
nothing but add to what none of them reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from hetad.adjoint.canonicalise.uses import inside
from hetad.analysis.dataflow import closed
from hetad.analysis.loops import Counted, constant_trips, counted
from hetad.device.accumulation.differences import Differences
from hetad.device.accumulation.increments import increment
from hetad.device.accumulation.warps import picks
from hetad.device.draft import Draft, on_body
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import integer_value
from hetad.ir.build import Names, integer
from hetad.ir.places import chosen_by, reached_by, root_symbol
from hetad.ir.types import Float, Int
from hetad.ir.visit import (
    bodies,
    children,
    declared,
    own_exprs,
    same_or,
    substitute,
    variables,
    walk_expr,
    walk_exprs,
    walk_stmts,
)
from hetad.rules import operations
from hetad.rules.math import is_math

MOST = 1 << 20  # iterations, which any index can count
FEWEST = 4  # cells between which the lanes of a warp are worth spreading
WARP = 32


@on_body("stagger")
def staggered(draft: Draft) -> ir.Body:
    """Threads that add to the same cells of shared memory in a loop begin at different ones."""
    of_block = draft.reversed.shared.shadows
    return Staggering(draft.body, draft.names, draft.shadows, of_block).block(draft.body) if of_block else draft.body


@dataclass(frozen=True, slots=True)
class _Turns:
    """A loop over the numbers from `low` to `high`."""

    index: ir.Symbol
    low: int
    high: int


class Staggering:
    def __init__(
        self, body: ir.Body, names: Names, adjoints: Collection[ir.Symbol], of_block: Collection[ir.Symbol]
    ) -> None:
        """`adjoints`: variables that hold adjoints or lead to some; `of_block`: those that lead to shared memory."""
        self.names = names
        self.adjoints, self.of_block = frozenset(adjoints), frozenset(of_block)
        self.lanes = Differences(body, of_warp=True)
        self.numbering: set[ir.Symbol] = set()  # variables that number the lanes
        closed(self.numbering, body, lambda s: _set(s) if any(map(self._numbers, _values(s))) else ())

    def block(self, body: ir.Body) -> ir.Body:
        out: list[ir.Stmt] = []
        for s in body:
            if isinstance(s, ir.If) and picks(s.cond, self.lanes):
                out.append(s)
                continue
            s = inside(self.block, s)
            turns = _turns(s) if isinstance(s, ir.For) else None
            if isinstance(s, ir.For) and turns is not None and self._gains(s, turns) and self._in_any_order(s, turns):
                out.append(self._spread(s, turns))
            else:
                out.append(s)
        return same_or(body, tuple(out))

    def _gains(self, loop: ir.For, turns: _Turns) -> bool:
        """Whether lanes come to one cell at a time, and to another one in each iteration; not where they would come to
        other memory in another way: side by side to global memory, together to constants, each to its registers."""
        moving = {turns.index}
        closed(moving, loop.body, lambda s: () if moving.isdisjoint(variables((s,))) else _set(s))
        cells = [found.place for s in _straight(loop.body) if (found := increment(s)) is not None]
        meet = any(
            isinstance(place.type, Float)
            and reached_by(place) in self.of_block
            and not any(map(self._numbers, chosen_by(place)))
            and not moving.isdisjoint(variables(place))
            for place in cells
        )
        elsewhere = (e for e in walk_exprs(loop.body) if isinstance(e, ir.Index) and not self._is_shared(e))
        return meet and all(moving.isdisjoint(variables(e)) for e in elsewhere)

    def _is_shared(self, place: ir.Index) -> bool:
        root = root_symbol(place)
        return reached_by(place) in self.of_block if root is None else root.storage == "shared"

    def _numbers(self, e: ir.Expr) -> bool:
        """Whether a subscript is another one in each lane, as far as one can tell: not `threadIdx.x / 8`."""
        match e:
            case ir.ThreadIndex(name="threadIdx", axis="x"):
                return True
            case ir.Var(symbol=symbol):
                return symbol in self.numbering
            case ir.Binary(op="/" | ">>"):
                return False
            case ir.Binary(op="%" | "&", right=ir.Const(value=value)) if value < WARP:
                return False
        return any(map(self._numbers, children(e)))

    # -- iterations in any order

    def _in_any_order(self, loop: ir.For, turns: _Turns) -> bool:
        """Whether all that an iteration leaves behind are numbers that it has added to, and that none reads."""
        own = {turns.index, *declared(loop.body)}
        self.sums = {x for s in walk_stmts((loop,)) if isinstance(s, ir.For) for x in s.sums}
        added: Counter[ir.Symbol | None] = Counter()
        if not all(self._adds(s, own, added) for s in loop.body):
            return False
        mentioned = Counter(variables(loop.body))
        return None not in added and all(x is not None and mentioned[x] == n for x, n in added.items())

    def _adds(self, s: ir.Stmt, own: Collection[ir.Symbol], added: Counter[ir.Symbol | None]) -> bool:
        """Whether the statement does nothing but set variables of the iteration's `own` and add to adjoints; with how
        often it names what it adds to."""
        read = own_exprs(s)
        found = increment(s)
        match s:
            case ir.Declare(symbol=symbol):
                if symbol.storage != "local" or not isinstance(symbol.type, Int | Float):
                    return False
            case ir.Assign(target=target) | ir.Update(target=target) if root_symbol(target) in own:
                pass
            case ir.Update(op="+" | "-", target=target, value=value) if reached_by(target) in self.adjoints | self.sums:
                added[reached_by(target)] += 1
                read = (*chosen_by(target), value)
            case ir.Call() if found is not None:
                added[reached_by(found.place)] += 1
                read = (*chosen_by(found.place), found.value)
            case ir.For() | ir.If() | ir.Block() | ir.Comment():
                pass
            case _:
                return False
        return self._plain(read) and all(self._adds(x, own, added) for body in bodies(s) for x in body)

    def _plain(self, exprs: Collection[ir.Expr]) -> bool:
        """Whether the expressions only compute, and of memory only read what no adjoint is."""
        for e in (x for expr in exprs for x in walk_expr(expr)):
            match e:
                case ir.CallExpr():
                    return False
                case ir.Intrinsic(name=name) if not is_math(name):
                    return False
                case ir.AddressOf():
                    return False
                case ir.Index() | ir.Member() if reached_by(e) in self.adjoints:
                    return False
        return True

    # -- text

    def _spread(self, loop: ir.For, turns: _Turns) -> ir.For:
        index, span = turns.index, loop.span
        at = self.names.symbol(f"{index.name}_at", index.type, span, const=True)
        own = _AT(
            self.names, span, at=at, integer=index.type, index=index, low=integer(turns.low, span, index.type),
            cells=turns.high - turns.low + 1, spread=operations.spread,
        )  # fmt: skip
        return replace(loop, body=(*own, *substitute({index: at}, loop.body)))


_AT = Quote("const integer at = low + (integer)spread((int)(index - low), threadIdx.x, cells);")


def _turns(loop: ir.For) -> _Turns | None:
    """A loop that counts by ones between two literals, often enough."""
    changed = {x for s in walk_stmts(loop.body) for x in _set(s)}
    found = counted(loop, lambda e: changed.isdisjoint(variables(e)), lambda x: x in changed)
    trips = constant_trips(found) if found is not None else None
    if found is None or trips is None or not found.declares or integer_value(found.step) != 1:
        return None
    assert isinstance(found.index.type, Int)
    if not FEWEST <= trips <= MOST or found.index.type.bits < 32:
        return None
    low, high = _ends(found)
    return _Turns(found.index, low, high)


def _ends(c: Counted) -> tuple[int, int]:
    first, bound = integer_value(c.start), integer_value(c.bound)
    assert first is not None and bound is not None
    last = bound if c.inclusive else bound + 1 if c.down else bound - 1
    return (last, first) if c.down else (first, last)


def _values(s: ir.Stmt) -> tuple[ir.Expr, ...]:
    """What the statement sets a variable to."""
    match s:
        case ir.Declare(init=value) if value is not None:
            return (value,)
        case ir.Assign(value=value) | ir.Update(value=value):
            return (value,)
    return ()


def _straight(body: ir.Body) -> Iterator[ir.Stmt]:
    """The statements that are not in loops of their own."""
    for s in body:
        yield s
        if not isinstance(s, ir.For | ir.While | ir.DoWhile):
            for inner in bodies(s):
                yield from _straight(inner)


def _set(s: ir.Stmt) -> tuple[ir.Symbol, ...]:
    """The variables that the statement itself sets."""
    match s:
        case ir.Declare(symbol=symbol):
            return (symbol,)
        case ir.Assign(target=place) | ir.Update(target=place) | ir.Call(result=place) if place is not None:
            root = root_symbol(place)
            return (root,) if root is not None else ()
    return ()
