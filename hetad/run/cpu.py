"""The CPU backend: host code and kernels in one shared library."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import BackendError, ExecutionError
from hetad.run.executable import Executable, Library, library
from hetad.run.kept import kept
from hetad.run.memory import HostMemory

if TYPE_CHECKING:
    from hetad.ir.nodes import Function, Program
    from hetad.run.on_cpu import OnCpu


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


def build(program: Program, entry: str, on_cpu: OnCpu, parts: tuple[str, ...] | None = None) -> Executable:
    """Compile `program` for a call of its function `entry`.

    Args:
        program: closed, as the pipeline gives it.
        entry: the function to call.
        on_cpu: how many threads run the blocks of a grid; 0 for as many as there are processors; None for
            `$HETAD_CPU_THREADS`, or else one.  With more than one, sums in atomics have no fixed order.  Where accesses
            are checked, blocks run one after another.
        parts: what tells the program apart in all processes, if anything does; its text is kept under that.

    Raises:
        BackendError: there is no C compiler, or it fails.
    """
    count = _threads(on_cpu.threads)
    mode = _mode()
    sweeps = mode not in ("fibers", "blocks")
    parallel = count > 1

    def printed() -> str:
        from hetad import targets

        options = targets.CpuOptions(fibers=mode == "fibers", parallel=parallel, sweeps=sweeps)
        return targets.cpu_source(program, entry, options)

    def plain() -> CpuExecutable:
        text = kept(None if parts is None else (*parts, entry, "as C", mode, str(parallel)), printed)
        code = library(text, libraries=("m", "pthread") if parallel else ("m",), unloads=True)
        return CpuExecutable(program.functions[entry], code, count if parallel and mode != "fibers" else None)

    if on_cpu.checked is False or (on_cpu.checked is None and mode not in ("checked", "safe")):
        return plain()
    from hetad.run import adaptive, checked

    if on_cpu.checked or mode == "checked":
        return checked.build(program, entry)
    return adaptive.AdaptiveExecutable(program.functions[entry], plain, lambda: checked.build(program, entry))


def _mode() -> str:
    """`$HETAD_CPU_MODE`: `regions` (or empty), which is fast; `blocks`, which runs every kernel block by block as a GPU
    does; `checked`, so with every access checked; `safe`, checked where a call is not proven to stay within its memory;
    or `fibers`, the oracle for tests."""
    mode = os.environ.get("HETAD_CPU_MODE", "") or "regions"
    if mode not in ("regions", "blocks", "checked", "safe", "fibers"):
        raise BackendError(f"HETAD_CPU_MODE is {mode!r}: there are 'regions', 'blocks', 'checked', 'safe' and 'fibers'")
    return mode


def _threads(asked: int | None) -> int:
    given = os.environ.get("HETAD_CPU_THREADS", "") or "1" if asked is None else str(asked)
    if not given.isdecimal():
        name = "HETAD_CPU_THREADS" if asked is None else "cpu_threads"
        raise BackendError(f"{name} is {given!r}: give a number, 0 for as many as there are processors")
    if int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
