"""What the values of a kernel differ with: on which positions of threads and blocks they depend.

A value depends on a position by what it is computed from, and by the conditions under which it is set.  Threads that
are where they are together, in the same iterations of all loops around, have the same value of what depends on no
position in which they differ:

    in a block      nothing of threadIdx
    along an axis   not that of the axis
    in a grid       nothing at all

UNKNOWN stands for what may differ in whatever way: results of atomics, and what lanes of a warp agree on, for another
warp may agree on something else, even where all say the same, as it may have fewer lanes.
"""

from __future__ import annotations

from collections.abc import Iterable

from hetad.analysis.control_dependence import ANYHOW, NONE, UNKNOWN, Around, ControlDependence, Position, Positions
from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location, Root
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import integer_value
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import changed_by, exposed
from hetad.ir.visit import declared, own_exprs, variables, walk_expr, walk_stmts
from hetad.rules import callees

EVERY = frozenset({"x", "y", "z", "*"})  # axes; "*": a value that anything may decide
_BLOCKS = frozenset(("blockIdx", axis) for axis in "xyz")


class Divergence(ControlDependence):
    """`same_memory`: memory that all threads reach counts as the same to them, so that a load depends on its address
    alone, and only mathematics tells with what results differ; else what the kernel writes may differ in whatever way,
    and shared memory by what is stored there.
    """

    def __init__(self, body: ir.Body, effects: Effects, same_memory: bool = False) -> None:
        super().__init__()
        self.effects = effects
        self._same_memory = same_memory
        self._written = set() if same_memory else common_memory(effects.written(body))
        self._facts: set[tuple[Location, Position]] = set()
        self._of: dict[Location, Positions] = {}
        self.spread(body)

    # --- questions ---

    def of(self, expr: ir.Expr) -> Positions:
        """On what the value depends."""
        return _mentioned(expr) | self._held(self.effects.loads(expr))

    def of_address(self, place: ir.Expr) -> Positions:
        """On what it depends which cell this is."""
        return _mentioned(place) | self._held(self.effects.address(place))

    def axes(self, expr: ir.Expr) -> frozenset[str]:
        """Along which axes of the block threads may have different values."""
        found = self.of(expr)
        return EVERY if UNKNOWN in found else frozenset(axis for name, axis in found if name == "threadIdx")

    def uniform(self, expr: ir.Expr) -> bool:
        """Whether the expression certainly has one value in all threads of a block."""
        return _in_block(self.of(expr))

    def uniform_loop(self, loop: ir.For | ir.While) -> bool:
        """Whether the loop runs equally often in all threads that come to it: so it meets the same iterations again
        when it runs backwards, where others pair different iterations of different threads."""
        if not _in_block(self.breaks.get(loop, NONE)):
            return False
        if isinstance(loop, ir.For) and self._runs_by_itself(loop):
            return True
        starts = NONE.union(*map(self._given, loop.init)) if isinstance(loop, ir.For) else NONE
        return _in_block(starts) and _in_block(self.ends(loop))

    def _runs_by_itself(self, loop: ir.For) -> bool:
        """Whether variables of its own and uniform values alone decide how often the loop runs: then it does not matter
        that only some threads come to it."""
        own = {s.symbol for s in loop.init if isinstance(s, ir.Declare) and s.init is not None}
        if loop.cond is None or len(own) < len(loop.init) or not own.isdisjoint(self.effects.written(loop.body)):
            return False
        steps = [s for s in loop.step if isinstance(s, ir.Assign | ir.Update)]
        if len(steps) < len(loop.step) or not own.issuperset(self.effects.written(loop.step)):
            return False
        inits = [s.init for s in loop.init if isinstance(s, ir.Declare) and s.init is not None]
        return all(self._uniform_but_for(own, e) for e in (*inits, loop.cond, *(s.value for s in steps)))

    def _uniform_but_for(self, own: set[ir.Symbol], expr: ir.Expr) -> bool:
        loads = (x for x in self.effects.loads(expr) if x not in own)
        return _in_block(_mentioned(expr) | self._held(loads))

    # --- transfer ---

    def _held(self, locations: Iterable[Location]) -> Positions:
        return NONE.union(*(ANYHOW if at in self._written else self._of.get(at, NONE) for at in locations))

    def found(self) -> int:
        return len(self._facts)

    def simple(self, s: ir.Stmt, around: Around) -> None:
        value, address = self._given(s).union(*around), NONE
        if isinstance(s, ir.Assign | ir.Update):
            address = self.of_address(s.target)  # of memory that each thread has for itself
        for at in self.effects.writes(s):
            if isinstance(at, Root) or at in self._written:
                continue
            found = value if at.storage == "shared" else value | address
            if self._same_memory and at.storage == "shared":  # the same to the threads of a block
                found = frozenset(p for p in found if p == UNKNOWN or p in _BLOCKS)
            self._of[at] = self._of.get(at, NONE) | found
            self._facts.update((at, position) for position in found)

    def _given(self, s: ir.Stmt) -> Positions:
        """On what it depends what a statement stores."""
        match s:
            case ir.Assign(value=value) | ir.Update(value=value):
                return self.of(value)
            case ir.Call(function=function, args=args):
                callee = callees.find(function)
                found = self._held(self.effects.reads(s)).union(*map(_mentioned, args))
                if callee.kind == "vote" and callee.scope == "block" and not self._same_memory:
                    return _BLOCKS if found else NONE
                return found if callee.kind == "mathematics" else found | ANYHOW
        return NONE.union(*map(self.of, own_exprs(s)))


