"""Memory operations, reversed: each action of `memops/table.py` with its forward and reverse statements.

| action   | forward                              | reverse                                                   |
|----------|--------------------------------------|-----------------------------------------------------------|
| allocate | allocate, and a zeroed shadow        | release both                                              |
| free     | nothing: the reverse sweep needs it  | nothing: the allocation's reverse releases                |
| copy     | save the destination, copy           | restore; adj_src += adj_dst the other way; adj_dst = 0     |
| fill     | save the range, fill                 | restore; adj_dst = 0                                      |
| text     | save the whole memory, write         | restore                                                   |

An argument that the program frees stays: it is the caller's.  What is freed in a loop that allocates serves later
allocations: its contents are saved, and the reverse sweep takes the memory again, at its address, restores it, and has
a zero adjoint.  The same where an allocation comes later and the contents need not be saved.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.adjoint.shadows import wide
from hetad.analysis.memory_calls import allocated, freed, operands, size_of_call, stored_at
from hetad.analysis.pointer_expressions import holds_pointer, out_place
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import UnsupportedError
from hetad.frontend.quote import Quote
from hetad.host.devices import kept_state
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, literal
from hetad.ir.build import address_of, convert, copy_kind, integer, succeeded
from hetad.ir.types import (
    FLOAT,
    HALF,
    SIZE_T,
    Array,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    Void,
    holds_numbers,
    innermost,
    is_half,
    size_of,
    widened,
)
from hetad.ir.visit import variables
from hetad.memops.operation import MemoryOperation
from hetad.rules import operations

if TYPE_CHECKING:
    from hetad.adjoint.engine import Parts
    from hetad.host.engine import HostEngine


_EXTENT = Quote("height > 0 ? (height - 1) * pitch + width : 0")


class MemoryAdjoints:
    def __init__(self, engine: HostEngine, spaces: Spaces) -> None:
        self.engine = engine
        self.spaces = spaces

    def operation(self, s: ir.Call, row: MemoryOperation) -> Parts:
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
            case "text":
                (written,) = row.positions("dst", "updated")
                save, restore = self.written(s, s.args[written])
                return [*save, s], restore
        return self._inert(s, row)

    def _inert(self, s: ir.Call, row: MemoryOperation) -> Parts:
        """Repeated in the forward sweep; what it stores is a new value of the variable."""
        forward: list[ir.Stmt] = []
        reverse: list[ir.Stmt] = []
        for i in sorted(row.positions("store", "updated")):
            place = out_place(s.args[i])
            if place is None and isinstance(bare(s.args[i]), ir.Const):
                continue
            if place is None:
                assert row.stores is not None
                size = ir.Const(size_of(row.stores), SIZE_T, span=s.span)
                save, restore = self.save_range(s, bare(s.args[i]), size)
            else:
                save, restore = self.engine.save(place, s.span)
            forward += save
            reverse = [*restore, *reverse]
        keep, back = kept_state(s)
        return [*keep, *forward, s], [*reverse, *back]

    def written(self, s: ir.Call, arg: ir.Expr) -> Parts:
        """Saves what a call writes through an argument: a number, or a text, of which only the memory is known."""
        pointer, place = bare(arg), out_place(arg)
        if place is not None and isinstance(place.type, Int | Float) and size_of(place.type) > 1:
            return self.engine.save(place, s.span)
        targets = self.engine.pointers.targets(pointer)
        forward: list[ir.Stmt] = []
        reverse: list[ir.Stmt] = []
        for variable in (t for t in targets if isinstance(t, ir.Symbol)):
            save, restore = self.engine.save(ir.Var(variable, span=s.span), s.span)
            forward, reverse = [*forward, *save], [*restore, *reverse]
        if targets and not forward:
            slot = self.engine.names.symbol("text_kept", pointer.type, s.span)
            forward = [ir.Push(slot, pointer, "allocation", span=s.span)]
            reverse = [ir.Pop(slot, pointer, "allocation", span=s.span)]
        elif not all(isinstance(t, ir.Symbol) for t in targets) or not targets:
            raise UnsupportedError(
                f"'{s.function}' writes where the size is not known", arg.span, "give it a local array or a variable"
            )
        return forward, reverse

    def _allocate(self, s: ir.Call, row: MemoryOperation) -> Parts:
        place, size = kept_in(s), size_of_call(s)
        # call() has saved a returned pointer already; one stored through an argument is saved here.
        save, restore = self.engine.save(place, s.span) if stored_at(s) is not None else ([], [])
        forward = [*save, self._obtain(s, row, place, size, zeroed=row.zeroed), *self._succeeded(s, row)]
        reverse: list[ir.Stmt] = []
        if self.engine.is_active_pointer(place):
            shadow = self.engine.shadow_place(place)
            more, undo = self.engine.save(shadow, s.span)
            forward += [*more, self._obtain(s, row, shadow, self._own(place, size), zeroed=True, shadow=True)]
            reverse += [operations.release(shadow, span=s.span), *undo]
        return forward, [*reverse, operations.release(place, span=s.span), *restore]

    def _obtain(
        self, s: ir.Call, row: MemoryOperation, place: ir.Place, size: ir.Expr, zeroed: bool, shadow: bool = False
    ) -> ir.Stmt:
        allocation = operations.ALLOCATION[row.space, zeroed or row.space == "managed"]
        if row.space == "host":
            return allocation(size, result=place, span=s.span)
        out = ir.AddressOf(place, Pointer(place.type), span=s.span)
        return allocation(out, size, result=None if shadow else s.result, span=s.span)

    def _succeeded(self, s: ir.Call, row: MemoryOperation) -> list[ir.Stmt]:
        """The status of an allocation in host memory, which fails only with the whole call."""
        return succeeded(s) if row.space == "host" and row.position("out") is not None else []

    def _own(self, pointer: ir.Expr, size: ir.Expr) -> ir.Expr:
        """As many bytes of the shadow."""
        return of_shadow(self.engine.pointers, pointer, size)

    def _symbol(self, s: ir.Call) -> Parts:
        """The address of a device variable, with a zeroed shadow, and its contents saved as on entry."""
        place = out_place(s.args[0])
        assert place is not None
        symbol = next(variables(s.args[1]))
        size = ir.Const(size_of(symbol.type), SIZE_T, span=s.span)
        found = operations.symbol_address(*s.args, size, span=s.span)
        name = place.symbol.name if isinstance(place, ir.Var) else "symbol"
        slot = self.engine.names.symbol(f"{name}_entry", place.type, s.span, "entry")
        forward: list[ir.Stmt] = [found, ir.Push(slot, place, "allocation", span=s.span)]
        reverse: list[ir.Stmt] = [ir.Pop(slot, place, "allocation", span=s.span)]
        if self.engine.is_active_pointer(place):
            shadow = self.engine.shadow_place(place)
            forward.append(operations.device_zeros(address_of(shadow), self._own(place, size), span=s.span))
            reverse.insert(0, operations.release(shadow, span=s.span))
        return forward, reverse

    def _free(self, s: ir.Call) -> Parts:
        pointer, targets = freed_memory(s, self.engine.pointers)
        # What may be the caller's, or a variable's, is asked before the memory is set aside.
        given = any(isinstance(t, ir.Symbol) or not t.heap for t in targets)
        check, done = [operations.freed(pointer, span=s.span)] if given else [], succeeded(s)
        must = self.engine.allocates_around()
        own = not targets or any(isinstance(t, Root) and t.heap for t in targets)
        if not own or (not must and not self.engine.allocates_later(s)):
            return [*check, *done], []
        if isinstance(pointer.type, Pointer) and pointer.type.const:
            pointer = ir.Cast(pointer, Pointer(pointer.type.to), span=s.span)
        forward, reverse = self._retire(s, pointer)
        if not must:
            self.engine.frees.append((*forward, *reverse))
        return [*check, *forward, *done], reverse

    def _retire(self, s: ir.Call, pointer: ir.Expr) -> Parts:
        """Memory that is given to later allocations; its contents are saved like those overwritten."""
        save, restore = self._save_allocation(s, pointer)
        forward = [*save, operations.retire(pointer, span=s.span)]
        reverse: list[ir.Stmt] = [operations.revive(pointer, span=s.span), *restore]
        if not self.engine.is_active_pointer(pointer):
            return forward, reverse
        shadow = self.engine.shadow_pointer(pointer)
        points = self.engine.pointers
        if any(points.held(t) for t in points.targets(pointer)):  # the shadow holds shadows of pointers
            save, restore = self._save_allocation(s, shadow)
            again: list[ir.Stmt] = [operations.revive(shadow, span=s.span), *restore]
        else:
            save, again = [], [operations.revive_zeros(shadow, span=s.span)]
        return [*forward, *save, operations.retire(shadow, span=s.span)], [*again, *reverse]

    def _save_allocation(self, s: ir.Stmt, pointer: ir.Expr) -> Parts:
        slot = self.engine.names.symbol("freed_kept", pointer.type, s.span)
        return (
            [ir.Push(slot, pointer, "allocation", span=s.span)],
            [ir.Pop(slot, pointer, "allocation", span=s.span)],
        )

    def _copy(self, s: ir.Call, row: MemoryOperation) -> Parts:
        given = operands(s)
        dst, src, size = bare(given["dst"]), bare(given["src"]), given["bytes"]
        rows = "height" in given
        save, restore = self.save_range(s, dst, self._extent(s) if rows else size)
        if self._moves_pointers(dst, src):
            more, undo = self._with_shadows(s, row, (dst, src))
            return [*save, s, *more], [*undo, *restore]
        reverse = [*restore, *self.flush(dst)]
        if self.engine.is_active_pointer(dst) and rows:
            reverse += self._whole(s, (dst, src), size)
            reverse.append(self._rows_pullback(s, dst, src))
        elif self.engine.is_active_pointer(dst):
            own = self.engine.shadow_pointer(dst)
            reverse += self._whole(s, (dst, src), size)
            if self.engine.is_active_pointer(src):
                held = common_type(self.engine.pointers, s, dst, src)
                within = integer(3 * (row.space == "device"), s.span)
                to = Pointer(widened(held))
                ends = (as_pointer(own, to), as_pointer(self.engine.shadow_pointer(src), to))
                kind = self._kind(given["kind"], dst, src, ends) if "kind" in given else within
                size = self._own(dst, size)
                if row.overlap:
                    reverse.append(operations.move_pullback(*ends, size, span=s.span))
                else:
                    reverse.append(operations.copy_pullback(*ends, size, kind, span=s.span))
            else:
                reverse.append(operations.clear(own, self._own(dst, size), self._on_device(dst, own), span=s.span))
        return [*save, s], reverse

    def _rows_pullback(self, s: ir.Call, dst: ir.Expr, src: ir.Expr) -> ir.Stmt:
        roles = operands(s)
        own, extent = self.engine.shadow_pointer(dst), (roles["bytes"], roles["height"])
        if self._own(dst, extent[0]) is not extent[0]:
            raise UnsupportedError("rows of active numbers of 16 bits are copied", s.span, "copy row by row")
        if not self.engine.is_active_pointer(src):
            where = self._on_device(dst, own)
            return operations.clear_rows(own, roles["to_pitch"], *extent, where, span=s.span)
        held = common_type(self.engine.pointers, s, dst, src)
        to, into = (as_pointer(end, Pointer(held)) for end in (own, self.engine.shadow_pointer(src)))
        kind = self._kind(roles["kind"], dst, src, (to, into))
        args = (to, roles["to_pitch"], into, roles["from_pitch"], *extent, kind)
        return operations.rows_pullback(*args, span=s.span)

    def _kind(self, given: ir.Expr, dst: ir.Expr, src: ir.Expr, ends: tuple[ir.Expr, ir.Expr]) -> ir.Expr:
        """That of a copy's adjoint, between the adjoints `ends`: which side is which is said, where it is known."""
        if literal(given) in range(4):
            return given
        to, from_ = self.spaces.behind(dst), self.spaces.behind(src)
        if to is None or from_ is None:
            return operations.copy_kind(*ends, given, span=given.span)
        return copy_kind(2 * (from_ != "host") + (to != "host"), given.span)

    def _on_device(self, dst: ir.Expr, own: ir.Expr) -> ir.Expr:
        """Whether the adjoint `own` of memory lies on the device, as that does."""
        space = self.spaces.behind(dst)
        if space is None:
            return operations.on_device(own, span=own.span)
        return integer(int(space != "host"), own.span)

    def _extent(self, s: ir.Call) -> ir.Expr:
        """The bytes from the first row's start to the last one's end."""
        roles = operands(s)
        return _EXTENT.value(s.span, height=roles["height"], pitch=roles["to_pitch"], width=roles["bytes"])

    def _moves_pointers(self, *ends: ir.Expr) -> bool:
        """Whether pointers to active memory lie at one of these places."""
        return any(self.engine.is_active_pointer(end) and holds_pointer(_element(end)) for end in ends)

    def _with_shadows(self, s: ir.Call, row: MemoryOperation, ends: tuple[ir.Expr, ...]) -> Parts:
        """The same on the shadows, whose pointers lead to shadows: for a copy or a fill of pointers in host memory."""
        if row.once:
            raise UnsupportedError("pointers to active memory are read from a file", s.span, "assign them one by one")
        if row.space == "device" or any(holds_numbers(_element(end)) for end in ends):
            raise UnsupportedError(
                "pointers to active memory are copied or set as bytes, in device memory or beside numbers",
                s.span,
                "assign them one by one",
            )
        inactive = [end for end in ends if not self.engine.is_active_pointer(end)]
        if inactive:
            raise UnsupportedError(
                "pointers to active memory are copied from or to untyped bytes", s.span, "assign them one by one"
            )
        shadows = tuple(self.engine.shadow_pointer(end) for end in ends)
        save, restore = self.save_range(s, shadows[0], size_of_call(s))
        return [*save, replace(s, args=(*shadows, *s.args[len(ends) :]), result=None)], restore

    def flush(self, dst: ir.Expr) -> list[ir.Stmt]:
        """A scalar variable that is written through its address may have a cell on the device."""
        targets = self.engine.pointers.targets(dst)
        return [f for t in targets if isinstance(t, ir.Symbol) for f in self.engine.flush(t, dst.span)]

    def _fill(self, s: ir.Call, row: MemoryOperation) -> Parts:
        given = operands(s)
        dst, size, rows = bare(given["dst"]), size_of_call(s), "height" in given
        save, restore = self.save_range(s, dst, self._extent(s) if rows else size)
        if self._moves_pointers(dst):
            more, undo = self._with_shadows(s, row, (dst,))
            return [*save, s, *more], [*undo, *restore]
        clear: list[ir.Stmt] = []
        if self.engine.is_active_pointer(dst):
            own = self.engine.shadow_pointer(dst)
            where = self._on_device(dst, own)
            clear = [*self._whole(s, (dst,), size), operations.clear(own, self._own(dst, size), where, span=s.span)]
            if rows and self._own(dst, size) is not size:
                raise UnsupportedError("rows of active numbers of 16 bits are set", s.span, "set row by row")
            if rows:
                clear[-1] = operations.clear_rows(own, given["to_pitch"], size, given["height"], where, span=s.span)
        return [*save, s], [*restore, *self.flush(dst), *clear]

    def _whole(self, s: ir.Call, ends: tuple[ir.Expr, ...], size: ir.Expr) -> list[ir.Stmt]:
        active = (e for e in ends if self.engine.is_active_pointer(e))
        return [c for e in active for c in whole_numbers(self.engine.pointers, s, e, size, self._counted(e))]

    def _counted(self, end: ir.Expr) -> ir.Expr | None:
        """The shadow, where it is as long as what it is the shadow of."""
        one = integer(1, end.span, SIZE_T)
        return self.engine.shadow_pointer(end) if self._own(end, one) is one else None

    def save_range(self, s: ir.Stmt, pointer: ir.Expr, size: ir.Expr) -> Parts:
        slot = self.engine.names.symbol("range_kept", pointer.type, s.span)
        return (
            [ir.Push(slot, pointer, "range", size, span=s.span)],
            [ir.Pop(slot, pointer, "range", size, span=s.span)],
        )


