"""Where the memory of an argument lies, and what a backend must do so that C can reach it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hetad.run.arrays import ArrayParameter


_BYTE = ctypes.c_char

Shape = tuple[int, ...]


class Buffer:
    """An array passed to C.

    `array` is the user's (or the one the user will get), `address` what C gets, `start` where the user's own memory
    begins.  They differ when the array was staged: copied to the other memory space for the time of the call.
    """

    __slots__ = ("address", "array", "nbytes", "staged", "start")

    def __init__(self, array: Any, address: int, nbytes: int, start: int, staged: Any = None) -> None:
        self.array = array
        self.address = address
        self.nbytes = nbytes
        self.start = start
        self.staged = staged


class Memory(Protocol):
    """What a backend does for arrays.  `parameter` says whether the pointer is to host or to device memory."""

    def takes_host(self, parameter: ArrayParameter) -> bool:
        """Whether C takes host memory for the parameter."""

    def place(self, array: Any, parameter: ArrayParameter) -> Buffer:
        """Make a checked array reachable."""

    def zeros(self, like: Any, parameter: ArrayParameter, shape: Shape | None = None) -> Buffer:
        """A new array of the kind and dtype of `like`, and of its shape or another, filled with zeros."""

    def duplicate(self, array: Any, like: Any, parameter: ArrayParameter) -> Buffer:
        """A copy of `array` as an array of the kind of `like`."""

    def fetch(self, buffers: Iterable[Buffer]) -> None:
        """Bring what C wrote into staged copies back to the arrays."""


class HostMemory:
    """The CPU backend: device memory is host memory, nothing is ever copied."""

    def takes_host(self, parameter: ArrayParameter) -> bool:
        return True

    def place(self, array: Any, parameter: ArrayParameter) -> Buffer:
        if not isinstance(array, np.ndarray):
            raise _elsewhere(parameter)
        return host_buffer(array)

    def zeros(self, like: Any, parameter: ArrayParameter, shape: Shape | None = None) -> Buffer:
        return host_buffer(np.zeros(like.shape if shape is None else shape, like.dtype))

    def duplicate(self, array: Any, like: Any, parameter: ArrayParameter) -> Buffer:
        if not isinstance(array, np.ndarray):
            raise _elsewhere(parameter)
        return host_buffer(np.array(array))

    def fetch(self, buffers: Iterable[Buffer]) -> None:
        """Nothing is staged."""


def host_buffer(array: np.ndarray[Any, Any]) -> Buffer:
    """A NumPy array, passed as it is."""
    try:  # the quick way, four times as fast, is for arrays that are not empty and can be written
        address = ctypes.addressof(_BYTE.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        address = array.__array_interface__["data"][0]
    return Buffer(array, address, array.nbytes, address)


def _elsewhere(parameter: ArrayParameter) -> Exception:
    return parameter.signature.refuse(
        "the CPU backend cannot take an array that lies in GPU memory",
        "pass a NumPy array (cupy.asnumpy), or backend='cuda'",
        parameter.name,
    )  # fmt: skip
