"""From the last draft to the kernels of the pullback."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hetad.adjoint.canonicalise import in_order
from hetad.adjoint.seeds import stored as stored_in
from hetad.device.accumulation.conditions import text
from hetad.device.accumulation.increments import increment
from hetad.device.accumulation.thread_order import only_adds
from hetad.device.accumulation.zeros import adding
from hetad.device.draft import Draft, with_body
from hetad.device.gathers.gather import GatherKernel
from hetad.device.generated import Gather, Pullback, Tapes
from hetad.device.qualifiers import qualified
from hetad.device.tape.counting import Primal, counting_kernel
from hetad.device.tape.memory import StoredValues
from hetad.device.tape.storage import Taped
from hetad.ir import nodes as ir
from hetad.ir.identity import IdentityMap
from hetad.ir.types import VOID, Pointer
from hetad.ir.visit import declared, variables, walk_stmts
from hetad.passes.manager import program_pass


@program_pass("store-in-taken-cells")
def stored_in_taken_cells(draft: Draft) -> Draft:
    """`adj_x[i] = 0; adj_x[i] += v;` is `adj_x[i] = v;`."""
    in_any_order = only_adds(adding(draft.body, draft.zeros.values()), draft.ground.adjoints)
    changed = replace(draft, in_any_order=in_any_order)
    if draft.overlapping:
        return changed
    sweep = draft.sweep
    if sweep is not None:
        alone = stored_in(sweep.alone, draft.shadows) if sweep.alone is not None else None
        changed = replace(changed, sweep=replace(sweep, body=stored_in(sweep.body, draft.shadows), alone=alone))
    return with_body(changed, stored_in(draft.body, draft.shadows))


def finished(draft: Draft, prepared: ir.Function, values: StoredValues) -> Pullback:
    """The pullback's kernels.  `prepared`: the primal as it was before its reversal, whose loads are `values`."""
    assert draft.stored is not None and draft.effects is not None
    kernel, recording, stored = draft.kernel, draft.recording, draft.stored
    serial = draft.sweep
    used = {*variables(draft.body), *(variables((*serial.body, *(serial.alone or ()))) if serial is not None else ())}
    primal, adjoint, common = _of_primal(draft, used)
    dynamic = draft.reversed.dynamic_bytes in used
    params = (
        *common,
        *((draft.reversed.dynamic_bytes,) if dynamic else ()),
        *(recording.records if recording is not None else ()),
        *stored.tapes,
        *(draft.stage.buffers if draft.stage is not None else ()),
        *((draft.blocks,) if draft.blocks is not None else ()),
        *draft.zeros.values(),
    )
    where = text(draft.asked.known, draft.span)
    with_respect_to = ", ".join(kernel.params[i].name for i in adjoint)
    comment = f"pullback of {kernel.name} (line {draft.span.line}), with respect to {with_respect_to}"
    comment += f", where {where}" if where else ""
    function = ir.Function(
        draft.entry, "kernel", params, VOID, in_order(draft.body, _own(draft)), draft.span, comment=comment,
        reverse_threads=not draft.in_any_order, sweep=draft.sweep,
    )  # fmt: skip
    made = Pullback(
        _qualified(draft, function),
        primal,
        adjoint,
        tuple(sorted({x.name for x in draft.reversed.engine.active})),
        draft.ground.axes,
        dynamic,
        several=draft.blocks is not None,
        turns=draft.turns,
        zeros=tuple(draft.zeros),
        where=where,
        lacking=draft.lacking,
        refusal=draft.refusal,
        gathers=tuple(_gather(draft, gathering) for gathering in draft.gathers),
        parts=draft.stage.parts if draft.stage is not None else None,
    )
    if stored.tapes:
        origins = recording.origins if recording is not None else IdentityMap()
        taped = [replace(s, statement=origins.get(s.statement, s.statement)) for s in stored.taped]
        made = replace(made, tapes=_tapes(draft, "tape_size", prepared, stored.tapes, taped, values))
    if recording is not None:
        records = _tapes(draft, "record_size", prepared, recording.records, recording.taped, values)
        made = replace(made, recorder=recording.recorder, records=records)
    return made


def _qualified(draft: Draft, function: ir.Function) -> ir.Function:
    if not draft.options.qualifiers:
        return function
    return qualified(function, draft.ground.adjoints, set(draft.parameters.values()))


def _of_primal(
    draft: Draft, used: Collection[ir.Symbol]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[ir.Symbol, ...]]:
    """The primal's parameters that a kernel uses, those of which it uses the adjoints, and its own for all of these."""
    primal = tuple(i for i, p in enumerate(draft.kernel.params) if p in used)
    adjoint = tuple(i for i in sorted(draft.asked.active) if draft.parameters[i] in used)
    return primal, adjoint, (*(draft.kernel.params[i] for i in primal), *(draft.parameters[i] for i in adjoint))


def _own(draft: Draft) -> tuple[ir.Symbol, ...]:
    """The kernel's own variables."""
    return (*draft.kernel.params, *declared(draft.kernel.body))


def _gather(draft: Draft, made: GatherKernel) -> Gather:
    body, march = made.body, made.march
    shared = made.team is not None and made.team.by_launch
    used = {*variables(body), *variables(made.sweep)}
    counted = tuple(axis for axis, x in made.counts.items() if made.tiled and x in used)
    primal, adjoint, common = _of_primal(draft, used)
    params = (
        *common,
        *((march.blocks,) if march is not None else ()),
        *((made.team.size,) if shared and made.team is not None else ()),
        *(made.counts[axis] for axis in counted),
    )
    places = [s.target for s in walk_stmts(body) if isinstance(s, ir.Update)]
    places += [found.place for s in walk_stmts(body) if (found := increment(s)) is not None]
    added = {x for place in places for x in variables(place)}
    targets = [draft.kernel.params[i].name for i in adjoint if draft.parameters[i] in added]
    name = draft.beside("gather", *targets)
    comment = (
        f"pullback of {draft.kernel.name} (line {draft.span.line}), with respect to {', '.join(targets)}: a gather"
    )
    comment += " on tiles" if made.tiled else ""
    sweep = ir.Sweep(made.sweep, alone=made.alone_sweep)
    function = ir.Function(
        name,
        "kernel",
        params,
        VOID,
        in_order(body, _own(draft)),
        draft.span,
        comment=comment,
        sweep=sweep,
        launch_bounds=made.launch_bounds,
    )
    marched = march.axis if march is not None else None
    return Gather(_qualified(draft, function), primal, adjoint, marched, shared, made.tiled, counted)


def _tapes(
    draft: Draft,
    what: str,
    prepared: ir.Function,
    tapes: Sequence[ir.Symbol],
    taped: Sequence[Taped],
    values: StoredValues,
) -> Tapes:
    assert draft.effects is not None
    name, drops = draft.beside(what), draft.reversed.engine.drops
    primal = Primal(prepared, draft.effects, drops, values.stale)
    counter, counted = counting_kernel(name, primal, len(tapes), taped, draft.names)
    types = tuple(t.type.to for t in tapes if isinstance(t.type, Pointer))
    return Tapes(types, counter, counted)
