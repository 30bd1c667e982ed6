"""The CPU backend: host code and kernels in one shared library."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

from hetad import emit
from hetad.diagnostics import BackendError, ExecutionError
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
        self._leave = code.function("hetad_cpu_leave", ctypes.c_char_p)

    def run(self) -> Any:
        failed = self._call(self._runtime, self._arguments, self._result_address)
        message: bytes | None = self._leave()
        if failed or message:
            parts = [self._failure()] if failed else []
            raise ExecutionError("\n  ".join([*parts, *([message.decode("utf-8", "replace")] if message else [])]))
        return self._returned()


def build(program: Program, entry: str) -> CpuExecutable:
    """Compile `program` for a call of its function `entry`.

    Raises:
        BackendError: there is no C compiler, or it fails.
    """
    return CpuExecutable(program.functions[entry], library(emit.cpu_source(program, entry, options())))


def options() -> emit.CpuOptions:
    """How kernels run: `HETAD_CPU_MODE` is `regions` (or empty), which is fast, or `fibers`, the oracle for tests."""
    mode = os.environ.get("HETAD_CPU_MODE", "") or "regions"
    if mode not in ("regions", "fibers"):
        raise BackendError(f"HETAD_CPU_MODE is {mode!r}: there are 'regions' and 'fibers'")
    return emit.CpuOptions(fibers=mode == "fibers")
