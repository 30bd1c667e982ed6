"""A host function with points: at its floating statements, and before and behind its launches and memory operations.

Before and behind a statement stand the numbers that it reads or writes: memory as a whole, and variables.  So
⟨adjoint, tangent⟩ over those behind it is that over those before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hetad.adjoint.structs import floating_leaves
from hetad.analysis.effects import Effects, summary_of
from hetad.analysis.pointers import points_to
from hetad.analysis.spaces import Spaces
from hetad.diagnostics import Span, UnsupportedError
from hetad.frontend.quote import Quote
from hetad.host.devices import uses_devices
from hetad.ir import nodes as ir
from hetad.ir.build import Names, integer, var, zero
from hetad.ir.printer import expr_text
from hetad.ir.types import LLONG, VOID, Array, Float, Pointer, Struct, Type, Void, holds_floating, holds_numbers
from hetad.ir.visit import declared, variables
from hetad.memops.communication import ACTIONS
from hetad.passes.task import Task
from hetad.probes.looks import Log, Look, Parameters, counter
from hetad.probes.memory import Memory, Reached
from hetad.probes.points import Point, Points, Probed, Role, Statement, Way
from hetad.probes.statements import Statements
from hetad.rules import callees

_BLOCK = 256
_LOOKED = ("copy", "fill")  # actions of operations

_EACH = Quote("for (long long element = 0; element < count; ++element) { look; }")
_CELL = Quote("memory[element]")
_THREAD = Quote("""
    const long long element = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (element < count) {
        long long at = first + element * each;
        look;
    }
