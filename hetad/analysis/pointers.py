"""Points-to analysis: which memory a pointer expression may reach.

A *location* is either a `Symbol` (the storage of a variable itself) or a `Root` (memory behind a pointer
parameter, or an allocation).  The analysis is flow-insensitive (Andersen's inclusion constraints) within one
function, whose calls to the program's own functions have been inlined.
Source: L. O. Andersen, Program Analysis and Specialization for the C Programming Language, 1994.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from hetad.analysis import messages
from hetad.analysis.dataflow import settle
from hetad.analysis.memory_calls import allocated, does, freed, operands
from hetad.analysis.pointer_expressions import (
    component_of,
    first_struct,
    floating_leaves_of,
    holds_pointer,
    is_untyped,
    null_only,
    null_variables,
    out_place,
    path_of,
    plain_type,
    pointer_parts,
    pointers_within,
    spelled,
    spelling_of,
    undecayed,
)
from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.build import var
from hetad.ir.facts import lasting
from hetad.ir.identity import IdentityMap, IdentitySet
from hetad.ir.types import Array, Float, Pointer, Struct, Type, Void
from hetad.ir.visit import own_nodes, walk_in_loops, walk_stmts
from hetad.memops.table import TABLE


@dataclass(frozen=True, eq=False, slots=True)
class Root:
    """Memory behind a pointer parameter (`symbol` is the parameter) or of one allocation site.

    `single` is false when several allocations may stand behind it (a site in a loop).  A `table` is device memory that
    holds pointers; it lies on the host, and launches are given a copy (see `host/tables.py`).  `adjoints` is memory of
    which only that is known, behind a pointer that may lead to a variable too: somebody reads it.
    """

    symbol: ir.Symbol
    span: Span
    heap: bool = False
    single: bool = True
    table: bool = False
    adjoints: bool = False

    @property
    def name(self) -> str:
        return self.symbol.name


Location = ir.Symbol | Root
Targets = dict[Location, None]  # an ordered set


@dataclass(frozen=True, slots=True)
class Field:
    """Pointers in a field of structs at a location, the elements of arrays together.

    `path` leads there from a struct variable; it is empty where the struct lies behind a pointer or in an array, and
    then only the innermost struct and its field are known: `owner` and `name`, of `type`.  What is reached through a
    pointer to pointers (`*p` of `double **p = s.parts`) has no owner.
    """

    location: Location
    path: str
    owner: str
    name: str
    type: Type

    def may_be(self, other: Field) -> bool:
        """Whether the two may be the same memory."""
        if self.location is not other.location or (self.path and other.path and self.path != other.path):
            return False
        if not self.owner or not other.owner:
            return _may_be_read_as(self.type, other.type)
        if self.owner == other.owner:
            return self.name == other.name
        return plain_type(self.type) == plain_type(other.type)  # memory may be seen as one struct, then as another


Cell = Location | Field  # what holds pointers


def _has_fields(location: Location) -> bool:
    """Whether pointers at a location may lie in structs, where not all are of one type."""
    type_ = location.type if isinstance(location, ir.Symbol) else Void()
    while isinstance(type_, Array):
        type_ = type_.of
    return isinstance(type_, Struct | Void)


def _may_be_read_as(stored: Type, read: Type) -> bool:
    """Whether a pointer that is stored as one type may be read as another: not one to numbers as one to integers."""
    kinds = [t.to for t in map(plain_type, (stored, read)) if isinstance(t, Pointer)]
    if len(kinds) < 2 or any(isinstance(t, Void) or holds_pointer(t) for t in kinds):
        return True
    return bool(floating_leaves_of(kinds[0])) == bool(floating_leaves_of(kinds[1]))


class PointsTo:
    """The result: `targets` of a pointer expression, `storage` of a place."""

    def __init__(self, function: ir.Function, merged: tuple[tuple[str, ...], ...] = ()) -> None:
        """`merged` names pointer parameters that may point into the same memory."""
        self._contents: dict[Cell, Targets] = {}
        self._fields: dict[Location, list[Field]] = {}  # those at each location of which anything is known
        self._read: dict[Cell, None] = {}
        self.field_roots: dict[Cell, Root] = {}
        # The parameters in, or behind, which a pointer to it lies, and its number in `pointers_within`.
        self.given_by: dict[Root, set[tuple[ir.Symbol, int]]] = {}
        self.parameter_roots: dict[ir.Symbol, Root] = {}
        self.heap_roots = IdentityMap[ir.Stmt, Root]()  # by the allocating Call
        self._groups = {name: group[0] for group in merged for name in group}
        self._parameters(function)
        self._solve(function)
        self._types = self._seen_types(function)
        statements = list(walk_stmts(function.body))
        # What requests leave to the library, whose memory may change where one is waited for; and what is received.
        self.in_flight = self._reached(messages.started(statements))
        self._received = self._reached(messages.remembered(statements))
        self._pointed: frozenset[Location] | None = None  # until somebody asks

    # -- queries

    def targets(self, expr: ir.Expr) -> tuple[Location, ...]:
        """The locations that a pointer- or array-valued expression may point to."""
        return tuple(self._targets(expr))

    def storage(self, place: ir.Expr) -> tuple[Location, ...]:
        """The locations that hold the value of a place."""
        match place:
            case ir.Var(symbol=symbol):
                return (symbol,)
            case ir.Index(base=base):
                return self.targets(base)
            case ir.Member(base=base):
                return self.storage(base)
        return ()

    def _reached(self, pointers: Iterable[ir.Expr]) -> tuple[Location, ...]:
        return tuple(dict.fromkeys(t for p in pointers for t in self._targets(bare(p))))

    def held(self, location: Location) -> tuple[Location, ...]:
        """What the pointers stored in an array variable, or in memory, may point to."""
        return tuple(self._held(location))

    def unknown_cells(self, function: ir.Function) -> Iterator[ir.Expr]:
        """The floating cells of the function that are reached through pointers of which nothing is known."""
        handed = self._handed(function)

        def unset(place: ir.Expr) -> bool:
            held = self.storage(place)
            own = all(x.heap if isinstance(x, Root) else x.storage == "local" for x in held)
            return bool(held) and own and handed.isdisjoint(held) and not self.targets(place)

        nulls = null_variables(function, unset)
        for s in walk_stmts(function.body):
            for e in own_nodes(s):
                if not isinstance(e, ir.Index | ir.Member) or not isinstance(e.type, Float) or self.storage(e):
                    continue
                if not null_only(e, nulls, unset):
                    yield e

    def _handed(self, function: ir.Function) -> set[Location]:
        """Where somebody else may store pointers: what calls and launches are given, and what lies behind that."""
        found: set[Location] = set()
        for s in walk_stmts(function.body):
            if isinstance(s, ir.Call) and (allocated(s) is not None or freed(s) is not None):
                continue
            for e in s.args if isinstance(s, ir.Call | ir.Launch | ir.Opaque) else ():
                found.update(self._targets(bare(e)))
                if isinstance(e.type, Pointer | Struct):
                    found.update(t for p in pointers_within(e) for t in self._targets(p))
        return found

    def pointed(self) -> frozenset[Location]:
        """Everything that some variable or memory holds a pointer to, or what is known of a receive."""
        if self._pointed is None:
            self._pointed = frozenset((*self._received, *chain.from_iterable(self._contents.values())))
        return self._pointed

    def floating_types(self, location: Location) -> frozenset[Float]:
        """The floating types by which a location is declared, or reached through some pointer of the function."""
        declared = location.type if isinstance(location, ir.Symbol) else Void()
        return self._types.get(location, frozenset()) | floating_leaves_of(declared)

    def _seen_types(self, function: ir.Function) -> dict[Location, frozenset[Float]]:
        found: dict[Location, frozenset[Float]] = {}
        for symbol, root in self.parameter_roots.items():
            found[root] = found.get(root, frozenset()) | floating_leaves_of(symbol.type)
        for root in self.field_roots.values():
            found[root] = found.get(root, frozenset()) | floating_leaves_of(root.symbol.type)
        for s in walk_stmts(function.body):
            for e in own_nodes(s):
                if isinstance(e.type, Pointer) and (types := floating_leaves_of(e.type.to)):
                    for t in self._targets(e):
                        found[t] = found.get(t, frozenset()) | types
        self._spread_to_bytes(function, found)
        return found

    def _spread_to_bytes(self, function: ir.Function, found: dict[Location, frozenset[Float]]) -> None:
        """Memory that only copies reach, and of which only bytes are known, holds what they bring and take."""
        plain = {x for x in self.heap_roots.values() if is_untyped(x.symbol.type) and x not in found}
        if not plain:
            return
        for s in walk_stmts(function.body):
            addressed = IdentitySet(e.place for e in own_nodes(s) if isinstance(e, ir.AddressOf))
            for e in own_nodes(s):
                if isinstance(e, ir.Index) and e not in addressed:
                    plain.difference_update(self.storage(e))
                if isinstance(e.type, Pointer) and not is_untyped(e.type):
                    plain.difference_update(self._targets(e))
            for arg in s.args if isinstance(s, ir.Launch) else ():
                plain.difference_update(t for p in pointers_within(arg) for t in self._targets(p))
                plain.difference_update(self._targets(bare(arg)))
        copies = [operands(s) for s in walk_stmts(function.body) if isinstance(s, ir.Call) and does(s, "copy")]
        sides = [tuple(self._targets(bare(given[role])) for role in ("dst", "src")) for given in copies]

        def types(of: Iterable[Location]) -> frozenset[Float]:
            declared = (floating_leaves_of(x.type) for x in of if isinstance(x, ir.Symbol))
            return frozenset().union(*declared, *(found.get(x, frozenset()) for x in of))

        def copied() -> None:
            for dst, src in sides:
                for into, of in ((dst, src), (src, dst)):
                    for x in plain.intersection(into):
                        found[x] = found.get(x, frozenset()) | types(of)

        settle(lambda: sum(map(len, found.values())), copied)

    def target_sets(self) -> Iterator[tuple[Root | None, tuple[Location, ...]]]:
        """For everything that holds pointers, what they may point to; and itself, where it is memory."""
        for cell in (*self._contents, *(c for c in self._read if c not in self._contents)):
            holder = cell.location if isinstance(cell, Field) else cell
            yield holder if isinstance(holder, Root) else None, tuple(self._held(cell))

    def roots(self) -> Iterator[Root]:
        yield from dict.fromkeys(self.parameter_roots.values())
        yield from self.heap_roots.values()

    def holders(self, location: Location) -> set[Location]:
        """The variables and the memory that may hold a pointer to it."""
        cells = (cell for cell, targets in self._contents.items() if location in targets)
        return {cell.location if isinstance(cell, Field) else cell for cell in cells}

    def add(self, pointer: ir.Symbol, targets: Iterable[Location]) -> None:
        """Tell of a synthesised pointer variable."""
        self._content(pointer).update(dict.fromkeys(targets))

    # -- constraints

    def _parameters(self, function: ir.Function) -> None:
        by_group: dict[str, Root] = {}
        for symbol in function.params:
            if isinstance(symbol.type, Pointer):
                group = self._groups.get(symbol.name, symbol.name)
                if group not in by_group:
                    by_group[group] = Root(symbol, symbol.span)
                root = by_group[group]
                self.parameter_roots[symbol] = root
                self._content(symbol)[root] = None
            if isinstance(symbol.type, Struct) or (isinstance(symbol.type, Pointer) and function.kind == "kernel"):
                for number, part in enumerate(pointers_within(var(symbol))):
                    self._field_root(symbol, number, part, by_group)

    def _field_root(self, symbol: ir.Symbol, number: int, part: ir.Expr, by_group: dict[str, Root]) -> None:
        name = spelled(part)
        group = self._groups.get(name, name)
        if group not in by_group:
            by_group[group] = Root(ir.Symbol(name, part.type, symbol.span, "param"), symbol.span)
        self.given_by.setdefault(by_group[group], set()).add((symbol, number))
        for cell in self._cells(part):
            self.field_roots[cell] = by_group[group]
            self._content(cell)[by_group[group]] = None

    def _cells(self, place: ir.Expr) -> tuple[Cell, ...]:
        """What holds the pointers in a place."""
        member = place
        while isinstance(member, ir.Index) and isinstance(undecayed(member.base).type, Array):
            member = undecayed(member.base)
        if not isinstance(member, ir.Member) or not isinstance(member.base.type, Struct):
            held_in_structs = isinstance(place, ir.Index) and isinstance(place.type, Pointer)
            return tuple(
                Field(at, "", "", "", place.type) if held_in_structs and _has_fields(at) else at
                for at in self.storage(place)
            )
        variable, path = path_of(member)
        locations: tuple[Location, ...] = self.storage(member) if variable is None else (variable,)
        owner, name, type_ = member.base.type.name, member.name, member.type
        return tuple(Field(at, path, owner, name, type_) for at in locations)

    def _solve(self, function: ir.Function) -> None:
        statements = list(walk_in_loops(function.body))

        def constrained() -> None:
            for s, around in statements:
                self._constrain(s, bool(around))

        settle(lambda: sum(map(len, self._contents.values())), constrained)

    def _constrain(self, s: ir.Stmt, looped: bool) -> None:
        if isinstance(s, ir.Call):
            self._found_within(s)
        match s:
            case ir.Declare(symbol=symbol, init=init) if init is not None and holds_pointer(symbol.type):
                self._flow(ir.Var(symbol, span=s.span), init)
            case ir.Assign(target=target, value=value) if holds_pointer(target.type):
                self._flow(target, value)
            case ir.Call() if does(s, "copy"):
                given = operands(s)
                self._copy(bare(given["dst"]), bare(given["src"]))
            case ir.Call():
                place = allocated(s)
                if place is not None:
                    root = self.heap_roots.get(s)
                    if root is None:
                        symbol = ir.Symbol(spelling_of(place), place.type, s.span)
                        root = Root(symbol, s.span, heap=True, single=not looped, table=TABLE[s.function].of_table)
                        self.heap_roots[s] = root
                    for cell in self._cells(place):
                        self._content(cell)[root] = None

    def _found_within(self, s: ir.Call) -> None:
        """Pointers into what a function of the C library is given: what it returns, and stores."""
        row = TABLE.get(s.function)
        if row is None or row.within is None:
            return
        places = [s.result, *(out_place(s.args[i]) for i in sorted(row.positions("store")))]
        for place in places:
            if place is not None and isinstance(place.type, Pointer):
                self._flow(place, bare(s.args[row.within]))

    def _copy(self, dst: ir.Expr, src: ir.Expr) -> None:
        """Bytes that may be pointers: field by field where they are seen as the same structs."""
        to, from_ = first_struct(dst), first_struct(src)
        if to is not None and from_ is not None and to.type == from_.type:
            self._flow(to, from_)
            return
        copied: Targets = {}
        for source in self._targets(src):
            copied.update(self._held(source))
        for into in self._targets(dst) if copied else ():
            self._content(into).update(copied)

    def _flow(self, into: ir.Expr, value: ir.Expr) -> None:
        if isinstance(value, ir.Aggregate):
            for i, element in enumerate(value.elements):
                if holds_pointer(element.type):
                    self._flow(component_of(into, i), element)
            return
        if isinstance(value.type, Struct):
            for target, source in zip(pointer_parts(into), pointer_parts(value), strict=True):
                self._flow(target, source)
            return
        reached = self._targets(value)
        for cell in self._cells(into):
            self._content(cell).update(reached)

    def _targets(self, expr: ir.Expr) -> Targets:
        match expr:
            case ir.Var(symbol=symbol):
                if isinstance(symbol.type, Pointer):
                    return self._contents.get(symbol, {})
                return {symbol: None}
            case ir.Index() | ir.Member():
                if isinstance(expr.type, Array):
                    return dict.fromkeys(self.storage(expr))
                held: Targets = {}
                for cell in self._cells(expr):
                    self._read[cell] = None
                    held.update(self._held(cell))
                return held
            case ir.AddressOf(place=place):
                return dict.fromkeys(self.storage(place))
            case ir.Binary(left=left, right=right):
                pointer = left if isinstance(left.type, Pointer | Array) else right
                return self._targets(pointer)
            case ir.Cast(operand=operand):
                return self._targets(operand) if isinstance(operand.type, Pointer | Array) else {}
            case ir.Select(then=then, orelse=orelse):
                return {**self._targets(then), **self._targets(orelse)}
        return {}

    def _held(self, cell: Cell) -> Targets:
        """What the pointers in a cell may point to.  A field may also have been written through a pointer of which only
        the location is known; and such a pointer may read any field."""
        held = dict(self._contents.get(cell, {}))
        if isinstance(cell, Field):
            held.update(self._contents.get(cell.location, {}))
        for other in self._fields.get(cell.location if isinstance(cell, Field) else cell, ()):
            if not isinstance(cell, Field) or other.may_be(cell):
                held.update(self._contents[other])
        return held

    def _content(self, cell: Cell) -> Targets:
        """What is known so far of what the pointers in a cell may point to, to be added to."""
        known = self._contents.get(cell)
        if known is None:
            known = self._contents[cell] = {}
            if isinstance(cell, Field):
                self._fields.setdefault(cell.location, []).append(cell)
        return known


_of_function = lasting(PointsTo)


def points_to(function: ir.Function, merged: tuple[tuple[str, ...], ...] = ()) -> PointsTo:
    """The same, worked out once for those who only ask, where all parameters point into memory of their own."""
    return PointsTo(function, merged) if merged else _of_function(function)
