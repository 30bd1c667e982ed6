"""The derivative program of a host function or a kernel: `<function>_grad`.

forward sweep: the primal, saving what it overwrites and what the reverse sweep needs
reverse sweep: each statement undone, then its adjoint
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hetad.adjoint.engine import Reversed
from hetad.adjoint.inline import inline
from hetad.adjoint.liveness import Liveness, drop_unused
from hetad.adjoint.names import Names, integer, zero
from hetad.adjoint.structs import floating_leaves, split_structs
from hetad.adjoint.tidy import tidy
from hetad.analysis.activity import Activity
from hetad.analysis.bits import refuse_bits
from hetad.analysis.effects import Effects, KernelEffects, kernel_effects, positions_of
from hetad.analysis.pointers import Location, PointsTo, Root, pointer_parts
from hetad.analysis.spaces import Spaces
from hetad.analysis.volatile import refuse_active_volatile
from hetad.device.pullback import Pullback, pullback
from hetad.diagnostics import UnsupportedError
from hetad.host.cleanup import destroys, drop_dead_allocations, drop_idle_restores, keeps, surviving_handles
from hetad.host.compound import in_plain_operations
from hetad.host.derivative import Derivative, Parameter
from hetad.host.engine import HostEngine
from hetad.host.explanation import Explanation, accumulations, names_of, saves
from hetad.host.fresh import without_snapshots_of_nothing
from hetad.host.hoist import hoist_pointed
from hetad.host.launcher import CONFIGURATION, launcher, launcher_name
from hetad.host.streams import in_one_stream
from hetad.host.symbols import SYMBOL_ADDRESS, lift_symbols
from hetad.host.tape import lower_tape
from hetad.ir import nodes as ir
from hetad.ir.types import INT, SIZE_T, VOID, Array, Float, Pointer, Struct
from hetad.ir.visit import callees, declared, variables, walk_stmts
from hetad.memops.table import CHECKS, SUPPORT, TABLE
from hetad.rules.user import Rules

RETURN = "return"


def differentiate(
    program: ir.Program,
    entry: str,
    wrt: Sequence[str],
    of: Sequence[str] | None,
    optimize: bool = True,
    rules: Rules | None = None,
) -> Derivative:
    """The derivative of `of` (None: the return value) with respect to `wrt`, names of parameters of `entry`.

    `rules` stand for device functions, which are then not looked into.  Without `optimize` neither activity nor needed
    values are analysed: slower, and the same gradient.
    """
    name = f"{entry}_grad"
    is_kernel = program.functions[entry].kind == "kernel"
    if is_kernel:
        program, entry = launcher(program, entry), launcher_name(entry)
    outputs = None if of is None else tuple(of)
    return _Gradient(program, entry, name, tuple(wrt), outputs, is_kernel, optimize, rules or {}).result()


class _Gradient:
    def __init__(
        self,
        program: ir.Program,
        entry: str,
        name: str,
        wrt: tuple[str, ...],
        of: tuple[str, ...] | None,
        is_kernel: bool,
        optimize: bool,
        rules: Rules,
    ) -> None:
        self.optimize = optimize
        self.rules = rules
        self.program = program
        self.name = name
        self.wrt, self.of, self.is_kernel = wrt, of, is_kernel
        flat = inline(program, entry, rules)
        flat = replace(flat, functions={n: split_structs(f) for n, f in flat.functions.items()})
        flat = lift_symbols(flat, entry)
        plain = in_plain_operations(in_one_stream(flat.functions[entry]))
        flat = replace(flat, functions={**flat.functions, entry: plain})
        self.lifted = {n: f for n, f in flat.functions.items() if len(f.params) != len(program.functions[n].params)}
        self.kernels = {n: f for n, f in flat.functions.items() if f.kind == "kernel"}
        self.summaries: dict[str, KernelEffects] = {n: kernel_effects(k) for n, k in self.kernels.items()}
        self.pullbacks: dict[tuple[object, ...], Pullback] = {}
        self.function, self.returned = _named_result(hoist_pointed(flat.functions[entry]))
        function = self.function
        self.span = function.span
        self.names = Names(
            {s.name for s in (*function.params, *declared(function.body))}
            | set(program.functions)
            | {g.symbol.name for g in program.globals}
        )
        self.pointers = PointsTo(function)
        refuse_bits((function, *self.kernels.values()))
        for f in (function, *self.kernels.values()):
            for cell in PointsTo(f).unknown_cells(f):
                raise UnsupportedError(
                    "this pointer was loaded from memory that hetad does not follow",
                    cell.span,
                    "pass the pointer to the kernel as a parameter of its own, or in a struct by value",
                )
        self.spaces = Spaces(function, self.pointers)
        self.effects = Effects(self.pointers, self.summaries)
        self.name = self.names.fresh(self.name)
        self.by_name = {p.name: p for p in function.params}
        self._sizes: dict[ir.Symbol, ir.Symbol] = {}
        self.written = self.effects.written(function.body)

    # -- assembling

    def result(self) -> Derivative:
        engine = self._engine()
        adjoints, opening, closing = self._adjoint_parameters(engine)
        engine.prepare_cells(self.function.body)
        body = self.function.body
        tail: list[ir.Stmt] = []
        if body and isinstance(body[-1], ir.Return):
            if self.returned is not None:
                tail = [body[-1]]
            body = body[:-1]
        engine.find_fresh(body, [self._location(n) for n in self.wrt])
        region = engine.region(body, registers=True)
        closing = [*self._flushes(engine), *closing]
        whole = self._whole(engine, region, opening, closing, tail)
        final = self._pruned(whole)
        return self._finish(engine, final, adjoints)

    def _engine(self) -> HostEngine:
        independents = [self._location(n) for n in self.wrt]
        if self.of is None:
            if self.returned is None:
                raise UnsupportedError("the function returns no floating value", self.span, "name its outputs with of=")
            dependents: list[Location] = [self.returned]
        else:
            dependents = [self._location(n) for n in self.of]
        activity = Activity(self.function, self.pointers, self.kernels)
        active = activity.active(independents, dependents)
        self._refuse_volatile(activity, self._closed_over_kernels(activity, set(active)))
        if not self.optimize:
            # Numbers beside pointers in a struct have no adjoint in a launch, unless they need one it is refused.
            mixed = {x for x in activity.everything() - active if _is_mixed(x)}
            active = activity.everything() - mixed
        active = self._closed_over_kernels(activity, active)
        sources = self.program.sources
        engine = HostEngine(self.names, self.effects, active, sources, self.kernels, self.spaces, self._pullback)
        engine.rules, engine.functions = self.rules, self.program.functions
        return engine

    def _closed_over_kernels(self, activity: Activity, active: set[Location]) -> set[Location]:
        """If a pointer inside a kernel may reach two arguments and one is active, so is the other."""
        launches = [s for s in walk_stmts(self.function.body) if isinstance(s, ir.Launch)]
        while True:
            before = len(active)
            for s in launches:
                kernel = self.kernels[s.kernel]
                inner = Activity(kernel, PointsTo(kernel), {})
                given = positions_of(kernel, inner.pointers)
                reached = {i: set(self.effects.behind(arg)) for i, arg in enumerate(s.args)}
                seeds = {root for root, at in given.items() if any(not reached[i].isdisjoint(active) for i in at)}
                for root in inner.closed(set(seeds)) - seeds:
                    for i in given.get(root, ()):
                        active |= reached[i]
            active = activity.closed(active)
            if len(active) == before:
                return active

    def _refuse_volatile(self, activity: Activity, active: set[Location]) -> None:
        refuse_active_volatile(self.function, self.pointers, active)
        for s in walk_stmts(self.function.body):
            if not isinstance(s, ir.Launch):
                continue
            kernel = self.kernels[s.kernel]
            inner = Activity(kernel, PointsTo(kernel), {})
            at = {i for i, arg in enumerate(s.args) if not active.isdisjoint(self._locations(arg))}
            seeds = {x for x, i in positions_of(kernel, inner.pointers).items() if not i.isdisjoint(at)}
            seeds |= {p for i, p in enumerate(kernel.params) if i in at and not isinstance(p.type, Pointer)}
            refuse_active_volatile(kernel, inner.pointers, inner.active(seeds, seeds))

    def _locations(self, arg: ir.Expr) -> set[Location]:
        """What an argument of a launch is made of, or leads to."""
        return {*self.effects.behind(arg), *self.effects.loads(arg)}

    def _pullback(
        self, kernel: str, active: frozenset[int], merged: tuple[tuple[str, ...], ...], spent: frozenset[int]
    ) -> Pullback:
        key = (kernel, active, merged, spent)
        if key not in self.pullbacks:
            name = self.names.fresh(f"{kernel}_pullback")
            taken = list(self.program.functions)
            made = pullback(
                self.kernels[kernel],
                name,
                active,
                merged,
                taken,
                self.program.sources,
                self.optimize,
                self.rules,
                self.program.functions,
                spent,
            )
            self.pullbacks[key] = made
            self.summaries[name] = made.effects
            self.summaries.update({g.function.name: g.effects for g in made.gathers})
            for tapes in (made.tapes, made.records):
                if tapes is not None:
                    self.summaries[tapes.counter.name] = KernelEffects(
                        frozenset(range(len(tapes.counted))), frozenset()
                    )
            if made.recorder is not None:
                self.summaries[made.recorder.name] = self.summaries[kernel]
        return self.pullbacks[key]

    def _adjoint_parameters(self, engine: HostEngine) -> tuple[list[Parameter], list[ir.Stmt], list[ir.Stmt]]:
        """The adjoint parameters in order of `of` + `wrt`; statements that open and close the function for them."""
        parameters: list[Parameter] = []
        opening: list[ir.Stmt] = []
        closing: list[ir.Stmt] = []
        if self.of is None and self.returned is not None:
            seed = ir.Symbol(self.names.fresh("adj_return"), self.returned.type, self.span, "param")
            parameters.append(Parameter(seed, "seed", RETURN))
            engine.shadows[self.returned] = seed
        for name in dict.fromkeys((*(self.of or ()), *self.wrt)):
            p = self.by_name[name]
            if isinstance(p.type, Pointer):
                shadow = self.names.symbol(f"adj_{name}", Pointer(p.type.to), self.span, "param")
                root = self.pointers.parameter_roots[p]
                space = self.spaces.of(root)
                if name in (self.of or ()) or root not in engine.active or root not in self.written:
                    engine.shadows[p] = shadow
                else:
                    closing.append(self._add_work(engine, p, shadow, space))
                parameters.append(Parameter(shadow, "adjoint", name, space or "host"))
                continue
            total = self.names.symbol(f"adj_{name}", Pointer(p.type), self.span, "param")
            own = self.names.symbol(f"{name}_sum", p.type, self.span)
            engine.shadows[p] = own
            opening.append(ir.Declare(own, zero(p.type, self.span), span=self.span))
            cell = ir.Index(ir.Var(total, span=self.span), integer(0, self.span), p.type, span=self.span)
            sums = zip(floating_leaves(cell), floating_leaves(ir.Var(own, span=self.span)), strict=True)
            closing += [ir.Update("+", into, leaf, span=self.span) for into, leaf in sums]
            parameters.append(Parameter(total, "adjoint", name, "host"))
        return parameters, opening, closing

    def _add_work(self, engine: HostEngine, p: ir.Symbol, result: ir.Symbol, space: str | None) -> ir.Stmt:
        """`p` is overwritten on the way: its adjoint is worked out in a buffer of its own, then added to the result."""
        assert isinstance(p.type, Pointer)
        if not isinstance(p.type.to, Float):
            raise UnsupportedError(f"'{p.name}' is in wrt and overwritten, but is no array of floating values", p.span)
        work = self.names.symbol(f"adj_{p.name}_work", result.type, self.span)
        engine.shadows[p] = work
        kind = integer(3 if space == "device" else 0, self.span)
        args = (ir.Var(work, span=self.span), ir.Var(result, span=self.span), self._bytes(p), kind)
        return ir.Call(f"hetad_copy_pullback_{p.type.to}", args, span=self.span)

    def _flushes(self, engine: HostEngine) -> list[ir.Stmt]:
        return [f for p in self.function.params for f in engine.flush(p, self.span)]

    def _whole(
        self, engine: HostEngine, region: Reversed, opening: list[ir.Stmt], closing: list[ir.Stmt], tail: list[ir.Stmt]
    ) -> ir.Body:
        entries: list[ir.Stmt] = []
        before: list[ir.Stmt] = [*opening, *self._work_shadows(engine), *engine.cells.opening(self.span)]
        after: list[ir.Stmt] = [*engine.cells.closing(self.span)]
        for root in dict.fromkeys(self.pointers.parameter_roots.values()):
            pointer = ir.Var(root.symbol, span=self.span)
            slot = self.names.symbol(f"{root.name}_entry", root.symbol.type, self.span)
            entries.append(ir.Push(slot, pointer, "allocation", span=self.span))
            after.insert(0, ir.Pop(slot, pointer, "allocation", span=self.span))
        adjoints = [a for a in region.adjoints if not (isinstance(a, ir.Declare) and self._is_seed(engine, a.symbol))]
        return (
            *entries,
            *before,
            *region.declarations,
            *region.forward,
            ir.Call("hetad_forward_done", (), span=self.span),
            *adjoints,
            *region.reverse,
            *closing,
            *after,
            *tail,
        )

    def _is_seed(self, engine: HostEngine, symbol: ir.Symbol) -> bool:
        return self.returned is not None and engine.shadows.get(self.returned) is symbol

    def _work_shadows(self, engine: HostEngine) -> list[ir.Stmt]:
        """Shadows of active pointer parameters that are neither seeds nor results: zeroed, as large as the buffer."""
        out: list[ir.Stmt] = []
        for p in self.function.params:
            if isinstance(p.type, Float | Struct) and p in engine.active and p.name not in self.wrt:
                shadow = engine.shadow(p)
                out.append(ir.Declare(shadow, zero(shadow.type, self.span), span=self.span))
        for p, root in self.pointers.parameter_roots.items():
            if root not in engine.active or engine.shadow(p).storage == "param":
                continue
            shadow = engine.shadow(p)
            size = self._bytes(p)
            out.append(ir.Declare(shadow, None, span=self.span))
            if self.spaces.of(root) == "device":
                place = ir.AddressOf(ir.Var(shadow, span=self.span), Pointer(shadow.type), span=self.span)
                out.append(
                    ir.Call(
                        "hetad_device_zeros",
                        (ir.Cast(place, Pointer(Pointer(VOID)), span=self.span), size),
                        span=self.span,
                    )
                )
            else:
                out.append(ir.Call("hetad_host_zeros", (size,), ir.Var(shadow, span=self.span), span=self.span))
        return out

    def _bytes(self, p: ir.Symbol) -> ir.Expr:
        """The parameter that tells how many bytes are behind the pointer parameter `p`."""
        if p not in self._sizes:
            self._sizes[p] = ir.Symbol(self.names.fresh(f"{p.name}_bytes"), SIZE_T, p.span, "param")
        return ir.Var(self._sizes[p], span=self.span)

    def _pruned(self, whole: ir.Body) -> ir.Body:
        if not self.optimize:
            return drop_unused(whole)
        roots = {*self.pointers.parameter_roots.values(), *self._symbol_roots()}
        liveness = Liveness(self.effects, lambda s: keeps(s, self._is_pullback))
        if handles := surviving_handles(whole, liveness, roots):
            liveness = Liveness(self.effects, lambda s: keeps(s, self._is_pullback) or destroys(s, handles))
        body = drop_dead_allocations(whole, liveness, roots)
        body = liveness.prune(body, roots)
        body = drop_idle_restores(body, self.effects, roots, keep_written=_may_stop(body))
        body = liveness.prune(body, roots)
        done = next(i for i, s in enumerate(body) if isinstance(s, ir.Call) and s.function == "hetad_forward_done")
        if not any(isinstance(s, ir.Launch) for s in walk_stmts(body[:done])):
            body = (*body[:done], *body[done + 1 :])
        return tidy(body)

    def _symbol_roots(self) -> list[Root]:
        """Device variables at file scope: they outlive the call, and are left as they were."""
        calls = (s for s in walk_stmts(self.function.body) if isinstance(s, ir.Call) and s.function == SYMBOL_ADDRESS)
        return [self.pointers.heap_roots[id(s)] for s in calls if id(s) in self.pointers.heap_roots]

    def _is_pullback(self, kernel: str) -> bool:
        return any(f.name == kernel for f in self._generated())

    def _generated(self) -> list[ir.Function]:
        """The kernels made so far: pullbacks, and those that size their tapes."""
        return [f for p in self.pullbacks.values() for f in p.functions()]

    def _finish(self, engine: HostEngine, body: ir.Body, adjoints: list[Parameter]) -> Derivative:
        arguments = self._arguments(engine, body)
        explanation = Explanation(
            {self.name: names_of(engine.active), **{p.function.name: p.active for p in self.pullbacks.values()}},
            tuple(saves(self.name, body)),
            tuple(a for p in self.pullbacks.values() for f in p.functions() for a in accumulations(f)),
        )
        if _may_stop(body):
            body = self._marked(body)
        body = lower_tape(without_snapshots_of_nothing(body, self.effects))
        managed = any(
            isinstance(s, ir.Call) and s.function in SUPPORT and s.function not in CHECKS for s in walk_stmts(body)
        )
        if managed:
            opening: list[ir.Stmt] = [ir.Call("hetad_begin", (), span=self.span), *arguments]
            end = ir.Call("hetad_end", (), span=self.span)
            last = body[-1:] if body and isinstance(body[-1], ir.Return) else ()
            body = (*opening, *(body[: len(body) - len(last)]), end, *last)
        parameters = [self._primal_parameter(p) for p in self.function.params]
        parameters += adjoints
        parameters += [Parameter(s, "bytes", p.name) for p, s in self._sizes.items()]
        returns = self.returned.type if self.returned is not None else VOID
        entry = ir.Function(
            self.name,
            "host",
            tuple(p.symbol for p in parameters),
            returns,
            body,
            self.span,
            comment=self._comment(adjoints),
        )
        return Derivative(self._closed(entry), self.name, tuple(parameters), explanation)

    def _arguments(self, engine: HostEngine, body: ir.Body) -> list[ir.Stmt]:
        """Registration of the argument buffers whose extent the generated code must know."""
        shadowed = {shadow: p for p, shadow in engine.shadows.items()}
        needed: dict[ir.Symbol, None] = {}
        for s in walk_stmts(body):
            pointers: list[ir.Expr] = []
            if isinstance(s, ir.Push | ir.Pop) and s.extent != "value":
                pointers = [s.place]
            elif isinstance(s, ir.Call) and s.function in (
                "hetad_clear",
                "hetad_clear_rows",
                "hetad_copy_pullback_float",
                "hetad_copy_pullback_double",
                "hetad_rows_pullback_float",
                "hetad_rows_pullback_double",
            ):
                pointers = list(s.args[:3])
            for pointer in pointers:
                for symbol in variables(pointer):
                    primal = shadowed.get(symbol, symbol)
                    for target in self._held(primal):
                        if isinstance(target, Root) and not target.heap:
                            needed[target.symbol] = None
        out: list[ir.Stmt] = []
        for p in self.function.params:
            if p not in needed:
                continue
            device = integer(1 if self.spaces.of(self.pointers.parameter_roots[p]) == "device" else 0, self.span, INT)
            own = engine.shadows.get(p, p)
            for symbol in dict.fromkeys((p, own)):
                if symbol.storage == "param":
                    args = (ir.Var(symbol, span=self.span), self._bytes(p), device)
                    out.append(ir.Call("hetad_argument", args, span=self.span))
        return out

    def _held(self, symbol: ir.Symbol) -> list[Location]:
        """What a variable, or the pointers in it, may point to, through whatever number of pointers."""
        place = ir.Var(symbol, span=self.span)
        parts = pointer_parts(place)
        found = dict.fromkeys(t for part in parts for t in self.pointers.targets(part))
        if isinstance(symbol.type, Array):
            found.update(dict.fromkeys(self.pointers.held(symbol)))
        inner: dict[Location, tuple[Location, ...]] = {
            holder: targets for holder, targets in self.pointers.target_sets() if holder is not None
        }
        work = list(found)
        while work:
            for target in inner.get(work.pop(), ()):
                if target not in found:
                    found[target] = None
                    work.append(target)
        return list(found)

    def _marked(self, body: ir.Body) -> ir.Body:
        """With the number of entry snapshots told to the run-time support, for a program that stops half-way."""
        count = sum(isinstance(s, ir.Push) and s.slot.name.endswith("_entry") for s in body)
        if count == 0:
            return body
        first = next(i for i, s in enumerate(body) if isinstance(s, ir.Pop) and s.slot.name.endswith("_entry"))

        def mark(n: int) -> ir.Stmt:
            return ir.Call("hetad_entered", (integer(n, self.span),), span=self.span)

        return (*body[:count], mark(count), *body[count:first], mark(0), *body[first:])

    # -- details

    def _closed(self, entry: ir.Function) -> ir.Program:
        """Everything the entry launches or calls, pullbacks in place of what nobody needs."""
        functions: dict[str, ir.Function] = {}
        generated = {f.name: f for f in self._generated()}

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
        return replace(self.program, functions=functions)

    def _primal_parameter(self, p: ir.Symbol) -> Parameter:
        if self.is_kernel and p in self.function.params[: len(CONFIGURATION)]:
            return Parameter(p, CONFIGURATION[self.function.params.index(p)])  # type: ignore[arg-type]
        root = self.pointers.parameter_roots.get(p)
        space = (self.spaces.of(root) or "host") if root is not None and isinstance(p.type, Pointer) else None
        return Parameter(p, "primal", p.name, space)

    def _location(self, name: str) -> Location:
        p = self.by_name[name]
        return self.pointers.parameter_roots.get(p, p)

    def _comment(self, adjoints: list[Parameter]) -> str:
        source = self.name.removesuffix("_grad")
        of = ", ".join(self.of) if self.of is not None else "the return value"
        return f"gradient of {of} of {source} (line {self.span.line}) with respect to {', '.join(self.wrt)}"


def _may_stop(body: ir.Body) -> bool:
    """Whether the program's own code may end it before its end."""
    return any(
        isinstance(s, ir.Call) and s.function in TABLE and TABLE[s.function].action == "exit" for s in walk_stmts(body)
    )


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
    """Whether it is a struct variable of numbers and pointers."""
    return (
        isinstance(location, ir.Symbol)
        and isinstance(location.type, Struct)
        and bool(pointer_parts(ir.Var(location, span=location.span)))
    )
