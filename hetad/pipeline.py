"""The table of contents of hetad: every step from CUDA text to a derivative program, in order.

`hetad grad --emit after:NAME` prints the program as a pass leaves it; `--emit passes` prints this list.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hetad.adjoint.hoist import pointed_locals_at_the_top
from hetad.adjoint.inline import inline_calls
from hetad.adjoint.pointer_copies import pointer_copies
from hetad.adjoint.repetitions import repetitions_once
from hetad.adjoint.scalar_replacement import scalar_replacement
from hetad.adjoint.stored_cells import stored_cells
from hetad.adjoint.structs import field_by_field, fields_of_entry
from hetad.analysis.effects import written_parameters
from hetad.analysis.races import refuse_proven_races
from hetad.analysis.spaces import parameter_spaces
from hetad.deep import deep
from hetad.device import reverse as kernel
from hetad.device.accumulation.chains import chained
from hetad.device.accumulation.fewer_blocks import fewer_blocks
from hetad.device.accumulation.hot import summed_over_blocks
from hetad.device.accumulation.in_fixed_order import in_fixed_order
from hetad.device.accumulation.plain import plain_updates, sizes_asked_for
from hetad.device.accumulation.privatised_reductions import privatised
from hetad.device.accumulation.redistribution import redistributed
from hetad.device.accumulation.staggered import staggered
from hetad.device.accumulation.sums import summed
from hetad.device.accumulation.thread_sweep import swept
from hetad.device.accumulation.vector_atomics import vectorised
from hetad.device.accumulation.warps import summed_over_warps
from hetad.device.accumulation.zeros import store_where_zero
from hetad.device.assumptions import with_assumptions
from hetad.device.attempts import KernelPasses
from hetad.device.early_loads import loaded_early
from hetad.device.finish import stored_in_taken_cells
from hetad.device.fusion.sums import summed_in_reverse
from hetad.device.gathers.gathering import gather, gather_always, gather_pairs, threads_apart
from hetad.device.reciprocals import reciprocals_shared
from hetad.device.shared import enough_shared_memory
from hetad.device.tape.factors import factors_kept
from hetad.device.tape.saves import ordered_saves
from hetad.device.tape.segments import segments_asked_for
from hetad.device.tape.storage import stored_tape
from hetad.device.warp_synchronous import warp_synchronous
from hetad.diagnostics import SourceError
from hetad.frontend.closure import reach, reach_for_derivative, with_routines
from hetad.frontend.fence import supported
from hetad.frontend.managed import managed_variables
from hetad.frontend.normalize import NORMAL_FORM, normalize
from hetad.garbage import seldom_collected
from hetad.host.active import with_activity
from hetad.host.again.by_space import by_space
from hetad.host.again.own_operations import own_operations, plainly_said
from hetad.host.again.slots import slots_of_records
from hetad.host.analysed import analysed
from hetad.host.batch import over_batch
from hetad.host.closing import closed, distinct_names, in_session, with_launch_bounds
from hetad.host.communication import join_communicators
from hetad.host.compound import in_plain_operations
from hetad.host.counts import with_known_counts
from hetad.host.derivation import Derivation, Request, parameters_of
from hetad.host.derivative import Derivative, Parameter, Primal, SecondOrder
from hetad.host.devices import refuse_what_each_device_has
from hetad.host.explanation import explained
from hetad.host.freed_twice import refuse_double_frees
from hetad.host.graphs import refuse_data_dependence
from hetad.host.kernels.extents import with_known_extents
from hetad.host.kernels.last_blocks import split_last_blocks
from hetad.host.kernels.launcher import CONFIGURATION, launch_kernel
from hetad.host.kernels.routines import handles_given, library_choices, with_routines_derivatives
from hetad.host.known_numbers import with_known_numbers
from hetad.host.live_ranges import with_live_ranges
from hetad.host.members import structs_by_member
from hetad.host.outlining.outline import outline
from hetad.host.own_structs import with_own_structs
from hetad.host.own_types import refuse_other_types
from hetad.host.parameters import RETURN
from hetad.host.pointer_modes import with_pointer_modes
from hetad.host.pruning import (
    canonical,
    drop_marks,
    drop_what_is_unused,
    names_in_order,
    prune_saves,
    store_in_cleared_cells,
)
from hetad.host.registration import register_arguments
from hetad.host.result import named_result
from hetad.host.resuming import resumable
from hetad.host.reverse import reversed_host
from hetad.host.saves.buffer_versioning import check_versions, mark_versions, use_versions
from hetad.host.saves.fresh import drop_snapshots_of_nothing
from hetad.host.saves.steady import steady_allocations, steady_parameters
from hetad.host.saves.tape import lowered_tape
from hetad.host.saves.workspaces import hoist_workspaces
from hetad.host.sets import sets_at_once
from hetad.host.streams import in_one_stream
from hetad.host.symbols import lift_symbols
from hetad.host.tables import copy_tables, tables_on_host
from hetad.host.unknown import refuse_unknown_pointers
from hetad.host.whole_structs import whole_structs
from hetad.host.zeros import follow_zeros
from hetad.ir import facts
from hetad.ir import nodes as ir
from hetad.ir.forms import NORMALISED, Form
from hetad.ir.functions import nesting
from hetad.ir.types import Pointer
from hetad.passes.manager import Pass, run
from hetad.passes.task import Task
from hetad.tangent.host import tangent
from hetad.targets.cpu.passes import CPU

if TYPE_CHECKING:
    from hetad.emit.located import LocatedLine
    from hetad.frontend import Unit

__all__ = ["CPU", "differentiate", "normalized", "primal", "reach", "source"]


DEEP = 150  # statements, one in the other


def limited(d: Derivation) -> bool:
    return d.request.memory_limit is not None


def resumes(d: Derivation) -> bool:
    return d.resumes


def is_reverse(d: Derivation) -> bool:
    return not d.request.is_tangent


def option(name: str) -> Any:
    """Whether this optimisation is wanted (`adjoint/options.py`)."""
    return lambda d: getattr(d.options, name)


# Before all of these, each function is normalised by itself (`NORMAL_FORM`, frontend/normalize).

# The host function as one body in terms of few operations, and what has an adjoint in it.
HOST_FORM: tuple[Pass[Any], ...] = (
    refuse_proven_races,
    launch_kernel,
    inline_calls.needing(*NORMALISED),
    slots_of_records,
    warp_synchronous,
    split_last_blocks,
    field_by_field,
    pointer_copies,
    scalar_replacement.only(option("scalars")),
    stored_cells.only(option("scalars")),
    with_known_numbers,
    with_known_counts,
    repetitions_once.only(option("repetitions")),
    refuse_what_each_device_has,
    lift_symbols,
    with_routines_derivatives,
    with_pointer_modes,
    library_choices,
    in_one_stream,
    in_plain_operations,
    whole_structs,
    by_space,
    refuse_double_frees,
    with_own_structs,
    with_live_ranges,
    tables_on_host,
    steady_parameters.only(is_reverse),
    steady_allocations.only(limited),
    hoist_workspaces.only(lambda d: is_reverse(d) and (option("workspaces")(d) or limited(d))),
    pointed_locals_at_the_top,
    named_result,
    structs_by_member,
    refuse_unknown_pointers,
    refuse_other_types,
    analysed,
    refuse_data_dependence.only(lambda d: d.request.graph),
    with_activity,
)

# A kernel, once for each form in which it is launched and each attempt at a pullback of it.
KERNELS = KernelPasses(
    reverse=(
        kernel.with_activity,
        kernel.reversed_kernel.needing(*NORMALISED).breaking(*NORMALISED),
        kernel.pruned_kernel,
    ),
    look=(
        kernel.replays,
        with_assumptions,
        ordered_saves,
        segments_asked_for.only(option("segments")),
    ),
    store=(
        stored_tape.leaving(Form.UNTAPED),
        kernel.canonical.only(option("tidy")),
        summed_in_reverse.only(option("fusion")),
        factors_kept.only(option("factors")),
    ),
    accumulate=(
        gather_pairs.only(option("gather")),
        summed.only(option("sums")),
        sizes_asked_for.only(option("versions")),
        gather.only(option("gather")),
        threads_apart,
        privatised.only(option("totals")),
        gather_always.only(option("deterministic")),
        plain_updates.only(option("exclusive")),
        kernel.pruned_again,
        kernel.canonical_again.only(option("tidy")),
        swept,
        store_where_zero,
        fewer_blocks.only(option("blocks")),
        redistributed.only(option("deal")),
        vectorised.only(option("runs")),
        chained.only(option("runs")),
        summed_over_warps.only(option("warps")),
        summed_over_blocks.only(option("hot")),
        staggered.only(option("stagger")),
        enough_shared_memory,
    ),
    finish=(
        in_fixed_order.only(option("deterministic")),
        stored_in_taken_cells,
        loaded_early.only(option("early")),
        reciprocals_shared.only(option("reciprocals")),
    ),
)

# Both sweeps, then without what nobody needs.
REVERSE: tuple[Pass[Any], ...] = (
    reversed_host(KERNELS).needing(*NORMALISED).breaking(*NORMALISED),
    follow_zeros,
    prune_saves.only(option("needed")),
    drop_what_is_unused.only(lambda d: not option("needed")(d)),
    drop_marks,
    with_known_extents,
    canonical.only(option("tidy")),
    store_in_cleared_cells,
    names_in_order,
    mark_versions.only(option("renaming")),
    register_arguments,
    explained,
)

# In terms of the run-time support, as a program that stands alone.
LOWER: tuple[Pass[Any], ...] = (
    drop_snapshots_of_nothing,
    check_versions,
    lowered_tape.leaving(Form.UNTAPED),
    use_versions,
    copy_tables,
    handles_given,
    join_communicators,
    resumable.only(resumes),
    in_session,
    sets_at_once.only(lambda d: option("sets")(d) and d.request.batch is not None and d.request.at_once),
    outline.only(lambda d: option("outline")(d) and d.at_once is None and not resumes(d)),
    closed,
    with_launch_bounds.only(option("qualifiers")),
    over_batch.only(lambda d: d.request.batch is not None),
    distinct_names.leaving(Form.ONE_MEANING),
)

DIFFERENTIATE = (own_operations, *NORMAL_FORM, *HOST_FORM, *REVERSE, *LOWER)

# Values and tangents in one sweep, as a program of CUDA's own operations.
TANGENT: tuple[Pass[Any], ...] = (
    tangent.needing(*NORMALISED).breaking(*NORMALISED),
    copy_tables.only(lambda d: not d.request.again),
    handles_given,
    join_communicators,
    in_session,
    closed,
    distinct_names.leaving(Form.ONE_MEANING),
)

DIFFERENTIATE_FORWARD = (own_operations, *NORMAL_FORM, *HOST_FORM, *TANGENT)

# The host function of the primal, for what must be known of it to run it.
PRIMAL: tuple[Pass[Any], ...] = (
    *NORMAL_FORM,
    inline_calls,
    refuse_what_each_device_has,
    slots_of_records,
    with_pointer_modes,
    fields_of_entry,
    with_own_structs,
    with_live_ranges,
)


def every_pass() -> tuple[Pass[Any], ...]:
    """All passes of a differentiation, in order, and those that bring any program to the CPU."""
    reached = (managed_variables, supported)
    return (*reached, own_operations, *NORMAL_FORM, *HOST_FORM, *KERNELS.every(), *REVERSE, tangent, *LOWER, *CPU)


@deep
def normalized(program: ir.Program) -> ir.Program:
    return normalize(program)


@deep
def primal(unit: Unit, name: str) -> Primal:
    """The program that runs `name` itself."""
    from hetad.targets.cpu.inlining import with_inlined_kernels

    reached = reach(unit, name)
    program: Task = launch_kernel.rewrite(reached)
    entry = program.entry
    try:
        flat = run(PRIMAL, program)
        plain = plainly_said(program)
        told = flat if plain is program else run(PRIMAL, plain)
        spaces = parameter_spaces(told, entry)
        written = written_parameters(told, entry)
    except SourceError as error:
        raise error.attach(program.sources) from None
    parameters = []
    for i, p in enumerate(program.functions[entry].params):
        if entry != name and i < len(CONFIGURATION):
            parameters.append(Parameter(p, CONFIGURATION[i]))  # type: ignore[arg-type]
            continue
        space = spaces.get(p.name)
        parameters.append(
            Parameter(
                p,
                "primal",
                p.name,
                None if not isinstance(p.type, Pointer) else "device" if space == "device" else "host",
            )
        )
    return Primal(with_inlined_kernels(program, flat), entry, tuple(parameters), frozenset(written), flat)


def differentiate(unit: Unit, request: Request) -> Derivative:
    """The derivative program that is asked for."""
    return _derivative(reach_for_derivative(unit, request.function, request.rules), request)


def differentiate_twice(unit: Unit, request: Request, gradient: bool = False) -> SecondOrder:
    """Reverse over forward: what is the gradient of `<w, J v>` with respect to `request.wrt`, where v are the tangents
    of `wrt` and w the seeds of the outputs' tangents; so the product of a Hessian, of `<w, f>`, with v.

    With `gradient` also with respect to v: that is `Jᵀ w`, the gradient of `<w, f>`, which the sweep has anyway."""
    first = replace(request, directions=1, again=True, memory_limit=None, measured=False, graph=False)
    forward = differentiate(unit, first)
    tangents = {p.primal: p.symbol.name for p in forward.parameters if p.role == "tangent"}
    of = tuple(tangents[name] for name in request.of or (RETURN,))
    wrt = (*request.wrt, *(tangents[name] for name in request.wrt if gradient))
    inner = replace(request, function=forward.entry, wrt=wrt, of=of, directions=0, value=False)
    back = _derivative(with_routines(unit, forward.program), inner)
    roles = {p.symbol.name: p for p in forward.parameters}
    parameters = tuple(_as_in(roles, p) for p in back.parameters)
    return SecondOrder(forward, replace(back, parameters=parameters))


def _as_in(first: dict[str, Parameter], p: Parameter) -> Parameter:
    """A parameter of the second derivative: the launch configuration, and sizes of memory, are what they are in the
    first one."""
    known = first.get(p.primal or "") if p.role == "primal" else None
    kept = known is not None and known.role in (*CONFIGURATION, "bytes")
    return replace(p, role=known.role, primal=known.primal) if known is not None and kept else p


def _nests_deeply(program: ir.Program, request: Request) -> bool:  # noqa: ARG001 - that of the function below
    """Whether passes certainly recurse more deeply into the program than Python lets them."""
    return any(nesting(f.body) > DEEP for f in program.functions.values())


@partial(deep, surely=_nests_deeply)
@seldom_collected()
def _derivative(program: ir.Program, request: Request) -> Derivative:
    derivation = Derivation(
        program.functions, program.globals, program.structs, program.sources,
        entry=request.function, ruled=frozenset(request.rules), request=request,
    )  # fmt: skip
    try:
        done = run(DIFFERENTIATE_FORWARD if request.is_tangent else DIFFERENTIATE, derivation)
    except SourceError as error:
        raise error.attach(program.sources) from None
    finally:
        facts.forget()
    assert done.explanation is not None
    closed_program = ir.Program(done.functions, done.globals, done.structs, done.sources)
    parameters, outputs = done.outer or parameters_of(done), done.setting.outputs
    return Derivative(closed_program, done.name, parameters, done.explanation, done.bits, outputs)


@deep
def source(derivative: Derivative) -> str:
    """The derivative as one self-contained .cu."""
    from hetad import targets

    return targets.cuda_file(derivative.program, derivative.entry)


def located_source(derivative: Derivative) -> list[tuple[ir.Function, list[LocatedLine]]]:
    """The functions of that file that are the derivative itself; each line knows its place in the primal."""
    from hetad import targets

    return targets.located_functions(derivative.program, derivative.entry)
