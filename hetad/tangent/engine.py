"""The tangent-linear engine that host and device share.

Each statement is preceded by its tangent: what it stores to an active place, along each direction.  Control flow and
everything else stay as they are, so that one sweep gives values and tangents:

    y = a * x;   ->   dot_y = dot_a * x + a * dot_x;  y = a * x;

The tangent of an object of type T is an object of type T, its shadow (`adjoint/shadows.py`), one for each direction.
Other things than tangents can be carried beside numbers in the same way (`algebra.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.adjoint.addresses import pinned
from hetad.adjoint.shadows import Shadows
from hetad.analysis.effects import Effects
from hetad.analysis.pointer_expressions import out_place, pointer_parts
from hetad.analysis.pointers import Location
from hetad.device.asked import Around
from hetad.diagnostics import Span, UnsupportedError, recoverable
from hetad.ir import nodes as ir
from hetad.ir.build import Names, convert, var, zero
from hetad.ir.types import Array, Float, Pointer, Struct, Type, holds_floating, of_value
from hetad.rules import math
from hetad.tangent.algebra import Algebra
from hetad.tangent.duals import Dual, Tangents
from hetad.tangent.ruled import tangent_call

Statements = list[ir.Stmt]


class Direction(Shadows):
    """The shadows that hold the tangents along one direction."""

    def __init__(
        self, names: Names, effects: Effects, active: Iterable[Location], mark: str, algebra: Algebra
    ) -> None:  # fmt: skip
        super().__init__(names, effects.pointers, active)
        self.mark, self.algebra = mark, algebra

    def named(self, symbol: ir.Symbol, type_: Type, storage: ir.Storage = "local") -> ir.Symbol:
        return self.variable(symbol.name, type_, symbol.span, storage)

    def variable(self, of: str, type_: Type, span: Span, storage: ir.Storage = "local") -> ir.Symbol:
        """For the tangent of one of this name and type."""
        return self.names.symbol(f"{self.algebra.prefix}_{of}{self.mark}", self.algebra.type(type_), span, storage)

    def beside(self, type_: Type) -> Type:
        """A tangent has the type of its number: it is given back as one, and nothing is added up in it."""
        return type_

    def shadow_type(self, type_: Type) -> Type:
        """What orders accesses to volatile memory orders those to its tangents."""
        match type_:
            case Pointer(to=to):
                return Pointer(self.shadow_type(to))
            case Array(of=of, length=length):
                return Array(self.shadow_type(of), length)
        return self.algebra.type(type_)

    def shadow_pointer(self, expr: ir.Expr) -> ir.Expr:
        found = super().shadow_pointer(expr)
        if found is not expr or not isinstance(expr, ir.Cast | ir.Const):
            return found
        return replace(expr, type=self.algebra.type(expr.type))  # a null pointer

    def shadow_place(self, place: ir.Place) -> ir.Place:
        found = super().shadow_place(place)
        if isinstance(found, ir.Member) and isinstance(found.base.type, Struct):
            held = found.base.type.field_type(found.name)
            if isinstance(place, ir.Member) and found.base.type != place.base.type and held is not None:
                return replace(found, type=of_value(held))
        return found


def marks(count: int) -> tuple[str, ...]:
    """What tells the names of so many directions apart."""
    return ("",) if count == 1 else tuple(f"_{i + 1}" for i in range(count))


@dataclass(frozen=True, slots=True)
class Held:
    """The arguments of a call, and by position the tangents of those that have some."""

    values: tuple[ir.Expr, ...]
    along: Mapping[int, tuple[ir.Expr, ...]]


class Engine(ABC):
    """`around`: the rules of the user's, and the functions that they stand for."""

    def __init__(
        self, names: Names, effects: Effects, active: Iterable[Location], count: int, algebra: Algebra, around: Around
    ) -> None:  # fmt: skip
        active = frozenset(active)
        self.around = around
        self.names, self.effects, self.pointers, self.count = names, effects, effects.pointers, count
        self.algebra = algebra
        self.directions = tuple(Direction(names, effects, active, mark, algebra) for mark in marks(count))
        self.one = self.directions[0]  # whether something is active is the same in all
        self._opened: Statements | None = None  # where variables of the statement at hand are declared

    # -- what host and device do differently

    @abstractmethod
    def call(self, s: ir.Call) -> Statements: ...

    @abstractmethod
    def launch(self, s: ir.Launch) -> Statements: ...

    # -- places

    def tangents_of(self, place: ir.Place) -> Tangents:
        if not self.one.is_active(place):
            return None
        return tuple(d.shadow_place(place) for d in self.directions)

    def local(self, name: str, type_: Type, span: Span) -> ir.Symbol:
        """A variable that is declared in front of the statement at hand."""
        symbol = self.names.symbol(name, type_, span)
        assert self._opened is not None
        self._opened.append(ir.Declare(symbol, None, span=span))
        return symbol

    def dual(self, e: ir.Expr, before: Statements | None, span: Span | None = None) -> Dual:
        """The value of an expression, and its tangents; what they share is declared `before` the statement."""
        return self.algebra.of(self, span or e.span, before)(e)

    def values(self, e: ir.Expr, before: Statements | None) -> tuple[ir.Expr, tuple[ir.Expr, ...]]:
        """The same where all tangents may be zero."""
        value, tangents = self.dual(e, before)
        return value, tangents if tangents is not None else self.zeros(e.type, e.span)

    def zeros(self, type_: Type, span: Span) -> tuple[ir.Expr, ...]:
        """The tangents of a constant of this type."""
        return (zero(self.algebra.type(type_), span),) * self.count

    # -- statements

    def body(self, body: Sequence[ir.Stmt]) -> ir.Body:
        return tuple(self._each(body))

    def _each(self, body: Sequence[ir.Stmt]) -> Iterator[ir.Stmt]:
        for s in body:
            with recoverable():
                yield from self.statement(s)

    def statement(self, s: ir.Stmt) -> Statements:
        match s:
            case ir.Declare():
                return self.declare(s)
            case ir.Assign() | ir.Update():
                return self.store(s, room=True)
            case ir.For():
                init, step = (tuple(x for each in part for x in self._in_head(each)) for part in (s.init, s.step))
                return [replace(s, init=init, step=step, body=self.body(s.body))]
            case ir.If(then=then, orelse=orelse):
                return [replace(s, then=self.body(then), orelse=self.body(orelse))]
            case ir.While(body=body) | ir.DoWhile(body=body) | ir.Block(body=body):
                return [replace(s, body=self.body(body))]
            case ir.Call(function=name) if name in self.around.rules:
                return tangent_call(self, s, self.around.rules[name], self.around.functions[name])
            case ir.Call():
                opened: Statements = []
                self._opened = opened
                before, call = pinned(self, s)
                return [*opened, *before, *self.call(call)]
            case ir.Launch():
                return self.launch(s)
            case ir.Comment() | ir.Opaque() | ir.Return() | ir.Break() | ir.Continue():
                return [s]
        raise UnsupportedError(f"{type(s).__name__} has no tangent here", s.span, "please report this")

    def _in_head(self, s: ir.Stmt) -> Statements:
        """Of what stands in the head of a loop, where there is no room for declarations of other types."""
        return self.declare(s) if isinstance(s, ir.Declare) else self.store(s, room=False)  # type: ignore[arg-type]

    def declare(self, s: ir.Declare) -> Statements:
        symbol, init, span = s.symbol, s.init, s.span
        if isinstance(init, ir.Aggregate):
            shadowed = self.has_shadow(symbol)
            lists = [ir.Declare(d.shadow(symbol), self._list(d, init), span=span) for d in self._shadowing(shadowed)]
            return [*lists, s]
        if isinstance(symbol.type, Pointer):
            moved = self.one.carries_pointers(symbol)
            return [*(self._pointer(d, symbol, init, span) for d in self._shadowing(moved)), s]
        if not self.has_shadow(symbol):
            return [s]
        if isinstance(symbol.type, Float):
            before: Statements = []
            value, tangents = (None, self.zeros(symbol.type, span)) if init is None else self.values(init, before)
            pairs = zip(self.directions, tangents, strict=True)
            return [*before, *(ir.Declare(d.shadow(symbol), t, span=span) for d, t in pairs), replace(s, init=value)]
        if init is not None and not isinstance(init, ir.Var | ir.Index | ir.Member):
            raise UnsupportedError("this initialiser has no tangent", span, "assign the fields one by one")
        shadows = ((d.shadow(symbol), d.shadow_place(init) if init is not None else None) for d in self.directions)
        return [*(ir.Declare(x, value, span=span) for x, value in shadows), s]

    def _shadowing(self, wanted: bool) -> tuple[Direction, ...]:
        return self.directions if wanted else ()

    def has_shadow(self, symbol: ir.Symbol) -> bool:
        return symbol in self.one.active or self.one.carries_pointers(symbol)

    def _pointer(self, d: Direction, symbol: ir.Symbol, init: ir.Expr | None, span: Span) -> ir.Stmt:
        return ir.Declare(d.shadow(symbol), d.shadow_pointer(init) if init is not None else None, span=span)

    def _list(self, d: Direction, value: ir.Aggregate) -> ir.Aggregate:
        """The tangents of a list of numbers and pointers."""

        def number(e: ir.Expr) -> ir.Expr:
            if isinstance(e.type, Struct):
                raise UnsupportedError("an active struct inside a list", e.span, "assign it to its element or field")
            return self.values(e, None)[1][self.directions.index(d)]

        return d.shadow_list(value, number)

    def store(self, s: ir.Assign | ir.Update, room: bool) -> Statements:
        target, span = s.target, s.span
        if isinstance(target.type, Pointer):
            return [*(self._moved(d, s) for d in self._shadowing(self.one.is_active_pointer(target))), s]
        if isinstance(target.type, Struct):
            return self._struct(s)
        if self.one.clears_numbers(s):
            cells = [d.shadow_place(target) for d in self.directions]
            return [*(ir.Assign(cell, zero(cell.type, span), span=span) for cell in cells), s]
        if not isinstance(target.type, Float) or not self.one.is_active(target):
            return [s]
        if isinstance(s, ir.Update) and s.op not in ("+", "-"):
            raise UnsupportedError(f"'{s.op}=' has no tangent here", span, "write it as an assignment")
        before: Statements | None = [] if room else None
        if isinstance(s, ir.Update):
            value, tangents = self.dual(s.value, before, span)
            op = self.algebra.update(s.op)
            pairs = [] if tangents is None else self._with(target, tangents)
            whole = [ir.Update(op, place, t, span=span) for place, t in pairs]
            alone = isinstance(target, ir.Var) and target.symbol not in self.effects.loads(s.value)
            updates = [u for each in whole for u in _added(each)] if alone else whole
            return [*(before or ()), *updates, replace(s, value=value)]
        value, some = self.values(s.value, before)
        stores = [ir.Assign(p, t, span=span) for p, t in self._with(target, some)]
        return [*(before or ()), *stores, replace(s, value=value)]

    def _with(self, target: ir.Place, tangents: Sequence[ir.Expr]) -> list[tuple[ir.Place, ir.Expr]]:
        """Where the tangents of a place lie, and those of what is stored there."""
        places = [d.shadow_place(target) for d in self.directions]
        return [(p, convert(t, p.type)) for p, t in zip(places, tangents, strict=True)]

    def _moved(self, d: Direction, s: ir.Assign | ir.Update) -> ir.Stmt:
        if isinstance(s, ir.Assign):
            return d.point(s.target, s.value, s.span)
        return replace(s, target=d.shadow_place(s.target))

    def _struct(self, s: ir.Assign | ir.Update) -> Statements:
        """Structs are copied as a whole where they hold no numbers (`adjoint/structs.py` splits the others)."""
        if not self._holds_active(s.target):
            return [s]
        if not isinstance(s.value, ir.Var | ir.Index | ir.Member):
            raise UnsupportedError("an active struct is assigned a list", s.span, "assign its fields one by one")
        given = self._holds_active(s.value)
        places = ((d.shadow_place(s.target), d.shadow_place(s.value) if given else None) for d in self.directions)
        copies = [ir.Assign(p, v if v is not None else zero(p.type, s.span), span=s.span) for p, v in places]
        return [*copies, s]

    def _holds_active(self, place: ir.Place) -> bool:
        """Whether something in a struct has a tangent, or leads to one."""
        carried = any(self.one.is_active_pointer(p) for p in pointer_parts(place))
        return carried or (self.one.is_active(place) and holds_floating(place.type))

    # -- calls

    def constant(self, place: ir.Place | None) -> Statements:
        """What a call stores there is a constant."""
        if place is None or not isinstance(place.type, Float) or not self.one.is_active(place):
            return []
        return [
            ir.Assign(d.shadow_place(place), z, span=place.span)
            for d, z in zip(self.directions, self.zeros(place.type, place.span), strict=True)
        ]

    def mathematics(self, s: ir.Call) -> Statements:
        """A function that stores results through pointers: sincos, modf, frexp and their like."""
        row = math.ROWS[s.function]
        span = s.span
        before: Statements = []
        outputs = [i for i, param in enumerate(row.params) if param.output]
        places: dict[str, ir.Place] = {} if s.result is None else {"r": s.result}
        for i in outputs:
            place = out_place(s.args[i])
            if place is None:
                raise UnsupportedError(
                    f"the result of {s.function} goes through a pointer variable", s.args[i].span,
                    "pass the address of a variable",
                )  # fmt: skip
            places[row.params[i].name] = place
        held = self.held_arguments(s.args, before, outputs)
        after: Statements = []
        for name, place in places.items():
            if not isinstance(place.type, Float) or not self.one.is_active(place):
                continue
            terms: list[Tangents] = []
            for i, tangents in held.along.items():
                slope = (
                    math.partial(s.function, i, held.values, places["r"], span, places)
                    if name == "r"
                    else math.output_partial(s.function, name, i, held.values, places, span)
                )
                terms += [self.algebra.along(slope, tangents)] if slope is not None else []
            after += self.sum_of(terms, place, span)
        return [*before, replace(s, args=held.values), *after]

    def held_arguments(self, args: Sequence[ir.Expr], before: Statements, but: Sequence[int] = ()) -> Held:
        """The arguments of a call, those at `but` as they are, in variables that the call cannot change."""
        values: list[ir.Expr] = []
        along: dict[int, tuple[ir.Expr, ...]] = {}
        for i, arg in enumerate(args):
            if i in but:
                values.append(arg)
                continue
            value, tangents = self.dual(arg, before)
            values.append(self.held(value, before) if isinstance(arg.type, Float) else value)
            if tangents is not None:
                along[i] = tuple(self.held(t, before) for t in tangents)
        return Held(tuple(values), along)

    def sum_of(self, terms: Iterable[Tangents], place: ir.Place, span: Span) -> Statements:
        """Makes a sum the tangents of what has been stored at a place."""
        total: Sequence[ir.Expr] = self.zeros(place.type, span)
        for term in terms:
            if term is not None:
                total = [self.algebra.plus(a, b) for a, b in zip(total, term, strict=True)]
        return [ir.Assign(p, t, span=span) for p, t in self._with(place, total)]

    def held(self, e: ir.Expr, before: Statements) -> ir.Expr:
        if isinstance(e, ir.Const):
            return e
        symbol = self.names.symbol("value", e.type, e.span, const=True)
        before.append(ir.Declare(symbol, e, span=e.span))
        return var(symbol, e.span)


def _added(update: ir.Update) -> Iterator[ir.Update]:
    """`dot_y += a * b + c * d;` as an addition for each product: with it, it is one instruction."""
    match update:
        case ir.Update("+" | "-", _, ir.Binary("+" | "-" as sign, ir.Binary() as left, ir.Binary(op="*") as right)):
            yield from _added(replace(update, value=left))
            yield replace(update, op="+" if sign == update.op else "-", value=right)
        case _:
            yield update
