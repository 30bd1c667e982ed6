"""Points-to analysis: which memory a pointer expression may reach.

A *location* is either a `Symbol` (the storage of a variable itself) or a `Root` (memory behind a pointer
parameter, or an allocation).  The analysis is flow-insensitive (Andersen's inclusion constraints) within one
function, whose calls to the program's own functions have been inlined.
Source: L. O. Andersen, Program Analysis and Specialization for the C Programming Language, 1994.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hetad.diagnostics import Span
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.ir.facts import lasting
from hetad.ir.types import INT, Array, Float, Pointer, Struct, Type, Void, scalar_base
from hetad.ir.visit import own_nodes, walk_stmts
from hetad.memops.table import TABLE


@dataclass(frozen=True, eq=False, slots=True)
class Root:
    """Memory behind a pointer parameter (`symbol` is the parameter) or of one allocation site.

    `single` is false when several allocations may stand behind it (a site in a loop).  A `table` is device memory that
    holds pointers; it lies on the host, and launches are given a copy (see `host/tables.py`).
    """

    symbol: ir.Symbol
    span: Span
    heap: bool = False
    single: bool = True
    table: bool = False

    @property
    def name(self) -> str:
        return self.symbol.name


Location = ir.Symbol | Root
Targets = dict[Location, None]  # an ordered set


@dataclass(frozen=True, slots=True)
class Field:
    """Pointers in a field of structs at a location, the elements of arrays together.

    `path` leads there from a struct variable; it is empty where the struct lies behind a pointer or in an array, and
    then only the innermost struct and its field are known: `owner` and `name`, of `type`.
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
        if self.owner == other.owner:
            return self.name == other.name
        return _plain(self.type) == _plain(other.type)  # memory may be seen as one struct, then as another


Cell = Location | Field  # what holds pointers


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
        self.heap_roots: dict[int, Root] = {}  # by id of the allocating Call
        self._groups = {name: group[0] for group in merged for name in group}
        self._parameters(function)
        self._solve(function)
        self._types = self._seen_types(function)

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

    def held(self, location: Location) -> tuple[Location, ...]:
        """What the pointers stored in an array variable, or in memory, may point to."""
        return tuple(self._held(location))

    def unknown_cells(self, function: ir.Function) -> Iterator[ir.Expr]:
        """The floating cells of the function that are reached through pointers of which nothing is known."""
        nulls = null_variables(function)
        for s in walk_stmts(function.body):
            for e in own_nodes(s):
                if not isinstance(e, ir.Index | ir.Member) or not isinstance(e.type, Float) or self.storage(e):
                    continue
                if not null_only(e, nulls):
                    yield e

    def pointed(self) -> set[Location]:
        """Everything that some variable or memory holds a pointer to."""
        return {t for targets in self._contents.values() for t in targets}

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
        return found

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
                for number, part in enumerate(pointers_within(ir.Var(symbol, span=symbol.span))):
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
        while isinstance(member, ir.Index) and isinstance(_undecayed(member.base).type, Array):
            member = _undecayed(member.base)
        if not isinstance(member, ir.Member) or not isinstance(member.base.type, Struct):
            return self.storage(place)
        variable, path = _path(member)
        locations: tuple[Location, ...] = self.storage(member) if variable is None else (variable,)
        owner, name, type_ = member.base.type.name, member.name, member.type
        return tuple(Field(at, path, owner, name, type_) for at in locations)

    def _solve(self, function: ir.Function) -> None:
        statements = list(walk_stmts(function.body))
        looped = {
            id(inner)
            for s in statements
            if isinstance(s, ir.For | ir.While | ir.DoWhile)
            for inner in walk_stmts(s.body)
        }
        changed = True
        while changed:
            before = sum(len(t) for t in self._contents.values())
            for s in statements:
                self._constrain(s, id(s) in looped)
            changed = sum(len(t) for t in self._contents.values()) != before

    def _constrain(self, s: ir.Stmt, looped: bool) -> None:
        if isinstance(s, ir.Call):
            self._found_within(s)
        match s:
            case ir.Declare(symbol=symbol, init=init) if init is not None and holds_pointer(symbol.type):
                self._flow(ir.Var(symbol, span=s.span), init)
            case ir.Assign(target=target, value=value) if holds_pointer(target.type):
                self._flow(target, value)
            case ir.Call(function=name, args=args) if name in TABLE and TABLE[name].action == "copy":
                dst, src = TABLE[name].position("dst"), TABLE[name].position("src")
                assert dst is not None and src is not None
                self._copy(bare(args[dst]), bare(args[src]))
            case ir.Call(function=name, args=args, result=result) if name in TABLE and TABLE[name].action in (
                "allocate",
                "symbol",
            ):
                row = TABLE[name]
                out = row.position("out")
                place = result if out is None else out_place(args[out])
                if place is not None:
                    root = self.heap_roots.get(id(s))
                    if root is None:
                        symbol = ir.Symbol(_spelling(place), place.type, s.span)
                        root = Root(symbol, s.span, heap=True, single=not looped, table=TABLE[name].of_table)
                        self.heap_roots[id(s)] = root
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
        to, from_ = pointee(dst), pointee(src)
        if to is not None and from_ is not None and isinstance(to.type, Struct) and to.type == from_.type:
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
                    self._flow(_component(into, i), element)
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


