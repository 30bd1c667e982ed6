"""Which values are the same in all threads of a block.

A loop that runs the same number of times in every thread meets the same iterations again when it runs backwards;
one that does not, pairs different iterations of different threads.
"""

from __future__ import annotations

from hetad.analysis.effects import Effects
from hetad.analysis.pointers import Location, Root
from hetad.ir import nodes as ir
from hetad.ir.visit import bodies, walk_expr, walk_stmts
from hetad.rules import callees


class Uniformity:
    def __init__(self, effects: Effects, body: ir.Body) -> None:
        self.effects = effects
        self._written = {x for x in effects.written(body) if isinstance(x, Root)}
        self._divergent: set[Location] = set()
        while True:
            before = len(self._divergent)
            self._block(body, False)
            if len(self._divergent) == before:
                break

    def uniform(self, expr: ir.Expr) -> bool:
        """Whether the expression certainly has one value in all threads of a block."""
        for e in walk_expr(expr):
            if isinstance(e, ir.ThreadIndex) and e.name == "threadIdx":
                return False
        loads = set(self.effects.loads(expr))
        return loads.isdisjoint(self._divergent) and loads.isdisjoint(self._written)

    def uniform_loop(self, loop: ir.For | ir.While) -> bool:
        """Whether the loop runs equally often in all threads that come to it."""
        if isinstance(loop, ir.For) and self._runs_by_itself(loop):
            return True
        header = loop.init if isinstance(loop, ir.For) else ()
        starts = all(self._value_uniform(s) for s in header)
        return starts and (loop.cond is None or self.uniform(loop.cond))

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
        if any(isinstance(e, ir.ThreadIndex) and e.name == "threadIdx" for e in walk_expr(expr)):
            return False
        loads = set(self.effects.loads(expr)) - own
        return loads.isdisjoint(self._divergent) and loads.isdisjoint(self._written)

    def _value_uniform(self, s: ir.Stmt) -> bool:
        value = s.init if isinstance(s, ir.Declare) else s.value if isinstance(s, ir.Assign | ir.Update) else None
        return value is None or self.uniform(value)

    def _gives_one_value(self, s: ir.Call) -> bool:
        """Whether a call gives all threads of the block the same: what the lanes of a warp agree on, another warp may
        not, even where all say the same, for a warp may have fewer lanes."""
        callee = callees.find(s.function)
        if callee.kind == "vote" and callee.scope == "block":
            return True
        return callee.kind != "atomic" and callee.scope != "warp" and all(map(self.uniform, s.args))

    def _block(self, body: ir.Body, divergent: bool) -> None:
        for s in body:
            self._statement(s, divergent)

    def _statement(self, s: ir.Stmt, divergent: bool) -> None:
        inner = divergent
        if isinstance(s, ir.If | ir.While | ir.For) and s.cond is not None:
            inner = inner or not self.uniform(s.cond)
        if isinstance(s, ir.For) and inner:
            self._divergent.update(self.effects.written(s.step))
        spread = divergent or not self._value_uniform(s)
        if isinstance(s, ir.Call):
            spread = spread or not self._gives_one_value(s)
        if spread:
            self._divergent.update(self.effects.writes(s))
        for nested in bodies(s):
            self._block(nested, inner)


def exchanges(body: ir.Body) -> ir.Call | None:
    """A shuffle in the body among lanes that are not simply all of the warp."""
    for s in walk_stmts(body):
        if callees.calls(s, "shuffle") and not _whole_warp(s.args[0]):
            return s
    return None


def _whole_warp(mask: ir.Expr) -> bool:
    while isinstance(mask, ir.Cast):
        mask = mask.operand
    return isinstance(mask, ir.Const) and int(mask.value) in (0xFFFFFFFF, -1)
