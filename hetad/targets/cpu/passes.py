"""The CPU as a target: the passes that turn kernels into what runs threads one after another.

Each leaves a program, with what it has found out about kernels beside it; `file.py` and `kernels.py` print that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hetad.analysis.dataflow import settle
from hetad.diagnostics import UnsupportedError
from hetad.emit import support
from hetad.emit.dialect import C_FOR_GPUS, C_PARALLEL, C, Dialect
from hetad.frontend.reached import renamed
from hetad.ir import nodes as ir
from hetad.ir.names import called
from hetad.ir.places import exposed, written
from hetad.ir.visit import walk_exprs, walk_stmts
from hetad.passes.manager import Pass, program_pass
from hetad.rules import operations
from hetad.targets.accesses import has_some_at
from hetad.targets.cpu.barrier_intervals.nodes import Structure
from hetad.targets.cpu.barrier_intervals.structure import structure
from hetad.targets.cpu.barrier_intervals.variables import Variables
from hetad.targets.cpu.index_set_splitting import Interior, interior_of_row
from hetad.targets.cpu.inlining import barriers_in_kernels
from hetad.targets.cpu.strip_mining import in_strips
from hetad.targets.cpu.sweeps import swept
from hetad.targets.cpu.synchronisation import at_once, in_one_order, in_step, uses_block
from hetad.targets.places import Places
from hetad.targets.support_kernels import with_support_kernels

_INDICES = ("gridDim", "blockDim", "blockIdx", "threadIdx")


@dataclass(frozen=True, slots=True)
class CpuOptions:
    """How kernels run on the CPU.  `fibers`: the oracle for tests, slow, which finds barriers in divergent code.
    `parallel`: blocks in parallel, on as many threads as `hetad_cpu_threads` is told; atomics are real, and the order
    of floating-point sums is not determined.  `sweeps`: kernels of which one run does the work of all threads; else all
    kernels run block by block, as they do on a GPU.  `racecheck`: fibers, whose accesses the race detector sees.
    `checked`: where accesses are checked for leaving their memory; kernels that have some run block by block."""

    fibers: bool = False
    racecheck: bool = False
    parallel: bool = False
    sweeps: bool = True
    checked: Places | None = None


SERIAL = CpuOptions()


@dataclass(frozen=True, slots=True)
class BarrierIntervals:
    """A kernel whose threads meet: what runs between two barriers, and where its variables live."""

    structure: Structure
    variables: Variables


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuProgram(ir.Program):
    """A program on its way to the CPU.

    entry: the host function that Python calls; None where there are kernels only.
    runs_kernels: the kernels are for the CPU too, and not for a GPU beside it.
    hidden: which indices of their thread functions are handed.
    sweeps: kernels of which one run does the work of all threads, as that run does it.
    interiors: what the threads of a row do where they pass all guards, of kernels whose threads never meet.
    intervals: of kernels whose threads meet.
    """

    entry: str | None
    runs_kernels: bool
    options: CpuOptions = SERIAL
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sweeps: Mapping[str, ir.Function] = field(default_factory=dict)
    interiors: Mapping[str, Interior | None] = field(default_factory=dict)
    intervals: Mapping[str, BarrierIntervals] = field(default_factory=dict)

    @property
    def dialect(self) -> Dialect:
        plain = C if self.runs_kernels else C_FOR_GPUS
        return C_PARALLEL if self.options.parallel and not self.options.fibers else plain

    def has_checks(self, function: ir.Function) -> bool:
        """Whether accesses of a function, or of those that it calls, are checked."""
        return self.options.checked is not None and has_some_at(self.options.checked, function, self.functions)

    @property
    def block_by_block(self) -> list[ir.Function]:
        """The kernels that run so, if only for launches that a sweep is not for."""
        sweeps = (self.functions[name].sweep for name in self.sweeps)
        counted = {name for name, s in zip(self.sweeps, sweeps, strict=True) if s is not None and not s.counted}
        return [f for f in self.functions.values() if f.kind == "kernel" and f.name not in counted]


@program_pass("names-of-device-functions")
def with_free_names(program: CpuProgram) -> CpuProgram:
    """Device functions of a derivative that was read as text have no name of what stands for operations here."""
    device = [f.name for f in program.functions.values() if f.kind in ("device", "host device")]
    taken = {name: f"{name}_as_read" for name in device if name in support.own_names()}
    return replace(program, functions=renamed(program, taken).functions) if taken else program


@program_pass("barriers-in-kernels")
def meet_in_kernels(program: CpuProgram) -> CpuProgram:
    """Functions in which threads wait for each other are inlined: a kernel's text has all of its barriers."""
    assert program.entry is not None
    return replace(program, functions=barriers_in_kernels(program, program.entry).functions)


