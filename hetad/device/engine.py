"""The reverse engine inside a kernel.

Global memory belongs to all threads: it is never written in the forward part (`tape/memory.py`), and its adjoint is
updated atomically, until `accumulation/accumulate.py` proves that less will do.  Shared memory belongs to the block:
the forward part rebuilds it, its adjoint lies there too, and barriers separate the same phases in reverse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import TypeGuard

from hetad.adjoint.control import recompute, tape
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.expressions import pull
from hetad.adjoint.outputs import reverse_call, stores_results
from hetad.analysis.divergence import Divergence, exchanges_among_changing_lanes
from hetad.analysis.effects import Effects
from hetad.analysis.pointer_expressions import cell_at
from hetad.analysis.pointers import Location, Root
from hetad.device import warp
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import Names, zero
from hetad.ir.facts import part_of_self
from hetad.ir.identity import IdentityMap
from hetad.ir.places import root_symbol
from hetad.ir.simplify import negated
from hetad.ir.types import Float, Pointer
from hetad.ir.visit import bodies, map_body, walk_stmts
from hetad.rules import callees, operations
from hetad.rules.callee import Adds, Inactive, Mirrored, Pullback, Restored, Transposed


class KernelEngine(Engine):
    def __init__(
        self,
        names: Names,
        effects: Effects,
        active: Iterable[Location],
        sources: Mapping[str, str],
        dynamic_bytes: ir.Symbol,
        uniform: Divergence,
    ) -> None:
        super().__init__(names, effects, active, sources)
        self.uniform = uniform
        self.shared: dict[ir.Symbol, Span] = {}
        self.shared_saves: set[ir.Symbol] = set()  # what holds values that shared cells had
        self.cleared: Collection[ir.Symbol] = ()  # shared arrays whose adjoints are cleared where they are stored to
        self.dynamic_bytes = dynamic_bytes
        self.resets = IdentityMap[ir.Stmt, tuple[ir.Symbol, ...]]()
        self._changed = part_of_self(self._find_changed)

    def statement(self, s: ir.Stmt) -> Parts:
        forward, reverse = super().statement(s)
        if s in self.resets:
            whole = tuple(ir.Var(x, span=s.span) for x in self.resets[s])
            reverse = [operations.found(*whole, span=s.span), *reverse]
        return forward, reverse

    # -- regions of memory

    def is_global(self, place: ir.Expr) -> bool:
        return self._space(place) == "global"

    def _space(self, place: ir.Expr) -> str:
        spaces = {
            "global" if isinstance(x, Root) else "shared" if x.storage == "shared" else "local"
            for x in self.pointers.storage(place)
        }
        if len(spaces) > 1:
            raise UnsupportedError(
                f"this pointer may reach {' and '.join(sorted(spaces))} memory", place.span, "use one pointer for each"
            )
        return spaces.pop() if spaces else "local"

    def changes(self, body: ir.Body) -> dict[Location, None]:
        return {x: None for s in body for x in self._changed(s)}

    def _find_changed(self, s: ir.Stmt) -> tuple[ir.Symbol, ...]:
        own = (x for x in self.effects.writes(s) if isinstance(x, ir.Symbol))
        inner = (x for nested in bodies(s) for each in nested for x in self._changed(each))
        return tuple(dict.fromkeys(chain(own, inner)))

    # -- declarations and loops

    def declare(self, s: ir.Declare) -> Parts:
        if s.symbol.storage != "shared":
            return super().declare(s)
        self.shared[s.symbol] = s.span
        return [], []

    def loop(self, s: ir.For | ir.While) -> Parts:
        met = None if self.uniform.uniform_loop(s) else exchanges_among_changing_lanes(s)
        if met is not None:
            raise UnsupportedError(
                "a shuffle among some lanes, in a loop that may run longer in some threads than in others",
                met.span,
                "let all lanes run the loop equally often, with a condition around the rest of its body",
            )
        if _changes_shared(s, self.effects) or (not self.regions[-1].registers and _has_barrier(s.body)):
            return tape(self, s)
        return recompute(self, s, self.plain)

    def plain(self, body: ir.Body) -> ir.Body:
        """The body as the forward part executes it: without effects outside the block."""
        return map_body(lambda s: None if self.drops(s) else s, body)

    def drops(self, s: ir.Stmt) -> bool:
        """Whether the forward part leaves the statement out: its effect is outside the block, or in a declaration
        that stands at the top."""
        match s:
            case ir.Assign(target=target) | ir.Update(target=target):
                return self.is_global(target)
            case ir.Call(function=name, args=args) if callees.kind(name) == "atomic":
                return self.is_global(cell_at(args[0]))
            case ir.Call(function=name):
                return callees.kind(name) in ("output", "fence")
            case ir.Declare(symbol=symbol):
                return symbol.storage == "shared"
        return False

    # -- stores and increments

    def store(self, s: ir.Assign | ir.Update) -> Parts:
        if self.is_global(s.target):
            return [], self.adjoint(s)
        forward, reverse = self.overwrite(s)
        if root_symbol(s.target) in self.cleared and self.is_active(s.target) and isinstance(s, ir.Assign):
            own = self.shadow_place(s.target)
            forward = [*forward, ir.Assign(own, zero(own.type, s.span), span=s.span)]
        return forward, reverse

    def save(self, place: ir.Place, span: Span) -> Parts:
        forward, restore = super().save(place, span)
        if self._space(place) == "shared":
            held = (s.slot if isinstance(s, ir.Push) else root_symbol(s.target) for s in forward if _keeps(s))
            self.shared_saves.update(x for x in held if x is not None)
        return forward, restore

    def take(self, place: ir.Place, own: ir.Place, clears: bool, span: Span) -> tuple[list[ir.Stmt], ir.Expr]:
        """In one atomic step where another thread may have stored to the same cell."""
        if not clears or self._space(place) == "local":
            return super().take(place, own, clears, span)
        seed = self.names.seed(own.type, span)
        cell = ir.AddressOf(own, Pointer(own.type), span=span)
        taken = operations.take(cell, span=span)
        return [ir.Declare(seed, taken, span=span)], ir.Var(seed, span=span)

    def accumulate(self, place: ir.Place, value: ir.Expr, span: Span) -> list[ir.Stmt]:
        own = self.shadow_place(place)
        if self._space(place) == "local":
            if isinstance(value, ir.Unary) and value.op == "-":
                return [ir.Update("-", own, value.operand, span=span)]
            return [ir.Update("+", own, value, span=span)]
        cell = ir.AddressOf(own, Pointer(own.type), span=span)
        return [ir.Call("atomicAdd", (cell, value), span=span)]

    # -- calls

    def call(self, s: ir.Call) -> Parts:
        name = s.function
        if stores_results(name):
            if any(self.is_global(cell_at(a)) for a in s.args if isinstance(a.type, Pointer)):
                raise UnsupportedError(f"{name} stores to global memory", s.span, "let it store to a local variable")
            return reverse_call(self, s)
        callee = callees.find(name)
        if callee.kind == "atomic":
            return self._atomic(s, callee.pullback)
        match callee.pullback:
            case Inactive() if callee.kind in ("output", "fence"):
                return [], []
            case Mirrored():
                return [s], [s]
            case Restored(behind=barrier):
                save, restore = self._result_saved(s)
                return [*save, s], [*([ir.Call(barrier, (), span=s.span)] if barrier else []), *restore]
            case Transposed() as transposed:
                save, restore = self._result_saved(s)
                return [*save, s], [*restore, *warp.adjoint(self, s, transposed)]
        raise UnsupportedError(f"'{name}' in a kernel cannot be reversed", s.span, "see the table of supported calls")

    def _result_saved(self, s: ir.Call) -> Parts:
        assert s.result is not None
        return self.save(s.result, s.span)

    def _atomic(self, s: ir.Call, pullback: Pullback) -> Parts:
        """`p += v`: v̄ += p̄.  Atomics that do not add leave derivatives alone, and must not touch active memory."""
        place = cell_at(s.args[0])
        space = self._space(place)
        if space == "local":
            raise UnsupportedError(f"{s.function} on a local variable", s.span, "use a plain update")
        active = self.is_active(place) and isinstance(place.type, Float)
        if active and (not isinstance(pullback, Adds) or s.result is not None):
            what = "its old value is used" if s.result is not None else "it has no derivative here"
            raise UnsupportedError(
                f"{s.function} on active memory: {what}",
                s.span,
                "use atomicAdd without its result, or reduce in two steps",
            )
        forward: list[ir.Stmt] = []
        reverse: list[ir.Stmt] = []
        if space == "shared":
            save, restore = self.save(s.result, s.span) if s.result is not None else ([], [])
            forward = [*save, s]
            reverse = [operations.lost(s.args[0], span=s.span), *restore]
        if active and isinstance(pullback, Adds):
            taken, seed = super().take(place, self.shadow_place(place), False, s.span)
            signed = negated(seed) if pullback.sign < 0 else seed
            reverse += [*taken, *pull(self, s.args[1], signed, s.span)]
        return forward, reverse

    def launch(self, s: ir.Launch) -> Parts:
        raise UnsupportedError("a kernel that launches a kernel", s.span, "launch it from the host")


def _keeps(s: ir.Stmt) -> TypeGuard[ir.Push | ir.Assign]:
    return isinstance(s, ir.Push | ir.Assign)


def may_be_taped(loop: ir.For | ir.While, effects: Effects) -> bool:
    """Whether the engine may tape a loop instead of recomputing it."""
    return _changes_shared(loop, effects) or _has_barrier(loop.body)


def _changes_shared(loop: ir.For | ir.While, effects: Effects) -> bool:
    return any(isinstance(x, ir.Symbol) and x.storage == "shared" for x in effects.written(loop.body))


def _has_barrier(body: ir.Body) -> bool:
    return any(callees.calls(s, "barrier") for s in walk_stmts(body))
