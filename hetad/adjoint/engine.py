"""The reverse-mode engine that host and device share.

A *region* is a function body or a loop body.  For each statement S of a region the engine makes a forward part
(S itself, preceded by saving what it overwrites) and a reverse part (restoring it, then the adjoint of S).  The
reverse sweep is the reverse parts in opposite order: when the adjoint of S runs, every variable holds the value
it had just before S.  Everything overwritten is saved here; `adjoint/liveness.py` removes what nobody reads.

The overwrite rule, once for every store  p = e:   t = p̄;  p̄ = 0;  operands of e accumulate with seed t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from hetad.adjoint import ruled
from hetad.adjoint.addresses import pinned
from hetad.adjoint.components import component, element_by_element
from hetad.adjoint.copy_permutations import Moves, grouped, reverse_moves
from hetad.adjoint.expressions import active_leaves, mentions, pull
from hetad.adjoint.origin import Origin
from hetad.adjoint.shadows import Shadows
from hetad.analysis.effects import Effects
from hetad.analysis.pointer_expressions import floating_leaves_of
from hetad.analysis.pointers import Location
from hetad.diagnostics import Span, UnsupportedError, recoverable
from hetad.ir import nodes as ir
from hetad.ir.build import Names, as_bool, zero
from hetad.ir.places import reached_by
from hetad.ir.simplify import negated
from hetad.ir.types import BOOL, Array, Float, Pointer, Struct, Type, holds_floating, innermost
from hetad.ir.visit import map_body
from hetad.rules.routines import HEADERS, routine_of
from hetad.rules.user import Rules

Parts = tuple[list[ir.Stmt], list[ir.Stmt]]


@dataclass(slots=True)
class Region:
    """`registers`: saved values go to variables of the region, else to the tape."""

    registers: bool
    hoisted: list[ir.Symbol] = field(default_factory=list)
    locals: list[ir.Symbol] = field(default_factory=list)
    nesting: int = 0


@dataclass(frozen=True, slots=True)
class Reversed:
    """A region after reversal: declarations for both sweeps, the sweeps, and the adjoints of its variables."""

    declarations: list[ir.Stmt]
    forward: list[ir.Stmt]
    adjoints: list[ir.Stmt]
    reverse: list[ir.Stmt]
    locals: list[ir.Symbol]


class Engine(Shadows, ABC):
    def __init__(self, names: Names, effects: Effects, active: Iterable[Location], sources: Mapping[str, str]) -> None:
        super().__init__(names, effects.pointers, active)
        self.effects = effects
        self.regions: list[Region] = []
        self.slot_origins: dict[ir.Symbol, Origin] = {}
        self.current: ir.Stmt | None = None
        self.moves_back = False  # whether swaps of variables are undone by swapping back
        self.rules: Rules = {}
        self.functions: Mapping[str, ir.Function] = {}  # those that rules stand for
        self.loops: list[tuple[ir.For | ir.While, bool]] = []  # around `current`; whether it is reversed by taping
        self._lines = {file: text.splitlines() for file, text in sources.items()}

    # -- what host and device do differently

    @abstractmethod
    def loop(self, s: ir.For | ir.While) -> Parts: ...

    @abstractmethod
    def call(self, s: ir.Call) -> Parts: ...

    @abstractmethod
    def launch(self, s: ir.Launch) -> Parts: ...

    @abstractmethod
    def accumulate(self, place: ir.Place, value: ir.Expr, span: Span) -> list[ir.Stmt]: ...

    @abstractmethod
    def changes(self, body: ir.Body) -> dict[Location, None]:
        """Locations that the body changes as far as generated code can see."""

    def store(self, s: ir.Assign | ir.Update) -> Parts:
        """A store to a cell: through a pointer, or to an element of a local array or struct."""
        return self.overwrite(s)

    # -- regions and blocks

    def region(self, body: ir.Body, registers: bool) -> Reversed:
        region = Region(registers)
        self.regions.append(region)
        forward, reverse = self.block(body)
        self.regions.pop()
        span = body[0].span if body else Span("", 0, 0)
        adjoints: list[ir.Stmt] = []
        declarations: list[ir.Stmt] = [ir.Declare(s, self._initial(s), span=s.span) for s in region.hoisted]
        pointed = self.pointers.pointed()
        for symbol in region.locals:
            if self.is_active_symbol(symbol) and not self.carries_pointers(symbol):
                shadow = self.shadow(symbol)
                # A pointer to the variable takes its shadow's address in the forward sweep already.
                where = declarations if symbol in pointed else adjoints
                where.append(ir.Declare(shadow, zero(shadow.type, span), span=symbol.span))
        return Reversed(declarations, forward, adjoints, reverse, region.locals)

    def _initial(self, symbol: ir.Symbol) -> ir.Expr | None:
        """Zero for a shadow of numbers beside pointers, which exists before the reverse sweep adds to it."""
        numbers = isinstance(symbol.type, Struct | Array) and bool(floating_leaves_of(innermost(symbol.type)))
        return zero(symbol.type, symbol.span) if numbers and symbol in self.shadows.values() else None

    def block(self, body: ir.Body) -> Parts:
        forward: list[ir.Stmt] = []
        undone: list[list[ir.Stmt]] = []
        for s in grouped(self, body) if self.moves_back else body:
            self.current = first = s.run[0] if isinstance(s, Moves) else s
            f: list[ir.Stmt] = []
            r: list[ir.Stmt] = []
            with recoverable():
                f, r = reverse_moves(self, s) if isinstance(s, Moves) else self.statement(s)
            forward += f
            if r:
                undone.append([*self._origin(first), *r])
        return forward, list(chain.from_iterable(reversed(undone)))

    def nested(self, body: ir.Body) -> Parts:
        self.regions[-1].nesting += 1
        parts = self.block(body)
        self.regions[-1].nesting -= 1
        return parts

    def statement(self, s: ir.Stmt) -> Parts:
        match s:
            case ir.Declare():
                return self.declare(s)
            case ir.Assign(target=ir.Var()) | ir.Update(target=ir.Var()):
                return self.overwrite(s)
            case ir.Assign() | ir.Update():
                before, store = pinned(self, s)
                forward, reverse = self.store(store)
                return [*before, *forward], reverse
            case ir.If():
                return self.branch(s)
            case ir.For() | ir.While():
                return self.loop(s)
            case ir.Block(body=body):
                return self.nested(body)
            case ir.Call(function=name) if name in self.rules:
                return ruled.reverse_call(self, s, self.rules[name], self.functions[name])
            case ir.Call():
                before, call = pinned(self, s)
                forward, reverse = self.call(call)
                return [*before, *forward], reverse
            case ir.Launch():
                return self.launch(s)
            case ir.Comment():
                return [], []
            case ir.Opaque():
                return [s], []
            case ir.Return(value=None):
                return [], []
        raise UnsupportedError(f"{type(s).__name__} cannot be reversed here", s.span, "please report this")

    # -- statements

    def take(self, place: ir.Place, own: ir.Place, clears: bool, span: Span) -> tuple[list[ir.Stmt], ir.Expr]:
        """`t = p̄`, and `p̄ = 0` where the store `clears` it; also t."""
        seed = self.names.seed(own.type, span)
        out: list[ir.Stmt] = [ir.Declare(seed, own, span=span)]
        if clears:
            out.append(ir.Assign(own, zero(own.type, span), span=span))
        return out, ir.Var(seed, span=span)

    def declare(self, s: ir.Declare) -> Parts:
        region = self.regions[-1]
        region.locals.append(s.symbol)
        parts = self.define(ir.Var(s.symbol, span=s.span), s.init, s.span) if s.init is not None else ([], [])
        shadowed = self.carries_pointers(s.symbol)
        if shadowed:
            region.locals.append(self.shadow(s.symbol))
        if region.nesting:
            if isinstance(s.init, ir.Aggregate):
                lists = [f for f in parts[0] if isinstance(f, ir.Assign) and isinstance(f.value, ir.Aggregate)]
                parts = [e for f in lists for e in element_by_element(f.target, f.value, f.span)], parts[1]  # type: ignore[arg-type]
            region.hoisted.append(s.symbol)
            if shadowed:
                region.hoisted.append(self.shadow(s.symbol))
            return parts
        if s.init is None:
            if not shadowed:
                return [s], []
            shadow = self.shadow(s.symbol)
            empty = None if isinstance(shadow.type, Pointer) else zero(shadow.type, s.span)
            return [s, ir.Declare(shadow, empty, span=s.span)], []
        forward: list[ir.Stmt] = [
            ir.Declare(f.target.symbol, f.value, span=f.span)
            if isinstance(f, ir.Assign) and isinstance(f.target, ir.Var)
            else f
            for f in parts[0]
        ]
        return forward, parts[1]

    def define(self, place: ir.Var, value: ir.Expr, span: Span) -> Parts:
        """The first assignment to a variable that nothing saved before can need."""
        if isinstance(value, ir.Aggregate):
            both: list[ir.Stmt] = [ir.Assign(place, value, span=span)]
            if self.carries_pointers(place.symbol):
                own = ir.Var(self.shadow(place.symbol), span=span)
                both.append(ir.Assign(own, self.shadow_list(value), span=span))
            return both, self.aggregate_adjoint(place, value, span)
        forward: list[ir.Stmt] = [ir.Assign(place, value, span=span)]
        if isinstance(place.type, Pointer) and self.is_active_symbol(place.symbol):
            shadow = self.shadow(place.symbol)
            forward.append(ir.Assign(ir.Var(shadow, span=span), self.shadow_pointer(value), span=span))
        return forward, self.adjoint(ir.Assign(place, value, span=span), first=True)

    def overwrite(self, s: ir.Assign | ir.Update) -> Parts:
        self._check_target(s)
        save, restore = self.save(s.target, s.span)
        forward = [*save, s]
        if isinstance(s.target.type, Pointer) and self.is_active_pointer(s.target):
            shadow = self.shadow_place(s.target)
            more, undo = self.save(shadow, s.span)
            save, restore = [*save, *more], [*undo, *restore]
            moved: ir.Stmt = (
                self.point(s.target, s.value, s.span) if isinstance(s, ir.Assign) else replace(s, target=shadow)
            )
            forward = [*save, moved, s]  # the shadow first: its value may ask what the pointer still is
        result: list[ir.Stmt] = []
        value_after: ir.Expr | None = None
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Intrinsic | ir.Binary) and active_leaves(self, s.value):
            if isinstance(s.target, ir.Var) and self.is_active(s.target):
                kept = self.names.symbol(f"{s.target.symbol.name}_after", s.target.type, s.span, const=True)
                result = [ir.Declare(kept, s.target, span=s.span)]
                value_after = ir.Var(kept, span=s.span)
        return forward, [*result, *restore, *self.adjoint(s, result=value_after)]

    def adjoint(self, s: ir.Assign | ir.Update, *, first: bool = False, result: ir.Expr | None = None) -> list[ir.Stmt]:
        """The overwrite rule.  `first`: the target is being initialised, so its adjoint need not be cleared."""
        target, value, span = s.target, s.value, s.span
        if isinstance(target.type, Struct):
            return self._struct_adjoint(s, first)
        if self.clears_numbers(s):
            own = self.shadow_place(target)
            return [ir.Assign(own, zero(own.type, span), span=span)]
        if not isinstance(target.type, Float) or not self.is_active(target):
            return []
        own = self.shadow_place(target)
        leaves = active_leaves(self, value)
        update = isinstance(s, ir.Update)
        own_variable = isinstance(target, ir.Var) and target.symbol.storage != "shared"
        if not own_variable or any(self._same_variable(leaf, target) for leaf in leaves):
            out, seed = self.take(target, own, not update, span)
            return [*out, *pull(self, value, self._signed(s, seed), span, result)]
        if first:
            result = target
        out = pull(self, value, self._signed(s, own), span, result)
        if not update and not first:
            out.append(ir.Assign(own, zero(own.type, span), span=span))
        return out

    def with_shadows(self, body: ir.Body) -> ir.Body:
        """`body` where every statement that sets a pointer also sets its shadow, and what it may point to has one."""
        pointed = self.pointers.pointed()

        def both(s: ir.Stmt) -> ir.Stmt | ir.Body:
            match s:
                case ir.Declare(symbol=symbol, init=init) if self.carries_pointers(symbol):
                    shadow = self.shadow(symbol)
                    if init is None:
                        empty = None if isinstance(shadow.type, Pointer) else zero(shadow.type, s.span)
                        return s, ir.Declare(shadow, empty, span=s.span)
                    value = self.shadow_list(init) if isinstance(init, ir.Aggregate) else self.shadow_pointer(init)
                    return s, ir.Declare(shadow, value, span=s.span)
                case ir.Declare(symbol=symbol) if symbol in pointed and self.is_active_symbol(symbol):
                    shadow = self.shadow(symbol)
                    return s, ir.Declare(shadow, zero(shadow.type, s.span), span=s.span)
                case ir.Assign(target=target, value=value) if self._moves_shadow(target):
                    return self.point(target, value, s.span), s
                case ir.Update(target=target) if self._moves_shadow(target):
                    return replace(s, target=self.shadow_place(target)), s
            return s

        return map_body(both, body)

    def _moves_shadow(self, target: ir.Place) -> bool:
        return isinstance(target.type, Pointer) and self.is_active_pointer(target)

    def branch(self, s: ir.If) -> Parts:
        forward_then, reverse_then = self.nested(s.then)
        forward_else, reverse_else = self.nested(s.orelse)
        before: list[ir.Stmt] = []
        cond = s.cond
        if not self.effects.stable(cond, self.changes((*s.then, *s.orelse))):
            flag = self.local("taken", BOOL, s.span)
            taken = ir.Var(flag, span=s.span)
            before, cond = [ir.Assign(taken, as_bool(cond), span=s.span)], taken
        forward: list[ir.Stmt] = [*before, ir.If(cond, tuple(forward_then), tuple(forward_else), span=s.span)]
        if not reverse_then and not reverse_else:
            return forward, []
        return forward, [ir.If(cond, tuple(reverse_then), tuple(reverse_else), span=s.span)]

    # -- saving and restoring

    def local(self, name: str, type_: Type, span: Span) -> ir.Symbol:
        """A new variable of the current region, declared at its start."""
        symbol = self.names.symbol(name, type_, span)
        self.regions[-1].hoisted.append(symbol)
        self.regions[-1].locals.append(symbol)
        return symbol

    def save(self, place: ir.Place, span: Span) -> Parts:
        """Statements that save the value of `place`, and those that restore it."""
        symbol = self.names.kept(reached_by(place), "saved", place.type, span)
        if self.regions[-1].registers:
            self.regions[-1].hoisted.append(symbol)
            if isinstance(place.type, Array):
                return [ir.Push(symbol, place, span=span)], [ir.Pop(symbol, place, span=span)]
            held = ir.Var(symbol, span=span)
            return [ir.Assign(held, place, span=span)], [ir.Assign(place, held, span=span)]
        if self.current is not None:
            self.slot_origins[symbol] = Origin(self.current, True, self.taped_loops())
        return [ir.Push(symbol, place, span=span)], [ir.Pop(symbol, place, span=span)]

    def taped_loops(self) -> tuple[ir.For | ir.While, ...]:
        """The loops around the current statement whose iterations' saved values are on the tape at once."""
        found: list[ir.For | ir.While] = []
        for loop, taped in reversed(self.loops):
            if not taped:
                break
            found.append(loop)
        return tuple(found)

    # -- details

    def _check_target(self, s: ir.Assign | ir.Update) -> None:
        for location in self.pointers.storage(s.target):
            if isinstance(location, ir.Symbol) and location.storage not in ("param", "local", "shared"):
                raise UnsupportedError(
                    f"the {location.storage} variable '{location.name}' is written by differentiated code",
                    s.span,
                    "pass it as a parameter",
                )
        if isinstance(s, ir.Update) and s.op not in ("+", "-"):
            raise UnsupportedError(f"'{s.op}=' cannot be reversed", s.span, "write it as an assignment")

    def _signed(self, s: ir.Assign | ir.Update, seed: ir.Expr) -> ir.Expr:
        return negated(seed) if isinstance(s, ir.Update) and s.op == "-" else seed

    def _same_variable(self, leaf: ir.Expr, target: ir.Place) -> bool:
        if not isinstance(target, ir.Var):
            return False
        return mentions(leaf, target.symbol) or target.symbol in self.pointers.storage(leaf)

    def aggregate_adjoint(self, place: ir.Place, value: ir.Aggregate, span: Span) -> list[ir.Stmt]:
        """Of a place that is initialised with the value, and holds it."""
        out: list[ir.Stmt] = []
        for i, element in enumerate(value.elements):
            cell = component(place, i, span)
            if isinstance(element, ir.Aggregate):
                out += self.aggregate_adjoint(cell, element, span)
            elif isinstance(element.type, Float) and self.is_active(place):
                out += pull(self, element, self.shadow_place(cell), span, cell)
            elif isinstance(element.type, Struct) and self.is_active(place):
                raise UnsupportedError("an active struct inside a list", span, "assign it to its element or field")
        return out

    def _struct_adjoint(self, s: ir.Assign | ir.Update, first: bool) -> list[ir.Stmt]:
        """A struct is assigned field by field."""
        if not self.is_active(s.target) or not holds_floating(s.target.type):
            return []
        assert isinstance(s.target.type, Struct)
        out: list[ir.Stmt] = []
        if isinstance(s.value, ir.Aggregate):
            if first:
                return self.aggregate_adjoint(s.target, s.value, s.span)
            raise UnsupportedError("an active struct is assigned a list", s.span, "assign its fields one by one")
        assert isinstance(s.value, ir.Var | ir.Index | ir.Member)
        for f in reversed(s.target.type.fields):
            if isinstance(f.type, Array) and holds_floating(f.type):
                raise UnsupportedError("an active struct with an array field is copied", s.span, "copy its fields")
            one = ir.Assign(
                ir.Member(s.target, f.name, f.type, span=s.span),
                ir.Member(s.value, f.name, f.type, span=s.span),
                span=s.span,
            )
            out += self.adjoint(one)
        return out

    def _origin(self, s: ir.Stmt) -> list[ir.Stmt]:
        """A comment that shows the primal's line above its adjoint."""
        if isinstance(s, ir.For | ir.While | ir.If | ir.Block | ir.Comment):
            return []
        if s.span.file in HEADERS:  # of a library: the text is not the user's
            routine = routine_of(s.kernel, s.span) if isinstance(s, ir.Launch) else None
            return [ir.Comment(routine.name, span=s.span)] if routine is not None else []
        comment = line_comment(self._lines, s.span)
        return [comment] if comment is not None else []


def line_comment(sources: Mapping[str, Sequence[str]], span: Span) -> ir.Comment | None:
    """The line of the source that a span begins in; `sources`: the lines of each file."""
    lines = sources.get(span.file, [])
    text = lines[span.line - 1].strip() if 0 < span.line <= len(lines) else ""
    text = text if len(text) <= 90 else text[:87] + "..."
    return ir.Comment(f"line {span.line}: {text}", span=span) if text else None
