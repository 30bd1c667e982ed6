"""From a kernel to its pullback: what has adjoints in it, its reversal, and what of both sweeps is needed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, takewhile

from hetad.adjoint.canonicalise import tidy
from hetad.adjoint.liveness import Liveness, drop_unused
from hetad.adjoint.shadows import writable
from hetad.adjoint.structs import floating_leaves
from hetad.analysis.activity import Activity
from hetad.analysis.divergence import Divergence
from hetad.analysis.effects import Effects, positions_of
from hetad.analysis.pointers import Location, PointsTo
from hetad.device.draft import Draft, Reversal, on_body, with_body
from hetad.device.engine import KernelEngine
from hetad.device.shared import SharedAdjoints, cleared_where_stored
from hetad.device.tape.record import with_replays
from hetad.device.tape.resets import resets
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.build import address_of, integer, zero
from hetad.ir.types import SIZE_T, Pointer
from hetad.ir.visit import map_body, own_nodes, variables, walk_stmts
from hetad.passes.manager import program_pass
from hetad.rules import callees, operations
from hetad.rules.user import Rules


@program_pass("kernel-activity")
def with_activity(draft: Draft) -> Draft:
    """With the locations of the kernel that depend on active parameters while active ones depend on them; without the
    option "activity", all but what nobody asks for."""
    kernel, prepared = draft.kernel, draft.function
    records = draft.recording.records if draft.recording is not None else ()
    effects = Effects(PointsTo(prepared, draft.asked.merged), {})
    pointers = effects.pointers
    given = positions_of(prepared, pointers)
    wanted = draft.asked.active
    seeds: list[Location] = [root for root, at in given.items() if not at.isdisjoint(wanted)]
    seeds += [p for i, p in enumerate(kernel.params) if i in wanted and not isinstance(p.type, Pointer)]
    unasked = set(kernel.params).difference(effects.written(draft.body))
    outside = ({*unasked, *given} - set(seeds)) | {pointers.parameter_roots[s] for s in records}
    activity = Activity(prepared, pointers, {}, outside)
    found = activity.active(seeds, seeds) if draft.options.activity else activity.everything() - outside
    return replace(draft, effects=effects, active=frozenset({*found, *seeds}))


@program_pass("reverse-kernel")
def reversed_kernel(draft: Draft) -> Draft:
    """The text is both sweeps: the forward sweep runs the kernel, with everything saved that it overwrites; the reverse
    sweep undoes each statement, then adds to the adjoints of what it read.  Memory stays as the primal found it."""
    kernel, body, effects, names = draft.kernel, draft.body, draft.effects, draft.names
    assert effects is not None
    dynamic_bytes = names.symbol("shared_bytes", SIZE_T, kernel.span, "param")
    uniform = Divergence(body, effects)
    engine = KernelEngine(names, effects, draft.active, draft.sources, dynamic_bytes, uniform)
    engine.rules, engine.functions = draft.around.rules, draft.around.functions
    engine.cleared = cleared_where_stored(body) if draft.options.needed else ()
    engine.resets = resets(body, effects, uniform)
    parameters, sums, closing = _adjoint_parameters(draft, engine)
    region = engine.region(body, registers=True)
    shared = SharedAdjoints(engine, kernel.span)
    whole: ir.Body = (
        *shared.declarations,
        *sums,
        *region.declarations,
        *region.forward,
        *shared.zeros,
        *region.adjoints,
        *region.reverse,
    )
    closing = [s for s in closing if _is_added_to(s, whole)]
    whole = (*whole, *closing)
    return with_body(replace(draft, reversal=Reversal(engine, parameters, shared, dynamic_bytes)), whole)


def _adjoint_parameters(
    draft: Draft, engine: KernelEngine
) -> tuple[dict[int, ir.Symbol], list[ir.Stmt], list[ir.Stmt]]:
    """The adjoint parameters; for a scalar also its sum in the thread, and what adds that sum over the block."""
    parameters: dict[int, ir.Symbol] = {}
    sums: list[ir.Stmt] = []
    closing: list[ir.Stmt] = []
    for i in sorted(draft.asked.active):
        p = draft.kernel.params[i]
        if isinstance(p.type, Pointer) or engine.carries_pointers(p):
            type_ = writable(p.type) if isinstance(p.type, Pointer) else p.type
            shadow = draft.names.adjoint(p.name, type_, p.span, "param")
            engine.shadows[p] = parameters[i] = shadow
            continue
        type_ = engine.shadow_type(p.type)
        out = draft.names.adjoint(p.name, Pointer(type_), p.span, "param")
        own = draft.names.symbol(f"{p.name}_sum", type_, p.span)
        engine.shadows[p], parameters[i] = own, out
        sums.append(ir.Declare(own, zero(type_, p.span), span=p.span))
        total = ir.Var(own, span=p.span)
        cell = ir.Index(ir.Var(out, span=p.span), integer(0, p.span), type_, span=p.span)
        for target, value in zip(floating_leaves(cell), floating_leaves(total), strict=True):
            where = ir.Var(out, span=p.span) if target is cell else address_of(target)
            closing.append(operations.block_add(where, value, span=p.span))
    for i, p in enumerate(draft.kernel.params):
        if i not in draft.asked.active and p in engine.active and not isinstance(p.type, Pointer):
            # Set by the kernel to something active: its adjoint ends here.
            own = engine.shadow(p)
            sums.append(ir.Declare(own, zero(own.type, p.span), span=p.span))
    return parameters, sums, closing


def _is_added_to(total: ir.Stmt, body: ir.Body) -> bool:
    """Whether anything in the body may add to what a total is of: of a struct, perhaps one member alone."""
    assert isinstance(total, ir.Call)
    nodes = [e for s in walk_stmts(body) for e in own_nodes(s)]
    parts = [e for e in nodes if isinstance(e, ir.Member)]
    way = [total.args[1]]  # from the whole to the member, which may be an array
    while isinstance(way[0], ir.Member | ir.Index):
        way.insert(0, way[0].base)
    way = list(takewhile(lambda e: not isinstance(e, ir.Index), way))
    for whole, part in pairwise(way):
        if sum(1 for e in nodes if e == whole) > sum(1 for e in parts if e.base == whole):
            return True
        if part not in parts:
            return False
    return way[-1] in nodes


@program_pass("prune-kernel")
def pruned_kernel(draft: Draft) -> Draft:
    """Values that no adjoint needs are neither recomputed nor saved; without the option "needed", only what would not
    compile cleanly goes.

    Raises:
        UnsupportedError: an adjoint needs shared memory as it was before an atomic operation.
    """
    shared, whole = draft.reversed.shared, draft.body
    liveness = _liveness(draft)
    pruned = shared.pruned(liveness.prune(whole), liveness, draft.parameters.values())
    for span in liveness.lost:
        raise UnsupportedError(
            "the derivative needs shared memory as it was before this atomic operation",
            span,
            "use another array, or give all of it new values before, in a loop over its elements",
        )
    kept = pruned if draft.options.needed else drop_unused(whole)
    return with_body(replace(draft, used=frozenset(variables(pruned))), kept)


@on_body("place-replays")
def replays(draft: Draft) -> ir.Body:
    """Marks for the analyses are gone, and recorded values stand for the loads that they replay."""
    return with_replays(
        map_body(lambda s: None if operations.does(s, operations.found, operations.lost) else s, draft.body)
    )


@on_body("prune-kernel-again")
def pruned_again(draft: Draft) -> ir.Body:
    """Without what only those increments needed that went elsewhere, and seeds that nobody takes."""
    if not (draft.gathers or (draft.asked.spent and draft.options.spent)) or not draft.options.needed:
        return draft.body
    return _liveness(draft).prune(draft.body)


@on_body("canonicalise-kernel")
def canonical(draft: Draft) -> ir.Body:
    """Values are named once, branches merged, constants folded."""
    return tidy(draft.body, draft.overlapping, kernel=True)


@on_body("canonicalise-kernel-again")
def canonical_again(draft: Draft) -> ir.Body:
    """The same, behind gathers."""
    if not (draft.gathers or (draft.asked.spent and draft.options.spent)):
        return draft.body
    return tidy(draft.body, draft.overlapping, kernel=True)


def _liveness(draft: Draft) -> Liveness:
    assert draft.effects is not None
    return Liveness(draft.effects, lambda s: _keeps(s, draft.around.rules))


def _keeps(s: ir.Stmt, rules: Rules) -> bool:
    """Statements of a pullback that change adjoint memory, or that other threads wait for."""
    if isinstance(s, ir.Call):
        if s.function in rules:
            return False
        callee = callees.find(s.function)
        of_block = callee.kind == "barrier" or callee.scope == "block"
        return of_block or not (callee.meets or callee.kind in ("atomic", "mathematics"))
    return any(operations.gives(e, operations.take) for e in own_nodes(s))
