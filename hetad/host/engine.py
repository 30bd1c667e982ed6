"""The reverse engine on the host: launches, memory operations, and adjoints of scalars passed to kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product

from hetad.adjoint.control import tape
from hetad.adjoint.engine import Engine, Parts
from hetad.adjoint.expressions import active_leaves
from hetad.adjoint.outputs import reverse_call, stores_results
from hetad.adjoint.structs import floating_leaves
from hetad.analysis.effects import Effects
from hetad.analysis.memory_calls import does, freed
from hetad.analysis.no_alias import NoAlias
from hetad.analysis.pointer_expressions import out_place, pointer_parts, pointers_within, spelled
from hetad.analysis.pointers import Location
from hetad.analysis.spaces import Spaces
from hetad.device.asked import Asked
from hetad.device.generated import Pullback
from hetad.diagnostics import Span, UnsupportedError
from hetad.host.again.records import is_record, reversed_record
from hetad.host.cells import Cells
from hetad.host.communication import CommunicationAdjoints, communicates
from hetad.host.devices import uses_devices
from hetad.host.doubtful import spaces_tested
from hetad.host.kernels.assumptions import Assumptions
from hetad.host.kernels.extents import known_extents
from hetad.host.kernels.pulled_back import narrowed, pulled_back
from hetad.host.kernels.races import Races
from hetad.host.kernels.routines import undone
from hetad.host.kernels.versions import alike, either, holds, memory_apart
from hetad.host.memory import MemoryAdjoints
from hetad.host.saves.checkpoint import Checkpoints
from hetad.host.saves.parts import Ends, WrittenParts
from hetad.host.zeros import cleared
from hetad.ir import nodes as ir
from hetad.ir.build import Names, address_of, var, zero
from hetad.ir.identity import IdentityMap
from hetad.ir.types import Float, Pointer, Struct, holds_numbers
from hetad.ir.visit import variables, walk_stmts
from hetad.rules import callees, operations
from hetad.rules.callee import Inactive


class HostEngine(Engine):
    def __init__(
        self,
        names: Names,
        effects: Effects,
        active: Iterable[Location],
        sources: Mapping[str, str],
        kernels: Mapping[str, ir.Function],
        spaces: Spaces,
        make_pullback: Callable[[Asked], Pullback],
    ) -> None:
        super().__init__(names, effects, active, sources)
        self.kernels = kernels
        self.make_pullback = make_pullback
        self.spaces = spaces
        self.memory = MemoryAdjoints(self, spaces)
        self.communication = CommunicationAdjoints(self)
        self.cells = Cells(names, {}, several=False)
        self.frees: list[tuple[ir.Stmt, ...]] = []  # each of several statements, which may be left out together
        self.extents: dict[ir.Symbol, ir.Expr] = {}  # of grids and blocks that are set once
        self.last_allocation = -1  # in the order of the text, which `order` gives
        self.order = IdentityMap[ir.Stmt, int]()
        self.versions = True  # whether facts that only a launch tells are tested there
        self.no_alias = NoAlias((), effects)
        self.fresh = IdentityMap[ir.Stmt, set[Location]]()  # by launch: memory that no statement before has touched
        self.checkpoints: Checkpoints | None = None
        self.parts = WrittenParts(kernels)
        self.assumptions = Assumptions(kernels)
        self.races = Races(kernels, effects.pointers, names)
        self.given: Mapping[str, ir.Function] = {}  # pullbacks of kernels that stand for routines of a library
        self.refills = IdentityMap[ir.Launch, list[ir.Launch]]()  # what may be run again to undo a launch
        self.cells_of: dict[ir.Symbol, Ends] = {}  # by slot of a snapshot: all that its statement may write

    def prepare_cells(self, body: ir.Body) -> None:
        """Gives a cell to each active variable that a launch passes by value."""
        args = [arg for s in walk_stmts(body) if isinstance(s, ir.Launch) for arg in s.args]
        passed = [a.symbol for a in args if isinstance(a, ir.Var) and a.symbol in self.active]
        symbols = dict.fromkeys(x for x in passed if isinstance(x.type, Float | Struct))
        self.cells = Cells(self.names, symbols, uses_devices(body))

    def find_extents(self, body: ir.Body) -> None:
        """Finds the grids and blocks in variables that nothing changes."""
        self.extents = known_extents(body, self.effects)

    def find_aliases(self, body: ir.Body) -> None:
        """Finds which arguments of launches never reach the same memory."""
        self.no_alias = NoAlias(body, self.effects)

    def find_allocations(self, body: ir.Body) -> None:
        """Finds where the program allocates for the last time."""
        for number, s in enumerate(walk_stmts(body)):
            self.order[s] = number
            if _allocates(s):
                self.last_allocation = number

    def allocates_around(self) -> bool:
        """Whether a loop around the current statement allocates: what is freed in it must serve again."""
        return any(_allocates(s) for loop, _ in self.loops for s in walk_stmts(loop.body))

    def allocates_later(self, s: ir.Stmt) -> bool:
        """Whether memory that is freed here may serve further on."""
        return self.order.get(s, -1) < self.last_allocation

    def find_fresh(self, body: ir.Body, wanted: Iterable[Location]) -> None:
        """`wanted`: memory whose adjoint is a result."""
        untouched = {r for r in self.pointers.roots() if r.single} - set(wanted)
        for s in body:
            if isinstance(s, ir.Launch):
                self.fresh[s] = set(untouched)
            for inner in walk_stmts((s,)):
                if not _allocates(inner):
                    untouched -= {*self.effects.reads(inner), *self.effects.writes(inner)}

    def changes(self, body: ir.Body) -> dict[Location, None]:
        """What is freed is not there again before the reverse sweep is in the body."""
        gone = (x for s in walk_stmts(body) if (p := freed(s)) is not None for x in self.effects.behind(p))
        return self.effects.written(body) | dict.fromkeys(gone)

    def loop(self, s: ir.For | ir.While) -> Parts:
        parts = self.checkpoints.loop(self, s) if self.checkpoints is not None else None
        return parts if parts is not None else tape(self, s)

    def accumulate(self, place: ir.Place, value: ir.Expr, span: Span) -> list[ir.Stmt]:
        own = self.shadow_place(place)
        if isinstance(value, ir.Unary) and value.op == "-":
            return [ir.Update("-", own, value.operand, span=span)]
        return [ir.Update("+", own, value, span=span)]

    def adjoint(self, s: ir.Assign | ir.Update, *, first: bool = False, result: ir.Expr | None = None) -> list[ir.Stmt]:
        return [*self._flush_place(s.target, s.span), *super().adjoint(s, first=first, result=result)]

    def aggregate_adjoint(self, place: ir.Place, value: ir.Aggregate, span: Span) -> list[ir.Stmt]:
        return [*self._flush_place(place, span), *super().aggregate_adjoint(place, value, span)]

    def _flush_place(self, place: ir.Place, span: Span) -> list[ir.Stmt]:
        symbols = [x for x in self.pointers.storage(place) if isinstance(x, ir.Symbol)]
        return [f for x in symbols for f in self.flush(x, span)]

    def flush(self, symbol: ir.Symbol, span: Span) -> list[ir.Stmt]:
        """Adds what the pullbacks accumulated on the device to the scalar's adjoint on the host."""
        if symbol not in self.cells:
            return []
        own = floating_leaves(ir.Var(self.shadow(symbol), span=span))
        cells = self.cells.leaves(symbol, span)
        return [
            operations.read_scalar(address_of(place), cell, span=span) for place, cell in zip(own, cells, strict=True)
        ]

    # -- calls

    def call(self, s: ir.Call) -> Parts:
        if stores_results(s.function):
            return reverse_call(self, s)
        if is_record(s):
            return reversed_record(self, s)
        save, restore = self.save(s.result, s.span) if s.result is not None else ([], [])
        if s.result is not None and isinstance(s.result.type, Float):  # a constant, as it is read from somewhere
            constant = ir.Assign(s.result, zero(s.result.type, s.span), span=s.span)
            restore = [*restore, *self.adjoint(constant)]
        callee = callees.find(s.function)
        if isinstance(callee.pullback, Inactive) and callee.kind in ("output", "support"):
            return [*save, s], restore
        if callee.kind == "formatted":
            forward, reverse = self._formatted(s)
            return [*save, *forward], [*reverse, *restore]
        if callee.operation is None:
            raise UnsupportedError(f"'{s.function}' cannot be reversed", s.span, "see the table of supported calls")
        adjoints = self.communication if communicates(callee.operation) else self.memory
        forward, reverse = adjoints.operation(s, callee.operation)
        return [*save, *spaces_tested(s, self.spaces), *forward], [*reverse, *restore]

    def _formatted(self, s: ir.Call) -> Parts:
        """Texts written and numbers read: what stood there is saved, and what came there is a constant."""
        written = callees.find(s.function).writes
        forward: list[ir.Stmt] = []
        reverse: list[ir.Stmt] = []
        for arg in (a for i, a in enumerate(s.args) if i in written):
            save, restore = self.memory.written(s, arg)
            forward += save
            nothing: list[ir.Stmt] = []
            place = out_place(arg)
            if place is not None and isinstance(place.type, Float):
                nothing = self.adjoint(ir.Assign(place, zero(place.type, s.span), span=s.span))
            reverse = [*restore, *nothing, *reverse]
        return [*forward, s], reverse

    # -- launches

    def launch(self, s: ir.Launch) -> Parts:
        saved, pops = self._saved_buffers(s)
        pops = [*pops, *self.refills.get(s, ())]
        pushes = [*spaces_tested(s, self.spaces), *self.assumptions.looked_at(s, self.extents), *saved]
        active = frozenset(i for i, arg in enumerate(s.args) if self._is_active_argument(arg))
        if not active:
            return [*pushes, s], pops
        if s.kernel in self.given:
            return [*pushes, s], [*pops, *undone(self, s, self.given[s.kernel], active)]
        merged = self._merged(s, active)
        pushes = [*self.races.looked_at(s, self.extents, active, merged), *pushes]
        spent = self._spent(s, active)
        made, (forward, reverse) = self._undone(s, active, merged, spent)
        separate = self._apart(s, merged) if self.versions else None
        if separate is not None:
            faster, parts = self._undone(s, active, (), spent)
            if not alike(faster, made):
                reverse = either(separate, parts[1], reverse, s.span)
                if made.recorder is not None or faster.recorder is not None:
                    forward = either(separate, parts[0], forward, s.span)
        repeated = self._repeated(s, active)
        if all(i in repeated for i in active if not isinstance(s.args[i].type, Float)):
            adjoints = {i: self.adjoint_argument(s.args[i], s.span) for i in sorted(repeated)}
            kept = spent | self.effects.kernels[s.kernel].reads | (repeated - made.clears())
            reverse = [*reverse, *cleared(self.parts, s, adjoints, kept, self.no_alias)]
        return [*pushes, *forward], [*pops, *reverse]

    def _apart(self, s: ir.Launch, merged: tuple[tuple[str, ...], ...]) -> ir.Expr | None:
        return memory_apart(self.kernels[s.kernel], s, merged, self.pointers, self.no_alias)

    def _undone(
        self, s: ir.Launch, active: frozenset[int], merged: tuple[tuple[str, ...], ...], spent: frozenset[int]
    ) -> tuple[Pullback, Parts]:
        """The parts of the launch, given which of its arguments may overlap; with a faster version where sizes allow
        it."""
        zeros = self._repeated(s, active) - spent
        asked = Asked(s.kernel, active, merged, spent, zeros)
        made = self.make_pullback(asked)
        forward, reverse = pulled_back(self, s, made)
        if made.lacking:
            condition = holds(made.lacking, self.kernels[s.kernel].params, narrowed(s, made), self.extents)
            if made.refusal is not None and condition is not True:
                raise made.refusal
            apart = self.make_pullback(replace(asked, known=made.lacking))
            reverse = either(condition, pulled_back(self, s, apart)[1], reverse, s.span)
        return made, (forward, reverse)

    def _repeated(self, s: ir.Launch, active: frozenset[int]) -> frozenset[int]:
        """Arguments whose adjoints may be zero again each time round a loop."""
        if not self.loops:
            return frozenset()
        return frozenset(i for i in active if isinstance(s.args[i].type, Pointer) and not pointers_within(s.args[i]))

    def _spent(self, s: ir.Launch, active: frozenset[int]) -> frozenset[int]:
        """Arguments whose adjoints nobody needs once the launch is undone: the program has not touched the memory
        before, and no gradient is asked for it."""
        pointers = [i for i in active if isinstance(s.args[i].type, Pointer) and not pointers_within(s.args[i])]
        reached = {i: set(self.pointers.targets(s.args[i])) for i in pointers}
        return frozenset(i for i, targets in reached.items() if targets and targets <= self.fresh.get(s, set()))

    def _saved_buffers(self, s: ir.Launch) -> Parts:
        """Snapshots of the allocations that the kernel may write."""
        covered: set[Location] = set()
        pushes: list[ir.Stmt] = []
        pops: list[ir.Stmt] = []
        summary = self.effects.kernels[s.kernel]
        for i in sorted(summary.writes):
            arg = s.args[i]
            direct = [arg] if isinstance(arg.type, Pointer) else pointer_parts(arg)
            for part in summary.written_through(i, arg):
                extent: ir.Extent = "allocation" if part in direct else "column"
                targets = self.pointers.targets(part)
                # Only a pointer that can reach a single allocation is known to be covered by an earlier one.
                sure = targets if len(targets) == 1 and getattr(targets[0], "single", False) else ()
                if sure and set(sure) <= covered:
                    continue
                if extent == "allocation":
                    covered.update(sure)
                slot = self.names.symbol(f"{_stem(part)}_kept", part.type, s.span)
                pushes.append(ir.Push(slot, part, extent, span=s.span))
                pops.insert(0, ir.Pop(slot, part, extent, span=s.span))
                whole = part is not arg or bool(pointers_within(arg))
                cells = None if whole or not self._alone(s, i) else self.parts.of(s, i)
                if cells is not None and self._as_large_each_time(cells):
                    self.cells_of[slot] = cells
                elif cells is not None and self.checkpoints is not None:
                    self.checkpoints.varying.append((slot, cells, list(self.checkpoints.around)))
        return pushes, pops

    def _as_large_each_time(self, cells: Ends) -> bool:
        """What a step of a time loop saves is counted once, where a schedule builds on it."""
        if self.checkpoints is None or not self.checkpoints.around:
            return True
        outermost = self.checkpoints.around[0]
        return cells.count is not None and self.effects.stable(cells.count, self.effects.written((outermost,)))

    def _alone(self, s: ir.Launch, position: int) -> bool:
        """Whether the kernel writes to that memory through no other argument."""
        reached = set(self.effects.behind(s.args[position]))
        others = self.effects.kernels[s.kernel].writes - {position}
        return bool(reached) and all(reached.isdisjoint(self.effects.given(s.args[i])) for i in others)

    def _is_active_argument(self, arg: ir.Expr) -> bool:
        if isinstance(arg.type, Pointer):
            return self.is_active_pointer(arg)
        if isinstance(arg, ir.Var) and isinstance(arg.type, Float):
            return arg.symbol in self.active
        if isinstance(arg.type, Struct):
            return self._is_active_struct(arg)
        if active_leaves(self, arg):
            raise UnsupportedError(
                "active data is passed to a kernel by value", arg.span, "assign it to a variable first"
            )
        return False

    def _is_active_struct(self, arg: ir.Expr) -> bool:
        pointers = any(self.is_active_pointer(part) for part in pointer_parts(arg))
        values = holds_numbers(arg.type) and self.is_active(arg)
        if values and (pointers or not isinstance(arg, ir.Var)):
            what = "holds both numbers and pointers" if pointers else "is no variable"
            raise UnsupportedError(
                f"an active struct that {what} is passed to a kernel by value", arg.span, "pass them apart"
            )
        return pointers or values

    def adjoint_argument(self, arg: ir.Expr, span: Span) -> ir.Expr:
        if isinstance(arg, ir.Var) and arg.symbol in self.cells:
            return self.cells.given(arg.symbol, span)
        if isinstance(arg.type, Struct):
            assert isinstance(arg, ir.Var | ir.Index | ir.Member)
            return self.shadow_place(arg)
        return self.shadow_pointer(arg)

    def _merged(self, s: ir.Launch, active: frozenset[int]) -> tuple[tuple[str, ...], ...]:
        """Groups of the kernel's pointer parameters whose arguments may reach the same memory; not of those that it
        only reads, and that have no adjoints."""
        kernel, told = self.kernels[s.kernel], active | self.effects.kernels[s.kernel].writes
        given: dict[str, list[ir.Expr]] = {}
        changing: set[str] = set()
        for i, (param, arg) in enumerate(zip(kernel.params, s.args, strict=True)):
            if isinstance(param.type, Pointer):
                given[param.name] = [arg]
            inside = pointers_within(var(param))
            for part, pointer in zip(inside, pointers_within(arg), strict=True):
                given.setdefault(spelled(part), []).append(pointer)
            changing.update({param.name, *map(spelled, inside)} if i in told else ())
        reached = {name: {t for p in pointers for t in self.pointers.targets(p)} for name, pointers in given.items()}

        def meet(a: str, b: str) -> bool:
            pairs = product(given[a], given[b])
            return not reached[a].isdisjoint(reached[b]) and not all(self.no_alias.apart(s, x, y) for x, y in pairs)

        groups: list[list[str]] = []
        for name in given:
            met = [group for group in groups if any(meet(name, other) for other in group)]
            groups = [*(g for g in groups if g not in met), [*(n for g in met for n in g), name]]
        return tuple(tuple(members) for members in groups if len(members) > 1 and not changing.isdisjoint(members))


def _allocates(s: ir.Stmt) -> bool:
    return does(s, "allocate")


def _stem(pointer: ir.Expr) -> str:
    return next((x.name for x in variables(pointer)), "memory")
