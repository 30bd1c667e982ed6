"""Kernels as C functions for the CPU.

A kernel becomes loops over blocks and, inside, regions: loops over the threads of the block.  A kernel without barriers
is one region; a barrier ends a region and starts the next one (`targets/cpu/barrier_intervals/structure.py`).

The innermost loop becomes vector code only if the compiler sees that `blockIdx.x * blockDim.x + threadIdx.x` does not
wrap around: kernels are compiled for at most 2^20 blocks along an axis, and once more without that promise, for size
instead of speed.
"""

from __future__ import annotations

from collections.abc import Iterator

from hetad.analysis.pointer_expressions import pointer_parts
from hetad.emit import support
from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.layout import INDENT
from hetad.emit.scopes import require_declared
from hetad.emit.statements import Statements
from hetad.ir import nodes as ir
from hetad.ir.build import var
from hetad.ir.names import called, fresh
from hetad.ir.places import exposed, written
from hetad.ir.types import Pointer
from hetad.ir.visit import walk_exprs
from hetad.targets.accesses import NumberedAccesses
from hetad.targets.checked import CheckedAssembly, with_extents
from hetad.targets.cpu.barrier_intervals.text import RegionKernel
from hetad.targets.cpu.fibers import FiberKernel, FiberStatements
from hetad.targets.cpu.index_set_splitting import Interior
from hetad.targets.cpu.passes import CpuProgram
from hetad.targets.cpu.races import WatchedStatements
from hetad.targets.cpu.sweeps import SweepKernel
from hetad.targets.cpu.thread_loops import Middle, block_loops, block_range, thread_loops

_INDICES = ("gridDim", "blockDim", "blockIdx", "threadIdx")
_MANY_THREADS = "blockDim.x > 1024 || blockDim.y > 1024 || blockDim.z > 1024"
_MANY_BLOCKS = "gridDim.x > 1u << 20 || gridDim.y > 1u << 20 || gridDim.z > 1u << 20"


class Kernels:
    """The kernels of a program on the CPU."""

    def __init__(self, parts: Assembly, program: CpuProgram, accesses: NumberedAccesses | None = None) -> None:
        """`accesses`: where the race detector's accesses are kept, if there is one."""
        self.parts = parts
        self.kernels: list[RegionKernel | ThreadKernel | FiberKernel] = []
        self.sweeps = {name: SweepKernel(parts, f) for name, f in program.sweeps.items()}
        if not program.runs_kernels:
            return
        run = {f.name for f in program.block_by_block}
        for kernel in (f for f in parts.functions("kernel") if f.name in run):
            if program.options.fibers:
                self.kernels.append(_fiber_kernel(parts, kernel, accesses))
            elif kernel.name in program.intervals:
                found = program.intervals[kernel.name]
                self.kernels.append(RegionKernel(parts, kernel, found.structure, found.variables))
            else:
                self.kernels.append(ThreadKernel(parts, kernel, program.interiors.get(kernel.name)))

    def names(self) -> set[str]:
        """hetad's functions that the kernels call beside those in the program."""
        own = {"hetad_dynamic_shared", *(["hetad_run_parallel"] if self.parts.dialect.parallel else [])}
        return own.union(*(k.names() for k in self.kernels))

    def texts(self) -> Iterator[str]:
        for name, sweep in self.sweeps.items():
            if all(k.kernel.name != name for k in self.kernels):
                yield from sweep.texts()
        for kernel in self.kernels:
            if isinstance(kernel, FiberKernel):
                yield from kernel.texts()
            else:
                yield from _kernel(self.parts, kernel, self.sweeps.get(kernel.kernel.name))


def _fiber_kernel(parts: Assembly, kernel: ir.Function, accesses: NumberedAccesses | None) -> FiberKernel:
    printer = FiberStatements(parts, kernel) if accesses is None else WatchedStatements(parts, kernel, accesses)
    return FiberKernel(parts, kernel, printer, watched=accesses is not None)