def kept_in(s: ir.Call) -> ir.Place:
    """Where an allocation's pointer goes, by which its memory is known further on."""
    place = allocated(s)
    if place is None:
        raise UnsupportedError(f"the memory of this {s.function} is not kept in a variable", s.span, "assign it to one")
    return place


def freed_memory(s: ir.Call, points: PointsTo) -> tuple[ir.Expr, tuple[Location, ...]]:
    """The pointer that a call frees, and what it may lead to."""
    pointer = freed(s)
    assert pointer is not None
    targets = points.targets(pointer)
    local = [t for t in targets if isinstance(t, ir.Symbol)]
    if local and len(local) == len(targets):
        raise UnsupportedError(
            f"'{local[0].name}' is freed here but was not allocated", s.span, "free what an allocation returned"
        )
    return pointer, targets


def whole_numbers(
    points: PointsTo, s: ir.Call, end: ir.Expr, size: ir.Expr, own: ir.Expr | None = None
) -> list[ir.Stmt]:
    """Where an operation counts bytes one by one: a check that these are whole numbers.  Constants are checked here.
    `own`: what is as long, and begins alike."""
    sizes = [size_of(f) for t in points.targets(end) for f in points.floating_types(t)]
    element = _element(end)
    constant = isinstance(element, Float) and isinstance(size, ir.Const)
    if constant and int(size.value) % size_of(element):  # type: ignore[union-attr]
        raise UnsupportedError(
            f"{s.function} of part of a number has no derivative", s.span, "count the bytes of whole numbers"
        )
    width = 1 if isinstance(element, Void) else size_of(element)
    if not sizes or isinstance(element, Struct) or width >= max(sizes):
        return []
    return [
        operations.whole_numbers(
            own if own is not None else end, size, integer(max(sizes), s.span, SIZE_T), span=s.span
        )
    ]


