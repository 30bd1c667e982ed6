"""cuBLAS and cuFFT of this machine, as CuPy has them, and which of their routines stand behind a program's kernels."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from hetad.rules.routines import Routine as Row

Name = Literal["cublas", "cufft"]
LIBRARIES: tuple[Name, ...] = ("cublas", "cufft")
FORMS = (
    "axpy", "scal", "copy", "dot", "asum", "gemv", "ger", "gemm", "gemm_batch", "c2c", "r2c", "c2r",
)  # fmt: skip
_MAJORS = (13, 12, 11, 10, 2)  # of these libraries, and NCCL
_MANAGING = {
    "cublas": ("cublasCreate_v2", "cublasSetStream_v2", "cublasSetPointerMode_v2"),
    "cufft": ("cufftPlan1d", "cufftPlan2d", "cufftSetStream", "cufftDestroy"),
}


class Routine(ctypes.Structure):
    """`struct routine` of cuda_routines.h."""

    _fields_ = (
        ("form", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("on_device", ctypes.c_int),
    )


@functools.cache
def find(name: Name) -> ctypes.CDLL | None:
    """The library, if it can be loaded: the one that CuPy uses, else one that the system knows.

    `HETAD_CUDA_LIBRARIES=0`: none is used.
    """
    if os.environ.get("HETAD_CUDA_LIBRARIES", "1") == "0":
        return None
    for path in candidates(name):
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(path)
            if all(hasattr(library, function) for function in _MANAGING[name]):
                return library
    return None


def candidates(name: str) -> Iterator[str]:
    """Files to try for a library of NVIDIA's: what this process has loaded (as CuPy or PyTorch have), its packages and
    the toolkit, the system's."""
    with contextlib.suppress(OSError):
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
        yield from dict.fromkeys(re.findall(rf"\S*/lib{name}\.so\S*", maps))
    with contextlib.suppress(Exception):  # whatever a package that is not there, or finds nothing, raises
        from cuda.pathfinder import load_nvidia_dynamic_lib

        path = load_nvidia_dynamic_lib(name).abs_path
        if path is not None:
            yield path
    folders = [Path(os.environ[key]) / "lib64" for key in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(key)]
    folders += [Path(site) / "nvidia" / kind / "lib" for site in sys.path for kind in ("cu13", name)]
    for folder in (*folders, Path("/usr/local/cuda/lib64")):
        yield from map(str, sorted(folder.glob(f"lib{name}.so*"), reverse=True))
    if (path := ctypes.util.find_library(name)) is not None:
        yield path
    yield from (f"lib{name}.so.{major}" for major in _MAJORS)


def description(name: Name) -> str | None:
    """Where the library is, for people; None if there is none."""
    library = find(name)
    if library is None:
        return None
    version = ctypes.c_int(0)
    if name == "cufft" and library.cufftGetVersion(ctypes.byref(version)) == 0:
        return f"{library._name} (version {version.value})"
    return str(library._name)


def address(name: str) -> int:
    """Where a function of the libraries is; 0 if it cannot be had."""
    library = find("cublas" if name.startswith("cublas") else "cufft")
    function = getattr(library, name, None) if library is not None else None
    return ctypes.cast(function, ctypes.c_void_p).value or 0 if function is not None else 0


def routines(rows: Sequence[Row | None]) -> ctypes.Array[Routine]:
    """What is called in the place of each kernel."""
    return (Routine * len(rows))(*map(_routine, rows))


def _routine(row: Row | None) -> Routine:
    if row is None:
        return Routine(0, None, None, 0)
    function = address(f"{row.name}_v2") or address(row.name)
    return Routine(FORMS.index(row.form) + 1 if function else 0, function, row.name.encode(), row.on_device)
