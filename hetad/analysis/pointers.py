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
from hetad.ir.types import INT, Array, Float, Pointer, Struct, Type, Void, scalar_base
from hetad.ir.visit import own_exprs, walk_expr, walk_stmts
from hetad.memops.table import TABLE


@dataclass(frozen=True, eq=False, slots=True)
class Root:
    """Memory behind a pointer parameter (`symbol` is the parameter) or of one allocation site.

    `single` is false when several allocations may stand behind it (a site in a loop).
    """

    symbol: ir.Symbol
    span: Span
    heap: bool = False
    single: bool = True

    @property
    def name(self) -> str:
        return self.symbol.name


Location = ir.Symbol | Root
Targets = dict[Location, None]  # an ordered set
Cell = Location | tuple[ir.Symbol, str]  # what holds a pointer: a location, or the field of a struct variable


class PointsTo:
    """The result: `targets` of a pointer expression, `storage` of a place."""

    def __init__(self, function: ir.Function, merged: tuple[tuple[str, ...], ...] = ()) -> None:
        """`merged` names pointer parameters that may point into the same memory."""
        self._contents: dict[Cell, Targets] = {}
        self.field_roots: dict[tuple[ir.Symbol, str], Root] = {}
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
        return tuple(self._contents.get(location, {}))

    def unknown_cells(self, function: ir.Function) -> Iterator[ir.Expr]:
        """The floating cells of the function that are reached through pointers of which nothing is known."""
        nulls = _null_variables(function)
        for s in walk_stmts(function.body):
            for own in own_exprs(s):
                for e in walk_expr(own):
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
            for own in own_exprs(s):
                for e in walk_expr(own):
                    if isinstance(e.type, Pointer) and (types := floating_leaves_of(e.type.to)):
                        for t in self._targets(e):
                            found[t] = found.get(t, frozenset()) | types
        return found

    def target_sets(self) -> Iterator[tuple[Root | None, tuple[Location, ...]]]:
        """For everything that holds pointers, what they may point to; and itself, where it is memory."""
        for cell, targets in self._contents.items():
            yield cell if isinstance(cell, Root) else None, tuple(targets)

    def roots(self) -> Iterator[Root]:
        yield from dict.fromkeys(self.parameter_roots.values())
        yield from self.heap_roots.values()

    def add(self, pointer: ir.Symbol, targets: Iterable[Location]) -> None:
        """Tell of a synthesised pointer variable."""
        self._contents.setdefault(pointer, {}).update(dict.fromkeys(targets))

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
                self._contents.setdefault(symbol, {})[root] = None
            elif isinstance(symbol.type, Struct):
                for part in pointer_parts(ir.Var(symbol, span=symbol.span)):
                    self._field_root(symbol, part, by_group)

    def _field_root(self, symbol: ir.Symbol, part: ir.Expr, by_group: dict[str, Root]) -> None:
        cell = _cell(part)
        if not isinstance(cell, tuple):
            return
        name = f"{symbol.name}.{cell[1]}"
        group = self._groups.get(name, name)
        if group not in by_group:
            by_group[group] = Root(ir.Symbol(name, part.type, symbol.span, "param"), symbol.span)
        self.field_roots[cell] = by_group[group]
        self._contents.setdefault(cell, {})[by_group[group]] = None

    def _cells(self, place: ir.Expr) -> tuple[Cell, ...]:
        """What holds the pointers in a place."""
        cell = _cell(place)
        return (cell,) if cell is not None else self.storage(place)

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
        match s:
            case ir.Declare(symbol=symbol, init=init) if init is not None and _holds_pointer(symbol.type):
                self._flow((symbol,), init)
            case ir.Assign(target=target, value=value) if _holds_pointer(target.type):
                self._flow(self._cells(target), value)
            case ir.Call(function=name, args=args) if name in TABLE and TABLE[name].action == "copy":
                dst, src = TABLE[name].position("dst"), TABLE[name].position("src")
                assert dst is not None and src is not None
                copied: Targets = {}
                for source in self._targets(_bare(args[src])):
                    copied.update(self._contents.get(source, {}))
                for into in self._targets(_bare(args[dst])) if copied else ():
                    self._contents.setdefault(into, {}).update(copied)
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
                        root = self.heap_roots[id(s)] = Root(symbol, s.span, heap=True, single=not looped)
                    for cell in self._cells(place):
                        self._contents.setdefault(cell, {})[root] = None

    def _flow(self, into: tuple[Cell, ...], value: ir.Expr) -> None:
        if isinstance(value, ir.Aggregate):
            for i, element in enumerate(value.elements):
                if _holds_pointer(element.type):
                    self._flow(tuple(_component(cell, value.type, i) for cell in into), element)
            return
        if isinstance(value.type, Struct):
            for part in pointer_parts(value):
                path = _path(part, value)
                self._flow(tuple(_field(cell, path) for cell in into), part)
            return
        reached = self._targets(value)
        for cell in into:
            self._contents.setdefault(cell, {}).update(reached)

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
                    held.update(self._contents.get(cell, {}))
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


