"""The pullback of a kernel: `k_pullback(primal parameters it needs, adjoints of the active parameters)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hetad.adjoint.liveness import Liveness, drop_unused
from hetad.adjoint.names import Names, zero
from hetad.adjoint.tidy import tidy
from hetad.analysis.activity import Activity
from hetad.analysis.effects import Effects, KernelEffects
from hetad.analysis.exclusive import ThreadMap
from hetad.analysis.pointers import Location, PointsTo
from hetad.device.engine import TAKE, KernelEngine
from hetad.device.memory import StoredValues
from hetad.device.storage import counting_kernel, store_tape
from hetad.diagnostics import UnsupportedError
from hetad.ir import nodes as ir
from hetad.ir.types import VOID, Pointer, Type
from hetad.ir.visit import declared, own_exprs, variables, walk_expr, walk_stmts


@dataclass(frozen=True, slots=True)
class Pullback:
    """A generated kernel.  Its parameters are the primal's at `primal`, then the adjoints of those at `adjoint`."""

    function: ir.Function
    primal: tuple[int, ...]
    adjoint: tuple[int, ...]
    effects: KernelEffects
    tapes: tuple[Type, ...] = ()  # element types of the tape parameters, which come last
    counter: ir.Function | None = None  # sizes the tapes: primal parameters at `counted`, then `unsigned *depth`
    counted: tuple[int, ...] = ()
    active: tuple[str, ...] = ()  # names of what is active in the kernel


def pullback(
    kernel: ir.Function,
    name: str,
    active: frozenset[int],
    merged: tuple[tuple[str, ...], ...],
    taken_names: Sequence[str],
    sources: Mapping[str, str],
    optimize: bool = True,
) -> Pullback:
    """The pullback of an inlined `kernel` for the active parameter positions.

    `merged` groups pointer parameters that may reach the same memory.  Without `optimize` everything floating is
    active, everything overwritten is saved, and nothing is pruned: the reference that the optimised form is tested by.
    """
    names = Names({s.name for s in (*kernel.params, *declared(kernel.body))} | set(taken_names))
    effects = Effects(PointsTo(kernel, merged), {})
    values = StoredValues(effects, names, kernel.body)
    body = values.body
    prepared = replace(kernel, body=body)
    effects = Effects(PointsTo(prepared, merged), {})
    seeds = [_location(effects.pointers, kernel.params[i]) for i in sorted(active)]
    activity = Activity(prepared, effects.pointers, {})
    found = activity.active(seeds, seeds) if optimize else activity.everything()
    engine = KernelEngine(names, effects, {*found, *seeds}, sources, ThreadMap(effects, body))
    parameters, sums, closing = _adjoint_parameters(engine, kernel, active, names)
    region = engine.region(body, registers=True)
    whole = (*region.declarations, *region.forward, *sums, *region.adjoints, *region.reverse, *closing)
    pruned = Liveness(effects, _keeps).prune(whole)
    _refuse_stale(values, pruned)
    stored = store_tape(pruned if optimize else drop_unused(whole), names, effects, engine.slot_loops)
    final = tidy(stored.body, bool(merged)) if optimize else stored.body
    used = set(variables(final))
    primal = tuple(i for i, p in enumerate(kernel.params) if p in used)
    adjoint = tuple(i for i in sorted(active) if parameters[i] in used)
    params = (*(kernel.params[i] for i in primal), *(parameters[i] for i in adjoint), *stored.tapes)
    function = ir.Function(
        name,
        "kernel",
        params,
        VOID,
        final,
        kernel.span,
        comment=f"pullback of {kernel.name} (line {kernel.span.line}), with respect to "
        + ", ".join(kernel.params[i].name for i in adjoint),
        reverse_threads=True,
    )
    reads = frozenset(
        k
        for k, i in enumerate(primal)
        if (root := effects.pointers.parameter_roots.get(kernel.params[i])) is not None
        and any(root in set(effects.reads(s)) for s in walk_stmts(final))
    )
    writes = frozenset(range(len(primal), len(params)))
    names_active = tuple(sorted({x.name for x in engine.active}))
    tapes = tuple(t.type.to for t in stored.tapes if isinstance(t.type, Pointer))
    if not tapes:
        return Pullback(function, primal, adjoint, KernelEffects(reads, writes), active=names_active)
    count_name = name.replace("_pullback", "_tape_size")
    counter, counted = counting_kernel(count_name, prepared, engine.drops, stored, effects, names)
    return Pullback(function, primal, adjoint, KernelEffects(reads, writes), tapes, counter, counted, names_active)


def _adjoint_parameters(
    engine: KernelEngine, kernel: ir.Function, active: frozenset[int], names: Names
) -> tuple[dict[int, ir.Symbol], list[ir.Stmt], list[ir.Stmt]]:
    """The adjoint parameters; for a scalar also its sum in the thread and the update that adds it over the block."""
    parameters: dict[int, ir.Symbol] = {}
    sums: list[ir.Stmt] = []
    closing: list[ir.Stmt] = []
    for i in sorted(active):
        p = kernel.params[i]
        if isinstance(p.type, Pointer):
            shadow = names.symbol(f"adj_{p.name}", Pointer(p.type.to), p.span, "param")
            engine.shadows[p] = parameters[i] = shadow
            continue
        out = names.symbol(f"adj_{p.name}", Pointer(p.type), p.span, "param")
        own = names.symbol(f"{p.name}_sum", p.type, p.span)
        engine.shadows[p], parameters[i] = own, out
        sums.append(ir.Declare(own, zero(p.type, p.span), span=p.span))
        total = ir.Var(own, span=p.span)
        closing.append(ir.Call(f"hetad_block_add_{p.type}", (ir.Var(out, span=p.span), total), span=p.span))
    return parameters, sums, closing


def _keeps(s: ir.Stmt) -> bool:
    """Statements of a pullback that change adjoint memory."""
    if isinstance(s, ir.Call):
        return True
    return any(
        isinstance(e, ir.Intrinsic) and e.name.startswith(TAKE) for own in own_exprs(s) for e in walk_expr(own)
    )


def _refuse_stale(values: StoredValues, body: ir.Body) -> None:
    used = set(variables(body))
    for symbol, span in values.stale.items():
        if symbol in used:
            raise UnsupportedError(
                "the derivative needs a value that the kernel reads back from memory it has overwritten",
                span,
                "keep the value in a local variable, or write to another array",
            )
    if values.stale_conditions and any(isinstance(s, ir.For | ir.While) for s in walk_stmts(body)):
        raise UnsupportedError(
            "the loop's condition reads memory that the kernel has overwritten",
            values.stale_conditions[0],
            "read it into a local variable before",
        )


def _location(pointers: PointsTo, p: ir.Symbol) -> Location:
    return pointers.parameter_roots.get(p, p)
