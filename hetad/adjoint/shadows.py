"""Shadows: the variable, and the memory, that holds the adjoint of each active location.

The shadow of an object of type T is an object of type T: its floating parts hold adjoints, its pointers point to
shadows.  So a pointer and its shadow always have the same offset.  Only what has 16 bits has a shadow in float: a sum
of many shares needs more digits, and small ones more range.  So the shadow of an array of such numbers has twice as
many bytes, and that of a struct with such members is a struct of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat

from hetad.analysis.carried import pointers_in
from hetad.analysis.pointer_expressions import pointer_parts
from hetad.analysis.pointers import Location, PointsTo, Root
from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.lower.builtins import VECTORS
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import literal
from hetad.ir.build import Names, var, zero
from hetad.ir.places import is_dynamic
from hetad.ir.types import (
    INT,
    Array,
    Field,
    Float,
    Int,
    Pointer,
    Struct,
    Type,
    element,
    innermost,
    is_half,
    leaves,
    of_value,
    scalar_base,
    widened,
)


class Shadows:
    def __init__(self, names: Names, pointers: PointsTo, active: Iterable[Location]) -> None:
        self.names = names
        self.pointers = pointers
        self.active = frozenset(active)
        self.shadows: dict[ir.Symbol, ir.Symbol] = {}

    def is_active_symbol(self, symbol: ir.Symbol) -> bool:
        if isinstance(symbol.type, Pointer):
            return self.is_active_pointer(var(symbol))
        return symbol in self.active

    def carries_pointers(self, symbol: ir.Symbol, seen: tuple[Location, ...] = ()) -> bool:
        """Whether a variable is, or holds, pointers whose shadows move with it."""
        place = var(symbol)
        if isinstance(symbol.type, Array):
            element = ir.Var(replace(symbol, type=innermost(symbol.type)), span=symbol.span)
            return bool(pointer_parts(element)) and self._any_active(self.pointers.held(symbol), seen)
        return any(self.is_active_pointer(part, seen) for part in pointer_parts(place))

    def state(self, symbol: ir.Symbol) -> list[ir.Place]:
        """A variable, and what points to shadows beside it.  Adjoints of numbers are no part of a state."""
        place = var(symbol)
        if not self.carries_pointers(symbol):
            return [place]
        if isinstance(innermost(symbol.type), Struct):
            return [place, *self.shadows_of(pointers_in(symbol))]
        return [place, ir.Var(self.shadow(symbol), span=symbol.span)]

    def shadows_of(self, pointers: Iterable[ir.Expr]) -> list[ir.Place]:
        """Where the shadows of those pointers are kept that have some."""
        active = [p for p in pointers if self.is_active_pointer(p)]
        return [self.shadow_place(p) for p in active if isinstance(p, ir.Var | ir.Index | ir.Member)]

    def point(self, place: ir.Place, value: ir.Expr, span: Span) -> ir.Assign:
        """The shadow of an assignment of a pointer."""
        own = self.shadow_place(place)
        return ir.Assign(own, _as_kept(self.shadow_pointer(value), own.type), span=span)

    def shadow_list(
        self, value: ir.Aggregate, number: Callable[[ir.Expr], ir.Expr] | None = None, kept: Type | None = None
    ) -> ir.Aggregate:
        """The shadows of a list of pointers, null for what has none; of a number `number`, or zero.  `kept`: the type
        of the member, or of the elements, that it is the value of."""
        own = self.shadow_type(value.type) if kept is None else kept

        def one(e: ir.Expr, type_: Type) -> ir.Expr:
            if isinstance(e, ir.Aggregate):
                return self.shadow_list(e, number, type_)
            if isinstance(e.type, Pointer):
                return _as_kept(self.shadow_pointer(e), type_) if self.is_active_pointer(e) else zero(type_, e.span)
            return zero(e.type, e.span) if number is None else number(e)

        assert isinstance(own, Array | Struct)
        types = (f.type for f in own.fields) if isinstance(own, Struct) else repeat(own.of)
        pairs = zip(value.elements, types, strict=False)
        return replace(value, elements=tuple(one(e, t) for e, t in pairs), type=own)

    def is_active_pointer(self, pointer: ir.Expr, seen: tuple[Location, ...] = ()) -> bool:
        """Whether what the pointer points to has a shadow."""
        return self._any_active(self.pointers.targets(pointer), seen)

    def _any_active(self, targets: Iterable[Location], seen: tuple[Location, ...]) -> bool:
        return any(
            t in self.active or (isinstance(t, ir.Symbol) and t not in seen and self.carries_pointers(t, (*seen, t)))
            for t in targets
        )

    def is_active(self, place: ir.Expr) -> bool:
        return any(location in self.active for location in self.pointers.storage(place))

    def clears_numbers(self, s: ir.Assign | ir.Update) -> bool:
        """Whether an integer zero goes to memory without a type of its own, in which there are active numbers."""
        if not isinstance(s, ir.Assign) or not isinstance(s.target.type, Int) or literal(s.value) != 0:
            return False
        found = (x for x in self.pointers.storage(s.target) if isinstance(x, ir.Symbol) and x in self.active)
        return any(map(is_dynamic, found))

    def shadow(self, symbol: ir.Symbol) -> ir.Symbol:
        """The variable that holds the adjoint of `symbol`, or for a pointer the pointer to the adjoints."""
        if symbol not in self.shadows and symbol.storage == "shared":
            # What lies behind a dynamic array is reached through a pointer.
            dynamic = isinstance(symbol.type, Array) and symbol.type.length is None
            type_ = Pointer(symbol.type.of) if dynamic and isinstance(symbol.type, Array) else symbol.type
            self.shadows[symbol] = self.named(symbol, self.beside(type_), "local" if dynamic else "shared")
        if symbol not in self.shadows:
            type_ = self.shadow_type(symbol.type)
            shadow = self.shadows[symbol] = self.named(symbol, type_)
            here = var(symbol)
            targets = self.pointers.targets(here) if isinstance(type_, Pointer) else self.pointers.held(symbol)
            variables = [t for t in targets if isinstance(t, ir.Symbol)]
            held: list[Location] = [self.shadow(t) for t in variables if self._any_active([t], ())]
            if held and any(isinstance(t, Root) and t in self.active for t in targets):
                held.append(Root(shadow, symbol.span, adjoints=True))
            self.pointers.add(shadow, held)
        return self.shadows[symbol]

    def named(self, symbol: ir.Symbol, type_: Type, storage: ir.Storage = "local") -> ir.Symbol:
        """A new variable for the derivative of one."""
        return self.names.adjoint(symbol.name, type_, symbol.span, storage)

    def beside(self, type_: Type) -> Type:
        """Of the shadow of shared memory of this type, which is as volatile."""
        return wide(type_)

    def shadow_type(self, type_: Type) -> Type:
        """Of the shadow of something of this type."""
        return writable(type_)

    def shadow_place(self, place: ir.Place) -> ir.Place:
        match place:
            case ir.Var(symbol=symbol):
                return ir.Var(self.shadow(symbol), span=place.span)
            case ir.Index(base=base):
                shadow = self.shadow_pointer(base)
                return replace(place, base=shadow, type=element(shadow.type))
            case ir.Member(base=base):
                assert isinstance(base, ir.Var | ir.Index | ir.Member)
                own = self.shadow_place(base)
                assert isinstance(own.type, Struct)
                held = own.type.field_type(place.name) if own.type != base.type else place.type
                assert held is not None
                return replace(place, base=own, type=of_value(held))

    def shadow_pointer(self, expr: ir.Expr) -> ir.Expr:
        """The pointer into shadow memory at the same offset."""
        match expr:
            case ir.Var(symbol=symbol) if symbol.storage in ("global", "constant", "static"):
                raise UnsupportedError(
                    f"a pointer may reach the constant '{symbol.name}' and active memory", expr.span, "use two pointers"
                )
            case ir.Var() | ir.Index() | ir.Member() if not self.pointers.targets(expr):
                return ir.Cast(ir.Const(0, INT, span=expr.span), self.shadow_type(expr.type), span=expr.span)  # null
            case ir.Var() | ir.Index() | ir.Member():
                place = self.shadow_place(expr)
                # A shadow struct has the primal's type, with pointers to const.
                const = isinstance(place.type, Pointer) and place.type != self.shadow_type(place.type)
                return ir.Cast(place, self.shadow_type(place.type), span=place.span) if const else place
            case ir.Binary(left=left, right=right):
                if isinstance(left.type, Pointer | Array):
                    return replace(expr, left=self.shadow_pointer(left), type=self.shadow_type(expr.type))
                return replace(expr, right=self.shadow_pointer(right), type=self.shadow_type(expr.type))
            case ir.Cast(operand=operand) if isinstance(operand.type, Pointer | Array):
                held, seen = scalar_base(operand.type), scalar_base(expr.type)
                carved = any(isinstance(t, ir.Symbol) and t.storage == "shared" for t in self.pointers.targets(operand))
                if held != seen and isinstance(held, Float) and isinstance(seen, Float) and not carved:
                    raise UnsupportedError(
                        f"active memory of type '{held}' is read as '{seen}'", expr.span, "use one type for it"
                    )
                return replace(expr, operand=self.shadow_pointer(operand), type=self.shadow_type(expr.type))
            case ir.AddressOf(place=place):
                return replace(expr, place=self.shadow_place(place), type=self.shadow_type(expr.type))
            case ir.Select(then=then, orelse=orelse):
                arms = self.shadow_pointer(then), self.shadow_pointer(orelse)
                return replace(expr, then=arms[0], orelse=arms[1], type=self.shadow_type(expr.type))
        own = self.shadow_type(expr.type)  # a null pointer
        return expr if own == expr.type or not isinstance(expr, ir.Const | ir.Cast) else replace(expr, type=own)


def _as_kept(value: ir.Expr, type_: Type) -> ir.Expr:
    """A pointer to a shadow as a struct keeps it, which has the primal's type: with pointers to pointers to const."""
    inner = value.type.to if isinstance(value.type, Pointer) else None
    if not isinstance(type_, Pointer) or not isinstance(inner, Pointer) or type_.to == inner:
        return value
    # Read from such a struct, it has been cast the other way.
    return (
        value.operand
        if isinstance(value, ir.Cast) and value.operand.type == type_
        else ir.Cast(value, type_, span=value.span)
    )


