"""Arrays in the memory of a GPU: the user's CuPy arrays, copies of NumPy arrays, and what other libraries lend."""

from __future__ import annotations

import contextlib
import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.diagnostics import ExecutionError
from hetad.run import cuda
from hetad.run.memory import Buffer, Shape, host_buffer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hetad.run.arrays import ArrayParameter


def view(value: Any) -> Any:
    """Another library's array in GPU memory as one of CuPy's, ready in the order of CuPy's current stream."""
    cp = cuda.cupy_module()
    if not hasattr(value, "__dlpack__"):
        return cp.asarray(value)
    try:
        return cp.from_dlpack(value)
    except (BufferError, ValueError):  # CuPy may refuse what is marked as read-only
        if not hasattr(value, "__cuda_array_interface__"):
            raise
        return cp.asarray(value)


def at(address: int, shape: Shape, dtype: np.dtype[Any], device: int) -> Any:
    """Memory of somebody else on a device as a CuPy array; its owner keeps it as long as it is used."""
    cp = cuda.cupy_module()
    size = int(np.prod(shape)) * dtype.itemsize
    memory = cp.cuda.UnownedMemory(address, size, None, device)
    return cp.ndarray(shape, dtype, cp.cuda.MemoryPointer(memory, 0))


class OnDevice:
    """CuPy's arrays, on its current device and stream."""

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any]) -> Any:
        return cuda.cupy_module().zeros(shape, dtype)

    @staticmethod
    def copy(array: Any) -> Any:
        return cuda.cupy_module().array(array, order="C")

    @staticmethod
    def ready(array: Any) -> Any:
        return array if array.flags.c_contiguous else OnDevice.copy(array)

    @staticmethod
    def number(array: Any) -> Any:
        """The current stream is waited for."""
        return array.get().item()

    @staticmethod
    def on(stream: int, device: int) -> contextlib.AbstractContextManager[Any]:
        """The context in which both are current."""
        of_cupy = cuda.cupy_module().cuda
        context = contextlib.ExitStack()
        context.enter_context(of_cupy.Device(device))
        context.enter_context(of_cupy.ExternalStream(stream))
        return context


class CudaMemory:
    """CuPy arrays as they are; NumPy arrays for device pointers through a copy, on CuPy's current stream."""

    def __init__(self) -> None:
        self._cp = cuda.cupy_module()

    def takes_host(self, parameter: ArrayParameter) -> bool:
        return parameter.space != "device"

    def place(self, array: Any, parameter: ArrayParameter) -> Buffer:
        if not isinstance(array, np.ndarray):
            self._check_device(array, parameter)
            address = array.data.ptr
            return Buffer(array, address, array.nbytes, address)
        if self.takes_host(parameter):
            return host_buffer(array)
        buffer = self._staged(array, parameter)
        if array.nbytes:
            source = ctypes.c_void_p(array.__array_interface__["data"][0])
            buffer.staged.copy_from_host_async(source, array.nbytes, self._cp.cuda.get_current_stream())
        return buffer

    def zeros(self, like: Any, parameter: ArrayParameter, shape: Shape | None = None) -> Buffer:
        shape = like.shape if shape is None else shape
        if not isinstance(like, np.ndarray):
            return self.place(self._cp.zeros(shape, like.dtype), parameter)
        if self.takes_host(parameter):
            return host_buffer(np.zeros(shape, like.dtype))
        buffer = self._staged(np.empty(shape, like.dtype), parameter)
        if buffer.nbytes:
            buffer.staged.memset_async(0, buffer.nbytes, self._cp.cuda.get_current_stream())
        return buffer

    def duplicate(self, array: Any, like: Any, parameter: ArrayParameter) -> Buffer:
        if isinstance(like, np.ndarray) and self.takes_host(parameter):
            return host_buffer(np.array(array))
        if not isinstance(like, np.ndarray):  # from either kind of array to a new CuPy array
            return self.place(self._cp.array(array), parameter)
        copy = np.array(array) if isinstance(array, np.ndarray) else self._cp.asnumpy(array)
        return self.place(copy, parameter)

    def fetch(self, buffers: Iterable[Buffer]) -> None:
        staged = [b for b in buffers if b.staged is not None and b.nbytes]
        if not staged:
            return
        stream = self._cp.cuda.get_current_stream()
        try:
            for b in staged:
                b.staged.copy_to_host_async(ctypes.c_void_p(b.start), b.nbytes, stream)
            stream.synchronize()
        except self._cp.cuda.runtime.CUDARuntimeError as problem:
            raise ExecutionError(f"the program failed on the device: {problem}") from problem

    def _memory_of(self, parameter: ArrayParameter, nbytes: int) -> Any:
        """Device memory for a parameter that the user gave as a NumPy array."""
        return self._cp.cuda.alloc(max(nbytes, 1))

    def _staged(self, array: np.ndarray[Any, Any], parameter: ArrayParameter) -> Buffer:
        device = self._memory_of(parameter, array.nbytes)
        return Buffer(array, device.ptr, array.nbytes, array.__array_interface__["data"][0], device)

    def _check_device(self, array: Any, parameter: ArrayParameter) -> None:
        current = self._cp.cuda.runtime.getDevice()
        if array.device.id != current:
            raise parameter.signature.refuse(
                f"the array lies on device {array.device.id}, but the current device is {current}",
                f"call inside `with cupy.cuda.Device({array.device.id}):`", parameter.name,
            )  # fmt: skip
