"""What all compiled programs of a process share: memory of threads, one pool of threads, and Ctrl-C (process.c)."""

from __future__ import annotations

import ctypes
import functools
from importlib.resources import files

from hetad.run import compiler


@functools.cache
def _shared() -> ctypes.CDLL:
    code = ctypes.CDLL(str(compiler.shared_library(source(), libraries=("pthread",))))
    code.hetad_process_functions.restype = ctypes.c_void_p
    return code


def source() -> str:
    """process.c, with what it includes."""
    header = files("hetad.emit").joinpath("support", "runtime.h").read_text(encoding="utf-8")
    return files("hetad.run").joinpath("process.c").read_text(encoding="utf-8").replace('#include "runtime.h"', header)


def connect(program: ctypes.CDLL) -> None:
    """Give a loaded program what it shares with the others."""
    if hasattr(program, "hetad_connect"):
        program.hetad_connect(ctypes.c_void_p(_shared().hetad_process_functions()))


def threads() -> int:
    """How many threads the pool has now."""
    count: int = _shared().hetad_process_threads()
    return count
