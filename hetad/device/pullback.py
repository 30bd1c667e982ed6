"""The pullback of a kernel: `k_pullback(primal parameters it needs, adjoints of the active parameters)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hetad.adjoint.hoist import hoist_pointed
from hetad.adjoint.liveness import FOUND, LOST, Liveness, drop_unused
from hetad.adjoint.names import Names, address_of, integer, zero
from hetad.adjoint.options import ALL, Options
from hetad.adjoint.shadows import writable
from hetad.adjoint.structs import floating_leaves
from hetad.adjoint.tidy import tidy
from hetad.adjoint.tidy.declarations import without_unused_values
from hetad.analysis.activity import Activity
from hetad.analysis.affine import Polynomial
from hetad.analysis.coordinates import exposed
from hetad.analysis.effects import TAKE, Effects, KernelEffects, positions_of
from hetad.analysis.pointers import Location, PointsTo
from hetad.analysis.staging import shared_arrays
from hetad.analysis.uniform import Uniformity
from hetad.device.accumulation.accumulate import Ground, lacking
from hetad.device.accumulation.accumulate import settled as settled_atomics
from hetad.device.accumulation.axes import Axes, bodies_run, launch_axes, mentioned_axes, one_along
from hetad.device.accumulation.conditions import text
from hetad.device.accumulation.deal import dealt
from hetad.device.accumulation.fixed_order import Staged, refuse_atomics, staged, unordered
from hetad.device.accumulation.hot import with_block_sums
from hetad.device.accumulation.in_turn import in_turn
from hetad.device.accumulation.increments import increment, takes
from hetad.device.accumulation.phases import with_plain_phases
from hetad.device.accumulation.runs import ALL as ALL_RUNS
from hetad.device.accumulation.runs import FLOATS, with_runs
from hetad.device.accumulation.sums import Sums
from hetad.device.accumulation.thread_order import only_adds
from hetad.device.accumulation.thread_sweep import in_order, thread_sweep
from hetad.device.accumulation.totals import adds_up, in_fewer_blocks, with_totals
from hetad.device.accumulation.warps import with_warp_sums
from hetad.device.accumulation.zeros import adding, stored_where_zero
from hetad.device.engine import KernelEngine, may_be_taped
from hetad.device.gathers.gather import GatherKernel
from hetad.device.gathers.gathering import gathered, meets
from hetad.device.generated import Gather, Pullback, Tapes
from hetad.device.qualifiers import qualified
from hetad.device.shared import SharedAdjoints, cleared_where_stored, refuse_too_much
from hetad.device.tape.counting import counting_kernel
from hetad.device.tape.factors import with_factors
from hetad.device.tape.memory import StoredValues
from hetad.device.tape.record import Recording, record, settled
from hetad.device.tape.resets import resets
from hetad.device.tape.saves import with_ordered_saves
from hetad.device.tape.segments import long_loops, segmented
from hetad.device.tape.storage import ALONE_LIMIT, LOCAL_LIMIT, Site, Stored, store_tape
from hetad.device.tape.unknown import unknown_variables
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.facts import Facts
from hetad.ir.places import root_symbol
from hetad.ir.types import BOOL, SIZE_T, UINT, VOID, Pointer
from hetad.ir.visit import declared, map_body, map_exprs, own_exprs, substitute, variables, walk_expr, walk_stmts
from hetad.rules import callees
from hetad.rules.math import is_math
from hetad.rules.user import Rules


def pullback(
    kernel: ir.Function,
    name: str,
    active: frozenset[int],
    merged: tuple[tuple[str, ...], ...],
    taken_names: Sequence[str],
    sources: Mapping[str, str],
    options: Options = ALL,
    rules: Rules | None = None,
    functions: Mapping[str, ir.Function] | None = None,
    spent: frozenset[int] = frozenset(),
    zeros: frozenset[int] = frozenset(),
    known: tuple[Polynomial, ...] = (),
    sizes: Mapping[str, int] | None = None,
) -> Pullback:
    """The pullback of an inlined `kernel` for the active parameter positions.

    `merged` groups pointer parameters that may reach the same memory.  Without the `options` "activity"
    and "needed" everything floating is active, everything overwritten is saved, and nothing is pruned.
    The adjoints of the parameters at `spent` are not needed after the pullback; whether those at `zeros` are zero may
    be told.  It is launched only where what is
    `known` is not negative, and where blocks have these `sizes` along these axes.
    """
    names = Names({s.name for s in (*kernel.params, *declared(kernel.body))} | set(taken_names))
    effects = Effects(PointsTo(kernel, merged), {})
    kernel = hoist_pointed(kernel, lambda loop: may_be_taped(loop, effects))
    values = StoredValues(Effects(PointsTo(kernel, merged), {}), names, kernel.body)
    prepared = replace(kernel, body=values.body)
    needed: dict[ir.Symbol, None] = {}

    def attempt(body: ir.Body, recording: Recording | None, limit: int = LOCAL_LIMIT) -> tuple[_Maker, list[ir.Symbol]]:
        """A pullback from this body, and what it wants to know of overwritten memory that is not recorded."""
        made = _Maker(
            kernel, name, active, merged, names.copy(), sources, options, body, recording, rules, functions, spent,
            zeros, known, sizes or {}, limit,
        )  # fmt: skip
        return made, [s for s in values.stale if s in made.used and s not in needed]

    while True:
        recording = None
        body = values.body
        if needed:
            recording = record(prepared, name.replace("_pullback", "_recording"), needed, names)
            body = recording.replay
        made, stale = attempt(body, recording)
        if not stale:
            break
        _refuse_unrecordable(values, stale)
        needed.update(dict.fromkeys(stale))
    if made.long_loops:
        shorter = replace(prepared, body=segmented(prepared.body, made.long_loops, names))
        again, stale = attempt(shorter.body, None)
        if not stale:
            again.swept_by(attempt(prepared.body, None, ALONE_LIMIT)[0])
            prepared, made = shorter, again
    _refuse_stale_conditions(values, made.body)
    _refuse_messages(values, made.engine)
    return made.finish(prepared, values)


class _Maker:
    """One attempt at a pullback, from a body that may replay recorded values."""

    def __init__(
        self,
        kernel: ir.Function,
        name: str,
        active: frozenset[int],
        merged: tuple[tuple[str, ...], ...],
        names: Names,
        sources: Mapping[str, str],
        options: Options,
        body: ir.Body,
        recording: Recording | None,
        rules: Rules | None,
        functions: Mapping[str, ir.Function] | None,
        spent: frozenset[int],
        zeros: frozenset[int],
        known: tuple[Polynomial, ...],
        sizes: Mapping[str, int],
        limit: int,
    ) -> None:
        self.known, self.sizes, self.options = known, sizes, options
        self.lacking: tuple[Polynomial, ...] = ()
        self.spent = spent if options.spent else frozenset()
        self.asked = zeros if options.zeros and recording is None else frozenset()
        self.zeros: dict[int, ir.Symbol] = {}  # parameters that tell whether adjoints are zero
        self.kernel, self.name, self.positions, self.names, self.recording = kernel, name, active, names, recording
        records = recording.records if recording is not None else ()
        prepared = replace(kernel, body=body, params=(*kernel.params, *records))
        self.effects = Effects(PointsTo(prepared, merged), {})
        pointers = self.effects.pointers
        self.given = positions_of(prepared, pointers)
        seeds: list[Location] = [root for root, at in self.given.items() if not at.isdisjoint(active)]
        seeds += [p for i, p in enumerate(kernel.params) if i in active and not isinstance(p.type, Pointer)]
        activity = Activity(prepared, pointers, {})
        unasked = {p for p in kernel.params if p not in self.effects.written(body)}
        outside = ({*unasked, *self.given} - set(seeds)) | _roots_of(pointers, records)
        found = activity.active(seeds, seeds) if options.activity else activity.everything() - outside
        self.dynamic_bytes = names.symbol("shared_bytes", SIZE_T, kernel.span, "param")
        uniform = Uniformity(self.effects, body)
        self.engine = KernelEngine(names, self.effects, {*found, *seeds}, sources, self.dynamic_bytes, uniform)
        self.engine.rules, self.engine.functions = rules or {}, functions or {}
        self.engine.cleared = cleared_where_stored(body) if options.needed else ()
        self.engine.resets = resets(body, self.effects, uniform)
        self.parameters, sums, closing = self._adjoint_parameters()
        region = self.engine.region(body, registers=True)
        shared = SharedAdjoints(self.engine, kernel.span)
        whole: ir.Body = (
            *shared.declarations,
            *sums,
            *region.declarations,
            *region.forward,
            *shared.zeros,
            *region.adjoints,
            *region.reverse,
            *closing,
        )
        liveness = Liveness(self.effects, lambda s: _keeps(s, self.engine.rules))
        pruned = shared.pruned(liveness.prune(whole), liveness, self.parameters.values())
        for span in liveness.lost:
            raise UnsupportedError(
                "the derivative needs shared memory as it was before this atomic operation",
                span,
                "use another array, or give all of it new values before, in a loop over its elements",
            )
        self.used = set(variables(pruned))
        kept = settled(_without_marks(pruned if options.needed else drop_unused(whole)))
        self.ground = self._ground(merged)
        engine = self.engine
        self.body = with_ordered_saves(kept, engine.shared_saves, self.ground, names, engine.slot_origins)
        in_segments = options.segments and recording is None
        self.long_loops = long_loops(self.body if in_segments else (), self.engine.slot_origins)
        self.stored: Stored = store_tape(self.body, names, self.effects, self.engine.slot_origins, limit)
        self.gathers: tuple[GatherKernel, ...] = ()
        self.sweep: ir.Sweep | None = None
        self.blocks: ir.Symbol | None = None
        self.turns = False  # one thread works for all
        self._settled_for: Facts[Ground, Facts[ir.Body, ir.Body]] = Facts(
            lambda ground: Facts(lambda body: with_plain_phases(settled_atomics(body, ground), ground))
        )
        self.overlapping = bool(merged)
        self.final = tidy(self.stored.body, bool(merged), kernel=True) if options.tidy else self.stored.body
        if options.factors:
            self.final = with_factors(self.final)
        self._accumulate()
        refuse_too_much(self.final)

    def _accumulate(self) -> None:
        """Increments without atomics where that is proven, or in gathers."""
        ground, options = self.ground, self.options
        alone = self.recording is None and not self.stored.tapes
        if options.gather and alone:
            self._gather_up(pairs=True)
        if options.sums:
            shadows = self.engine.shadows.values()
            self.final = Sums(self.names, shadows, set(exposed(self.final))).block(self.final)
        undecided = len(self.known) == 2 * len(self.sizes)  # but for the sizes of blocks, from above and below
        if options.exclusive and options.versions and alone and undecided:
            self.lacking = self._lacking(ground)
        if options.gather and alone:
            self._gather_up()
        apart = alone and not any(meets(s) for s in walk_stmts(self.final))
        if options.totals and apart:
            self.final = with_totals(self.final, ground, self.names)
        if options.deterministic and alone:
            self._gather_up(always=True)
        if options.exclusive:
            self.final = self._settled(ground)
        if self.gathers or self.spent:
            self._clean()
        if apart and not any(map(adds_up, self.final)) and not options.deterministic:
            self.sweep = thread_sweep(self.final, ground, self.names)
        self._store_where_zero()
        if options.blocks and apart and not (options.deterministic and any(unordered(self.final))):
            blocks = self.names.symbol("blocks", UINT, ground.span, "param")
            fewer = in_fewer_blocks(self.final, blocks, self.names, ground.span)
            if fewer is not None:
                if not options.deterministic:  # there the blocks' sums stay apart
                    self.sweep = thread_sweep(self.final, ground, self.names)
                self.final, self.blocks = fewer, blocks
        undealt = self.final
        if options.deal and apart and self.blocks is None and not self.overlapping:
            self.final = dealt(self.final, ground, self.names)
        dealt_out = self.final is not undealt
        if options.runs and not self.overlapping:
            shadows = self.engine.shadows.values()
            joined = with_runs(self.final, self.names, shadows, ALL_RUNS if self._has_room() else FLOATS)
            self.final = without_unused_values(joined)
        if options.warps:
            self.final = with_warp_sums(self.final)
        own_loops = self.blocks is None and not dealt_out  # no loop works for other threads
        if options.hot and own_loops and not self.overlapping and self._has_room():
            self.final = with_block_sums(self.final, ground, self.engine.shadows.values())

    def _has_room(self) -> bool:
        """Whether shared memory is free for sums: the kernel has none of its own."""
        return not shared_arrays(self.final) and self.dynamic_bytes not in set(variables(self.final))

    def _store_where_zero(self) -> None:
        flags = {
            i: self.names.symbol(f"{self.parameters[i].name}_zero", BOOL, self.ground.span, "param")
            for i in sorted(self.asked)
            if not any(self.parameters[i] in set(variables(k.body)) for k in self.gathers)
        }
        self.final = stored_where_zero(
            self.final, self.ground, self.names, {self.parameters[i]: x for i, x in flags.items()}
        )
        used = set(variables(self.final))
        self.zeros = {i: x for i, x in flags.items() if x in used}

    def swept_by(self, other: _Maker) -> None:
        """On the CPU, `other` does the same, which keeps more at a time, if that needs no tape and nothing else."""
        simple = not any((m.gathers or m.blocks or m.recording or m.options.deterministic) for m in (self, other))
        if self.sweep is not None or not simple or other.stored.tapes:
            return
        if any(meets(s) or adds_up(s) for s in walk_stmts(other.final)):
            return
        same: dict[ir.Symbol, ir.Symbol | ir.Expr] = {other.parameters[i]: x for i, x in self.parameters.items()}
        body = substitute(same, adding(other.final, other.zeros.values()))
        given = {x for x in variables(body) if x.storage == "param"}
        if given <= set(variables(self.final)):
            self.sweep = in_order(body, self.ground, other.names)

    def _settled(self, ground: Ground) -> ir.Body:
        return self._settled_for(ground)(self.final)

    def _lacking(self, ground: Ground) -> tuple[Polynomial, ...]:
        """What, not negative in a launch, would make more updates plain: that strides are large enough, or that threads
        differ only along the axes of which the kernel says something."""
        if self.single and self.options.axes:
            flat = replace(ground, axes=mentioned_axes(self._bodies()))
            if _atomic_updates(self._settled(flat)) < _atomic_updates(self._settled(ground)):
                return (*self.single, *lacking(self.final, flat))
        return lacking(self.final, ground)

    def _gather_up(self, pairs: bool = False, always: bool = False) -> None:
        shadows = set(self.engine.shadows.values())
        found = gathered(self.final, self.ground, self.names, shadows, pairs, always, self.options.tiles)
        if pairs and len(found.kernels) == 1 and not any(map(_has_effect, walk_stmts(found.body))):
            summed = Sums(self.names.copy(), shadows, set(exposed(self.final))).block(_without_takes(self.final))
            found.kernels[0].take_turns(summed, self.ground)
        self.gathers += found.kernels
        self.final = found.body

    def _clean(self) -> None:
        """Without what only the increments needed that went elsewhere, and seeds that nobody takes."""
        if self.options.needed:
            liveness = Liveness(self.effects, lambda s: _keeps(s, self.engine.rules))
            self.final = liveness.prune(self.final)
        if self.options.tidy:
            self.final = tidy(self.final, aliased=self.overlapping, kernel=True)

    def _bodies(self) -> tuple[ir.Body, ...]:
        return bodies_run(self.kernel, self.engine.functions, self.engine.rules)

    def _ground(self, merged: tuple[tuple[str, ...], ...]) -> Ground:
        bodies = self._bodies()
        mentioned = mentioned_axes(bodies)
        self.axes = launch_axes(bodies) if self.options.axes and self.recording is None else Axes()
        self.single = one_along(mentioned, self.kernel.span) if self.axes == Axes() else ()
        if self.single and all(p in self.known for p in self.single):
            self.axes = mentioned
        overlapping = {name for group in merged for name in group}
        alone = (self.parameters[i] for i in self.parameters if self.kernel.params[i].name not in overlapping)
        spent = frozenset(self.parameters[i] for i in self.spent)
        return Ground(
            frozenset(alone), self.axes, self.kernel.span, spent, self.options.deterministic, self.known, self.sizes
        )

    def finish(self, prepared: ir.Function, values: StoredValues) -> Pullback:
        read = {x for s in walk_stmts(self.final) for x in self.effects.reads(s)}
        stage = self._in_fixed_order() if self.options.deterministic else None
        used = set(variables(self.final))
        primal = tuple(i for i, p in enumerate(self.kernel.params) if p in used)
        adjoint = tuple(i for i in sorted(self.positions) if self.parameters[i] in used)
        records = self.recording.records if self.recording is not None else ()
        dynamic = self.dynamic_bytes in used
        params = (
            *(self.kernel.params[i] for i in primal),
            *(self.parameters[i] for i in adjoint),
            *((self.dynamic_bytes,) if dynamic else ()),
            *records,
            *self.stored.tapes,
            *(stage.buffers if stage is not None else ()),
            *((self.blocks,) if self.blocks is not None else ()),
            *self.zeros.values(),
        )
        comment = f"pullback of {self.kernel.name} (line {self.kernel.span.line}), with respect to " + ", ".join(
            self.kernel.params[i].name for i in adjoint
        )
        where = text(self.known, self.kernel.span)
        comment += f", where {where}" if where else ""
        plain = adding(self.final, self.zeros.values())
        function = ir.Function(
            self.name, "kernel", params, VOID, self.final, self.kernel.span, comment=comment,
            reverse_threads=not only_adds(plain, self.ground.adjoints), sweep=self.sweep,
        )  # fmt: skip
        if self.options.qualifiers:
            function = qualified(function, self.ground.adjoints, set(self.parameters.values()))
        names_active = tuple(sorted({x.name for x in self.engine.active}))
        effects = self._effects(read, primal, params)
        made = Pullback(function, primal, adjoint, effects, names_active, self.axes, dynamic)
        made = replace(
            made,
            several=self.blocks is not None,
            turns=self.turns,
            zeros=tuple(self.zeros),
            where=where,
            lacking=self.lacking,
            gathers=tuple(self._gather(kernel) for kernel in self.gathers),
            parts=stage.parts if stage is not None else None,
        )
        if self.stored.tapes:
            base = self.name.replace("_pullback", "_tape_size")
            origins = self.recording.origins if self.recording is not None else {}
            sites = [replace(s, statement=origins.get(s.statement, s.statement)) for s in self.stored.sites]
            made = replace(made, tapes=self._tapes(base, prepared, self.stored.tapes, sites, values))
        if self.recording is not None:
            base = self.name.replace("_pullback", "_record_size")
            tapes = self._tapes(base, prepared, self.recording.records, self.recording.sites, values)
            made = replace(made, recorder=self.recording.recorder, records=tapes)
        return made

    def _in_fixed_order(self) -> Staged | None:
        """Leaves no sum to the order of threads: in turn, or over blocks in two stages."""
        span, functions = self.kernel.span, self.engine.functions
        if any(unordered(self.final)):
            found = in_turn(self.final, self.axes, functions, self.names, span)
            self.final, self.turns = (found, True) if found is not None else (self.final, False)
        refuse_atomics((*(k.body for k in self.gathers), self.final))
        name = self.names.fresh(self.name.replace("_pullback", "_totals"))
        comment = f"pullback of {self.kernel.name} (line {span.line}): the sums over its blocks"
        stage = staged(self.final, name, comment, self.parameters, self.names, span)
        if stage is not None:
            self.final = stage.body
        return stage

    def _gather(self, kernel: GatherKernel) -> Gather:
        body, march = kernel.body, kernel.march
        shared = kernel.team is not None and kernel.team.by_launch
        used = {*variables(body), *variables(kernel.sweep)}
        counted = tuple(axis for axis, x in kernel.counts.items() if kernel.tiled and x in used)
        primal = tuple(i for i, p in enumerate(self.kernel.params) if p in used)
        adjoint = tuple(i for i in sorted(self.positions) if self.parameters[i] in used)
        params = (
            *(self.kernel.params[i] for i in primal),
            *(self.parameters[i] for i in adjoint),
            *((march.blocks,) if march is not None else ()),
            *((kernel.team.size,) if shared and kernel.team is not None else ()),
            *(kernel.counts[axis] for axis in counted),
        )
        places = [s.target for s in walk_stmts(body) if isinstance(s, ir.Update)]
        places += [found.place for s in walk_stmts(body) if (found := increment(s)) is not None]
        added = {x for place in places for x in variables(place)}
        targets = [self.kernel.params[i].name for i in adjoint if self.parameters[i] in added]
        name = self.names.fresh(f"{self.name.replace('_pullback', '_gather')}_{'_'.join(targets)}")
        span = self.kernel.span
        comment = f"pullback of {self.kernel.name} (line {span.line}), with respect to {', '.join(targets)}: a gather"
        comment += " on tiles" if kernel.tiled else ""
        sweep = ir.Sweep(kernel.sweep, alone=kernel.alone_sweep)
        function = ir.Function(
            name, "kernel", params, VOID, body, span, comment=comment, sweep=sweep,
            launch_bounds=kernel.launch_bounds,
        )  # fmt: skip
        if self.options.qualifiers:
            function = qualified(function, self.ground.adjoints, set(self.parameters.values()))
        pointers = frozenset(k for k, i in enumerate(primal) if isinstance(self.kernel.params[i].type, Pointer))
        writes = frozenset(range(len(primal), len(primal) + len(adjoint)))
        marched = march.axis if march is not None else None
        return Gather(
            function, primal, adjoint, KernelEffects(pointers, writes), marched, shared, kernel.tiled, counted
        )

    def _tapes(
        self, name: str, kernel: ir.Function, tapes: Sequence[ir.Symbol], sites: Sequence[Site], values: StoredValues
    ) -> Tapes:
        counter, counted, used = counting_kernel(
            name, kernel, self.engine.drops, len(tapes), sites, self.effects, self.names, values.stale
        )
        unknown = unknown_variables(kernel.body, values.stale, self.effects)  # on account of some of them
        for symbol, span in values.stale.items() if not used.isdisjoint(unknown) else ():
            if not used.isdisjoint(unknown_variables(kernel.body, (symbol,), self.effects)):
                raise UnsupportedError(
                    "how often this runs depends on a value that only the launch itself can provide",
                    span,
                    "bound the loop by a value that the kernel does not overwrite",
                )
        types = tuple(t.type.to for t in tapes if isinstance(t.type, Pointer))
        return Tapes(types, counter, counted)

    def _effects(self, read: set[Location], primal: tuple[int, ...], params: Sequence[ir.Symbol]) -> KernelEffects:
        reads = frozenset(
            primal.index(i) for root in self.given if root in read for i in self.given[root] if i in primal
        )
        return KernelEffects(reads, frozenset(range(len(primal), len(params))))

    def _adjoint_parameters(self) -> tuple[dict[int, ir.Symbol], list[ir.Stmt], list[ir.Stmt]]:
        """The adjoint parameters; for a scalar also its sum in the thread, and what adds that sum over the block."""
        parameters: dict[int, ir.Symbol] = {}
        sums: list[ir.Stmt] = []
        closing: list[ir.Stmt] = []
        for i in sorted(self.positions):
            p = self.kernel.params[i]
            if isinstance(p.type, Pointer) or self.engine.carries_pointers(p):
                type_ = writable(p.type) if isinstance(p.type, Pointer) else p.type
                shadow = self.names.symbol(f"adj_{p.name}", type_, p.span, "param")
                self.engine.shadows[p] = parameters[i] = shadow
                continue
            out = self.names.symbol(f"adj_{p.name}", Pointer(p.type), p.span, "param")
            own = self.names.symbol(f"{p.name}_sum", p.type, p.span)
            self.engine.shadows[p], parameters[i] = own, out
            sums.append(ir.Declare(own, zero(p.type, p.span), span=p.span))
            total = ir.Var(own, span=p.span)
            cell = ir.Index(ir.Var(out, span=p.span), integer(0, p.span), p.type, span=p.span)
            for target, value in zip(floating_leaves(cell), floating_leaves(total), strict=True):
                where = ir.Var(out, span=p.span) if target is cell else address_of(target)
                closing.append(ir.Call(f"hetad_block_add_{value.type}", (where, value), span=p.span))
        for i, p in enumerate(self.kernel.params):
            if i not in self.positions and p in self.engine.active and not isinstance(p.type, Pointer):
                # Set by the kernel to something active: its adjoint ends here.
                own = self.engine.shadow(p)
                sums.append(ir.Declare(own, zero(own.type, p.span), span=p.span))
        return parameters, sums, closing


def _without_takes(body: ir.Body) -> ir.Body:
    """With seeds that are only read."""

    def read(e: ir.Expr) -> ir.Expr:
        taken = isinstance(e, ir.Intrinsic) and e.name.startswith(TAKE) and isinstance(e.args[0], ir.AddressOf)
        return e.args[0].place if taken and isinstance(e, ir.Intrinsic) and isinstance(e.args[0], ir.AddressOf) else e

    return map_exprs(read, body)


def _has_effect(s: ir.Stmt) -> bool:
    """Whether a statement of a pullback changes memory, or may, but for seeds that it takes."""
    if isinstance(s, ir.Assign | ir.Update):
        return root_symbol(s.target) is None
    if isinstance(s, ir.Call):
        return not is_math(s.function)
    return isinstance(s, ir.Push | ir.Pop | ir.Launch | ir.Opaque)


def _atomic_updates(body: ir.Body) -> int:
    """How many updates are atomic."""
    return sum(1 for s in walk_stmts(body) if increment(s) is not None or any(takes(s)))


def _roots_of(pointers: PointsTo, symbols: Sequence[ir.Symbol]) -> set[Location]:
    return {pointers.parameter_roots[s] for s in symbols}


def _keeps(s: ir.Stmt, rules: Rules) -> bool:
    """Statements of a pullback that change adjoint memory, or that other threads wait for."""
    if isinstance(s, ir.Call):
        if s.function in rules:
            return False
        callee = callees.find(s.function)
        of_block = callee.kind == "barrier" or callee.scope == "block"
        return of_block or not (callee.meets or callee.kind in ("atomic", "mathematics"))
    return any(isinstance(e, ir.Intrinsic) and e.name.startswith(TAKE) for own in own_exprs(s) for e in walk_expr(own))


def _without_marks(body: ir.Body) -> ir.Body:
    return map_body(lambda s: None if isinstance(s, ir.Call) and s.function in (FOUND, LOST) else s, body)


def _refuse_unrecordable(values: StoredValues, stale: Sequence[ir.Symbol]) -> None:
    for symbol in stale:
        if symbol in values.conditional:
            raise UnsupportedError(
                "the derivative needs a value that the kernel reads back from memory it has overwritten, inside a "
                "condition that may skip the load",
                values.stale[symbol],
                "read it into a local variable in a branch of its own",
            )


def _refuse_messages(values: StoredValues, engine: KernelEngine) -> None:
    """Blocks that wait for each other run in no known order, and in none at all when the pullback runs."""
    if not values.messages:
        return
    for symbol, load in values.rereads.items():
        if engine.is_active(load):
            raise UnsupportedError(
                "after a memory fence or a volatile read, the kernel reads active memory that other blocks of the "
                "launch have written",
                values.stale[symbol],
                "split the kernel here: what one launch writes, let the next one read",
            )


def _refuse_stale_conditions(values: StoredValues, body: ir.Body) -> None:
    if values.stale_conditions and any(isinstance(s, ir.For | ir.While) for s in walk_stmts(body)):
        raise UnsupportedError(
            "the loop's condition reads memory that the kernel has overwritten",
            values.stale_conditions[0],
            "keep the value in a local variable inside the loop, and store it afterwards",
        )
