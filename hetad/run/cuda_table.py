"""What programs on GPUs call at run time (cuda_table.c, cuda_graph.c), and how it finds the driver's functions."""

from __future__ import annotations

import ctypes
import functools
from importlib.resources import files
from typing import Any

from hetad.diagnostics import BackendError
from hetad.run import cuda, cuda_routines
from hetad.run.executable import Library, library


class Module(ctypes.Structure):
    """`struct module` of cuda_table.c."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("functions", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("granted", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("routines", ctypes.c_void_p),
    )


class Table:
    """The runtime table (cuda_table.c), compiled, loaded and connected to the driver once in a process."""

    def __init__(self) -> None:
        code = library(table_source(), libraries=())
        cuda.bring_in_libraries()
        driver = cuda.driver()
        self._callbacks = connect(code, driver, self._release)
        self.library_calls = code.function("hetad_cuda_library_calls", ctypes.c_ulonglong)
        self.prepare = code.function("hetad_cuda_prepare", ctypes.c_int, ctypes.c_int)
        self.enter = code.function("hetad_cuda_enter", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        self.enter_other = code.function("hetad_cuda_enter_other", None, ctypes.c_void_p, ctypes.c_int)
        self.leave = code.function("hetad_cuda_leave", ctypes.c_int, ctypes.c_int)
        self.message = code.function("hetad_cuda_message", ctypes.c_char_p)
        self.runtime: int = code.function("hetad_cuda_runtime", ctypes.c_void_p)()
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        self.recorder = code.function("hetad_cuda_recorder", pointer, *[integer] * 3, *[pointer] * 2, integer)
        self.record = code.function("hetad_cuda_record", integer, pointer)
        self.replays = code.function("hetad_cuda_replays", ctypes.c_ulonglong, pointer)
        self.forget = code.function("hetad_cuda_forget", None, pointer)
        self.recording_runtime: int = code.function("hetad_cuda_recording_runtime", pointer)()

    @staticmethod
    def _release() -> None:
        """Called by C when an allocation fails: memory that CuPy only keeps for later goes back to the device."""
        cuda.cupy_module().get_default_memory_pool().free_all_blocks()


def table_source() -> str:
    """cuda_table.c and cuda_graph.c, with what they include."""
    own = files("hetad.run")
    text = "".join(own.joinpath(name).read_text(encoding="utf-8") for name in ("cuda_table.c", "cuda_graph.c"))
    support = files("hetad.emit").joinpath("support")
    headers = [(own, name) for name in ("cuda_driver.h", "cuda_devices.h", "cuda_pieces.h", "cuda_routines.h")]
    for folder, header in (*headers, (support, "runtime.h")):
        text = text.replace(f'#include "{header}"', folder.joinpath(header).read_text(encoding="utf-8"))
    return text


def connect(code: Library, driver: ctypes.CDLL, release: Any) -> tuple[Any, ...]:
    """Give the table the driver's functions; what is returned must be kept as long as the table is used."""

    def find(name: bytes) -> int:
        try:
            function = getattr(driver, name.decode())
        except AttributeError:
            return 0
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    finder = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(find)
    releaser = ctypes.CFUNCTYPE(None)(release)
    missing = code.function("hetad_cuda_connect", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)(
        ctypes.cast(finder, ctypes.c_void_p), ctypes.cast(releaser, ctypes.c_void_p)
    )
    if missing:
        raise BackendError(f"the NVIDIA driver is too old: it has no {missing.decode()}")
    of_library = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(lambda name: cuda_routines.address(name.decode()))
    code.function("hetad_cuda_connect_libraries", None, ctypes.c_void_p)(ctypes.cast(of_library, ctypes.c_void_p))
    return finder, releaser, of_library


@functools.cache
def table() -> Table:
    """The table of this process."""
    return Table()


def library_calls() -> int:
    """How often routines of cuBLAS and cuFFT have been called in this process."""
    calls: int = table().library_calls()
    return calls
