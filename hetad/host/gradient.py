"""The derivative program of a host function or a kernel: `<function>_grad`.

forward sweep: the primal, saving what it overwrites and what the reverse sweep needs
reverse sweep: each statement undone, then its adjoint
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from hetad.adjoint.engine import Reversed
from hetad.adjoint.hoist import hoist_pointed
from hetad.adjoint.inline import inline
from hetad.adjoint.names import Names, integer
from hetad.adjoint.options import ALL, Options
from hetad.adjoint.structs import split_structs
from hetad.adjoint.tidy import tidy
from hetad.analysis.activity import Activity
from hetad.analysis.affine import Polynomial
from hetad.analysis.carried import memories
from hetad.analysis.effects import Effects, KernelEffects, kernel_effects, positions_of
from hetad.analysis.pointers import Location, PointsTo, holds_pointer, pointer_parts
from hetad.analysis.spaces import Spaces
from hetad.device.choice import best_pullback
from hetad.device.generated import Pullback
from hetad.diagnostics import UnsupportedError, recoverable
from hetad.host.compound import in_plain_operations
from hetad.host.derivative import Derivative, Parameter
from hetad.host.engine import HostEngine
from hetad.host.explanation import Explanation, Saves, accumulations, names_of
from hetad.host.graphs import refuse_data_dependence
from hetad.host.kernels.bounds import bounded
from hetad.host.kernels.launcher import CONFIGURATION, launcher, launcher_name
from hetad.host.kernels.routines import given_pullbacks, handles_given, with_choices_made
from hetad.host.live_ranges import with_live_ranges
from hetad.host.managed import in_step
from hetad.host.members import mixed_positions, taken_apart
from hetad.host.outlining.outline import outlined
from hetad.host.own_structs import with_own_structs
from hetad.host.parameters import AdjointParameters
from hetad.host.pointer_modes import with_pointer_modes
from hetad.host.pruning import pruned, unpruned, without_frees, without_marks
from hetad.host.refusals import refuse_unfollowed
from hetad.host.registration import argument_buffers
from hetad.host.saves.checkpoint import Checkpoints, MemoryLimit
from hetad.host.saves.fresh import without_snapshots_of_nothing
from hetad.host.saves.refills import Refill, Refills, chosen
from hetad.host.saves.renaming import Renaming, checked
from hetad.host.saves.steady import steady_allocations, steady_parameters
from hetad.host.saves.tape import lower_tape
from hetad.host.saves.workspaces import in_front_of_loops
from hetad.host.setting import Setting
from hetad.host.streams import in_one_stream
from hetad.host.symbols import lift_symbols
from hetad.host.tables import with_copies, with_tables
from hetad.host.unknown import refuse_unknown
from hetad.host.zeros import followed
from hetad.ir import nodes as ir
from hetad.ir.types import SIZE_T, VOID, Array, Float, Pointer, Struct
from hetad.ir.visit import callees, declared, walk_stmts
from hetad.memops.table import CHECKS, SUPPORT
from hetad.rules.user import Rules


def differentiate(
    program: ir.Program,
    entry: str,
    wrt: Sequence[str],
    of: Sequence[str] | None,
    options: Options = ALL,
    rules: Rules | None = None,
    memory_limit: MemoryLimit | None = None,
    measured: bool = False,
    value: bool = True,
    graph: bool = False,
) -> Derivative:
    """The derivative of `of` (None: the return value) with respect to `wrt`, names of parameters of `entry`.

    `rules` stand for device functions, which are then not looked into.  The `options` never change the
    gradient.  With `memory_limit` time loops run by schedules.  `measured`: a run tells what each statement saves.
    Without `value` the derivative returns nothing, and what only led to the value is not run.  `graph`: it must be
    possible to run it as CUDA graphs.
    """
    name = f"{entry}_grad"
    is_kernel = program.functions[entry].kind == "kernel"
    if is_kernel:
        program, entry = launcher(program, entry), launcher_name(entry)
    outputs = None if of is None else tuple(of)
    gradient = _Gradient(
        program, entry, name, tuple(wrt), outputs, is_kernel, options, rules or {}, memory_limit, measured, value
    )
    if graph:
        refuse_data_dependence(gradient.setting.function, gradient.setting.effects, gradient.setting.spaces)
    return gradient.result()


class _Gradient:
    def __init__(
        self,
        program: ir.Program,
        entry: str,
        name: str,
        wrt: tuple[str, ...],
        of: tuple[str, ...] | None,
        is_kernel: bool,
        options: Options,
        rules: Rules,
        memory_limit: MemoryLimit | None,
        measured: bool,
        value: bool,
    ) -> None:
        self.measured = measured
        self.value = value
        self.memory_limit = memory_limit
        self.options = options
        self.rules = rules
        self.program = program
        self.is_kernel = is_kernel
        flat = inline(program, entry, rules)
        flat = replace(flat, functions={n: split_structs(f) for n, f in flat.functions.items()})
        flat = lift_symbols(flat, entry)
        self.lifted = {n: f for n, f in flat.functions.items() if len(f.params) != len(program.functions[n].params)}
        self.kernels = {n: f for n, f in flat.functions.items() if f.kind == "kernel"}
        self.given, more = given_pullbacks(program, flat.functions[entry].body)
        self.kernels = {**{n: split_structs(f) for n, f in more.items()}, **self.kernels}
        plain = with_choices_made(with_pointer_modes(flat.functions[entry]))
        plain = with_live_ranges(with_own_structs(in_plain_operations(in_one_stream(plain))))
        plain = with_tables(plain, self.kernels, {g.symbol for g in program.globals if g.init is not None})
        flat = replace(flat, functions={**flat.functions, entry: plain})
        self.pullbacks: dict[tuple[object, ...], Pullback] = {}
        self.refills: list[Refill] = []
        steady = steady_parameters(flat.functions[entry])
        steady = steady if memory_limit is None else steady_allocations(steady)
        self.summaries: dict[str, KernelEffects] = {n: kernel_effects(k) for n, k in self.kernels.items()}
        if options.workspaces or memory_limit is not None:
            steady = in_front_of_loops(steady, self.summaries)
        function, returned = _named_result(hoist_pointed(steady))
        function = self._with_structs_apart(function, wrt, returned if of is None else of)
        self.summaries = {n: kernel_effects(k) for n, k in self.kernels.items()}
        names = Names(
            {s.name for s in (*function.params, *declared(function.body))}
            | set(program.functions)
            | {g.symbol.name for g in program.globals}
        )
        pointers = PointsTo(function)
        with recoverable():
            refuse_unknown(function, pointers, self.kernels)
        effects = Effects(pointers, self.summaries)
        spaces = Spaces(function, pointers, self.summaries)
        self.setting = Setting(function, returned, names, pointers, spaces, effects, wrt, of)
        self.name = names.fresh(name)

    def _with_structs_apart(
        self, function: ir.Function, wrt: tuple[str, ...], of: tuple[str, ...] | ir.Symbol | None
    ) -> ir.Function:
        """The function, and the kernels changed to suit, with structs passed member by member of which a pullback needs
        a part only, or that hold pointers and active numbers."""
        pointers = PointsTo(function)
        places: dict[str, Location] = {p.name: pointers.parameter_roots.get(p, p) for p in function.params}
        independents = [places[n] for n in wrt if n in places]
        dependents: list[Location] = [places[n] for n in of if n in places] if isinstance(of, tuple) else []
        dependents += [of] if isinstance(of, ir.Symbol) else []
        activity = Activity(function, pointers, self.kernels)
        found: set[Location] = set()

        def is_mixed(s: ir.Launch, position: int) -> bool:
            if not found:  # most programs never ask
                found.update(activity.active(independents, dependents))
            arg = s.args[position]
            numbers = pointer_parts(arg) or not isinstance(arg, ir.Var)
            if numbers and not found.isdisjoint(pointers.storage(arg)):
                return True
            return self.options.activity and activity.partly_active(s, position, found)

        positions = mixed_positions(function, is_mixed)
        if not positions:
            return function
        function, changed = taken_apart(function, self.kernels, positions)
        self.lifted |= {n: k for n, k in changed.items() if k is not self.kernels[n]}
        self.kernels = changed
        return function

    # -- assembling

    def result(self) -> Derivative:
        engine = self._engine()
        adjoints = AdjointParameters(self.setting, engine)
        body = self.setting.function.body
        engine.prepare_cells(body)
        engine.find_allocations(body)
        engine.find_extents(body)
        tail: list[ir.Stmt] = []
        if body and isinstance(body[-1], ir.Return):
            if self.setting.returned is not None and self.value:
                tail = [body[-1]]
            body = body[:-1]
        engine.find_fresh(body, [self.setting.location(n) for n in self.setting.wrt])
        region = engine.region(body, registers=True)
        whole = followed(self._whole(engine, region, adjoints, tail), engine.shadows.values())
        final = unpruned(without_frees(whole, engine.frees))
        if self.options.needed:
            final = self._pruned(engine, whole)
        final = without_marks(final)
        if self.options.tidy:
            final = tidy(final)
        return self._finish(engine, final, adjoints.parameters)

    def _pruned(self, engine: HostEngine, whole: ir.Body) -> ir.Body:
        """With those buffers filled again for which that spares saves."""
        loops = engine.checkpoints.loops if engine.checkpoints is not None else []
        limited = not all(loop.refused for loop in loops)

        def prune(taken: Collection[Refill]) -> ir.Body:
            body = without_frees(whole, [(r.again,) for r in self.refills if r not in taken])
            fills = [r.launch for r in taken]
            return pruned(self.setting, body, self._is_pullback, engine.cells_of, engine.frees, limited, fills)

        final, self.refills = chosen(self.refills, prune)
        return final

    def _engine(self) -> HostEngine:
        setting = self.setting
        independents = [setting.location(n) for n in setting.wrt]
        if setting.of is None:
            if setting.returned is None:
                problem = "the function returns no floating value"
                raise UnsupportedError(problem, setting.span, "name its outputs with of=")
            dependents: list[Location] = [setting.returned]
        else:
            dependents = [setting.location(n) for n in setting.of]
        activity = Activity(setting.function, setting.pointers, self.kernels)
        active = activity.active(independents, dependents)
        closed = self._closed_over_kernels(activity, set(active))
        refuse_unfollowed(setting.function, self.kernels, setting.effects, activity.varied(independents), closed)
        if not self.options.activity:
            # Numbers beside pointers in a struct have no adjoint in a launch, unless they need one it is refused.
            mixed = {x for x in activity.everything() - active if _is_mixed(x)}
            active = activity.everything() - mixed
        active = self._closed_over_kernels(activity, active)
        engine = HostEngine(
            setting.names, setting.effects, active, self.program.sources, self.kernels, setting.spaces, self._pullback
        )
        engine.rules, engine.functions = self.rules, self.program.functions
        engine.versions, engine.moves_back = self.options.versions, self.options.moves
        engine.given = self.given
        if self.options.needed and self.options.refills:
            found = Refills(setting.function.body, setting.effects, self.kernels, engine.parts)
            self.refills, engine.refills = found.found, found.by_reader()
        if self.memory_limit is not None:
            engine.checkpoints = Checkpoints(memories(setting.function, setting.pointers), self.kernels)
        return engine

    def _closed_over_kernels(self, activity: Activity, active: set[Location]) -> set[Location]:
        """If a pointer inside a kernel may reach two arguments and one is active, so is the other."""
        launches = [s for s in walk_stmts(self.setting.function.body) if isinstance(s, ir.Launch)]
        while True:
            before = len(active)
            for s in launches:
                kernel = self.kernels[s.kernel]
                inner = Activity(kernel, PointsTo(kernel), {})
                given = positions_of(kernel, inner.pointers)
                reached = {i: set(self.setting.effects.given(arg)) for i, arg in enumerate(s.args)}
                for at in given.values():  # a pullback is with respect to all that it reaches through a parameter
                    for i in at:
                        if not reached[i].isdisjoint(active):
                            active |= activity.holding(reached[i])
                seeds = {root for root, at in given.items() if any(not reached[i].isdisjoint(active) for i in at)}
                for root in inner.closed(set(seeds)) - seeds:
                    for i in given.get(root, ()):
                        active |= activity.holding(reached[i])
            active = activity.closed(active)
            if len(active) == before:
                return active

    def _pullback(
        self,
        kernel: str,
        active: frozenset[int],
        merged: tuple[tuple[str, ...], ...],
        spent: frozenset[int],
        zeros: frozenset[int],
        known: tuple[Polynomial, ...] = (),
    ) -> Pullback:
        key = (kernel, active, merged, spent, zeros, bool(known))
        if key not in self.pullbacks:
            name = self.setting.names.fresh(
                f"{kernel}_pullback{'_overlapping' if merged else ''}{'_apart' if known else ''}"
            )
            base = self.pullbacks.get((kernel, active, merged, spent, zeros, False)) if known else None
            made = base.better if base is not None else None
            if made is None or made.function.name != name:
                made = self._best_pullback(kernel, name, active, merged, spent, zeros, known)
            self.pullbacks[key] = made
            self.summaries[name] = made.effects
            self.summaries.update({g.function.name: g.effects for g in made.gathers})
            if made.parts is not None:
                stage = made.parts.function
                self.summaries[stage.name] = KernelEffects(frozenset(), frozenset(range(len(stage.params))))
            for tapes in (made.tapes, made.records):
                if tapes is not None:
                    self.summaries[tapes.counter.name] = KernelEffects(
                        frozenset(range(len(tapes.counted))), frozenset()
                    )
            if made.recorder is not None:
                self.summaries[made.recorder.name] = self.summaries[kernel]
        return self.pullbacks[key]

    def _best_pullback(
        self,
        kernel: str,
        name: str,
        active: frozenset[int],
        merged: tuple[tuple[str, ...], ...],
        spent: frozenset[int],
        zeros: frozenset[int],
        known: tuple[Polynomial, ...],
    ) -> Pullback:
        functions, sources = self.program.functions, self.program.sources
        return best_pullback(
            self.kernels[kernel], name, active, merged, list(functions), sources, self.options, self.rules, functions,
            spent, zeros, known,
        )  # fmt: skip

    def _whole(self, engine: HostEngine, region: Reversed, adjoints: AdjointParameters, tail: list[ir.Stmt]) -> ir.Body:
        setting, span = self.setting, self.setting.span
        entries: list[ir.Stmt] = []
        before: list[ir.Stmt] = [*adjoints.opening, *adjoints.work_shadows(), *engine.cells.opening(span)]
        after: list[ir.Stmt] = [*engine.cells.closing(span)]
        for root in dict.fromkeys(setting.pointers.parameter_roots.values()):
            pointer = ir.Var(root.symbol, span=span)
            slot = setting.names.symbol(f"{root.name}_entry", root.symbol.type, span)
            entries.append(ir.Push(slot, pointer, "allocation", span=span))
            after.insert(0, ir.Pop(slot, pointer, "allocation", span=span))
        return (
            *entries,
            *before,
            *region.declarations,
            *region.forward,
            ir.Call("hetad_forward_done", (), span=span),
            *(a for a in region.adjoints if not (isinstance(a, ir.Declare) and self._is_seed(engine, a.symbol))),
            *region.reverse,
            *(f for p in setting.function.params for f in engine.flush(p, span)),
            *adjoints.closing,
            *after,
            *tail,
        )

    def _is_seed(self, engine: HostEngine, symbol: ir.Symbol) -> bool:
        """Whether it is the adjoint of the return value, which the caller gives."""
        returned = self.setting.returned if self.setting.of is None else None
        return returned is not None and engine.shadows.get(returned) is symbol

    def _is_pullback(self, kernel: str) -> bool:
        return any(f.name == kernel for f in self._generated())

    def _generated(self) -> list[ir.Function]:
        """The kernels made so far: pullbacks, and those that size their tapes."""
        return [f for p in self.pullbacks.values() for f in p.functions()]

    def _finish(self, engine: HostEngine, body: ir.Body, adjoints: list[Parameter]) -> Derivative:
        renaming = Renaming(self.setting, engine.parts, self.summaries, engine.shadows.values())
        if self.options.renaming:
            body = renaming.marked(body)
        arguments = argument_buffers(self.setting, engine.shadows, body)
        launched = {s.kernel for s in walk_stmts(body) if isinstance(s, ir.Launch)}
        used = [p for p in self.pullbacks.values() if not launched.isdisjoint(f.name for f in p.functions())]
        checkpoints = engine.checkpoints.slots if engine.checkpoints is not None else ()
        counts = {slot: cells.count for slot, cells in engine.cells_of.items()}
        saves = Saves(self.name, body, self.setting.pointers, counts, checkpoints)
        explanation = Explanation(
            {self.name: names_of(engine.active), **{p.function.name: p.active for p in used}},
            tuple(saves.found),
            tuple(a for p in used for f in p.functions() for a in accumulations(f, p.turns, p.where, p.without)),
            tuple(engine.checkpoints.loops) if engine.checkpoints is not None else (),
            tuple(r.explained(self.name) for r in self.refills),
        )
        body = checked(without_snapshots_of_nothing(body, self.setting.effects))
        body = renaming.applied(lower_tape(body, saves.numbers if self.measured else None))
        body = with_copies(body, {**self.kernels, **{f.name: f for f in self._generated()}})
        body = (*handles_given(self.setting.function.params, body), *body)
        managed = any(
            isinstance(s, ir.Call) and s.function in SUPPORT and s.function not in CHECKS for s in walk_stmts(body)
        )
        if managed:
            opening = [ir.Call("hetad_begin", (), span=self.setting.span), *self._limit(), *arguments]
            end = ir.Call("hetad_end", (), span=self.setting.span)
            last = body[-1:] if body and isinstance(body[-1], ir.Return) else ()
            body = in_step((*opening, *(body[: len(body) - len(last)]), end, *last))
        parameters = [self._primal_parameter(p) for p in self.setting.function.params]
        parameters += adjoints
        parameters += [Parameter(s, "bytes", p.name) for p, s in self.setting.sizes.items()]
        returns = self.setting.returned.type if self.setting.returned is not None and self.value else VOID
        entry = ir.Function(
            self.name,
            "host",
            tuple(p.symbol for p in parameters),
            returns,
            body,
            self.setting.span,
            comment=self._comment(),
        )
        more: list[ir.Function] = []
        if self.options.outline:
            entry, more = outlined(entry, self.program.functions, self.program.sources, self.setting.names)
        return Derivative(self._closed(entry, more, engine.extents), self.name, tuple(parameters), explanation)

    def _limit(self) -> list[ir.Stmt]:
        if self.memory_limit is None:
            return []
        span = self.setting.span
        sizes = (self.memory_limit.bytes, self.memory_limit.on_host)
        return [ir.Call("hetad_limit", tuple(integer(n, span, SIZE_T) for n in sizes), span=span)]

    # -- details

    def _closed(
        self, entry: ir.Function, more: Sequence[ir.Function], extents: Mapping[ir.Symbol, ir.Expr]
    ) -> ir.Program:
        """Everything the entry launches or calls, pullbacks in place of what nobody needs.  `more`: host functions
        made for it; `extents`: of grids and blocks in variables that nothing changes."""
        functions: dict[str, ir.Function] = {}
        generated = {f.name: f for f in (*self._generated(), *more)}

        def add(name: str) -> None:
            f = generated.get(name) or self.lifted.get(name) or self.program.functions.get(name)
            if f is None or name in functions:
                return
            for callee in callees(f):
                add(callee)
            functions[name] = f

        for callee in callees(entry):
            add(callee)
        functions[entry.name] = entry
        if self.options.qualifiers:
            functions = bounded(functions, self._primal_of(), extents)
        return replace(self.program, functions=functions)

    def _primal_of(self) -> dict[str, ir.Function]:
        """By the name of a pullback, or a part of one, the kernel that is undone."""
        return {
            f.name: self.kernels[str(key[0])]
            for key, made in self.pullbacks.items()
            for f in (made.function, *(g.function for g in made.gathers))
        }

    def _primal_parameter(self, p: ir.Symbol) -> Parameter:
        if self.is_kernel and p in self.setting.function.params[: len(CONFIGURATION)]:
            return Parameter(p, CONFIGURATION[self.setting.function.params.index(p)])  # type: ignore[arg-type]
        root = self.setting.pointers.parameter_roots.get(p)
        space = (
            (self.setting.spaces.of_parameter(root) or "host")
            if root is not None and isinstance(p.type, Pointer)
            else None
        )
        return Parameter(p, "primal", p.name, space)

    def _comment(self) -> str:
        source = self.name.removesuffix("_grad")
        of = ", ".join(self.setting.of) if self.setting.of is not None else "the return value"
        wrt = ", ".join(self.setting.wrt)
        return f"gradient of {of} of {source} (line {self.setting.span.line}) with respect to {wrt}"


def _named_result(function: ir.Function) -> tuple[ir.Function, ir.Symbol | None]:
    """The function with its floating return value in a variable, and that variable."""
    body = function.body
    if (
        not body
        or not isinstance(body[-1], ir.Return)
        or body[-1].value is None
        or not isinstance(function.returns, Float)
    ):
        return function, None
    value, span = body[-1].value, body[-1].span
    names = Names({s.name for s in (*function.params, *declared(body))})
    result = names.symbol("result", function.returns, span)
    tail = (ir.Declare(result, value, span=span), ir.Return(ir.Var(result, span=span), span=span))
    return replace(function, body=(*body[:-1], *tail)), result


def _is_mixed(location: Location) -> bool:
    """Whether it is a variable that holds structs of numbers and pointers."""
    if not isinstance(location, ir.Symbol):
        return False
    held = location.type
    while isinstance(held, Array):
        held = held.of
    return isinstance(held, Struct) and holds_pointer(held)