points_to = lasting(PointsTo)  # of a function, worked out once


def pointee(pointer: ir.Expr) -> ir.Place | None:
    """The first of the elements behind a pointer."""
    if isinstance(pointer, ir.AddressOf):
        return pointer.place
    if not isinstance(pointer.type, Pointer):
        return None
    return ir.Index(pointer, ir.Const(0, INT, span=pointer.span), pointer.type.to, span=pointer.span)


def out_place(arg: ir.Expr) -> ir.Place | None:
    """The place whose address is passed, as `p` in `cudaMalloc((void **)&p, n)`."""
    while isinstance(arg, ir.Cast):
        arg = arg.operand
    if isinstance(arg, ir.AddressOf):
        return arg.place
    if isinstance(arg, ir.Binary) and arg.op == "+" and isinstance(arg.left.type, Pointer | Array):
        held = arg.left.type.to if isinstance(arg.left.type, Pointer) else arg.left.type.of
        return ir.Index(_undecayed(arg.left), arg.right, held, span=arg.span)
    if isinstance(arg, ir.Var | ir.Index | ir.Member) and isinstance(arg.type, Array):
        return ir.Index(arg, ir.Const(0, INT, span=arg.span), arg.type.of, span=arg.span)
    if isinstance(arg.type, Pointer) and isinstance(arg, ir.Var | ir.Index | ir.Member):
        return ir.Index(arg, ir.Const(0, INT, span=arg.span), arg.type.to, span=arg.span)
    return None


def null_only(expr: ir.Expr, nulls: set[ir.Symbol]) -> bool:
    """Whether a pointer, or the place it points to, can only be null."""
    match expr:
        case ir.Const(value=0):
            return True
        case ir.Var(symbol=symbol):
            return symbol in nulls
        case ir.Cast(operand=inner) | ir.Index(base=inner) | ir.Member(base=inner) | ir.Binary(left=inner):
            return null_only(inner, nulls)
        case ir.Select(then=then, orelse=orelse):
            return null_only(then, nulls) and null_only(orelse, nulls)
    return False


def null_variables(function: ir.Function) -> set[ir.Symbol]:
    """Pointer variables that are never given anything but null."""
    values: dict[ir.Symbol, list[ir.Expr]] = {}
    for s in walk_stmts(function.body):
        match s:
            case ir.Declare(symbol=symbol, init=init) if isinstance(symbol.type, Pointer):
                values.setdefault(symbol, []).extend([init] if init is not None else [])
            case ir.Assign(target=ir.Var(symbol=symbol), value=value) if isinstance(symbol.type, Pointer):
                values.setdefault(symbol, []).append(value)
    nulls: set[ir.Symbol] = set()
    while True:
        more = {x for x, given in values.items() if given and all(null_only(v, nulls) for v in given)}
        if more == nulls:
            return nulls
        nulls = more


def floating_leaves_of(type_: Type) -> frozenset[Float]:
    """The floating types of the numbers in a value, or behind a pointer."""
    base = scalar_base(type_)
    if isinstance(base, Struct):
        return frozenset().union(*(floating_leaves_of(f.type) for f in base.fields if not isinstance(f.type, Pointer)))
    return frozenset({base}) if isinstance(base, Float) else frozenset()


