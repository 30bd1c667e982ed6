"""The reversal of the host function: from the primal to both sweeps, with everything that is overwritten saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hetad.adjoint.engine import Reversed
from hetad.adjoint.shadows import wide_structs
from hetad.analysis.carried import memories
from hetad.device.attempts import KernelPasses
from hetad.host.derivation import Derivation, Reversal, with_body
from hetad.host.engine import HostEngine
from hetad.host.kernels.pullbacks import Pullbacks
from hetad.host.parameters import AdjointParameters
from hetad.host.resuming import require_resumable
from hetad.host.saves.checkpoint import Checkpoints
from hetad.host.saves.rematerialisation import Refills
from hetad.ir import nodes as ir
from hetad.passes.manager import Pass, program_pass
from hetad.rules import operations


def reversed_host(kernels: KernelPasses) -> Pass[Any]:
    """The pass that adds the derivative; `kernels` make the pullbacks of the kernels that are launched."""

    @program_pass("reverse")
    def reverse(derivation: Derivation) -> Derivation:
        """Adds the derivative, a function of its own: the forward sweep runs the primal and saves what each statement
        overwrites; the reverse sweep undoes each statement, then adds to the adjoints of what it read."""
        return _reversed(derivation, Pullbacks(derivation, kernels))

    return reverse


def _reversed(derivation: Derivation, pullbacks: Pullbacks) -> Derivation:
    setting, options = derivation.setting, derivation.request.options
    engine = HostEngine(
        setting.names, setting.effects, derivation.active, derivation.sources, derivation.kernels, setting.spaces,
        pullbacks,
    )  # fmt: skip
    engine.rules, engine.functions = derivation.request.rules, derivation.written
    engine.versions, engine.moves_back = options.versions, options.moves
    engine.given = derivation.routines
    refills = None
    if options.needed and options.refills:
        refills = Refills(setting.function.body, setting.effects, derivation.kernels, engine.parts)
        engine.refills = refills.by_reader()
    if derivation.request.memory_limit is not None:
        engine.checkpoints = Checkpoints(
            setting.function, memories(setting.function, setting.pointers), derivation.kernels
        )
    adjoints = AdjointParameters(setting, engine)
    body = setting.function.body
    engine.prepare_cells(body)
    engine.find_aliases(body)
    engine.find_allocations(body)
    engine.find_extents(body)
    engine.communication.find(body)
    tail: Sequence[ir.Stmt] = ()
    if body and isinstance(body[-1], ir.Return):
        if setting.returned is not None and derivation.request.value:
            tail = (body[-1],)
        body = body[:-1]
    engine.find_fresh(body, [setting.location(n) for n in setting.wrt])
    region = engine.region(body, registers=True)
    if engine.checkpoints is not None and derivation.resumes:
        require_resumable(engine, setting.function, engine.checkpoints)
    whole = _whole(derivation, engine, region, adjoints, tail)
    found = Reversal(
        active=frozenset(engine.active),
        shadows=engine.shadows,
        pullbacks=pullbacks,
        parts=engine.parts,
        cells_of=engine.cells_of,
        frees=engine.frees,
        extents=engine.extents,
        checkpoints=engine.checkpoints,
        refills=refills.found if refills is not None else (),
    )
    made = {f.name: f for f in pullbacks.generated()}
    functions = {**pullbacks.around.called(), **derivation.functions, **made}  # rules of the user's are called now
    structs = (*derivation.structs, *wide_structs(derivation.structs, derivation.span))
    with_kernels = replace(
        derivation, functions=functions, structs=structs, added=tuple(adjoints.parameters), reversal=found
    )
    return with_body(with_kernels, whole)


def _whole(
    derivation: Derivation,
    engine: HostEngine,
    region: Reversed,
    adjoints: AdjointParameters,
    tail: Sequence[ir.Stmt],
) -> ir.Body:
    setting, span = derivation.setting, derivation.span
    entries: list[ir.Stmt] = []
    before: list[ir.Stmt] = [*adjoints.opening, *adjoints.work_shadows(), *engine.cells.opening(span)]
    after: list[ir.Stmt] = [*engine.cells.closing(span)]
    for root in dict.fromkeys(setting.pointers.parameter_roots.values()):
        pointer = ir.Var(root.symbol, span=span)
        slot = setting.names.symbol(f"{root.name}_entry", root.symbol.type, span, "entry")
        entries.append(ir.Push(slot, pointer, "allocation", span=span))
        after.insert(0, ir.Pop(slot, pointer, "allocation", span=span))
    returned = setting.returned if setting.of is None else None
    seed = engine.shadows.get(returned) if returned is not None else None  # which the caller gives
    return (
        *entries,
        *before,
        *region.declarations,
        *region.forward,
        *engine.communication.turn(span),
        operations.forward_done(span=span),
        *(a for a in region.adjoints if not (isinstance(a, ir.Declare) and a.symbol is seed)),
        *region.reverse,
        *(f for p in setting.function.params for f in engine.flush(p, span)),
        *adjoints.closing,
        *after,
        *tail,
    )
