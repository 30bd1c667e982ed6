"""The reverse engine inside a kernel.

Global memory is shared by all threads: it is never written in the forward part (see `device/memory.py`), and its
adjoint is updated atomically unless a proof allows less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hetad.adjoint.control import recompute
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.expressions import pull
from hetad.adjoint.names import Names, negate, zero
from hetad.analysis.effects import ATOMICS, OUTPUT_ONLY, Effects
from hetad.analysis.exclusive import ThreadMap
from hetad.analysis.pointers import Location, Root
from hetad.diagnostics import Span, UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import INT, Float, Pointer
from hetad.ir.visit import map_body

TAKE = "hetad_take_"


class KernelEngine(Engine):
    def __init__(
        self,
        names: Names,
        effects: Effects,
        active: Iterable[Location],
        sources: Mapping[str, str],
        threads: ThreadMap,
    ) -> None:
        super().__init__(names, effects, active, sources)
        self.threads = threads

    def changes(self, body: ir.Body) -> dict[Location, None]:
        return {x: None for x in self.effects.written(body) if isinstance(x, ir.Symbol)}

    def loop(self, s: ir.For | ir.While) -> Parts:
        return recompute(self, s, self.plain)

    def plain(self, body: ir.Body) -> ir.Body:
        """The body as the forward part executes it: without effects outside the thread."""

        return map_body(lambda s: None if self.drops(s) else s, body)

    def drops(self, s: ir.Stmt) -> bool:
        """Whether the forward part leaves the statement out: its effect is outside the thread."""
        if isinstance(s, ir.Assign | ir.Update):
            return self._is_global(s.target)
        return isinstance(s, ir.Call) and (s.function in OUTPUT_ONLY or s.function in ATOMICS)

    def store(self, s: ir.Assign | ir.Update) -> Parts:
        if not self._is_global(s.target):
            return self.overwrite(s)
        if not self.is_active(s.target):
            return [], []
        if not isinstance(s.target.type, Float):
            return [], self.adjoint(s)
        return [], [*self._take(s), *self._seeded(s)]

    def _take(self, s: ir.Assign | ir.Update) -> list[ir.Stmt]:
        """t = p̄; p̄ = 0, in one atomic step where another thread may store to the same cell."""
        own = self.shadow_place(s.target)
        seed = self.names.symbol("seed", s.target.type, s.span, const=True)
        self._seed = ir.Var(seed, span=s.span)
        if isinstance(s, ir.Update):
            return [ir.Declare(seed, own, span=s.span)]
        if self.threads.exclusive(s.target):
            return [ir.Declare(seed, own, span=s.span), ir.Assign(own, zero(own.type, s.span), span=s.span)]
        cell = ir.AddressOf(own, Pointer(own.type), span=s.span)
        return [ir.Declare(seed, ir.Intrinsic(f"{TAKE}{own.type}", (cell,), own.type, span=s.span), span=s.span)]

    def _seeded(self, s: ir.Assign | ir.Update) -> list[ir.Stmt]:
        seed: ir.Expr = self._seed
        return pull(self, s.value, negate(seed) if isinstance(s, ir.Update) and s.op == "-" else seed, s.span)

    def accumulate(self, place: ir.Place, value: ir.Expr, span: Span) -> list[ir.Stmt]:
        own = self.shadow_place(place)
        if isinstance(place, ir.Var) or not self._is_global(place) or self.threads.exclusive_increment(place):
            if isinstance(value, ir.Unary) and value.op == "-":
                return [ir.Update("-", own, value.operand, span=span)]
            return [ir.Update("+", own, value, span=span)]
        cell = ir.AddressOf(own, Pointer(own.type), span=span)
        return [ir.Call("atomicAdd", (cell, value), span=span)]

    def call(self, s: ir.Call) -> Parts:
        if s.function in OUTPUT_ONLY:
            return [], []
        if s.function in ATOMICS and s.result is None:
            target = s.args[0]
            places = self.pointers.targets(target)
            if not all(isinstance(x, Root) for x in places):
                raise UnsupportedError(f"{s.function} on local memory", s.span, "use a plain update")
            if not any(x in self.active for x in places) or not isinstance(s.args[1].type, Float):
                return [], []
            place = ir.Index(target, ir.Const(0, INT, span=s.span), s.args[1].type, span=s.span)
            if isinstance(target, ir.AddressOf):
                place = target.place  # type: ignore[assignment]
            seed = self.names.symbol("seed", s.args[1].type, s.span, const=True)
            held: ir.Expr = ir.Var(seed, span=s.span)
            signed = negate(held) if s.function == "atomicSub" else held
            return [], [ir.Declare(seed, self.shadow_place(place), span=s.span), *pull(self, s.args[1], signed, s.span)]
        raise UnsupportedError(f"'{s.function}' in a kernel cannot be reversed", s.span, "see the table of supported calls")

    def launch(self, s: ir.Launch) -> Parts:
        raise UnsupportedError("a kernel that launches a kernel", s.span, "launch it from the host")

    def _is_global(self, place: ir.Expr) -> bool:
        found = self.pointers.storage(place)
        shared = [isinstance(x, Root) for x in found]
        if any(shared) and not all(shared):
            raise UnsupportedError(
                "this pointer may reach global memory and a local variable", place.span, "use two pointers"
            )
        return any(shared)