def _find_mentioned(expr: ir.Expr) -> Positions:
    inside = walk_expr(expr)
    found = {(e.name, e.axis) for e in inside if isinstance(e, ir.ThreadIndex) and e.name.endswith("Idx")}
    return frozenset(found | {UNKNOWN for e in inside if isinstance(e, ir.CallExpr)})


_mentioned: Fact[ir.Expr, Positions] = lasting(_find_mentioned)  # by the expression itself


def common_memory(places: Iterable[Location]) -> set[Location]:
    """Those that all threads of a launch reach."""
    own = ("local", "param", "shared")
    return {x for x in places if isinstance(x, Root) or x.storage not in own}


def _in_block(found: Positions) -> bool:
    """Whether threads of a block do not differ in any of these."""
    return all(name == "blockIdx" for name, _ in found)


def exchanges(body: ir.Body) -> ir.Call | None:
    """A shuffle in the body among lanes that are not simply all of the warp."""
    shuffles = (s for s in walk_stmts(body) if callees.calls(s, "shuffle"))
    return next((s for s in shuffles if not _whole_warp(s.args[0])), None)


def exchanges_among_changing_lanes(loop: ir.For | ir.While) -> ir.Call | None:
    """A shuffle in the loop whose lanes may be others in another iteration."""
    own, values = set(declared(loop.body)), _values((loop,))

    def stays(e: ir.Expr | None) -> bool:
        if e is None or any(isinstance(x, ir.Index | ir.Member | ir.CallExpr) for x in walk_expr(e)):
            return False
        found = ((x, values.get(x, [])) for x in variables(e))
        return all(not given or (x in own and len(given) == 1 and stays(given[0])) for x, given in found)

    shuffles = (s for s in walk_stmts(loop.body) if callees.calls(s, "shuffle"))
    return next((s for s in shuffles if not _whole_warp(s.args[0]) and not stays(s.args[0])), None)


def _values(body: ir.Body) -> dict[ir.Symbol, list[ir.Expr | None]]:
    """What a body gives to variables, statement by statement; None where it is not said in one expression."""
    found: dict[ir.Symbol, list[ir.Expr | None]] = {x: [None] for x in exposed(body)}
    for s in walk_stmts(body):
        match s:
            case ir.Declare(init=None):
                pass
            case ir.Declare(symbol=x, init=value) | ir.Assign(target=ir.Var(symbol=x), value=value):
                found.setdefault(x, []).append(value)
            case _:
                for x in changed_by(s):
                    found.setdefault(x, []).append(None)
    return found


def _whole_warp(mask: ir.Expr) -> bool:
    value = integer_value(mask)
    return value is not None and value & 0xFFFFFFFF == 0xFFFFFFFF
