"""The CPU backend: host code and kernels in one shared library."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import ExecutionError
from hetad.run.executable import Executable, Library
from hetad.run.memory import HostMemory

if TYPE_CHECKING:
    from hetad.ir.nodes import Function


class CpuExecutable(Executable):
    """A function compiled for the CPU, kernels included."""

    def __init__(self, entry: Function, code: Library, threads: int | None = None) -> None:
        """`threads` run the blocks of a grid; None where one does, in code that knows no others."""
        self._threads = threads
        self.memory = HostMemory()
        super().__init__(entry, code)

    def bind(self, code: Library) -> None:
        super().bind(code)
        self._use = code.function("hetad_cpu_threads", None, ctypes.c_int) if self._threads is not None else None
        self._runtime: int = code.function("hetad_cpu_runtime", ctypes.c_void_p)()
        self._leave = code.function("hetad_cpu_leave", ctypes.c_char_p)

    def run(self, progress: bool = False) -> Any:
        if self._use is not None:
            self._use(self._threads)  # another executable of the same code may have asked for another number
        failed = self._enter(self._runtime, progress)
        message: bytes | None = self._leave()
        if failed or message:
            parts = [self._failure()] if failed else []
            parts += [self._placed(message.decode("utf-8", "replace"))] if message else []
            raise ExecutionError("\n  ".join(parts))
        return self._returned()