def pointer_parts(place: ir.Expr) -> list[ir.Expr]:
    """The pointer-valued members of a struct-valued place, nested structs and elements of arrays included."""
    if isinstance(place.type, Pointer):
        return [place]
    if not isinstance(place.type, Struct):
        return []
    members = [ir.Member(place, f.name, f.type, span=place.span) for f in place.type.fields]
    return [part for m in members for element in elements(m) for part in pointer_parts(element)]


def pointers_within(place: ir.Expr) -> list[ir.Expr]:
    """The pointers in a place, and those in the memory behind it and behind them; of memory the first element stands
    for all.  A type that leads to itself is followed once."""
    return _behind(place, ()) if isinstance(place.type, Pointer) else _within(place, ())


def _within(place: ir.Expr, seen: tuple[str, ...]) -> list[ir.Expr]:
    return [p for part in pointer_parts(place) for p in (part, *_behind(part, seen))]


def _behind(pointer: ir.Expr, seen: tuple[str, ...]) -> list[ir.Expr]:
    assert isinstance(pointer.type, Pointer)
    held = pointer.type.to
    if not holds_pointer(held) or (isinstance(held, Struct) and held.name in seen):
        return []
    first = ir.Index(pointer, ir.Const(0, INT, span=pointer.span), held, span=pointer.span)
    return _within(first, (*seen, held.name) if isinstance(held, Struct) else seen)


def spelled(place: ir.Expr) -> str:
    """A pointer of `pointers_within` by name, the elements of an array together: `grid.u`, `grids[].u`, `rows[]`."""
    if isinstance(place, ir.Index):
        return spelled(place.base) + ("[]" if isinstance(place.base.type, Pointer) else "")
    if isinstance(place, ir.Member):
        return f"{spelled(place.base)}.{place.name}"
    if isinstance(place, ir.Cast):
        return spelled(place.operand)
    assert isinstance(place, ir.Var)
    return place.symbol.name


def elements(place: ir.Expr) -> list[ir.Expr]:
    """The place, or the elements of an array whose elements are or hold pointers."""
    type_ = place.type
    if not isinstance(type_, Array) or not holds_pointer(type_):
        return [place]
    assert type_.length is not None
    cells = [ir.Index(place, ir.Const(k, INT, span=place.span), type_.of, span=place.span) for k in range(type_.length)]
    return [element for cell in cells for element in elements(cell)]


def _undecayed(base: ir.Expr) -> ir.Expr:
    return base.operand if isinstance(base, ir.Cast) and isinstance(base.operand.type, Array) else base


def _path(place: ir.Expr) -> tuple[ir.Symbol | None, str]:
    """The struct variable that a place is part of, and the fields that lead there; None behind a pointer."""
    path: list[str] = []
    while True:
        match place:
            case ir.Member(base=base, name=name):
                path.append(name)
                place = base
            case ir.Index(base=base) if isinstance(_undecayed(base).type, Array):
                place = _undecayed(base)
            case ir.Var(symbol=symbol) if isinstance(symbol.type, Struct):
                return symbol, ".".join(reversed(path))
            case _:
                return None, ""


def _component(place: ir.Expr, i: int) -> ir.Expr:
    """An element of an array, or a field of a struct."""
    if isinstance(place.type, Struct):
        field = place.type.fields[i]
        return ir.Member(place, field.name, field.type, span=place.span)
    assert isinstance(place.type, Array)
    return ir.Index(place, ir.Const(i, INT, span=place.span), place.type.of, span=place.span)


def _plain(type_: Type) -> Type:
    """Without const."""
    match type_:
        case Pointer(to=to):
            return Pointer(_plain(to))
        case Array(of=of):
            return _plain(of)
    return type_


def holds_pointer(type_: Type) -> bool:
    """Whether a value of this type is a pointer or holds one."""
    if isinstance(type_, Array):
        return holds_pointer(type_.of)
    if isinstance(type_, Struct):
        return any(holds_pointer(f.type) for f in type_.fields)
    return isinstance(type_, Pointer)


def _spelling(place: ir.Expr) -> str:
    match place:
        case ir.Var(symbol=symbol):
            return symbol.name
        case ir.Index(base=base) | ir.Member(base=base):
            return _spelling(base)
    return "memory"
