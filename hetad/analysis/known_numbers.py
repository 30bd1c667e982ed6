"""Which numbers an integer has, of those that are given constants alone: the numbers of functions that a program keeps.

What is said of a variable, a member of a struct, or a member of the structs at a location of memory, holds wherever it
is read: the order of statements plays no part.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from hetad.analysis.dataflow import settle
from hetad.analysis.memory_calls import allocated, freed
from hetad.analysis.pointer_expressions import pointers_within
from hetad.analysis.pointers import Location, points_to
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import zero
from hetad.ir.types import INT, Array, Int, Pointer, Struct, Type, scalar_base
from hetad.ir.visit import own_nodes, variables, walk_stmts

# A variable and the members that lead to a number in it; of memory, and of variables whose address is taken, the struct
# and its member alone.
Key = tuple[Location, tuple[str, ...]]
Asked = tuple[ir.Expr, int, bool]


def asked(e: ir.Expr) -> Asked | None:
    """What number is compared with which constant, and whether it is to be the same."""
    if isinstance(e, ir.Unary) and e.op == "!":
        inner = asked(e.operand)
        return (*inner[:2], not inner[2]) if inner is not None else None
    if isinstance(e, ir.Cast) and isinstance(e.type, Int) and (e.type.boolean or isinstance(e.operand, ir.Binary)):
        return asked(e.operand)
    if isinstance(e, ir.Binary) and e.op in ("==", "!="):
        constant = _constant(e.right, e.left.type)
        return (e.left, constant, e.op == "==") if _is_number(e.left) and constant is not None else None
    return (e, 0, False) if _is_number(e) else None


def _is_number(e: ir.Expr) -> bool:
    return isinstance(e, ir.Var | ir.Member) and isinstance(e.type, Int)


def _constant(e: ir.Expr, type_: Type) -> int | None:
    """A constant that a type has room for."""
    value = bare(e)
    if not isinstance(value, ir.Const) or not isinstance(type_, Int):
        return None
    least, bits = (-(1 << (type_.bits - 1)), type_.bits - 1) if type_.signed else (0, type_.bits)
    return int(value.value) if math.isfinite(value.value) and least <= value.value < 1 << bits else None


class Numbers:
    """What numbers the variables and the memory of a function have, as far as that is known."""

    def __init__(self, function: ir.Function) -> None:
        statements = list(walk_stmts(function.body))
        self._values: dict[Key, set[int]] = {}
        self._copies: list[tuple[Key, Key]] = []  # what is given the value of what
        self._compared: list[tuple[Key, Key, int, bool]] = []  # what is given the outcome of a comparison
        self._unknown: set[Key] = set()
        self._spoilt: set[Location] = set()  # where something is written of which no more is known
        self._declared = {s.symbol for s in statements if isinstance(s, ir.Declare)}
        self._pointed = {x for s in statements for e in own_nodes(s) for x in _pointed_to(e)}
        self._pointers = points_to(function)
        for s in statements:
            self._read(s)
        settle(lambda: sum(map(len, self._values.values())) + len(self._unknown), self._spread)

    def values(self, place: ir.Expr) -> set[int]:
        """What a number may be; nothing where that is not known."""
        keys = self._keys(place)
        if not keys or any(self._is_unknown(key) for key in keys):
            return set()
        return set().union(*(self._values.get(key, ()) for key in keys))

    def _is_unknown(self, key: Key) -> bool:
        location = key[0]
        ours = location in self._declared if isinstance(location, ir.Symbol) else location.heap
        return not ours or key in self._unknown or location in self._spoilt

    def _keys(self, place: ir.Expr) -> list[Key] | None:
        """The numbers that a place may be; None where they are not told apart."""
        root, path = path_to(place)
        if root is not None and root not in self._pointed:
            return [(root, path)]
        if not isinstance(place, ir.Member) or not isinstance(place.base.type, Struct):
            return None
        inner = (place.base.type.name, place.name)
        return [(at, inner) for at in self._pointers.storage(place)] or None

    def _spread(self) -> None:
        for to, from_ in self._copies:
            self._values.setdefault(to, set()).update(self._values.get(from_, ()))
            if self._is_unknown(from_):
                self._unknown.add(to)
        for to, of, constant, same in self._compared:
            self._values.setdefault(to, set()).update((v == constant) == same for v in self._values.get(of, ()))
            if self._is_unknown(of):
                self._unknown.add(to)

    # --- what is written ---------------------------------------------------------------------------

    def _read(self, s: ir.Stmt) -> None:
        match s:
            case ir.Declare(symbol=symbol, init=init) if init is not None:
                self._given(ir.Var(symbol, span=s.span), init)
            case ir.Assign(target=target, value=value):
                self._given(target, value)
            case ir.Update(target=target):
                self._given(target, None)
            case ir.Call() if allocated(s) is not None:
                if s.function != "malloc" and s in self._pointers.heap_roots:  # which is zero, or a copy
                    self._spoilt.add(self._pointers.heap_roots[s])
            case ir.Call() if freed(s) is None:
                self._spoil(s.args)
                if s.result is not None:
                    self._given(s.result, None)
            case ir.Launch(args=args):
                self._spoil(args)
            case ir.Opaque(args=args):
                self._spoil(args)
                self._spoilt |= {x for a in args for x in variables(a)}

    def _spoil(self, given: Iterable[ir.Expr]) -> None:
        """What somebody else is given writes where it can reach."""
        for e in given:
            if isinstance(e, ir.Var | ir.Member) and isinstance(e.type, Int):
                self._unknown.update(self._keys(e) or ())  # an operation may have it as a result
            for pointer in pointers_within(e) if isinstance(e.type, Pointer | Struct) else ():
                self._spoilt.update(self._pointers.targets(pointer))
            self._spoilt.update(self._pointers.targets(bare(e)))

    def _given(self, place: ir.Expr, value: ir.Expr | None) -> None:
        """A place is given a value; None: one of which nothing is known."""
        if isinstance(place.type, Struct):
            for n, f in enumerate(place.type.fields):
                self._given(ir.Member(place, f.name, f.type, span=place.span), member_of(value, n))
            return
        if isinstance(place.type, Array) and isinstance(scalar_base(place.type), Struct):
            for each in _elements(value):
                self._given(_first(place, place.type), each)
        if not isinstance(place.type, Int):
            return
        if isinstance(value, ir.Select):
            self._given(place, value.then)
            self._given(place, value.orelse)
            return
        keys = self._keys(place)
        if keys is None:
            self._written_somewhere(place)
        for key in keys or ():
            self._one_given(key, place.type, value)

    def _one_given(self, key: Key, type_: Int, value: ir.Expr | None) -> None:
        constant = _constant(value, type_) if value is not None else None
        compared = asked(value) if value is not None and type_.boolean else None
        if constant is not None:
            self._values.setdefault(key, set()).add(constant)
        elif value is not None and value.type == type_ and (sources := self._keys(value)):
            self._copies += [(key, source) for source in sources]
        elif compared is not None and (sources := self._keys(compared[0])):
            self._compared += [(key, source, *compared[1:]) for source in sources]
        else:
            self._unknown.add(key)

    def _written_somewhere(self, place: ir.Expr) -> None:
        """A number is written that is no member of a struct, or where no location is known."""
        if not isinstance(place.type, Int):
            return
        storage = self._pointers.storage(place)
        self._spoilt.update(storage)
        if not storage and place.type.bits in (8, 64):  # what a number of a function may be written as
            self._spoilt.update(self._pointers.heap_roots.values())
            self._spoilt |= self._pointed


def path_to(place: ir.Expr) -> tuple[ir.Symbol | None, tuple[str, ...]]:
    """The variable and the members that lead to a place; no variable of an element, or behind a pointer."""
    path: list[str] = []
    while isinstance(place, ir.Member):
        path.append(place.name)
        place = place.base
    return (place.symbol if isinstance(place, ir.Var) else None), tuple(reversed(path))


def member_of(value: ir.Expr | None, number: int) -> ir.Expr | None:
    """The value of a field of a struct's."""
    if value is None or not isinstance(value.type, Struct):
        return None
    field = value.type.fields[number]
    if isinstance(value, ir.Aggregate):
        if number < len(value.elements):
            return value.elements[number]
        rest = zero(field.type, value.span) if isinstance(field.type, Int) else None
        return rest or ir.Aggregate((), field.type, span=value.span)
    place = isinstance(value, ir.Var | ir.Member | ir.Index)
    return ir.Member(value, field.name, field.type, span=value.span) if place else None


def _elements(value: ir.Expr | None) -> list[ir.Expr | None]:
    """The values of the elements of an array, those that are alike together."""
    if value is None or not isinstance(value.type, Array):
        return [None]
    if isinstance(value, ir.Aggregate):
        short = value.type.length is None or len(value.elements) < value.type.length
        return [*value.elements, *([ir.Aggregate((), value.type.of, span=value.span)] if short else ())]
    return [_first(value, value.type) if isinstance(value, ir.Var | ir.Member | ir.Index) else None]


def _first(array: ir.Expr, type_: Array) -> ir.Index:
    return ir.Index(array, ir.Const(0, INT, span=array.span), type_.of, span=array.span)


def _pointed_to(e: ir.Expr) -> Iterator[ir.Symbol]:
    """The variable whose address an expression takes."""
    place: ir.Expr | None = e.place if isinstance(e, ir.AddressOf) else None
    while isinstance(place, ir.Member | ir.Index):
        if isinstance(place, ir.Index) and not isinstance(place.base.type, Array):
            return
        place = place.base
    if isinstance(place, ir.Var):
        yield place.symbol