def _kernel(parts: Assembly, kernel: RegionKernel | ThreadKernel, sweep: SweepKernel | None) -> Iterator[str]:
    name = parts.names.functions[kernel.kernel.name]
    part = ["hetad_first", "hetad_last"] if parts.dialect.parallel else []
    params = ["const dim3 gridDim", "const dim3 blockDim", "char *const __restrict__ hetad_dynamic"]
    params += [*(f"const size_t {p}" for p in part), *kernel.params]
    values = [f"*({declaration(Pointer(p.type))})hetad_args[{i}]" for i, p in enumerate(kernel.kernel.params)]
    head = f"static inline __attribute__((always_inline)) void hetad_blocks_{name}({', '.join(params)})"
    yield "\n".join([head, "{", *(INDENT + line for line in kernel.lines()), "}"])
    call = f"hetad_blocks_{name}({', '.join(['gridDim', 'blockDim', 'hetad_dynamic', *part, *values])});"
    taken = ["const dim3 gridDim", "const dim3 blockDim", "char *hetad_dynamic", "size_t hetad_dynamic_bytes"]
    taken += ["void **hetad_args", *(f"size_t {p}" for p in part)]
    passed = ", ".join(["gridDim", "blockDim", "hetad_dynamic", "hetad_dynamic_bytes", "hetad_args", *part])
    yield f"static __attribute__((cold, noinline)) void hetad_large_{name}({', '.join(taken)})\n{{\n    {call}\n}}"
    if sweep is not None:
        yield from sweep.texts(f"hetad_large_{name}({passed});")
        return
    restricted = [declaration(p.type, f"hetad_{i}") for i, p in enumerate(kernel.kernel.params)]
    fixed = [*params[:3], *(f"const size_t {p}" for p in part)]
    inner = ", ".join(["gridDim", "blockDim", "hetad_dynamic", *part, *(f"hetad_{i}" for i in range(len(restricted)))])
    # Not inline, where the compiler would forget which pointers are restricted; regions, which work on the stack, are
    # faster with what it knows of the launch.
    kind = "inline __attribute__((always_inline))" if isinstance(kernel, RegionKernel) else "__attribute__((noinline))"
    yield "\n".join(
        [
            f"static {kind} void hetad_few_{name}({', '.join([*fixed, *restricted])})",
            "{",
            f"    if ({_MANY_BLOCKS} || {_MANY_THREADS}) {{",
            "        __builtin_unreachable();",
            "    }",
            f"    hetad_blocks_{name}({inner});",
            "}",
        ]
    )
    yield "\n".join(
        [
            f"static void {name}({', '.join(taken)})",
            "{",
            f"    if ({_MANY_BLOCKS} || {_MANY_THREADS}) {{",
            f"        hetad_large_{name}({passed});",
            "        return;",
            "    }",
            f"    {call.replace('hetad_blocks_', 'hetad_few_', 1)}",
            "}",
        ]
    )


class ThreadKernel:
    """A kernel whose threads do not know of each other: one region."""

    def __init__(self, parts: Assembly, kernel: ir.Function, within: Interior | None) -> None:
        """`within`: what the threads of a row do that pass all guards."""
        self.parts = parts
        self.kernel = kernel
        self.within = within
        self.local = parts.names.of(kernel)
        changed = written(kernel.body) | exposed(kernel.body)
        taken = set(self.local.table.values())
        self.given = {p: fresh(self.local[p] + "_given", taken) for p in kernel.params if p in changed}

    def names(self) -> set[str]:
        return {"hetad_raised", "hetad_lowered"} if "hetad_from" in "\n".join(self.lines()) else set()

    @property
    def params(self) -> list[str]:
        return [declaration(p.type, self.given.get(p, self.local[p]), restrict=False) for p in self.kernel.params]

    def lines(self) -> list[str]:
        """The loops over blocks, and inside over threads."""
        reverse = self.kernel.reverse_threads
        names = used(self.parts, self.kernel)
        lines = ["const dim3 blockIdx = {hetad_bx, hetad_by, hetad_bz};"] if "blockIdx" in names else []
        middle = self._middle(self.within) if self.within is not None else None
        lines += thread_loops(list(self._thread(self.kernel.body)), reverse, names & {"threadIdx"}, middle=middle)
        blocks = block_range if self.parts.dialect.parallel else block_loops
        return ["(void)hetad_dynamic;", *with_extents(blocks(lines, reverse), self.parts, self.kernel)]

    def _middle(self, within: Interior) -> Middle:
        """The threads of a row that pass all guards."""
        e = self.parts.expressions(self.kernel)
        limits = (*within.bounds.least, *within.bounds.below, *within.bounds.small)
        require_declared(self.kernel.name, tuple(ir.Return(x, span=x.span) for x in limits), self.kernel.params)
        first, end = "0", "blockDim.x"
        for bound in within.bounds.least:
            first = f"hetad_raised({first}, {e.text(bound)}, blockDim.x)"
        for bound in within.bounds.below:
            end = f"hetad_lowered({end}, {e.text(bound)}, hetad_from)"
        if within.bounds.small:
            wraps = " || ".join(f"{e.text(x, 6)} > INT_MAX - 1024" for x in within.bounds.small)
            end = f"{wraps} ? hetad_from : {end}"
        return Middle(first, end, tuple(self._thread(within.body)))

    def _thread(self, body: ir.Body) -> Iterator[str]:
        require_declared(self.kernel.name, body, self.kernel.params)
        printer = _ThreadStatements(self.parts, self.kernel)
        for p, given in self.given.items():
            yield f"{declaration(p.type, self.local[p])} = {given};"
        yield from printer.lines(body[:-1] if body and isinstance(body[-1], ir.Return) else body, 0)
        if printer.leaves:
            yield "hetad_done:;"


