"""What the parts of a host gradient have in common: the function, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hetad.analysis.effects import Effects, KernelEffects, positions_of
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import Span
from hetad.host.symbols import SYMBOL_ADDRESS
from hetad.ir import nodes as ir
from hetad.ir.build import Names
from hetad.ir.types import SIZE_T
from hetad.ir.visit import walk_stmts


@dataclass(frozen=True)
class Setting:
    """`function` is inlined and normalised; `returned` holds its floating return value; `of` is None for that value.
    `summaries`: of all kernels, those too that are made meanwhile."""

    function: ir.Function
    returned: ir.Symbol | None
    names: Names
    pointers: PointsTo
    spaces: Spaces
    effects: Effects
    summaries: dict[str, KernelEffects]
    wrt: tuple[str, ...]
    of: tuple[str, ...] | None

    @property
    def span(self) -> Span:
        return self.function.span

    @cached_property
    def by_name(self) -> dict[str, ir.Symbol]:
        return {p.name: p for p in self.function.params}

    @cached_property
    def written(self) -> dict[Location, None]:
        return self.effects.written(self.function.body)

    @cached_property
    def outputs(self) -> frozenset[str]:
        """The parameters to whose memory the function writes."""
        positions = positions_of(self.function, self.pointers)
        return frozenset(self.function.params[i].name for x in self.written for i in positions.get(x, ()))

    @cached_property
    def symbol_roots(self) -> list[Root]:
        """Device variables at file scope: they outlive the call, and are left as they were."""
        calls = (s for s in walk_stmts(self.function.body) if isinstance(s, ir.Call) and s.function == SYMBOL_ADDRESS)
        return [self.pointers.heap_roots[s] for s in calls if s in self.pointers.heap_roots]

    @cached_property
    def sizes(self) -> dict[ir.Symbol, ir.Symbol]:
        """The parameters that tell how many bytes are behind a pointer parameter, made when they are asked for."""
        return {}

    def bytes_of(self, p: ir.Symbol) -> ir.Expr:
        """How many bytes are behind the pointer parameter `p`."""
        if p not in self.sizes:
            self.sizes[p] = ir.Symbol(self.names.fresh(f"{p.name}_bytes"), SIZE_T, p.span, "param")
        return ir.Var(self.sizes[p], span=self.span)

    def location(self, name: str) -> Location:
        """What a name in `wrt` or `of` stands for."""
        p = self.by_name[name]
        return self.pointers.parameter_roots.get(p, p)
