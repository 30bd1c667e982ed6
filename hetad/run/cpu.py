"""The CPU backend: host code and kernels in one shared library."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from hetad import emit
from hetad.run.executable import Executable, Library, library
from hetad.run.memory import HostMemory

if TYPE_CHECKING:
    from hetad.ir.nodes import Function, Program


class CpuExecutable(Executable):
    """A function compiled for the CPU, kernels included."""

    def __init__(self, entry: Function, code: Library) -> None:
        super().__init__(entry, code)
        self.memory = HostMemory()
        self._runtime: int = code.function("hetad_cpu_runtime", ctypes.c_void_p)()

    def run(self) -> Any:
        self._invoke(self._runtime)
        return self._returned()


def build(program: Program, entry: str) -> CpuExecutable:
    """Compile `program` for a call of its function `entry`.

    Raises:
        BackendError: there is no C compiler, or it fails.
    """
    return CpuExecutable(program.functions[entry], library(emit.cpu_source(program, entry)))
