"""Variables and where they may stand."""

from __future__ import annotations

from dataclasses import replace

from hetad.ir import nodes as ir
from hetad.ir.types import Array, Void
from hetad.ir.verify.rules import Rules, rule
from hetad.ir.visit import variables

# Variables of the C library, which no program declares.
_STREAMS = frozenset({"stdin", "stdout", "stderr"})


class Scopes(Rules):
    @rule(ir.Var)
    def in_scope(self, e: ir.Var) -> bool:
        """A variable is used in the scope of its declaration."""
        return e.symbol in self.setting.declared or e.symbol.name in _STREAMS

    @rule(ir.Declare)
    def declared_once(self, s: ir.Declare) -> bool:
        """A variable is declared again only where its other declaration's scope has ended."""
        return s.symbol not in self.setting.declared

    @rule(ir.Opaque)
    def opaque_declares(self, s: ir.Opaque) -> bool:
        """What text that is not read declares is new."""
        return self.setting.declared.isdisjoint(s.declares)

    @rule(ir.Function)
    def parameters(self, f: ir.Function) -> bool:
        """A function is in the program by its name, and its parameters have names of their own."""
        named = self.setting.program.functions.get(f.name) is f
        return named and len({p.name for p in f.params}) == len(f.params)

    @rule(ir.Declare)
    def storage(self, s: ir.Declare) -> bool:
        """A body declares local, shared and static variables, the shared ones without a value and not on the host."""
        if s.symbol.storage == "shared":
            return s.init is None and self.setting.function.kind != "host"
        return s.symbol.storage in ("local", "static")

    @rule(ir.Declare)
    def complete(self, s: ir.Declare) -> bool:
        """A variable has a type with a size; only that of dynamic shared memory is open."""
        type_ = s.symbol.type
        open_ = isinstance(type_, Array) and type_.length is None
        return not isinstance(type_, Void) and (not open_ or s.symbol.storage == "shared")

    @rule(ir.For)
    def sums_in_scope(self, s: ir.For) -> bool:
        """The sums of a loop are variables from outside of it."""
        return self.setting.declared.issuperset(s.sums)

    @rule(ir.For)
    def primal_in_scope(self, s: ir.For) -> bool:
        """The header of the loop that a loop reverses could stand in its place."""
        if s.primal is None:
            return True
        own = {x.symbol for x in s.primal.init if isinstance(x, ir.Declare)}
        return all(x in own or x in self.setting.declared for x in variables((replace(s.primal, body=()),)))

    @rule(ir.ThreadIndex)
    def threads(self, e: ir.ThreadIndex) -> bool:
        """Threads have numbers on the device only."""
        return self.setting.function.kind != "host"

    @rule(ir.Goto, ir.Label)
    def jumps(self, s: ir.Goto | ir.Label) -> bool:
        """No jumps to labels leave the front end."""
        return False
