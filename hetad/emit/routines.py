"""Calls of cuBLAS and cuFFT in a .cu: what a launch of a kernel that stands for a routine of theirs becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hetad.emit.declarators import declaration
from hetad.ir import nodes as ir
from hetad.ir.names import called
from hetad.ir.visit import map_body, own_nodes, walk_expr, walk_stmts
from hetad.rules.routines import Routine, routine_of

if TYPE_CHECKING:
    from hetad.emit.expressions import Expressions

_OPERATIONS = {0: "CUBLAS_OP_N", 1: "CUBLAS_OP_T", 2: "CUBLAS_OP_C"}
_COMPLEX = {"float": "cufftComplex *", "double": "cufftDoubleComplex *"}
_REAL = {"float": "cufftReal *", "double": "cufftDoubleReal *"}
_ALLOCATIONS = frozenset({"hetad_device_malloc", "cudaMalloc"})
_RELEASES = frozenset({"hetad_release", "cudaFree"})


def libraries(functions: Iterable[ir.Function]) -> list[str]:
    """The libraries that functions need, `cublas` before `cufft`."""
    launches = [s for f in functions for s in walk_stmts(f.body) if isinstance(s, ir.Launch)]
    routines = [routine_of(s.kernel, s.span) for s in launches]
    return sorted({r.library for r in routines if r is not None})


def support_names(functions: Iterable[ir.Function]) -> list[str]:
    """The support functions that the calls of routines need."""
    used = libraries(functions)
    return ["hetad_routine"] * bool(used) + ["hetad_fft_plan", "hetad_check"] * ("cufft" in used)


def with_calls(program: ir.Program) -> ir.Program:
    """The program without the kernels that stand for routines, and without what only they need."""
    own = {n: f for n, f in program.functions.items() if routine_of(n, f.span) is None}
    if len(own) == len(program.functions):
        return program
    functions = {n: _without_work(f) if f.kind == "host" else f for n, f in own.items()}
    todo = [n for n, f in functions.items() if f.kind in ("host", "kernel")]
    reached: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += [n for n in called(functions[name].body) if n in functions]
    return replace(program, functions={n: f for n, f in functions.items() if n in reached})


def _without_work(function: ir.Function) -> ir.Function:
    """Transforms need no memory of the program to work in, except those that may destroy what they are given."""

    def spared(s: ir.Stmt) -> ir.Stmt:
        routine = routine_of(s.kernel, s.span) if isinstance(s, ir.Launch) else None
        if routine is not None and routine.form in ("c2c", "r2c"):
            assert isinstance(s, ir.Launch)
            return replace(s, args=s.args[:-1])
        return s

    body = map_body(spared, function.body)
    if body is function.body:
        return function
    used = {x for s in walk_stmts(body) if _memory(s) is None for x in _mentioned(s)} | set(function.params)

    def needed(s: ir.Stmt) -> ir.Stmt | None:
        symbol = _memory(s)
        idle = s.symbol if isinstance(s, ir.Declare) and s.init is None else symbol
        allocated = symbol is not None or any(_memory(other) is idle for other in walk_stmts(body))
        return None if idle is not None and idle not in used and allocated else s

    return replace(function, body=map_body(needed, body))


def _memory(s: ir.Stmt) -> ir.Symbol | None:
    """The variable whose memory a statement allocates or releases, and does nothing else."""
    if not isinstance(s, ir.Call) or s.function not in _ALLOCATIONS | _RELEASES or s.result is not None:
        return None
    found = [e.symbol for e in walk_expr(s.args[0]) if isinstance(e, ir.Var)]
    return found[0] if len(found) == 1 else None


def _mentioned(s: ir.Stmt) -> list[ir.Symbol]:
    return [e.symbol for e in own_nodes(s) if isinstance(e, ir.Var)]


def call(e: Expressions, launch: ir.Launch, routine: Routine) -> Iterator[str]:
    """The lines that call the routine in the place of a launch."""
    if routine.library == "cufft":
        yield from _transform(e, launch, routine)
        return
    constants: list[str] = []
    args: list[str] = []
    for how, arg in zip(routine.arguments, launch.args, strict=True):
        args.append(_argument(e, how, arg, constants))
    handle = args[0]
    lines = [f"hetad_routine({routine.name}({', '.join(args)}));"]
    if routine.on_device:
        lines = [
            f"cublasSetPointerMode({handle}, CUBLAS_POINTER_MODE_DEVICE);",
            *lines,
            f"cublasSetPointerMode({handle}, CUBLAS_POINTER_MODE_HOST);",
        ]
    if constants:
        yield from ("{", *("    " + line for line in (*constants, *lines)), "}")
    else:
        yield from lines


def _argument(e: Expressions, how: str, arg: ir.Expr, constants: list[str]) -> str:
    if how == "o":
        bare = arg
        while isinstance(bare, ir.Cast):
            bare = bare.operand
        if isinstance(bare, ir.Const) and bare.value in _OPERATIONS:
            return _OPERATIONS[int(bare.value)]
        return f"(cublasOperation_t){e.text(arg, 14)}"
    if how == "b":
        if isinstance(arg, ir.Var):
            return f"&{e.text(arg, 14)}"
        name = f"hetad_factor_{len(constants) + 1}"
        constants.append(f"const {declaration(arg.type, name)} = {e.converted(arg, arg.type)};")
        return f"&{name}"
    return e.converted(arg, arg.type)


def _transform(e: Expressions, launch: ir.Launch, routine: Routine) -> Iterator[str]:
    rows, n, plane, given, out, *rest = launch.args
    sizes = [e.converted(a, a.type) for a in (rows, n, plane)]
    plan = f"hetad_fft_plan({', '.join(sizes)}, {routine.plan})"
    real = launch.kernel.split("_")[1]
    types = {"c": _COMPLEX[real], "r": _REAL[real]}
    source = given
    if routine.form == "c2r":
        source = rest.pop()
        size = f"(size_t){e.text(rows, 14)} * ({e.text(n, 14)} / 2 + 1) * sizeof({types['c'].removesuffix(' *')})"
        copied = f"{e.text(source)}, {e.text(given)}, {size}, cudaMemcpyDeviceToDevice"
        yield "// the transform may destroy what it is given"
        yield f"hetad_check(cudaMemcpy({copied}));"
    ends = zip((routine.form[0], routine.form[2]), (source, out), strict=True)
    pointers = [f"({types[kind]}){e.text(pointer, 14)}" for kind, pointer in ends]
    args = [plan, *pointers, *(e.converted(a, a.type) for a in rest)]
    yield f"hetad_routine({routine.name}({', '.join(args)}));"
