"""The memory that a host function works with, as far as it can be looked at: how it is reached, and how much there is.

Memory behind a parameter is reached by a copy of the parameter, whose number of elements the caller tells; that of an
allocation by a copy of the pointer, with the bytes that it has until it is freed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetad.adjoint.structs import floating_leaves
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import allocated, does, freed, size_of_call
from hetad.analysis.pointers import Location, Root
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import Span
from hetad.frontend.quote import Quote
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, integer, var, zero
from hetad.ir.types import LLONG, SIZE_T, Array, Float, Pointer, Struct, Type, holds_numbers, size_of
from hetad.probes.looks import Parameters
from hetad.rules import callees

_LEAVES = 64  # numbers of a variable that is looked at: each has a statement of its own
_KEPT = Quote("kept = (real *)pointer; count = (long long)(bytes / size);")
_FREED = Quote("if ((void *)pointer == (void *)kept) { count = 0; }")


@dataclass(frozen=True, slots=True)
class Reached:
    """Memory behind a pointer: so many elements of the type that the pointer has."""

    name: str
    pointer: ir.Symbol
    count: ir.Symbol
    on_device: bool

    @property
    def element(self) -> Type:
        assert isinstance(self.pointer.type, Pointer)
        return self.pointer.type.to


class Memory:
    """`opening`: what declares the variables; `elements`: by added parameter, that of whose elements it tells."""

    def __init__(
        self, function: ir.Function, effects: Effects, spaces: Spaces, added: Parameters, names: Names
    ) -> None:  # fmt: skip
        self.effects, self.spaces, self.names = effects, spaces, names
        self.opening: list[ir.Stmt] = []
        self.elements: dict[str, str] = {}
        self._reached: dict[Location, Reached] = {}
        self._params = {p.name for p in function.params}
        for p, root in effects.pointers.parameter_roots.items():
            self._parameter(p, root, added)
        for s, root in effects.pointers.heap_roots.items():
            self._allocation(s, root)

    # -- what there is

    def at(self, location: Location) -> Reached | list[ir.Place] | str:
        """How to look at it: as memory, or as so many numbers; or what it is called, where that is not known.  Nothing
        is to be seen of what holds no numbers."""
        if isinstance(location, Root):
            if location in self._reached:
                return self._reached[location]
            return f"'{location.name}'" if self.effects.pointers.floating_types(location) else []
        if not holds_numbers(location.type):
            return []
        leaves = floating_leaves(var(location)) if _is_small(location.type) else []
        outside = location.storage not in ("local", "param")
        return f"'{location.name}'" if outside or not leaves else leaves

    def touched(self, s: ir.Stmt) -> Iterator[Location]:
        return iter(dict.fromkeys((*self.effects.reads(s), *self.effects.writes(s))))

    # -- parameters and allocations

    def _parameter(self, p: ir.Symbol, root: Location, added: Parameters) -> None:
        to = p.type.to if isinstance(p.type, Pointer) else None
        if to is None or not _is_of_numbers(to) or p.name not in self._params:
            return
        count = added.add(f"{p.name}_elements", LLONG)
        self.elements[f"{p.name}_elements"] = p.name
        kept = self.names.symbol(f"{p.name}_given", Pointer(to), p.span)
        self.opening.append(ir.Declare(kept, ir.Cast(var(p), kept.type, span=p.span), span=p.span))
        self._reached[root] = Reached(p.name, kept, count, self.spaces.of(root) == "device")

    def _allocation(self, s: ir.Stmt, root: Root) -> None:
        place = allocated(s)
        to = place.type.to if place is not None and isinstance(place.type, Pointer) else None
        if to is None or not does(s, "allocate") or not root.single or not _is_of_numbers(to):
            return
        kept = self.names.symbol(f"{root.name}_allocated", Pointer(to), s.span)
        count = self.names.symbol(f"{root.name}_elements", LLONG, s.span)
        self.opening += [
            ir.Declare(kept, zero(kept.type, s.span), span=s.span),
            ir.Declare(count, integer(0, s.span, LLONG), span=s.span),
        ]
        self._reached[root] = Reached(root.name, kept, count, self.spaces.of(root) != "host")

    def behind(self, s: ir.Stmt) -> list[ir.Stmt]:
        """What follows an allocation: its memory is zero at first, so that it is the same in all runs."""
        root = self.effects.pointers.heap_roots.get(s)
        place, reached = allocated(s), self._reached.get(root) if root is not None else None
        if place is None or reached is None or not isinstance(s, ir.Call):
            return []
        row = callees.find(s.function).operation
        assert row is not None
        size = convert(size_of_call(s), SIZE_T)
        kept = _KEPT(
            self.names, s.span, kept=reached.pointer, real=reached.element, pointer=place, count=reached.count,
            bytes=size, size=integer(size_of(reached.element), s.span, SIZE_T),
        )  # fmt: skip
        fill = "memset" if row.space == "host" else "cudaMemset"
        zeros = ir.Call(fill, (place, integer(0, s.span), size), span=s.span)
        return [*kept, *([] if row.zeroed else [zeros])]

    def before(self, s: ir.Call) -> list[ir.Stmt]:
        """What comes in front of a free: nothing is left to be seen there."""
        pointer = freed(s)
        if pointer is None:
            return []
        reached = [self._reached[t] for t in self.effects.pointers.targets(pointer) if t in self._reached]
        return [x for r in reached for x in _FREED(self.names, s.span, pointer=pointer, kept=r.pointer, count=r.count)]


def _is_of_numbers(type_: Type) -> bool:
    """Whether all that there is of it is floating numbers, few of them."""
    return isinstance(type_, Float) or (isinstance(type_, Struct) and _is_small(type_) and bool(_leaves(type_)))


def _leaves(type_: Type) -> list[ir.Place]:
    here = Span("", 1, 1)
    return floating_leaves(ir.Var(ir.Symbol("", type_, here), span=here))


def _is_small(type_: Type) -> bool:
    if isinstance(type_, Array) and type_.length is None:
        return False
    return size_of(type_) <= 8 * _LEAVES
