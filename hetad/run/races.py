"""Programs that run under the race detector (emit/support/races.c): a race that it finds becomes an error."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from hetad import targets
from hetad.diagnostics import ExecutionError, RaceError, Related
from hetad.run.cpu_executable import CpuExecutable
from hetad.run.executable import Library, library
from hetad.run.sites import Site, site

if TYPE_CHECKING:
    from hetad.ir.nodes import Function, Program

_RACE, _LIMIT = 4, 5  # as in emit/support/race_cells.c
_READ, _WRITE, _ATOMIC = range(3)


class RaceLimitError(ExecutionError):
    """The call is too large to watch."""


class _Access(ctypes.Structure):
    _fields_ = (("site", ctypes.c_int), ("kind", ctypes.c_int), ("block", ctypes.c_uint), ("thread", ctypes.c_uint))


class _Found(ctypes.Structure):
    """`struct hetad_race_found`."""

    _fields_ = (
        ("accesses", _Access * 2), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
        ("kernel", ctypes.c_char_p), ("shared", ctypes.c_int),
    )  # fmt: skip


class WatchedExecutable(CpuExecutable):
    """A function whose kernels the race detector watches."""

    def __init__(self, program: Program, entry: Function, code: Library, limit: int) -> None:
        super().__init__(entry, code)
        self._sources = program.sources
        self._code = code
        self._limit = limit
        self._begin = code.function("hetad_race_begin", None, ctypes.c_size_t)

    def run(self, progress: bool = False) -> Any:
        self._begin(self._limit)
        return super().run(progress)

    def _enter(self, runtime: int, progress: bool) -> int:
        failed = super()._enter(runtime, progress)
        if failed == _RACE:
            raise self._race().attach(self._sources)
        if failed == _LIMIT:
            raise RaceLimitError("the launches are too large for the race detector")
        return failed

    def _race(self) -> RaceError:
        found: _Found = self._code.variable("hetad_race_found", _Found)  # type: ignore[assignment]
        first, second = found.accesses
        here, there = site(self._code, second.site), site(self._code, first.site)
        message = (
            f"a race in kernel {found.kernel.decode()}: {_thread(second, found)} {_does(second, here)} here, "
            f"{_thread(first, found)} {_does(first, there)} in line {there.line}, and nothing orders the two"
        )
        related = Related(there.span, f"the other access, by {_thread(first, found)}")
        return RaceError(message, here.span, _remedy(first, second, here.span == there.span), (related,))


def build(program: Program, entry: str, limit: int) -> WatchedExecutable:
    """Compile `program` for calls of `entry` under the race detector, which gives up after `limit` work (0: never)."""
    code = library(targets.cpu_source(program, entry, targets.CpuOptions(fibers=True, racecheck=True)))
    return WatchedExecutable(program, program.functions[entry], code, limit)


def _thread(access: _Access, found: _Found) -> str:
    return f"thread {_index(access.thread, found.block)} of block {_index(access.block, found.grid)}"


def _index(number: int, sizes: Any) -> str:
    """`(x, y, z)`, or `x` where there is only that axis."""
    x, y, z = number % sizes[0], number // sizes[0] % sizes[1], number // sizes[0] // sizes[1]
    return str(x) if sizes[1] == sizes[2] == 1 else f"({x}, {y}, {z})"


def _does(access: _Access, site: Site) -> str:
    verb = {_READ: "reads", _WRITE: "writes", _ATOMIC: "atomically changes"}[access.kind]
    return f"{verb} {site.text.decode()}"


def _remedy(first: _Access, second: _Access, same_place: bool) -> str:
    if _ATOMIC in (first.kind, second.kind) and first.block != second.block:
        return "make both accesses atomic, or read in a later kernel: an atomic orders no plain access"
    if first.block != second.block:
        what = "if all of them add, use atomicAdd; else let each cell belong to one block, or make two kernels of it"
        return f"{what}: nothing but the end of a kernel orders its blocks"
    if same_place:
        return "several threads change one cell: if they add, use atomicAdd; else let one thread of them do it"
    if first.thread // 32 == second.thread // 32:
        return (
            "put __syncwarp() or __syncthreads() between the two accesses: lanes of a warp do not run in step, and "
            "shuffles and votes order no memory"
        )
    return "put __syncthreads() between the two accesses, where all threads of the block come by"
