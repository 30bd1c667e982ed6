"""Memory operations and their tangents: each action of `memops/table.py`, the same on the shadows.

| action   | beside the operation                                                                     |
|----------|------------------------------------------------------------------------------------------|
| allocate | a zeroed shadow, allocated alike                                                          |
| free     | the shadow is freed too: a function that owns what it is given owns its tangent           |
| copy     | the shadow is copied alike; from what has none, the destination's is set to zero          |
| fill     | the shadow is set to zero                                                                 |
| symbol   | a zeroed shadow for the call; the variable itself has its value again when the call ends  |

A tangent is a program of CUDA's own operations, so it can be differentiated like any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.analysis.memory_calls import operands, size_of_call
from hetad.analysis.pointer_expressions import out_place
from hetad.analysis.pointers import Root
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.memory import common_type, freed_memory, kept_in, whole_numbers
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import address_of, copy_kind, integer, succeeded, var
from hetad.ir.types import SIZE_T, VOID, Pointer, size_of
from hetad.ir.visit import variables
from hetad.memops.operation import MemoryOperation
from hetad.memops.table import HOST_TABLE
from hetad.rules import operations

if TYPE_CHECKING:
    from hetad.tangent.engine import Statements
    from hetad.tangent.host import HostEngine

_OUT = Pointer(Pointer(VOID))
_TO_HOST = (0, 2)  # kinds of copies


class MemoryTangents:
    """`opening`, `closing`: what stands at the begin and the end of the function."""

    def __init__(self, engine: HostEngine) -> None:
        self.engine = engine
        self.opening: list[ir.Stmt] = []
        self.closing: list[ir.Stmt] = []
        roots = engine.pointers.heap_roots.items()
        tables = {root for s, root in roots if isinstance(s, ir.Call) and s.function == HOST_TABLE}
        self.released = frozenset() if engine.again else frozenset(tables)

    def operation(self, s: ir.Call, row: MemoryOperation) -> Statements:
        match row.action:
            case "allocate":
                return self._allocate(s, row)
            case "symbol":
                return self._symbol(s)
            case "free":
                return self._free(s)
            case "copy":
                return self._copy(s, row)
            case "fill":
                return self._fill(s, row)
            case "inert" | "text" | "exit":
                stored = (out_place(s.args[i]) for i in sorted(row.positions("store", "updated", "dst")))
                constants = [z for place in (s.result, *stored) for z in self.engine.constant(place)]
                return [s, *constants]
        raise UnsupportedError(f"'{s.function}' has no tangent", s.span, "see the table of supported calls")

    # -- the actions

    def _allocate(self, s: ir.Call, row: MemoryOperation) -> Statements:
        place, out = kept_in(s), row.position("out")
        if row.of_table:
            return [x for p in (place, *self._shadows(place)) for x in self._table(s, p)]
        if self.engine.asks_sizes:
            return self._known(s, row, place)
        found: Statements = [s]
        for shadow in self._shadows(place):
            if out is None:
                one = integer(1, s.span, SIZE_T)
                found.append(ir.Call("calloc", (one, size_of_call(s)), shadow, span=s.span))
                continue
            args = tuple(_as_out(shadow) if i == out else a for i, a in enumerate(s.args))
            found.append(replace(s, args=args, result=None))
            # Of managed memory, which the host may use at once, by the host: a fill by the device may come later.
            found.append(self._zeros(shadow, size_of_call(s), on_host=row.space != "device", span=s.span))
        return found

    def _known(self, s: ir.Call, row: MemoryOperation, place: ir.Place) -> Statements:
        """Memory that the run time knows of."""
        found: Statements = []
        size = size_of_call(s)
        for p in (place, *self._shadows(place)):
            zeroed = row.zeroed or p is not place or row.space == "managed"
            allocation = operations.ALLOCATION[row.space, zeroed]
            if row.space == "host":
                found.append(allocation(size, result=p, span=s.span))
                continue
            status = s.result if p is place else None
            found.append(allocation(address_of(p), size, result=status, span=s.span))
        return [*found, *(succeeded(s) if row.space == "host" and row.position("out") is not None else [])]

    def _shadows(self, place: ir.Place) -> list[ir.Place]:
        """Of a place that holds a pointer, where what it points to has some."""
        active = self.engine.one.is_active_pointer(place)
        return [d.shadow_place(place) for d in self.engine.directions] if active else []

    def _table(self, s: ir.Call, place: ir.Place) -> Statements:
        """Memory of which the run time makes copies on the device: it must know its size."""
        if self.engine.again:
            return [replace(s, args=(_as_out(place), s.args[1]), result=None), *succeeded(s)]
        allocated = operations.ALLOCATION["host", True](s.args[1], result=place, span=s.span)
        return [allocated, *succeeded(s)]

    def _symbol(self, s: ir.Call) -> Statements:
        place = out_place(s.args[0])
        assert place is not None
        span, size = s.span, ir.Const(size_of(next(variables(s.args[1])).type), SIZE_T, span=s.span)
        kept = self.engine.names.symbol("symbol_entry", place.type, span)
        known = self.engine.asks_sizes
        own = operations.symbol_address(*s.args, size, result=s.result, span=span) if known else s
        found: Statements = [own, *self._device(var(kept, span), size, span)]
        self.opening.append(ir.Declare(kept, None, span=span))
        found.append(_copied(var(kept, span), place, size, span))
        self.closing += [_copied(place, var(kept, span), size, span), _call("cudaFree", span, var(kept, span))]
        if self.engine.one.is_active_pointer(place):
            for d in self.engine.directions:
                shadow = d.shadow_place(place)
                if known:
                    found.append(operations.device_zeros(address_of(shadow), size, span=span))
                    self.closing.append(operations.release(shadow, span=span))
                    continue
                found += [*self._device(shadow, size, span), self._zeros(shadow, size, on_host=False, span=span)]
                self.closing.append(_call("cudaFree", span, shadow))
        return found

    def _free(self, s: ir.Call) -> Statements:
        pointer, targets = freed_memory(s, self.engine.pointers)
        active = self.engine.one.is_active_pointer(pointer)
        shadows = [d.shadow_pointer(pointer) for d in self.engine.directions] if active else []
        own = any(isinstance(t, Root) and t.heap for t in targets)  # what else it leads to, no release takes
        if (self.engine.asks_sizes and own) or not self.released.isdisjoint(targets):
            return [*(operations.release(x, span=s.span) for x in (*shadows, pointer)), *succeeded(s)]
        if self.engine.asks_sizes:
            return [*(operations.release(x, span=s.span) for x in shadows), s]
        return [*(replace(s, args=(x, *s.args[1:]), result=None) for x in shadows), s]

    def _copy(self, s: ir.Call, row: MemoryOperation) -> Statements:
        given, engine = operands(s), self.engine
        dst, src = bare(given["dst"]), bare(given["src"])
        if not engine.one.is_active_pointer(dst):
            return [s]
        if not engine.one.is_active_pointer(src):
            # In front: a copy waits for what the device was told before, a fill does not.
            return [*self._cleared(s, dst, on_host=self._on_host(s, row, dst)), s]
        if engine.holds_numbers(dst) or engine.holds_numbers(src):
            common_type(engine.pointers, s, dst, src)
        size = size_of_call(s)
        copies: Statements = [c for end in (dst, src) for c in whole_numbers(engine.pointers, s, end, size)]
        for d in engine.directions:
            ends = {"dst": d.shadow_pointer(dst), "src": d.shadow_pointer(src)}
            args = tuple(ends.get(role, a) for role, a in zip(row.roles, s.args, strict=True))
            copies.append(replace(s, args=args, result=None))
        return [*copies, s]

    def _on_host(self, s: ir.Call, row: MemoryOperation, dst: ir.Expr) -> bool:
        given = operands(s).get("kind")
        if given is None:
            return row.space == "host"
        kind = literal(given)
        if kind in (0, 1, 2, 3):
            return kind in _TO_HOST
        return self.engine.spaces.behind(dst) == "host"

    def _fill(self, s: ir.Call, row: MemoryOperation) -> Statements:
        dst = bare(operands(s)["dst"])
        if not self.engine.one.is_active_pointer(dst):
            return [s]
        return [*self._cleared(s, dst, on_host=row.space == "host"), s]

    # -- parts

    def _cleared(self, s: ir.Call, dst: ir.Expr, *, on_host: bool) -> Statements:
        """The shadows of what the operation overwrites are zero."""
        given = operands(s)
        if "height" not in given:
            size = size_of_call(s)
            checks = whole_numbers(self.engine.pointers, s, dst, size)
            shadows = (d.shadow_pointer(dst) for d in self.engine.directions)
            return [*checks, *(self._zeros(x, size, on_host=on_host, span=s.span) for x in shadows)]
        if on_host:
            raise UnsupportedError(
                "rows of constants are copied to active host memory", s.span, "copy them with one memcpy for each row"
            )
        return [
            _call("cudaMemset2D", s.span, d.shadow_pointer(dst), given["to_pitch"], integer(0, s.span), given["bytes"],
                  given["height"])
            for d in self.engine.directions
        ]  # fmt: skip

    def _zeros(self, pointer: ir.Expr, size: ir.Expr, *, on_host: bool, span: Span) -> ir.Stmt:
        return _call("memset" if on_host else "cudaMemset", span, pointer, integer(0, span), size)

    def _device(self, place: ir.Place, size: ir.Expr, span: Span) -> Statements:
        return [_call("cudaMalloc", span, _as_out(place), size)]


def _call(name: str, span: Span, *args: ir.Expr) -> ir.Stmt:
    return ir.Call(name, args, span=span)


def _copied(dst: ir.Expr, src: ir.Expr, size: ir.Expr, span: Span) -> ir.Stmt:
    return _call("cudaMemcpy", span, dst, src, size, copy_kind(3, span))


def _as_out(place: ir.Place) -> ir.Expr:
    return ir.Cast(address_of(place), _OUT, implicit=True, span=place.span)
