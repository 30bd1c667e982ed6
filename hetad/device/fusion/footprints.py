"""What a statement of a kernel reads, sets and adds to: whether two statements may change places.

Variables stand for themselves, pointer parameters for the memory that they lead to.  An adjoint's parameter leads to
memory that no other one reaches; memory of the primal's is only read here, or else the statement stays in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hetad.analysis.pointer_expressions import out_place
from hetad.ir import nodes as ir
from hetad.ir.facts import Fact, lasting
from hetad.ir.places import base, root_symbol, subscripts
from hetad.ir.types import Array, Pointer, is_volatile
from hetad.ir.visit import children
from hetad.rules import callees, operations
from hetad.rules import math as rules

Symbols = frozenset[ir.Symbol]
_NONE: Symbols = frozenset()


@dataclass(frozen=True, slots=True)
class Footprint:
    """`adds`: to floating or whole numbers by `+=`, `-=` or atomicAdd, whose order does not matter.  `stays`: it does
    more than can be said so."""

    reads: Symbols = _NONE
    sets: Symbols = _NONE
    adds: Symbols = _NONE
    stays: bool = False

    @property
    def changes(self) -> Symbols:
        return self.sets | self.adds

    def __or__(self, other: Footprint) -> Footprint:
        return Footprint(
            self.reads | other.reads, self.sets | other.sets, self.adds | other.adds, self.stays or other.stays
        )

    def without(self, symbols: Iterable[ir.Symbol]) -> Footprint:
        gone = frozenset(symbols)
        return replace(self, reads=self.reads - gone, sets=self.sets - gone, adds=self.adds - gone)

    def commutes(self, other: Footprint) -> bool:
        """Whether it does not matter which of the two comes first."""
        if self.stays or other.stays:
            return False
        return (
            self.sets.isdisjoint(other.reads | other.changes)
            and other.sets.isdisjoint(self.reads | self.changes)
            and self.adds.isdisjoint(other.reads)
            and other.adds.isdisjoint(self.reads)
        )


def footprint_of(body: ir.Body) -> Footprint:
    """Of a body as a whole: variables that it declares are its own."""
    found = Footprint()
    for s in reversed(body):
        if isinstance(s, ir.Declare):
            found = found.without((s.symbol,)) | reading(s.init)
        else:
            found |= footprint(s)
    return found


def reading(e: ir.Expr | None) -> Footprint:
    """Of an expression whose value is used."""
    return Footprint() if e is None else _value(e)


def _find(s: ir.Stmt) -> Footprint:
    match s:
        case ir.Comment():
            return Footprint()
        case ir.Declare(symbol=symbol, init=init) if symbol.storage == "local":
            return Footprint(sets=frozenset((symbol,))) | reading(init)
        case ir.Assign(target=target, value=value):
            return _place(target, adds=False) | _value(value)
        case ir.Update(op=op, target=target, value=value):
            added = _place(target, adds=op in ("+", "-"))
            return added | _value(value) | (Footprint() if op in ("+", "-") else _value(target))
        case ir.Call(function="atomicAdd", args=(ir.AddressOf(place=place), value), result=None):
            return _place(place, adds=True) | _value(value)
        case ir.Call(function=name, args=args, result=result) if name in rules.ROWS:
            given = [_result(a) if isinstance(a.type, Pointer | Array) else _value(a) for a in args]
            given += [_place(result, adds=False)] if result is not None else []
            return _all(given)
        case ir.If(cond=cond, then=then, orelse=orelse):
            return _value(cond) | footprint_of(then) | footprint_of(orelse)
        case ir.Block(body=body):
            return footprint_of(body)
        case ir.For():
            return footprint_of((*s.init, *_tests(s.cond), *s.step, *s.body))
        case ir.While(cond=cond, body=body) | ir.DoWhile(cond=cond, body=body):
            return _value(cond) | footprint_of(body)
    return Footprint(stays=True)


footprint: Fact[ir.Stmt, Footprint] = lasting(_find)


def _tests(cond: ir.Expr | None) -> ir.Body:
    """A condition, as a statement that reads what it does."""
    return () if cond is None else (ir.If(cond, (), (), span=cond.span),)


def _all(parts: Iterable[Footprint]) -> Footprint:
    found = Footprint()
    for part in parts:
        found |= part
    return found


def _result(pointer: ir.Expr) -> Footprint:
    """Of a pointer, or an array, where a function of mathematics leaves a result."""
    place = out_place(pointer)
    return Footprint(stays=True) if place is None else _place(place, adds=False)


def _place(place: ir.Place, adds: bool) -> Footprint:
    """Of a place that is written."""
    root = base(place)
    inside = _all(map(_value, subscripts(place)))
    own = root_symbol(place)
    known = own is not None and own.storage == "local" and not is_volatile(own.type)
    adjoint = root is not None and root.adjoint and root.storage == "param" and isinstance(root.type, Pointer)
    if root is None or not (known or adjoint) or _follows_pointers(place):
        return Footprint(stays=True)
    at = frozenset((root,))
    return inside | (Footprint(adds=at) if adds else Footprint(sets=at))


def _follows_pointers(place: ir.Expr) -> bool:
    """Whether more than the parameter at its base leads to the place."""
    below = place.base if isinstance(place, ir.Index | ir.Member) else None
    while isinstance(below, ir.Index | ir.Member):
        if isinstance(below.type, Pointer):
            return True
        below = below.base
    return below is not None and not isinstance(below, ir.Var)


def _value(e: ir.Expr) -> Footprint:
    match e:
        case ir.Var(symbol=symbol):
            known = symbol.storage == "param" or (symbol.storage in ("local", "constant") and _is_plain(symbol))
            return Footprint(reads=frozenset((symbol,)), stays=not known)
        case ir.AddressOf() | ir.CallExpr():
            return Footprint(stays=True)
        case ir.Intrinsic(args=(ir.AddressOf(place=place),)) if operations.gives(e, operations.take):
            return _place(place, adds=False)
        case ir.Intrinsic(name=name) if callees.kind(name) != "mathematics" and name not in rules.ROWS:
            return Footprint(stays=True)
    return _all(map(_value, children(e)))


def _is_plain(symbol: ir.Symbol) -> bool:
    return not is_volatile(symbol.type) and not isinstance(symbol.type, Pointer)
