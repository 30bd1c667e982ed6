"""Calls of cuBLAS and cuFFT in a .cu, in the place of launches of the kernels that stand for their routines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hetad.emit.declarators import declaration
from hetad.ir import nodes as ir
from hetad.ir.arithmetic import bare
from hetad.rules.routines import Routine

if TYPE_CHECKING:
    from hetad.emit.expressions import Expressions

_OPERATIONS = {0: "CUBLAS_OP_N", 1: "CUBLAS_OP_T", 2: "CUBLAS_OP_C"}
_COMPLEX = {"float": "cufftComplex *", "double": "cufftDoubleComplex *"}
_REAL = {"float": "cufftReal *", "double": "cufftDoubleReal *"}


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
        given = bare(arg)
        if isinstance(given, ir.Const) and given.value in _OPERATIONS:
            return _OPERATIONS[int(given.value)]
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