def used(parts: Assembly, kernel: ir.Function) -> set[str]:
    """The thread indices that a kernel uses, or hands to device functions."""
    names = {e.name for e in walk_exprs(kernel.body) if isinstance(e, ir.ThreadIndex)}
    return names.union(*(parts.names.hidden.get(callee, ()) for callee in called(kernel.body)))


class _ThreadStatements(Statements):
    """A thread that returns goes to the end of its turn in the loop."""

    def __init__(self, parts: Assembly, function: ir.Function) -> None:
        super().__init__(parts.expressions(function), function)
        self.leaves = False

    def returning(self, value: ir.Expr | None) -> Iterator[str]:
        self.leaves = True
        yield "goto hetad_done;"


def dispatch(parts: Assembly, alone: bool) -> Iterator[str]:
    """Launching a kernel by its number, and the CPU's table; `alone`: without the host code that reports failures."""
    parallel, checked = parts.dialect.parallel, isinstance(parts, CheckedAssembly)
    yield support.read("cpu_devices.c").rstrip()
    yield support.read("cpu_runtime.c").rstrip()
    several = {"cudaSetDevice", "hetad_set_device"} & parts.called_by(parts.program.functions.values()).keys()
    cases = []
    for kernel, (emitted, number) in parts.numbers.items():
        lines = (
            [x for text in _owned(parts, parts.program.functions[kernel]) for x in text.split("\n")] if several else []
        )
        owned = "".join(f"\n        {line}" for line in lines)
        run = f"{emitted}(hetad_grid, hetad_block, hetad_dynamic_shared(hetad_shared), hetad_shared, hetad_args);"
        if parallel:
            run = f"hetad_run_parallel({emitted}, hetad_grid, hetad_block, hetad_shared, hetad_args);"
        left = "\n        hetad_here.kernel = NULL;" * checked
        cases.append(f"    case {number}:{owned}\n        {run}{left}\n        return 0;")
    names = ", ".join(f'"{name}"' for name in parts.numbers)
    body = [
        "int hetad_cpu_launch(",
        "    int hetad_kernel, const unsigned hetad_blocks[3], const unsigned hetad_threads[3], size_t hetad_shared,",
        "    void *hetad_stream, void **hetad_args)",
        "{",
        "    (void)hetad_stream;",
        f"    static const char *const hetad_names[] = {{{names or 'NULL'}}};",
        "    const char *const hetad_why = hetad_cpu_refusal(hetad_blocks, hetad_threads);",
        "    if (hetad_why != NULL) {",
        "        return hetad_cpu_refuse(hetad_names[hetad_kernel], hetad_blocks, hetad_threads, hetad_why);",
        "    }",
        "    const dim3 hetad_grid = {hetad_blocks[0], hetad_blocks[1], hetad_blocks[2]};",
        "    const dim3 hetad_block = {hetad_threads[0], hetad_threads[1], hetad_threads[2]};",
        "    (void)hetad_grid, (void)hetad_block, (void)hetad_shared, (void)hetad_args;",
        *(["    int hetad_owner;"] if several else []),
        *(["    hetad_enter(hetad_names[hetad_kernel], hetad_grid, hetad_block);"] * checked),
        *(["    if (setjmp(hetad_entry) != 0) {", "        return 719;  // cudaErrorLaunchFailure", "    }"] * alone),
        "    switch (hetad_kernel) {",
        *cases,
        "    }",
        "    return 98;  // cudaErrorInvalidDeviceFunction",
        "}",
    ]
    yield "\n".join(body)
    yield (
        "const struct hetad_runtime *hetad_cpu_runtime(void)\n{\n"
        "    static const struct hetad_runtime runtime = {\n"
        "        hetad_cpu_device_malloc, hetad_cpu_free, hetad_cpu_copy, hetad_cpu_set, hetad_cpu_launch,\n"
        "        hetad_cpu_synchronize, hetad_cpu_last_error, hetad_cpu_memory, hetad_cpu_copy_rows,\n"
        "        hetad_cpu_set_rows, hetad_cpu_attribute, hetad_cpu_managed_malloc, hetad_cpu_set_device,\n"
        "        hetad_cpu_device, hetad_cpu_owner, hetad_cpu_peer,\n    };\n"
        "    return &runtime;\n}"
    )


def _owned(parts: Assembly, kernel: ir.Function) -> Iterator[str]:
    """Tests that the current device can reach the memory that a launch is given."""
    e = parts.expressions(kernel)
    for i, p in enumerate(kernel.params):
        pointers = pointer_parts(var(p))
        if pointers:
            given = f"*({declaration(Pointer(p.type))})hetad_args[{i}]"
            yield f"{{\n    {declaration(p.type, e.local[p], restrict=False)} = {given};"
        for pointer in pointers:
            yield f"    if (!hetad_cpu_reaches({e.text(pointer)}, &hetad_owner)) {{"
            yield "        return hetad_cpu_foreign(hetad_names[hetad_kernel], hetad_owner);\n    }"
        if pointers:
            yield "}"
