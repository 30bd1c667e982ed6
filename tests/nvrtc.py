"""Compiles CUDA text for a GPU on a machine that has none: NVRTC out of its wheel, through ctypes."""

from __future__ import annotations

import ctypes
import functools
import site
import sys
from pathlib import Path

ARCHITECTURE = "sm_90"


class CompilationError(Exception):
    """The compiler's log."""


@functools.cache
def load() -> ctypes.CDLL | None:
    """The library of the newest nvidia-cuda-nvrtc wheel, or of the system; None where there is none."""
    folders = [Path(folder) / "nvidia" for folder in (*site.getsitepackages(), *sys.path) if folder]
    found = sorted({path for folder in folders for path in folder.glob("*/lib/libnvrtc.so.*")}, reverse=True)
    for name in (*map(str, found), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def compile_device(source: str, name: str = "kernels.cu") -> bytes:
    """The machine code of `source`.

    Raises:
        CompilationError: with the compiler's log.
    """
    return _compiled(source, name, "CUBIN")


def ptx(source: str, name: str = "kernels.cu") -> str:
    """What the compiler's first half makes of `source`.

    Raises:
        CompilationError: with the compiler's log.
    """
    return _compiled(source, name, "PTX").decode()


def _compiled(source: str, name: str, form: str) -> bytes:
    nvrtc = load()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None))
    options = [f"--gpu-architecture={ARCHITECTURE}".encode(), b"--std=c++17"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if status != 0:
        raise CompilationError(_text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode())
    code = _text(getattr(nvrtc, f"nvrtcGet{form}Size"), getattr(nvrtc, f"nvrtcGet{form}"), program)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code


def _check(status: int) -> None:
    if status != 0:
        raise CompilationError(f"NVRTC error {status}")


def _text(size_of: ctypes._NamedFuncPointer, get: ctypes._NamedFuncPointer, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _check(size_of(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(get(program, buffer))
    return buffer.raw
