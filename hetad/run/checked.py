"""Programs whose accesses are checked (emit/support/extents.c): one that leaves its memory becomes an error."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from hetad.diagnostics import MemoryAccessError
from hetad.run.cpu_executable import CpuExecutable
from hetad.run.executable import Executable
from hetad.run.sites import site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hetad.ir.nodes import Function, Program
    from hetad.run.executable import Library

_OUTSIDE = 6  # as in emit/support/extents.c
_BEYOND, _NULL, _FREED = range(3)
_Dim3 = ctypes.c_uint * 3


class _Outside(ctypes.Structure):
    """`struct hetad_outside`."""

    _fields_ = (
        ("site", ctypes.c_int), ("reason", ctypes.c_int), ("offset", ctypes.c_ssize_t), ("bytes", ctypes.c_size_t),
        ("kernel", ctypes.c_char_p), ("grid", _Dim3), ("threads", _Dim3), ("block", _Dim3), ("thread", _Dim3),
    )  # fmt: skip


class Checked(Executable):
    """What stands in front of a backend's executable if accesses of its function are checked."""

    looks = True
    _program: Program

    def bind(self, code: Library) -> None:
        super().bind(code)
        self._code = code
        self._begin_extents = code.function("hetad_begin_extents", None)
        self._reach = code.function("hetad_reach", None, ctypes.c_void_p, ctypes.c_size_t)

    def run(self, progress: bool = False) -> Any:
        self._begin_extents()
        lengths = {buffer.address: buffer.nbytes for buffer in self.placed if buffer is not None}
        for cell in self.frame.cells:
            address = cell.value if isinstance(cell, ctypes.c_void_p) else None
            if address in lengths:
                self._reach(address, lengths[address])
        return super().run(progress)

    def _enter(self, runtime: int, progress: bool) -> int:
        failed = super()._enter(runtime, progress)
        if failed == _OUTSIDE:
            self._stopped()
            raise self._error().attach(self._program.sources)
        return failed

    def _stopped(self) -> None:
        """The program is left for good."""

    def _error(self) -> MemoryAccessError:
        found: _Outside = self._code.variable("hetad_outside_found", _Outside)  # type: ignore[assignment]
        where = site(self._code, found.site)
        array, size = where.array.decode(), where.size
        index, extent = found.offset // size, found.bytes // size
        thread = (tuple(found.block), tuple(found.thread)) if found.kernel is not None else None
        does = "writes" if where.writes else "reads"
        message = f"{where.text.decode()} {does} {_what(found, array, index, extent)}"
        if thread is not None:
            block, own = _index(found.block, found.grid), _index(found.thread, found.threads)
            message += f", in thread {own} of block {block} of kernel {found.kernel.decode()}"
        return MemoryAccessError(message, where.span, _remedy(found.reason, index), array, index, extent, thread)


class CheckedExecutable(Checked, CpuExecutable):
    """A function whose accesses are checked, on the CPU."""

    def __init__(self, program: Program, entry: Function, code: Library, threads: int | None) -> None:
        self._program = program
        super().__init__(entry, code, threads)

    def _stopped(self) -> None:
        self._leave()


def _what(found: _Outside, array: str, index: int, extent: int) -> str:
    name = array or "the memory"
    match found.reason:
        case 0:
            has = f"{extent} element{'s' * (extent != 1)}"
            return f"element {index} of {name}, which has {has}"
        case 1:
            return f"through {name}, which is NULL"
        case 2:
            return f"element {index} of {name}, whose memory has been freed"
    return f"through {name}, which does not point into memory of the program"


def _remedy(reason: int, index: int) -> str:
    match reason:
        case 0 if index < 0:
            return "an index below zero: guard it, or shift the array"
        case 0:
            return "make the array longer or the size smaller, or guard the access: `if (i < n)`"
        case 1:
            return "pass an array, or test the pointer before it is used"
        case 2:
            return "free the memory after the last use"
    return "let the pointer point into an array that was passed or allocated before it is used"


def _index(point: Sequence[int], sizes: Sequence[int]) -> str:
    """`(x, y, z)`, or `x` where there is only that axis."""
    return str(point[0]) if sizes[1] == sizes[2] == 1 else f"({point[0]}, {point[1]}, {point[2]})"
