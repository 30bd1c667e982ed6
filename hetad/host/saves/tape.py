"""Saves and restores of a host function as calls of the support functions."""

from __future__ import annotations

from collections.abc import Mapping

from hetad.diagnostics import Span
from hetad.host.derivation import Derivation, on_derivative
from hetad.ir import nodes as ir
from hetad.ir.types import (
    INT,
    MESSAGE_STATUS,
    SIZE_T,
    VOID,
    Array,
    Opaque,
    Pointer,
    Struct,
    Type,
    cells_within,
    element,
    innermost,
    offset_of,
    size_of,
)
from hetad.ir.visit import map_body, walk_expr
from hetad.rules import operations

_SAVE: dict[ir.Extent, operations.Act] = {
    "value": operations.push,
    "range": operations.save_range,
    "part": operations.save_part,
    "allocation": operations.save,
    "reached": operations.save_reached,
    "column": operations.save_column,
}
_COLUMNS = {operations.save_column: operations.save_columns, operations.restore_column: operations.restore_columns}
_RENAME: dict[ir.Extent, operations.Act] = {
    "range": operations.rename_range,
    "part": operations.rename_part,
    "allocation": operations.rename,
}
_RENAME_WITH_GAPS = (operations.rename_rows, operations.rename_planes)  # by how many kinds there are
MOST_GAPS = len(_RENAME_WITH_GAPS)
_FIRST_GAP = 3  # in what is overwritten: behind the first and the last cell, and whether it is sure
_RESTORE: dict[ir.Extent, operations.Act] = {
    "value": operations.pop,
    "range": operations.restore_range,
    "part": operations.restore_part,
    "allocation": operations.restore,
    "reached": operations.restore,
    "column": operations.restore_column,
}


@on_derivative("lower-tape")
def lowered_tape(derivation: Derivation) -> ir.Body:
    """Saving and restoring are calls of the run-time support; where a run is measured, each tells its number."""
    measured = derivation.request.measured and derivation.saves is not None
    return lower_tape(derivation.body, derivation.saves.numbers if measured and derivation.saves else None)


def lower_tape(body: ir.Body, numbers: Mapping[ir.Symbol, int] | None = None) -> ir.Body:
    """`numbers`: of slots, for a program that tells what each of them takes; those without one share the next."""

    def numbered(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if numbers is None or not isinstance(s, ir.Push):
            return lower(s)
        number = ir.Const(numbers.get(s.slot, len(numbers)), INT, span=s.span)
        return operations.site(number, span=s.span), lower(s)

    def lower(s: ir.Stmt) -> ir.Stmt:
        if not isinstance(s, ir.Push | ir.Pop):
            return s
        operation = (_SAVE if isinstance(s, ir.Push) else _RESTORE)[s.extent]
        if s.extent == "value":
            assert isinstance(s.place, ir.Var | ir.Index | ir.Member)
            where: ir.Expr = s.place
            if not isinstance(s.place.type, Array):
                where = ir.AddressOf(s.place, Pointer(s.place.type), span=s.span)
            return operation(where, value_size(s.place.type, s.span), span=s.span)
        if s.extent == "column":
            nested = _in_a_table(_element(s.place).base)
            ends = (_columns if nested else column)(s.place) if isinstance(s, ir.Push) else ()
            return (_COLUMNS[operation] if nested else operation)(*ends, span=s.span)
        place = s.place
        if isinstance(place.type, Pointer) and place.type.const:
            place = ir.Cast(place, Pointer(VOID), span=s.span)
        args: tuple[ir.Expr, ...] = (place,) if s.bytes is None else (place, s.bytes)
        if isinstance(s, ir.Push) and (s.cells or s.overwritten):
            operation, args = _cells(s, operation, args)
        return operation(*args, span=s.span)

    return map_body(numbered, body)


def value_size(type_: Type, span: Span) -> ir.Const:
    """The bytes of a value; those of a library's handles only the C compiler knows."""
    count, held = cells_within(type_) if isinstance(type_, Array) else 1, innermost(type_)
    size = size_of(type_)
    if isinstance(held, Opaque) or (isinstance(held, Struct) and _holds_handles(held)):
        return ir.Const(size, SIZE_T, f"sizeof({held})" + f" * {count}" * (count > 1), span=span)
    return ir.Const(size, SIZE_T, span=span)


def _holds_handles(type_: Struct) -> bool:
    fields = [innermost(f.type) for f in type_.fields]
    return type_ == MESSAGE_STATUS or any(
        isinstance(f, Opaque) or (isinstance(f, Struct) and _holds_handles(f)) for f in fields
    )


def _cells(
    s: ir.Push, operation: operations.Act, args: tuple[ir.Expr, ...]
) -> tuple[operations.Act, tuple[ir.Expr, ...]]:
    """The operation for a snapshot of some cells, or in place of one, and what it is given."""
    if s.overwritten:
        gaps = len(s.overwritten[_FIRST_GAP:]) // 2
        operation = _RENAME_WITH_GAPS[gaps - 1] if gaps else _RENAME[s.extent]
    if s.extent == "range":
        return operation, (*args, *s.overwritten)
    size = ir.Const(size_of(innermost(element(s.place.type))), SIZE_T, span=s.span)
    return operation, (args[0], *(s.cells or s.overwritten[:2]), size, *s.overwritten[2:])


def column(first: ir.Expr) -> tuple[ir.Expr, ...]:
    """Where the first of the pointers lies, and how far it is from one to the next."""
    assert isinstance(first, ir.Index | ir.Member)
    where = ir.AddressOf(first, Pointer(first.type), span=first.span)
    return where, ir.Const(size_of(_element(first).type), SIZE_T, span=first.span)


def _columns(first: ir.Expr) -> tuple[ir.Expr, ...]:
    """Of a pointer in a table that a pointer in a table leads to: the column of the latter, and where the former lies
    in an element, and how far it is from one to the next."""
    element = _element(first)
    assert isinstance(first, ir.Index | ir.Member)
    offset, inner = _offset(first, element), ir.Const(size_of(element.type), SIZE_T, span=first.span)
    return *column(element.base), ir.Const(offset, SIZE_T, span=first.span), inner


def _element(place: ir.Expr) -> ir.Index:
    """The element, behind a pointer, that a place is part of."""
    while not isinstance(place, ir.Index) or not isinstance(place.base.type, Pointer):
        assert isinstance(place, ir.Index | ir.Member)
        place = place.base
    return place


def _offset(place: ir.Expr, element: ir.Index) -> int:
    """The bytes from the start of an element to a part of it."""
    if place is element:
        return 0
    assert isinstance(place, ir.Index | ir.Member)
    if isinstance(place, ir.Index):
        assert isinstance(place.index, ir.Const)
        return _offset(place.base, element) + int(place.index.value) * size_of(place.type)
    assert isinstance(place.base.type, Struct)
    return _offset(place.base, element) + offset_of(place.base.type, place.name)


def _in_a_table(pointer: ir.Expr) -> bool:
    """Whether a pointer was itself loaded from a table."""
    return any(isinstance(e, ir.Index) and isinstance(e.base.type, Pointer) for e in walk_expr(pointer))
