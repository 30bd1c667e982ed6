"""What a derivative that is differentiated again saves and restores itself (`rules/records.py`), reversed; along
directions see `tangent/records.py`.

| operation       | reverse                                         | beside it, along a direction |
|-----------------|-------------------------------------------------|------------------------------|
| `keep(p)`       | adj_p += the record                             | `keep(dot_p)`, behind it     |
| `recall(p)`     | what p held before; adj_p recorded, and cleared | `recall(dot_p)`, before it   |

A pointer's shadow is kept and recalled like the pointer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from hetad.analysis.pointer_expressions import floating_leaves_of, holds_pointer, out_place, pointer_parts
from hetad.analysis.pointers import PointsTo
from hetad.diagnostics import UnsupportedError
from hetad.host.memory import as_pointer
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import address_of
from hetad.ir.types import Array, Float, Pointer, Struct, Type, element_or_none, holds_numbers, innermost
from hetad.rules import callees, operations, records
from hetad.rules.callee import Recorded

if TYPE_CHECKING:
    from hetad.adjoint.engine import Parts
    from hetad.adjoint.shadows import Shadows
    from hetad.host.engine import HostEngine


def is_record(s: ir.Stmt) -> TypeGuard[ir.Call]:
    """Whether the statement puts something on the record, or takes it back."""
    return isinstance(s, ir.Call) and isinstance(callees.find(s.function).pullback, Recorded)


def reversed_record(engine: HostEngine, s: ir.Call) -> Parts:
    """Both sweeps of such a statement."""
    pointer = recorded(s)
    refuse_structs(engine, s, pointer)
    if is_of_pointers(s):
        return _of_pointers(engine, s, recorded_value(s))
    active = holds_active(engine, s, pointer)
    if operations.does(s, *records.KEPT):
        back = records.KEPT[_operation(s)]
        return [s], [_back(engine, s, pointer, back)] if active else []
    save, restore = _overwritten(engine, s, pointer)
    aside: list[ir.Stmt] = []
    if active:
        own = records.RECALLED[_operation(s)](engine.shadow_pointer(pointer), *s.args[1:], span=s.span)
        aside = [*engine.memory.flush(pointer), own]
    return [*save, s], [*restore, *aside]


def _of_pointers(engine: HostEngine, s: ir.Call, place: ir.Place) -> Parts:
    """Pointers are kept and recalled together with their shadows."""
    forward: list[ir.Stmt] = [s]
    shadows = [engine.shadow_place(place)] if carries(engine, place) else []
    alike = [replace(s, args=(address_of(x), *s.args[1:])) for x in shadows]
    if operations.does(s, *records.KEPT):
        return [*forward, *alike], []
    saves: list[ir.Stmt] = []
    restores: list[ir.Stmt] = []
    for x in (place, *shadows):
        save, restore = engine.save(x, s.span)
        saves += save
        restores = [*restore, *restores]
    return [*saves, *alike, s], restores


def _back(engine: HostEngine, s: ir.Call, pointer: ir.Expr, operation: operations.Act) -> ir.Stmt:
    """The record is added to the adjoint."""
    real = _number(engine.pointers, s, pointer)
    own = as_pointer(engine.shadow_pointer(pointer), Pointer(real))
    return operation(own, *s.args[1:], of=real, span=s.span)


def _overwritten(engine: HostEngine, s: ir.Call, pointer: ir.Expr) -> Parts:
    """What is recalled over is saved."""
    if operations.does(s, records.recall_value):
        return engine.save(recorded_value(s), s.span)
    slot = engine.names.symbol("recalled_kept", pointer.type, s.span)
    if operations.does(s, records.recall_range):
        size = s.args[1]
        return (
            [ir.Push(slot, pointer, "range", size, span=s.span)],
            [ir.Pop(slot, pointer, "range", size, span=s.span)],
        )
    return (
        [ir.Push(slot, pointer, "allocation", span=s.span)],
        [ir.Pop(slot, pointer, "allocation", span=s.span)],
    )


# --- what is recorded -----------------------------------------------------------------------------


def _operation(s: ir.Call) -> operations.Act:
    found = operations.named(s.function)
    assert isinstance(found, operations.Act)
    return found


def recorded(s: ir.Call) -> ir.Expr:
    return bare(s.args[0])


def recorded_value(s: ir.Call) -> ir.Place:
    """The variable of the host that is recorded."""
    pointer = recorded(s)
    if isinstance(pointer, ir.Var) and isinstance(pointer.type, Array):
        return pointer
    place = out_place(pointer)
    assert place is not None
    return place


def holds_active(shadows: Shadows, s: ir.Call, pointer: ir.Expr) -> bool:
    if not operations.does(s, *records.OF_VALUES):
        return shadows.is_active_pointer(pointer)
    place = recorded_value(s)
    return _number_within(place.type) is not None and shadows.is_active(place)


def _number_within(type_: Type) -> Float | None:
    """The floating type of what a value holds, if that is one; other things may stand beside."""
    floating = floating_leaves_of(type_)
    return next(iter(floating)) if len(floating) == 1 and not holds_pointer(innermost(type_)) else None


def is_of_pointers(s: ir.Call) -> bool:
    """Whether what is recorded is a pointer of the host, or a struct of some."""
    return operations.does(s, *records.OF_VALUES) and holds_pointer(recorded_value(s).type)


def carries(shadows: Shadows, place: ir.Place) -> bool:
    """Whether a pointer in a place leads to active memory."""
    return any(shadows.is_active_pointer(p) for p in pointer_parts(place))


def refuse_structs(shadows: Shadows, s: ir.Call, pointer: ir.Expr) -> None:
    """Raises UnsupportedError for what has several kinds of shadows: pointers in memory, structs with numbers."""
    if operations.does(s, *records.OF_VALUES):
        place = recorded_value(s)
        carried = isinstance(innermost(place.type), Pointer | Struct) and isinstance(place.type, Array)
        numbers = isinstance(innermost(place.type), Struct) and holds_numbers(place.type)
        several = numbers and _number_within(place.type) is None
        unclear = (carried and holds_pointer(innermost(place.type))) or (several and shadows.is_active(place))
    else:
        held = element_or_none(pointer.type)
        unclear = held is not None and holds_pointer(innermost(held)) and shadows.is_active_pointer(pointer)
    if unclear:
        what = "a derivative is differentiated once more, and memory of structs or pointers in it is saved and restored"
        raise UnsupportedError(what, s.span, "take hetad.hvp of the program itself")


def _number(points: PointsTo, s: ir.Call, pointer: ir.Expr) -> Float:
    types = {f for t in points.targets(pointer) for f in points.floating_types(t)}
    if len(types) == 1:
        return types.pop()
    names = " and ".join(sorted(f"'{t}'" for t in types)) or "unknown type"
    what = f"a derivative is differentiated once more, and memory of {names} in it is saved and restored"
    raise UnsupportedError(what, s.span, "take hetad.hvp of the program itself")
