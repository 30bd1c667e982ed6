"""Routines of cuBLAS and cuFFT: one row for each kernel of the library text (`frontend/libraries`) that stands for one.

The kernel says what a routine reads and writes, and is what runs where the library cannot be had.  Its derivatives are
host functions of the same text, `<kernel>_pullback` and `<kernel>_tangent`, in terms of such kernels again; where there
is no pullback, the kernel is differentiated as any other.  Their parameters have the names of the kernel's, and `adj_x`
or `dot_x` for the adjoint or tangent of x.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hetad.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Routine:
    """`form`: the word by which the CUDA backend knows how it is called (`run/cuda_routines.h`).  `arguments`: how each
    of its arguments is made from the parameter of the kernel in the same place.

    `letter` b: it is passed by its address.  o: it is an operation of cuBLAS.  v: as it is.  `on_device`: where cuBLAS
    is to look for its scalars, and to put its result.
    """

    name: str
    library: Literal["cublas", "cufft"]
    form: str
    arguments: str = ""
    pullback: bool = False
    plan: str = ""  # of cuFFT: the type of the plan
    on_device: bool = False


_SAME = {"nrm2": "asum", "swap": "copy"}  # are called like these
_NAMES = {"gemm_batch": "gemmStridedBatched"}
_RESULTS = ("dot", "nrm2", "asum")


def _rows() -> dict[str, Routine]:
    rows: dict[str, Routine] = {}
    for real, letter in (("float", "S"), ("double", "D")):
        for name, arguments, pullback in (
            ("axpy", "vvbvvvv", False),
            ("scal", "vvbvv", False),
            ("copy", "vvvvvv", False),
            ("swap", "vvvvvv", False),
            ("dot", "vvvvvvv", True),
            ("nrm2", "vvvvv", True),
            ("asum", "vvvvv", True),
            ("gemv", "vovvbvvvvbvv", True),
            ("ger", "vvvbvvvvvv", True),
            ("gemm", "voovvvbvvvvbvv", True),
            ("gemm_batch", "voovvvbvvvvvvbvvvv", True),
        ):
            routine = f"cublas{letter}{_NAMES.get(name, name)}"
            form = _SAME.get(name, name)
            with_result = name in _RESULTS
            row = Routine(routine, "cublas", form, arguments, pullback, on_device=with_result)
            rows[f"blas_{real}_{name}"] = row
            if "b" in arguments:
                rows[f"blas_{real}_{name}_at"] = replace(row, arguments=arguments.replace("b", "v"), on_device=True)
    for real, names in (("float", ("C2C", "R2C", "C2R")), ("double", ("Z2Z", "D2Z", "Z2D"))):
        for name, form in zip(names, ("c2c", "r2c", "c2r"), strict=True):
            rows[f"fft_{real}_{name}"] = Routine(f"cufftExec{name}", "cufft", form, pullback=True, plan=f"CUFFT_{name}")
    return rows


ROUTINES = _rows()
HEADERS = frozenset({"cublas_v2.h", "cufft.h", "curand.h"})  # that stand in spans for the library text


def routine_of(kernel: str, span: Span) -> Routine | None:
    """What a kernel, or a launch of it, at this place stands for; programs may have kernels of the same names."""
    return ROUTINES.get(kernel) if span.file in HEADERS else None


def pullback_name(kernel: str, span: Span) -> str | None:
    """The host function that undoes a launch of the kernel defined there, where the library text gives one."""
    routine = routine_of(kernel, span)
    return f"{kernel}_pullback" if routine is not None and routine.pullback else None


def tangent_name(kernel: str, span: Span) -> str | None:
    """The host function that does the tangent of such a launch."""
    return f"{kernel}_tangent" if routine_of(kernel, span) is not None else None
