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
from hetad.ir.types import Array, Pointer, Struct, Type
from hetad.ir.visit import walk_stmts
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


class PointsTo:
    """The result: `targets` of a pointer expression, `storage` of a place."""

    def __init__(self, function: ir.Function, merged: tuple[tuple[str, ...], ...] = ()) -> None:
        """`merged` names pointer parameters that may point into the same memory."""
        self._contents: dict[Location, Targets] = {}
        self.parameter_roots: dict[ir.Symbol, Root] = {}
        self.heap_roots: dict[int, Root] = {}  # by id of the allocating Call
        self._groups = {name: group[0] for group in merged for name in group}
        self._parameters(function)
        self._solve(function)

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

    def target_sets(self) -> Iterator[tuple[Location, ...]]:
        """For each location that holds pointers, what they may point to."""
        for targets in self._contents.values():
            yield tuple(targets)

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
            elif isinstance(symbol.type, Struct) and _holds_pointer(symbol.type):
                root = Root(symbol, symbol.span, single=False)
                self.parameter_roots[symbol] = root
                self._contents.setdefault(symbol, {})[root] = None

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
                self._flow(self.storage(target), value)
            case ir.Call(function=name, args=args, result=result) if name in TABLE and TABLE[name].action == "allocate":
                row = TABLE[name]
                out = row.position("out")
                place = result if out is None else out_place(args[out])
                if place is not None:
                    root = self.heap_roots.get(id(s))
                    if root is None:
                        symbol = ir.Symbol(_spelling(place), place.type, s.span)
                        root = self.heap_roots[id(s)] = Root(symbol, s.span, heap=True, single=not looped)
                    for location in self.storage(place):
                        self._contents.setdefault(location, {})[root] = None

    def _flow(self, into: tuple[Location, ...], value: ir.Expr) -> None:
        if isinstance(value, ir.Aggregate):
            for element in value.elements:
                if _holds_pointer(element.type):
                    self._flow(into, element)
            return
        reached = self._targets(value)
        if isinstance(value.type, Struct):
            reached = {}
            for source in self.storage(value):
                reached.update(self._contents.get(source, {}))
        for location in into:
            self._contents.setdefault(location, {}).update(reached)

    def _targets(self, expr: ir.Expr) -> Targets:
        match expr:
            case ir.Var(symbol=symbol):
                if isinstance(symbol.type, Pointer):
                    return self._contents.get(symbol, {})
                return {symbol: None}
            case ir.Index() | ir.Member():
                held: Targets = {}
                for location in self.storage(expr):
                    if isinstance(expr.type, Array):
                        held[location] = None
                    else:
                        held.update(self._contents.get(location, {}))
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
    return arg.place if isinstance(arg, ir.AddressOf) else None


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