""")
_BLOCKS = Quote("(unsigned int)((count + (block - 1)) / block)")
_SOME = Quote("if (count > 0) { launch; first += count * each; }")
_ALL = Quote("count * each")
_TOTALS = Quote("totals[0] = entries; totals[1] = first; totals[2] = at;")


def probed_host(task: Task, way: Way) -> Probed:
    """The program with points in its host function.

    Own parameters: for each array how many elements it has; room for numbers on the device and on the host; to record,
    `log`, whose `room` is counted in entries of a point and its number of values, and `totals`, how many entries and
    numbers, on the device and on the host, there are; the values or nudges, on the device and on the host.
    """
    host = _Host(task, way)
    body = task.function.body
    last = body[-1:] if body and isinstance(body[-1], ir.Return) else ()
    text = host.statements.body(body[: len(body) - len(last)])
    whole = (*host.memory.opening, *host.opening, *text, *host.closing, *last)
    entry = replace(task.function, params=(*task.function.params, *host.added.all), body=whole)
    functions = {**task.functions, **host.kernels, task.entry: entry}
    program = ir.Program(functions, task.globals, task.structs, task.sources)
    return Probed(program, task.entry, host.points, host.added.names, host.memory.elements)


class _Host:
    def __init__(self, task: Task, way: Way) -> None:
        function = task.function
        self.task, self.way, self.points = task, way, Points()
        local = {s.name for s in (*function.params, *declared(function.body))}
        self.names = Names(local | set(task.functions) | {g.symbol.name for g in task.globals})
        kernels = {name: summary_of(f) for name, f in task.kernels.items()}
        pointers = points_to(function)
        effects = Effects(pointers, kernels)
        self.added = Parameters(self.names, function.span)
        self.memory = Memory(function, effects, Spaces(function, pointers, kernels), self.added, self.names)
        self.outside = {g.symbol for g in task.globals if holds_floating(g.symbol.type)}
        self.kernels: dict[str, ir.Function] = {}
        self._of_type: dict[Type, str] = {}
        self.opening: list[ir.Stmt] = []
        self.closing: list[ir.Stmt] = []
        self._make_parameters(function.span)
        self.statements = Statements(
            function.name, self.names, self.points, self._number, task.ruled, self._other
        )  # fmt: skip

    def _make_parameters(self, span: Span) -> None:
        add = self.added.add
        self.device_end, end = add("room_on_device", LLONG), add("room_on_host", LLONG)
        counters = [counter(self.names, name, span) for name in ("first", "at")]
        (self.first, _), (at, _) = counters
        self.opening += [declaration for _, declaration in counters]
        self.log: Log | None = None
        if self.way == "record":
            room, log, totals = add("room", LLONG), add("log", Pointer(LLONG)), add("totals", Pointer(LLONG))
            entries, declaration = counter(self.names, "entries", span)
            self.opening.append(declaration)
            self.log = Log(self.names, log, entries, room)
            self.closing += _TOTALS(self.names, span, totals=totals, entries=entries, first=self.first, at=at)
        self.device_values = self.added.values(self.way, "device")
        self.look = Look(self.way, self.names, self.added.values(self.way, "host"), at, end)

    # -- looks

    def _number(self, place: ir.Place, point: Point, span: Span) -> Sequence[ir.Stmt]:
        return [*self._entry(point, integer(1, span, LLONG), span), *self.look.value(place, span)]

    def _entry(self, point: Point, count: ir.Expr, span: Span) -> Sequence[ir.Stmt]:
        return self.log.entry(point, count, span) if self.log is not None else ()

    def _memory(self, reached: Reached, point: Point, span: Span) -> list[ir.Stmt]:
        leaves = self._leaves(reached.pointer, integer(0, span), span)
        each, count = integer(len(leaves), span, LLONG), var(reached.count, span)
        entry = self._entry(point, _ALL.value(span, count=count, each=each), span)
        if not reached.on_device:
            element = self.names.symbol("element", LLONG, span)
            looked = self._looks(reached.pointer, element, self.look, span)
            return [*entry, *_EACH(self.names, span, element=element, count=count, look=looked)]
        kernel = self._kernel(reached.element, len(leaves), span)
        args = tuple(
            var(x, span) for x in (reached.pointer, reached.count, self.device_values, self.first, self.device_end)
        )
        block = integer(_BLOCK, span)
        grid = _BLOCKS.value(span, count=count, block=block)
        launch = (ir.Launch(kernel, grid, block, None, None, args, span=span),)
        return [*entry, *_SOME(self.names, span, count=count, each=each, first=self.first, launch=launch)]

    def _looks(self, memory: ir.Symbol, element: ir.Symbol, look: Look, span: Span) -> ir.Body:
        return tuple(x for leaf in self._leaves(memory, var(element, span), span) for x in look.value(leaf, span))

    def _leaves(self, memory: ir.Symbol, element: ir.Expr, span: Span) -> list[ir.Place]:
        """The numbers in an element of memory."""
        cell = _CELL.value(span, memory=memory, element=element)
        assert isinstance(cell, ir.Index)
        return floating_leaves(cell)

    def _kernel(self, element: Type, each: int, span: Span) -> str:
        """What looks at device memory of such elements."""
        if element not in self._of_type:
            name = self._of_type[element] = self.names.fresh(f"look_at_{element}".replace(" ", "_"))
            names = Names({name})
            given = Parameters(names, span)
            memory, count = given.add("memory", Pointer(element)), given.add("count", LLONG)
            values, first, end = given.values(self.way, "device"), given.add("first", LLONG), given.add("end", LLONG)
            at, index = names.symbol("at", LLONG, span), names.symbol("element", LLONG, span)
            looked = self._looks(memory, index, Look(self.way, names, values, at, end), span)
            body = _THREAD(
                names, span, element=index, count=count, first=first, each=integer(each, span, LLONG), at=at,
                look=looked,
            )  # fmt: skip
            self.kernels[name] = ir.Function(name, "kernel", given.all, VOID, body, span)
        return self._of_type[element]

    # -- statements

    def _other(self, s: ir.Stmt) -> Sequence[ir.Stmt]:
        match s:
            case ir.Declare(symbol=symbol, init=None) if _may_be_zero(symbol.type):
                return [replace(s, init=zero(symbol.type, s.span))]  # the same in all runs
            case ir.Launch():
                return self._around(s, s.kernel)
            case ir.Call():
                row = callees.find(s.function).operation
                if row is not None and row.action in ACTIONS:
                    raise UnsupportedError(
                        "the debugger follows one process, and this one is sent messages", s.span,
                        "debug what a rank does as a function of its own",
                    )  # fmt: skip
                if uses_devices((s,)):
                    raise UnsupportedError(
                        "the debugger follows one device, and here another one becomes current", s.span,
                        "debug what one device does as a function of its own",
                    )  # fmt: skip
                if row is not None and row.action in _LOOKED:
                    return self._around(s, "", row.action == "fill")
                return [*self.memory.before(s), s, *self.memory.behind(s)]
        return [s]

    def _around(self, s: ir.Launch | ir.Call, kernel: str, fills: bool = False) -> list[ir.Stmt]:
        found = {location: self.memory.at(location) for location in self.memory.touched(s)}
        unseen = [x for x in found.values() if isinstance(x, str)]
        if kernel:  # which may reach variables at file scope by itself
            mentioned = dict.fromkeys(variables(self.task.functions[kernel].body))
            unseen += [f"'{x.name}'" for x in mentioned if x in self.outside]
        missing = ", ".join(dict.fromkeys(unseen))
        statement = self.points.statement(s.span, self.task.entry, kernel, missing, fills)
        seen = [x for x in found.values() if not isinstance(x, str)]
        here = self._entry(self.points.add(statement, "here", ""), integer(0, s.span, LLONG), s.span)
        return [*here, *self._each(seen, statement, "before"), s, *self._each(seen, statement, "behind")]

    def _each(self, seen: Sequence[Reached | list[ir.Place]], statement: Statement, role: Role) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        for x in seen:
            if isinstance(x, Reached):
                out += self._memory(x, self.points.add(statement, role, x.name, x.on_device), statement.span)
                continue
            for place in x:
                out += self._number(place, self.points.add(statement, role, expr_text(place)), statement.span)
        return out


def _may_be_zero(type_: Type) -> bool:
    """Whether a variable holds numbers, and nothing but values."""
    if isinstance(type_, Array):
        return type_.length is not None and _may_be_zero(type_.of)
    if isinstance(type_, Struct):
        return holds_numbers(type_) and not any(isinstance(f.type, Pointer | Void) for f in type_.fields)
    return isinstance(type_, Float)
