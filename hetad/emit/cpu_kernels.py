"""Kernels as C functions for the CPU.

A kernel becomes loops over blocks and, inside, regions: loops over the threads of the block.  A kernel without barriers
is one region; a barrier will end a region and start the next one, with the locals that live across it kept per thread.

The loop over `threadIdx.x` is innermost, so that neighbouring threads, which touch neighbouring memory, become vector
lanes.  For that the compiler must see that `blockIdx.x * blockDim.x + threadIdx.x` does not wrap around: kernels are
compiled for at most 2^20 blocks along an axis, and once more without that promise, for size instead of speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hetad.diagnostics import UnsupportedError
from hetad.emit import support
from hetad.emit.assembly import Assembly
from hetad.emit.declarators import declaration
from hetad.emit.layout import INDENT
from hetad.emit.statements import Statements
from hetad.emit.walk import called
from hetad.ir import nodes as ir
from hetad.ir.types import Pointer
from hetad.ir.visit import walk_exprs, walk_stmts

_INDICES = ("gridDim", "blockDim", "blockIdx", "threadIdx")
_AXES = ("z", "y", "x")
_MANY_THREADS = "blockDim.x > 1024 || blockDim.y > 1024 || blockDim.z > 1024"
_MANY_BLOCKS = "gridDim.x > 1u << 20 || gridDim.y > 1u << 20 || gridDim.z > 1u << 20"


def pass_thread_indices(parts: Assembly) -> None:
    """Device functions have no thread of their own: hand them the indices that they or their callees use."""
    functions = [f for f in parts.program.functions.values() if f.kind in ("device", "host device")]
    uses = {f.name: {e.name for e in walk_exprs(f.body) if isinstance(e, ir.ThreadIndex) and e.axis} for f in functions}
    changed = True
    while changed:
        changed = False
        for f in functions:
            for callee in called(f.body):
                if not uses.get(callee, set()) <= uses[f.name]:
                    uses[f.name] |= uses[callee]
                    changed = True
    parts.names.hidden.update({name: tuple(i for i in _INDICES if i in used) for name, used in uses.items() if used})


def kernel_texts(parts: Assembly, kernels: Sequence[ir.Function]) -> Iterator[str]:
    for kernel in kernels:
        yield from _kernel(parts, kernel)


def _kernel(parts: Assembly, kernel: ir.Function) -> Iterator[str]:
    name = parts.names.functions[kernel.name]
    local = parts.names.of(kernel)
    params = ["const dim3 gridDim", "const dim3 blockDim"]
    params += [declaration(p.type, local[p], restrict=False) for p in kernel.params]
    args = ["gridDim", "blockDim"]
    args += [f"*({declaration(Pointer(p.type))})hetad_args[{i}]" for i, p in enumerate(kernel.params)]
    head = f"static inline __attribute__((always_inline)) void hetad_blocks_{name}({', '.join(params)})"
    yield "\n".join([head, "{", *(INDENT + line for line in _blocks(parts, kernel)), "}"])
    call = f"hetad_blocks_{name}({', '.join(args)});"
    sizes = "const dim3 gridDim, const dim3 blockDim, void **hetad_args"
    yield f"static __attribute__((cold, noinline)) void hetad_large_{name}({sizes})\n{{\n    {call}\n}}"
    yield "\n".join(
        [
            f"static void {name}({sizes})",
            "{",
            f"    if ({_MANY_BLOCKS} || {_MANY_THREADS}) {{",
            f"        hetad_large_{name}(gridDim, blockDim, hetad_args);",
            "        return;",
            "    }",
            f"    {call}",
            "}",
        ]
    )


def _blocks(parts: Assembly, kernel: ir.Function) -> Iterator[str]:
    """The loops over blocks; inside, one region after the other."""
    lines = ["const dim3 blockIdx = {hetad_bx, hetad_by, hetad_bz};"] if "blockIdx" in used(parts, kernel) else []
    for region in regions(kernel):
        lines += _loops("blockDim", "t", kernel.reverse_threads, list(_threads(parts, kernel, region)))
    yield from _loops("gridDim", "b", kernel.reverse_threads, lines)


def regions(kernel: ir.Function) -> tuple[ir.Body, ...]:
    """The parts of a kernel's body that every thread runs without waiting for the others."""
    for statement in walk_stmts(kernel.body):
        match statement:
            case ir.Call(function="__syncthreads" | "__syncwarp" as function):
                raise UnsupportedError(f"{function}() is not supported by the CPU backend yet", statement.span)
            case ir.Declare(symbol=symbol) if symbol.storage == "shared":
                raise UnsupportedError("shared memory is not supported by the CPU backend yet", statement.span)
    return (kernel.body,)


