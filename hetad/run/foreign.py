"""Arrays of other libraries: seen as NumPy's or CuPy's over the same memory, and results made into what came in.

A library is found by the type of a value, once for each type; none is imported that the user has not imported.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad.diagnostics import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class ForeignProblem(ArgumentError):
    """Why the memory of a value cannot be used, and what helps."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem}\n  help: {remedy}" if remedy else problem)
        self.problem, self.remedy = problem, remedy


@dataclass(frozen=True, slots=True)
class Library:
    """How arrays of one library are seen, and made."""

    see: Callable[[Any], Any]  # the same memory as an array of NumPy or CuPy; raises ForeignProblem
    make: Callable[[Any, Any], Any] | None = None  # of NumPy's or CuPy's array one like another of the library's
    immutable: bool = False  # nobody may write to its arrays


def library(value: Any) -> Library | None:
    """Of an array that is neither NumPy's nor CuPy's; None for these, and for what is no array."""
    kind = type(value)
    if kind in _KNOWN:
        return _KNOWN[kind]
    found = _KNOWN[kind] = _find(kind)
    return found


def seen(value: Any) -> Any:
    """The memory of any array as an array of NumPy or CuPy; what is no array, as it is.

    Raises:
        ForeignProblem: its memory cannot be used.
    """
    found = library(value)
    return value if found is None else found.see(value)


def like(array: Any, argument: Any) -> Any:
    """A result as an array of the library that the argument is of."""
    if type(argument) is np.ndarray or (found := library(argument)) is None or found.make is None:
        return array
    return found.make(array, argument)


def is_on_device(array: Any) -> bool:
    """Whether an array, of NumPy's or as hetad sees it, lies in GPU memory."""
    return not isinstance(array, np.ndarray) and hasattr(type(array), "__cuda_array_interface__")


def number(value: Any) -> Any:
    """The number in an array of rank 0 of another library; None if it is none."""
    if library(value) is None or getattr(value, "ndim", None) != 0:
        return None
    array = seen(value)
    return array.item() if array.dtype.kind in "fiu" else None


def from_numbers(values: Sequence[Any], dtype: np.dtype[Any] | None) -> np.ndarray[Any, Any] | None:
    """Nested sequences of numbers as an array of `dtype`; None where that would change a number, or guess."""
    if dtype is None or dtype.kind not in "fiu":
        return None
    try:
        found = np.array(values)
        if found.size and (found.dtype.kind not in ("iuf" if dtype.kind == "f" else "iu") or found.ndim == 0):
            return None
        with np.errstate(over="ignore"):
            made = found.astype(dtype)
    except (TypeError, ValueError, RuntimeError, OverflowError):  # ragged, or too large
        return None
    same = np.isfinite(made) == np.isfinite(found) if dtype.kind == "f" else made == found
    return made if bool(np.all(same)) else None


def stream_of(values: Iterable[Any]) -> tuple[int | None, int | None]:
    """PyTorch's current stream and its device, where one of the values is a tensor on a GPU; else None and None."""
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        for value in values:
            if library(value) is TORCH and value.is_cuda:
                device: int = value.device.index
                return torch.cuda.current_stream(device).cuda_stream, device
    return None, None


# --- PyTorch -------------------------------------------------------------------------------------


def _see_torch(tensor: Any) -> Any:
    torch: Any = sys.modules["torch"]
    if tensor.requires_grad:
        if torch.is_grad_enabled():
            raise ForeignProblem(
                "this tensor requires a gradient, and PyTorch would not see what is done to it here",
                "call the function through hetad.torch.function, or pass the tensor's .detach()",
            )
        tensor = tensor.detach()
    if tensor.dtype is torch.bfloat16:  # NumPy sees its bits
        tensor = tensor.view(torch.uint16)
    try:
        return tensor.numpy() if tensor.device.type == "cpu" else _on_device(tensor)
    except (TypeError, RuntimeError) as problem:
        raise ForeignProblem(f"PyTorch does not hand out the memory of this tensor: {problem}") from None


def _make_torch(array: Any, argument: Any) -> Any:
    torch: Any = sys.modules["torch"]
    made = torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array)
    return made.view(torch.bfloat16) if argument.dtype is torch.bfloat16 else made


TORCH = Library(_see_torch, _make_torch)


# --- others --------------------------------------------------------------------------------------


def _see_jax(array: Any) -> Any:
    if any(base.__name__ == "Tracer" for base in type(array).__mro__):
        raise ForeignProblem(
            "inside a transformation of JAX there are no numbers yet", "call the function through hetad.jax.function"
        )
    return _see_dlpack(array)


def _see_dlpack(value: Any) -> Any:
    try:
        if int(value.__dlpack_device__()[0]) in (2, 13):  # kDLCUDA, kDLCUDAManaged
            return _on_device(value)
        return np.from_dlpack(value)
    except (BufferError, TypeError, RuntimeError, ValueError) as problem:
        raise ForeignProblem(f"a {type(value).__name__} does not hand out its memory: {problem}") from None


def _make_by_dlpack(array: Any, argument: Any) -> Any:
    """By the library's own namespace, as the array API has it."""
    space = getattr(argument, "__array_namespace__", None)
    return array if space is None else space().from_dlpack(array)


def _make_numba(array: Any, _: Any) -> Any:
    return array if isinstance(array, np.ndarray) else sys.modules["numba.cuda"].as_cuda_array(array)


def _see_buffer(value: Any) -> Any:
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError) as problem:
        raise ForeignProblem(f"the memory of a {type(value).__name__} cannot be used: {problem}") from None


def _on_device(value: Any) -> Any:
    from hetad.run import cuda, cuda_memory

    if (reason := cuda.unusable_reason()) is not None:
        raise ForeignProblem(f"this array lies in GPU memory, which cannot be used: {reason}")
    return cuda_memory.view(value)


JAX = Library(_see_jax, _make_by_dlpack, immutable=True)
BY_DLPACK = Library(_see_dlpack, _make_by_dlpack)
NUMBA = Library(_on_device, _make_numba)
INTERFACE = Library(np.asarray)
BUFFER = Library(_see_buffer)
_BY_PACKAGE = {"torch": TORCH, "jax": JAX, "jaxlib": JAX}

_KNOWN: dict[type, Library | None] = dict.fromkeys((np.ndarray, float, int, bool, str, list, tuple, dict, type(None)))


def _find(kind: type) -> Library | None:
    if issubclass(kind, np.ndarray | np.generic):
        return None
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    if hasattr(kind, "__dlpack__"):
        for package, found in _BY_PACKAGE.items():
            if package in packages:
                return found
    if hasattr(kind, "__cuda_array_interface__"):
        return NUMBA if "numba" in packages else None
    if hasattr(kind, "__dlpack__"):
        return BY_DLPACK
    if hasattr(kind, "__array_interface__"):
        return INTERFACE
    return BUFFER if _has_buffer(kind) else None


def _has_buffer(kind: type) -> bool:
    """Whether its values have the buffer protocol; before Python 3.12 no attribute tells."""
    import array
    import ctypes
    import mmap

    known = (memoryview, bytearray, bytes, array.array, ctypes.Array, mmap.mmap)
    return issubclass(kind, known) or hasattr(kind, "__buffer__")
