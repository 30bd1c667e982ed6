"""Programs that run as CUDA graphs (cuda_graph.c): memory that stays where it is, and recorders."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad import targets
from hetad.diagnostics import BackendError
from hetad.ir.functions import callees
from hetad.memops.table import TABLE
from hetad.rules import operations
from hetad.run.cuda_executable import CudaExecutable, host_code
from hetad.run.cuda_memory import CudaMemory
from hetad.run.memory import Buffer, Shape

if TYPE_CHECKING:
    from hetad.ir.nodes import Program
    from hetad.run.arrays import ArrayParameter
    from hetad.run.executable import Library


class GraphMemory(CudaMemory):
    """Everything that is made for a call lies where it lay in the call before; only the user's CuPy arrays do not.

    A new CuPy array for a result is filled at the end of the call.
    """

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[tuple[int, str], tuple[int, Any]] = {}
        self._stream: int | None = None  # of the last call

    def zeros(self, like: Any, parameter: ArrayParameter, shape: Shape | None = None) -> Buffer:
        if isinstance(like, np.ndarray):
            return super().zeros(like, parameter, shape)
        buffer = self._fresh(like, parameter, like.shape if shape is None else shape)
        buffer.staged.memset_async(0, buffer.nbytes, self._cp.cuda.get_current_stream())
        return buffer

    def duplicate(self, array: Any, like: Any, parameter: ArrayParameter) -> Buffer:
        if isinstance(like, np.ndarray):
            return super().duplicate(array, like, parameter)
        given = self._cp.asarray(array)
        buffer = self._fresh(like, parameter, given.shape)
        buffer.staged.copy_from_device_async(given.data, buffer.nbytes, self._cp.cuda.get_current_stream())
        return buffer

    def fetch(self, buffers: Iterable[Buffer]) -> None:
        every = list(buffers)
        stream = self._cp.cuda.get_current_stream()
        for b in every:
            if b.staged is not None and not isinstance(b.array, np.ndarray):
                b.array.data.copy_from_device_async(b.staged, b.nbytes, stream)
        super().fetch(b for b in every if isinstance(b.array, np.ndarray))

    def _fresh(self, like: Any, parameter: ArrayParameter, shape: Shape) -> Buffer:
        array = self._cp.zeros(shape, like.dtype)
        self._check_device(like, parameter)
        kept = self._memory_of(parameter, array.nbytes)
        return Buffer(array, kept.ptr, array.nbytes, array.data.ptr, kept)

    def _memory_of(self, parameter: ArrayParameter, nbytes: int) -> Any:
        stream = self._cp.cuda.get_current_stream()
        if self._stream not in (None, stream.ptr):  # where the last call may still use the memory
            self._cp.cuda.runtime.deviceSynchronize()
        self._stream = stream.ptr
        key = self._cp.cuda.runtime.getDevice(), parameter.name
        size, memory = self._kept.get(key, (-1, None))
        if size != nbytes:
            memory = self._cp.cuda.alloc(max(nbytes, 1))
            self._kept[key] = nbytes, memory
        return memory


class GraphExecutable(CudaExecutable):
    """A function whose launches are captured, when it is called again with the same arguments, and replayed."""

    def __init__(self, program: Program, entry: str, code: Library, kernels: tuple[str, ...]) -> None:
        super().__init__(
            program.functions[entry], code, kernels, targets.device_source(program), targets.symbols(program),
            targets.parameter_sizes(program), targets.kernel_routines(program),
        )  # fmt: skip
        self.memory = GraphMemory()
        self._runtime = self._table.recording_runtime
        self._waits = _sees_when_the_device_is_done(program)
        self._recorders: dict[int, int] = {}

    @property
    def replays(self) -> int:
        """How many graphs have been launched."""
        return sum(self._table.replays(recorder) for recorder in self._recorders.values())

    def tell_apart(self, cells: Sequence[Any]) -> None:
        self._cells = (
            (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells)),
            (ctypes.c_size_t * len(cells))(*map(ctypes.sizeof, cells)),
        )

    def _begin(self, device: int) -> int:
        code: int = self._table.record(self._recorder(device))
        return code

    def _recorder(self, device: int) -> int:
        if device not in self._recorders:
            most = max(map(len, self._sizes), default=0)
            made = self._table.recorder(device, most, self._waits, *self._cells, len(self._cells[0]))
            if not made:
                raise BackendError("graph=True needs a driver of CUDA 11.4 or later")
            self._recorders[device] = made
            weakref.finalize(self, self._table.forget, made).atexit = False
        return self._recorders[device]


def _sees_when_the_device_is_done(program: Program) -> bool:
    """Whether the program measures time, or its host reads what kernels write."""
    names = {name for f in program.functions.values() if "host" in f.kind for name in callees(f)}
    return operations.managed_zeros.name in names or any(TABLE[name].varies for name in names if name in TABLE)


def build(program: Program, entry: str) -> GraphExecutable:
    """Compile `program` for calls of its function `entry` on the current device as CUDA graphs.

    Raises:
        BackendError: no GPU or no C compiler, a compiler fails, or this cannot run as graphs.
    """
    return GraphExecutable(program, entry, *host_code(program, entry))
