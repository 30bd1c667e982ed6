"""Pointers and handles of libraries that lie in memory: where, as the type tells for which the memory is allocated.

Another process that goes on with a call (`resuming.py`) has memory at other addresses, so files have names of pointers
(`emit/support/held.c`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hetad.analysis.dataflow import settle
from hetad.analysis.memory_calls import allocated
from hetad.analysis.pointer_expressions import out_place
from hetad.analysis.pointers import Location, PointsTo
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.saves.tape import value_size
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import integer
from hetad.ir.types import INT, VOID, Array, Opaque, Pointer, Struct, Type, Void, cells_within, innermost
from hetad.ir.visit import map_body, own_nodes, walk_stmts
from hetad.rules import operations

ANY = Pointer(VOID)
_GIVE_MEMORY = (*operations.ALLOCATIONS, operations.symbol_address, operations.revive, operations.revive_zeros)
_MOST_STRUCTS = 64  # in one array: what they hold is told of each by itself
_Seen = Mapping[ir.Symbol, set[Type]]


def require_known(function: ir.Function, pointers: PointsTo) -> None:
    """Raises UnsupportedError where nothing tells where in memory pointers and handles lie: the type for which it is
    allocated has to, whatever it is seen as later."""
    seen = _seen_as(function.body)
    given = {root: allocated(s) for s, root in pointers.heap_roots.items()}
    types: dict[Location, Type] = {x: _held_by(place, seen) for x, place in given.items() if place is not None}
    for s in walk_stmts(function.body):
        for e in own_nodes(s):
            if isinstance(e.type, Pointer) and _holds(e.type.to):
                for x in pointers.targets(e):
                    if not _shows(x.type if isinstance(x, ir.Symbol) else types.get(x, VOID), e.type.to):
                        raise _unknown(x.name, e.span)


def with_held(body: ir.Body) -> ir.Body:
    """Each allocation, and where the pointers and handles lie that it is for."""
    seen = _seen_as(body)

    def told(s: ir.Stmt) -> ir.Stmt | ir.Body:
        held = tuple(_held(s, seen))
        return (s, *held) if held else s

    return map_body(told, body)


def leaves(place: ir.Place) -> list[ir.Place]:
    """The pointers and handles in a place, those of an array together."""
    held = innermost(place.type)
    if isinstance(held, Pointer | Opaque):
        return [place]
    if not isinstance(held, Struct) or not _holds(held):
        return []
    if isinstance(place.type, Array):
        return [leaf for cell in structs_of(place) for leaf in leaves(cell)]
    members = (ir.Member(place, f.name, f.type, span=place.span) for f in held.fields)
    return [leaf for m in members for leaf in leaves(m)]


def structs_of(place: ir.Place) -> list[ir.Place]:
    """The structs in an array, or the struct that a place is."""
    if not isinstance(place.type, Array):
        return [place]
    count = place.type.length or 0
    if cells_within(place.type) > _MOST_STRUCTS:
        raise UnsupportedError(
            f"resume=: an array of more than {_MOST_STRUCTS} structs that hold pointers or handles", place.span,
            "allocate it on the heap",
        )  # fmt: skip
    each = (ir.Index(place, integer(k, place.span, INT), place.type.of, span=place.span) for k in range(count))
    return [cell for x in each for cell in structs_of(x)]


def is_pointers(type_: Type) -> bool:
    return isinstance(innermost(type_), Pointer)


def address_of(place: ir.Place) -> ir.Expr:
    is_array = isinstance(place.type, Array)
    where: ir.Expr = place if is_array else ir.AddressOf(place, Pointer(place.type), span=place.span)
    return ir.Cast(where, ANY, span=place.span)


def _held(s: ir.Stmt, seen: _Seen) -> Iterator[ir.Stmt]:
    if not operations.does(s, *_GIVE_MEMORY):
        return
    again = operations.does(s, operations.revive, operations.revive_zeros)
    place = bare(s.args[0]) if again else s.result or out_place(s.args[0])
    if not isinstance(place, ir.Place) or not isinstance(place.type, Pointer):
        return
    held = _held_by(place, seen)
    start = place if held == place.type.to else ir.Cast(place, Pointer(held), span=s.span)
    for leaf in leaves(ir.Index(start, integer(0, s.span, INT), held, span=s.span)):
        tells = operations.holds_pointers if is_pointers(leaf.type) else operations.holds_handles
        sizes = (value_size(leaf.type, s.span), value_size(held, s.span))
        yield tells(ir.Cast(place, ANY, span=s.span), address_of(leaf), *sizes, span=s.span)


def _seen_as(body: ir.Body) -> _Seen:
    """The types of what lies behind pointers to anything: those that they, and their copies, are made pointers to."""
    found: dict[ir.Symbol, set[Type]] = {}
    copies: list[tuple[ir.Symbol, ir.Symbol]] = []
    for s in walk_stmts(body):
        match s:
            case ir.Declare(into, ir.Var(given)) | ir.Assign(ir.Var(into), ir.Var(given)) if (
                into.type == given.type == ANY
            ):
                copies.append((given, into))
        for e in own_nodes(s):
            match e:
                case ir.Cast(ir.Var(x), Pointer(to)) if x.type == ANY and not isinstance(to, Void):
                    found.setdefault(x, set()).add(to)

    def spread() -> None:
        for x, y in copies:
            found.setdefault(x, set()).update(found.get(y, ()))

    settle(lambda: sum(map(len, found.values())), spread)
    return found


def _held_by(place: ir.Place, seen: _Seen) -> Type:
    """The type of what lies behind a pointer that memory is allocated for.

    Raises UnsupportedError where it is seen as several, of which some hold pointers.
    """
    types = seen.get(place.symbol, set()) if isinstance(place, ir.Var) else set()
    if len(types) > 1 and any(map(_holds, types)):
        raise _unknown(place.symbol.name if isinstance(place, ir.Var) else "it", place.span)
    if len(types) == 1:
        return next(iter(types))
    return place.type.to if isinstance(place.type, Pointer) else VOID


def _unknown(name: str, span: Span) -> UnsupportedError:
    return UnsupportedError(
        f"resume=: nothing tells where in the memory of '{name}' pointers lie, which mean nothing to another process",
        span, "keep them in variables, or in memory that is allocated for a type that has them",
    )  # fmt: skip


def _holds(type_: Type) -> bool:
    """Whether a value of the type is, or holds, a pointer or a handle of a library."""
    return any(isinstance(x, Pointer | Opaque) for x in _types_in(type_))


def _shows(type_: Type, seen: Type) -> bool:
    """Whether a type tells of the pointers and handles of what it is `seen` as."""
    held, within = innermost(seen), [*_types_in(type_)]
    return held in within if isinstance(held, Struct) else any(isinstance(x, type(held)) for x in within)


def _types_in(type_: Type) -> Iterator[Type]:
    held = innermost(type_)
    yield held
    if isinstance(held, Struct):
        for field in held.fields:
            yield from _types_in(field.type)