def of_shadow(points: PointsTo, pointer: ir.Expr, size: ir.Expr) -> ir.Expr:
    """The bytes of the shadow of so many bytes behind a pointer: more, where there are numbers of 16 bits."""
    held = {f for t in points.targets(pointer) for f in points.floating_types(t)}
    if not any(map(is_half, held)):
        return size
    element, span = _element(pointer), size.span
    own = wide(element)
    if own == element and all(map(is_half, held)):  # bytes
        element, own = HALF, FLOAT
    elif own == element and not isinstance(element, Float):
        raise UnsupportedError("untyped memory has numbers of 16 bits beside others", span, "give it a type")
    size = convert(size, SIZE_T)
    if size_of(own) % size_of(element):
        size = ir.Binary("/", size, integer(size_of(element), span, SIZE_T), SIZE_T, span=span)
        return ir.Binary("*", size, integer(size_of(own), span, SIZE_T), SIZE_T, span=span)
    times = size_of(own) // size_of(element)
    return size if times == 1 else ir.Binary("*", size, integer(times, span, SIZE_T), SIZE_T, span=span)


def common_type(points: PointsTo, s: ir.Call, dst: ir.Expr, src: ir.Expr) -> Float:
    """The one floating type of what is copied; whole numbers between have zero shadows, and may come along."""
    types = {f for p in (dst, src) for t in points.targets(p) for f in points.floating_types(t)}
    if len(types) == 1:
        return types.pop()
    names = " and ".join(sorted(f"'{t}'" for t in types)) or "unknown type"
    raise UnsupportedError(f"active data of {names} is copied as bytes", s.span, "copy arrays of one floating type")


def as_pointer(pointer: ir.Expr, type_: Pointer) -> ir.Expr:
    same = isinstance(pointer.type, Pointer) and pointer.type.to == type_.to
    decays = isinstance(pointer.type, Array) and pointer.type.of == type_.to
    return pointer if same or decays else ir.Cast(pointer, type_, span=pointer.span)


def _element(pointer: ir.Expr) -> Type:
    return innermost(pointer.type.to if isinstance(pointer.type, Pointer) else pointer.type)
