"""Structs that hold numbers beside pointers, cleared or copied as bytes: field by field, as each has another adjoint.

memset(&chunk, 0, sizeof chunk);                chunk.density = nullptr; chunk.dx = 0; …
memcpy(to, from, levels * sizeof(Level));       for (k = 0; k < levels; k++) to[k] = from[k];
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hetad.adjoint.structs import split_structs
from hetad.analysis.memory_calls import bytes_of, operands
from hetad.analysis.pointer_expressions import first_struct, holds_pointer
from hetad.frontend.quote import Quote
from hetad.host.own_structs import zeroed
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare, integer_value
from hetad.ir.build import Names, binary, integer, var
from hetad.ir.types import SIZE_T, Array, Struct, Type, holds_numbers, size_of
from hetad.ir.visit import declared, map_body
from hetad.passes.task import entry_pass

_CALLS = ("memset", "memcpy", "memmove")
_FIELDS = 64  # of one struct, that are written out
_EACH = Quote("""
    for (size_t k = 0; k < count; k++) {
        whole;
    }
""")


@entry_pass("whole-structs")
def whole_structs(function: ir.Function) -> ir.Function:
    """The host function, all calls inlined, with assignments in the place of such calls."""
    names = Names({s.name for s in (*function.params, *declared(function.body))})

    def by_field(s: ir.Stmt) -> ir.Stmt | ir.Body:
        if not isinstance(s, ir.Call) or s.function not in _CALLS or s.result is not None:
            return s
        return _by_field(s, names) or s

    body = map_body(by_field, function.body)
    return split_structs(replace(function, body=body)) if body is not function.body else function


def _by_field(s: ir.Call, names: Names) -> ir.Body | None:
    """What the call does, where it is of whole structs of this kind."""
    moved = bytes_of(s)
    assert moved is not None
    ends = [first_struct(bare(end)) for end in (moved.dst, moved.src) if end is not None]
    first = ends[0]
    if first is None or not is_mixed(first.type) or any(end is None or end.type != first.type for end in ends):
        return None
    count = _count(moved.size, first.type)
    if count is None or (moved.src is None and integer_value(operands(s)["value"]) != 0):
        return None
    places = [end for end in ends if end is not None]
    if integer_value(count) == 1:
        return _whole(s, places)
    if s.function == "memmove" or not all(isinstance(end, ir.Index) for end in places):
        return None
    k = names.symbol("k", SIZE_T, s.span)
    each = [replace(p, index=_moved(p.index, k)) for p in places if isinstance(p, ir.Index)]
    return _EACH(names, s.span, k=k, count=count, whole=_whole(s, each))


def is_mixed(type_: Type) -> bool:
    """Whether a value holds numbers beside pointers, and few enough of them to be written out."""
    return holds_pointer(type_) and holds_numbers(type_) and _fields(type_) <= _FIELDS


def _fields(type_: Type) -> int:
    if isinstance(type_, Struct):
        return sum(_fields(f.type) for f in type_.fields)
    return _fields(type_.of) * (type_.length or 0) if isinstance(type_, Array) else 1


def _count(size: ir.Expr, struct: Type) -> ir.Expr | None:
    """How many structs are so many bytes; None where that is not seen."""
    each, known = size_of(struct), integer_value(size)
    if known is not None:
        return integer(known // each, size.span, SIZE_T) if known % each == 0 else None
    match bare(size):
        case ir.Binary(op="*", left=left, right=right):
            for one, other in ((left, right), (right, left)):
                if integer_value(one) == each:
                    return other
    return None


def _whole(s: ir.Call, places: Sequence[ir.Place]) -> ir.Body:
    if len(places) == 1:
        return tuple(zeroed(places[0]))
    return (ir.Assign(places[0], places[1], span=s.span),)


def _moved(index: ir.Expr, k: ir.Symbol) -> ir.Expr:
    return var(k) if integer_value(index) == 0 else binary("+", index, var(k))
