"""What a store may change of what memory is known to hold (`holding.py`), by the type of what is stored."""

from __future__ import annotations

from collections.abc import Iterable

from hetad.analysis.known import Address, Cell, Known
from hetad.analysis.pointer_expressions import pointee
from hetad.analysis.webs import place_of
from hetad.ir import nodes as ir
from hetad.ir.places import root_symbol
from hetad.ir.types import Array, Float, Int, Opaque, Pointer, Struct, Type
from hetad.ir.visit import walk_stmts
from hetad.rules import callees

Kinds = frozenset[int | str] | None  # what a store may change: numbers of some sizes, "pointer"s; None: anything
_HARMLESS = ("mathematics", "barrier", "fence", "shuffle", "vote", "reduction")


def clobber(known: Known, changed: Kinds, objects: Iterable[ir.Symbol] | None = None) -> None:
    """Nothing is known any more of cells of some kinds, in all memory or in some objects."""
    only = set(objects) if objects is not None else None
    for cell in [c for c in known if is_memory(c) and (only is None or c[0] in only)]:
        kind = "pointer" if isinstance(known[cell], Address) else cell[1][1]
        if changed is None or kind in changed:
            del known[cell]


def kinds(type_: Type) -> Kinds:
    """What a store of a value of a type may change."""
    match type_:
        case Float():
            return frozenset()
        case Int(bits=bits) if bits > 8:
            return frozenset([bits // 8])
        case Pointer() | Opaque():
            return frozenset(["pointer"])
        case Array(of=of):
            return kinds(of)
        case Struct(fields=fields) if not overlaps(type_):
            return _all(kinds(f.type) for f in fields)
    return None


def changes(body: Iterable[ir.Stmt]) -> Kinds:
    """What a body may change in memory that is not a variable of its own."""
    return _all(_changed_by(s) for s in walk_stmts(body))


def _changed_by(s: ir.Stmt) -> Kinds:
    match s:
        case ir.Assign(target=target) | ir.Update(target=target):
            return frozenset() if _is_own(target) else kinds(target.type)
        case ir.Call(function=function, args=args):
            kind = callees.kind(function)
            if kind not in ("atomic", "mathematics"):
                return frozenset() if kind in _HARMLESS else None
            places = [pointee(a) for a in args if isinstance(a.type, Pointer | Array)]
            through = _all(kinds(p.type) if p is not None else None for p in places)
            return _all([through, frozenset() if s.result is None or _is_own(s.result) else kinds(s.result.type)])
        case ir.Launch() | ir.Opaque():
            return None
    return frozenset()


def _all(several: Iterable[Kinds]) -> Kinds:
    found: set[int | str] = set()
    for some in several:
        if some is None:
            return None
        found |= some
    return frozenset(found)


def _is_own(place: ir.Place) -> bool:
    """Whether a place is in a variable of a thread or block, or of the host, that is set by its name."""
    symbol = root_symbol(place)
    return symbol is not None and symbol.storage in ("local", "param", "shared") and place_of(place) is not None


def is_memory(cell: Cell) -> bool:
    return len(cell[1]) == 2 and isinstance(cell[1][1], int)


def overlaps(struct: Struct) -> bool:
    """Whether its fields share bits, or it has bits that are fields."""
    return struct.is_union or bool(struct.bits)