@program_pass("support-kernels")
def with_kernels_of_operations(program: CpuProgram) -> CpuProgram:
    """With the kernels that hetad's own operations launch."""
    return replace(program, functions=with_support_kernels(program, program.dialect).functions)


def _each_kernel(name: str, rewrite: Any) -> Pass[Any]:
    def each(program: CpuProgram) -> CpuProgram:
        made = {n: rewrite(f) if f.kind == "kernel" else f for n, f in program.functions.items()}
        return replace(program, functions=made)

    each.__doc__ = rewrite.__doc__
    return Pass(name, each)


@program_pass("thread-indices")
def handed_indices(program: CpuProgram) -> CpuProgram:
    """Device functions have no thread of their own: they are handed the indices that they or their callees use, and
    those that an access tells of that is checked."""
    functions = [f for f in program.functions.values() if f.kind in ("device", "host device")]
    uses = {f.name: {e.name for e in walk_exprs(f.body) if isinstance(e, ir.ThreadIndex) and e.axis} for f in functions}
    for f in functions:
        uses[f.name] |= {"blockIdx", "threadIdx"} if program.has_checks(f) else set()
    calls = [(f.name, callee) for f in functions for callee in called(f.body) if callee in uses]

    def handed() -> None:
        for caller, callee in calls:
            uses[caller] |= uses[callee]

    settle(lambda: sum(map(len, uses.values())), handed)
    hidden = {name: tuple(i for i in _INDICES if i in used) for name, used in uses.items() if used}
    return replace(program, hidden=hidden)


@program_pass("sweeps")
def with_sweeps(program: CpuProgram) -> CpuProgram:
    """Kernels of which one run can do the work of all threads have it for a body, in strips of lanes."""
    kernels = [f for f in program.functions.values() if f.kind == "kernel" and f.sweep is not None]
    kernels = [f for f in kernels if not program.has_checks(f)]  # whose errors are to tell a thread
    own = {f.name: swept(f, program.dialect.parallel) for f in kernels}
    return replace(program, sweeps={name: replace(f, body=in_strips(f.body)) for name, f in own.items()})


@program_pass("index-set-splitting")
def with_interiors(program: CpuProgram) -> CpuProgram:
    """Of kernels whose threads never meet: what those of a row do that pass all guards, without these."""
    kernels = [f for f in program.block_by_block if not _meet(f, program) and not program.has_checks(f)]
    return replace(program, interiors={f.name: _interior(f) for f in kernels})


def _interior(kernel: ir.Function) -> Interior | None:
    changed = written(kernel.body) | exposed(kernel.body)
    found = interior_of_row(kernel.body, set(kernel.params) - changed)
    return found if changed.isdisjoint(kernel.params) else None


@program_pass("barrier-intervals")
def with_barrier_intervals(program: CpuProgram) -> CpuProgram:
    """Of kernels whose threads meet: what runs between two barriers, for one thread after another."""
    intervals = {}
    for kernel in program.block_by_block:
        _refuse_waiting_functions(program, kernel)
        if _meet(kernel, program):
            found = structure(kernel, program.dialect.parallel)
            variables = Variables(kernel, found)
            variables.place()
            intervals[kernel.name] = BarrierIntervals(found, variables)
    return replace(program, intervals=intervals)


def _meet(kernel: ir.Function, program: CpuProgram) -> bool:
    """Whether the threads of a block do; other blocks at the same time make them, where they add to one number."""
    sums = any(operations.does(s, operations.block_add) for s in kernel.body)
    return uses_block(kernel.body) or (sums and program.dialect.parallel)


def _refuse_waiting_functions(program: CpuProgram, kernel: ir.Function) -> None:
    """Threads can wait for each other only in the kernel itself."""
    waiting = {f.name for f in program.functions.values() if f.kind != "kernel" and uses_block(f.body)}
    for statement in walk_stmts(kernel.body):
        if isinstance(statement, ir.Call) and statement.function in waiting:
            raise UnsupportedError(
                f"{statement.function}, in which threads wait for each other, is not inlined", statement.span
            )


def _runs_kernels(program: CpuProgram) -> bool:
    return program.runs_kernels


def _regions(program: CpuProgram) -> bool:
    return program.runs_kernels and not program.options.fibers


CPU: tuple[Pass[Any], ...] = (
    with_free_names.only(_runs_kernels),
    meet_in_kernels.only(lambda p: _regions(p) and p.entry is not None),
    with_kernels_of_operations,
    handed_indices,
    _each_kernel("hot-sums-at-once", at_once).only(_runs_kernels),
    _each_kernel("volatile-stores-in-step", in_step).only(_runs_kernels),
    _each_kernel("turns-in-one-order", in_one_order).only(lambda p: _regions(p) and p.options.sweeps),
    with_sweeps.only(lambda p: _regions(p) and p.options.sweeps),
    with_interiors.only(_regions),
    with_barrier_intervals.only(_regions),
)