def writable(type_: Type) -> Type:
    """The type without const and volatile: shadows are written to, and hold no numbers of 16 bits."""
    match type_:
        case Pointer(to=to):
            return Pointer(writable(to))
        case Array(of=of, length=length):
            return Array(writable(of), length)
    return wide(of_value(type_))


def wide(type_: Type) -> Type:
    """The type with float in the place of what has 16 bits, and `float2` in that of a pair."""
    match type_:
        case Pointer(to=to):
            return replace(type_, to=wide(to))
        case Array(of=of):
            return replace(type_, of=wide(of))
        case Struct(fields=fields) if any(map(is_half, leaves(type_))):
            own = tuple(map(_in_float, fields))
            same = (v for v in _VECTORS if v.fields == own)
            return next(same, None) or Struct(f"{type_.name.lstrip('_')}_in_float", own, type_.align)
    return widened(type_)


_VECTORS = tuple(VECTORS[f"float{n}"] for n in (2, 3, 4))


def _in_float(field: Field) -> Field:
    """The member of a shadow; its pointers have the types of the primal's."""
    return field if isinstance(innermost(field.type), Pointer) else Field(field.name, wide(field.type))


def wide_structs(structs: Sequence[Type], span: Span) -> Iterator[Struct]:
    """Those of shadows alone, each behind those inside it."""
    for struct in structs:
        own = wide(struct)
        if not isinstance(own, Struct) or own == struct or own in _VECTORS:
            continue
        if own in structs:
            raise UnsupportedError(f"a struct has the name '{own}', which adjoints need", span, "give it another name")
        yield own