def out_place(arg: ir.Expr) -> ir.Place | None:
    """The place whose address is passed, as `p` in `cudaMalloc((void **)&p, n)`."""
    while isinstance(arg, ir.Cast):
        arg = arg.operand
    if isinstance(arg, ir.AddressOf):
        return arg.place
    if isinstance(arg, ir.Binary) and arg.op == "+" and isinstance(arg.left.type, Pointer | Array):
        held = arg.left.type.to if isinstance(arg.left.type, Pointer) else arg.left.type.of
        return ir.Index(arg.left, arg.right, held, span=arg.span)
    if isinstance(arg, ir.Var) and isinstance(arg.type, Array):
        return ir.Index(arg, ir.Const(0, INT, span=arg.span), arg.type.of, span=arg.span)
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


def _null_variables(function: ir.Function) -> set[ir.Symbol]:
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
    """The pointer-valued members of a struct-valued place, nested structs included."""
    if isinstance(place.type, Pointer):
        return [place]
    if not isinstance(place.type, Struct):
        return []
    members = (ir.Member(place, f.name, f.type, span=place.span) for f in place.type.fields)
    return [part for m in members for part in pointer_parts(m)]


def _cell(place: ir.Expr) -> tuple[ir.Symbol, str] | None:
    """The field of a struct variable that a place names."""
    path: list[str] = []
    while isinstance(place, ir.Member):
        path.append(place.name)
        place = place.base
    if isinstance(place, ir.Var) and path:
        return place.symbol, ".".join(reversed(path))
    return None


def _path(part: ir.Expr, whole: ir.Expr) -> str:
    path: list[str] = []
    while part is not whole and isinstance(part, ir.Member):
        path.append(part.name)
        part = part.base
    return ".".join(reversed(path))


def _field(cell: Cell, path: str) -> Cell:
    if isinstance(cell, tuple):
        return cell[0], f"{cell[1]}.{path}"
    return (cell, path) if isinstance(cell, ir.Symbol) and isinstance(cell.type, Struct) else cell


def _component(cell: Cell, type_: Type, i: int) -> Cell:
    return _field(cell, type_.fields[i].name) if isinstance(type_, Struct) else cell


def _bare(pointer: ir.Expr) -> ir.Expr:
    while isinstance(pointer, ir.Cast):
        pointer = pointer.operand
    return pointer


def _holds_pointer(type_: Type) -> bool:
    if isinstance(type_, Array):
        return _holds_pointer(type_.of)
    if isinstance(type_, Struct):
        return any(_holds_pointer(f.type) for f in type_.fields)
    return isinstance(type_, Pointer)


def _spelling(place: ir.Expr) -> str:
    match place:
        case ir.Var(symbol=symbol):
            return symbol.name
        case ir.Index(base=base) | ir.Member(base=base):
            return _spelling(base)
    return "memory"