def used(parts: Assembly, kernel: ir.Function) -> set[str]:
    """The thread indices that a kernel uses, or hands to device functions."""
    names = {e.name for e in walk_exprs(kernel.body) if isinstance(e, ir.ThreadIndex)}
    return names.union(*(parts.names.hidden.get(callee, ()) for callee in called(kernel.body)))


def _loops(extent: str, letter: str, reverse: bool, body: list[str]) -> list[str]:
    """`body` in a loop over each axis, x innermost; last to first if `reverse`."""
    lines = body
    for axis in reversed(_AXES):
        i = f"hetad_{letter}{axis}"
        last = f"for (unsigned {i} = {extent}.{axis}; {i}-- > 0;) {{"
        head = last if reverse else f"for (unsigned {i} = 0; {i} < {extent}.{axis}; ++{i}) {{"
        lines = [head, *((INDENT + line if line else line) for line in lines), "}"]
    return lines


def _threads(parts: Assembly, kernel: ir.Function, region: ir.Body) -> Iterator[str]:
    printer = _ThreadStatements(parts, kernel)
    if "threadIdx" in used(parts, kernel):
        yield "const dim3 threadIdx = {hetad_tx, hetad_ty, hetad_tz};"
    body = region[:-1] if region and isinstance(region[-1], ir.Return) else region
    yield from printer.lines(body, 0)
    if printer.leaves:
        yield "hetad_done:;"


class _ThreadStatements(Statements):
    """A thread that returns goes to the end of its turn in the loop."""

    def __init__(self, parts: Assembly, function: ir.Function) -> None:
        super().__init__(parts.expressions(function), function)
        self.leaves = False

    def returning(self, value: ir.Expr | None) -> Iterator[str]:
        self.leaves = True
        yield "goto hetad_done;"


def dispatch(parts: Assembly) -> Iterator[str]:
    """Launching a kernel by its number, and the CPU's table."""
    yield support.read("cpu_runtime.c").rstrip()
    cases = [
        f"    case {number}:\n        {emitted}(hetad_grid, hetad_block, hetad_args);\n        return 0;"
        for emitted, number in parts.numbers.values()
    ]
    body = [
        "int hetad_cpu_launch(",
        "    int hetad_kernel, const unsigned hetad_blocks[3], const unsigned hetad_threads[3], size_t hetad_shared,",
        "    void *hetad_stream, void **hetad_args)",
        "{",
        "    (void)hetad_shared, (void)hetad_stream;",
        "    if (!hetad_cpu_valid(hetad_blocks, hetad_threads)) {",
        "        return cudaErrorInvalidConfiguration;",
        "    }",
        "    const dim3 hetad_grid = {hetad_blocks[0], hetad_blocks[1], hetad_blocks[2]};",
        "    const dim3 hetad_block = {hetad_threads[0], hetad_threads[1], hetad_threads[2]};",
        "    (void)hetad_grid, (void)hetad_block, (void)hetad_args;",
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
        "        hetad_cpu_malloc, hetad_cpu_free, hetad_cpu_copy, hetad_cpu_set, hetad_cpu_launch,\n"
        "        hetad_cpu_no_error, hetad_cpu_no_error,\n    };\n"
        "    return &runtime;\n}"
    )
