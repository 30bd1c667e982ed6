"""XLA's foreign function interface: the handler (handler.c), and what it serves.

A compiled computation of XLA's names a call by its key; whoever lowers a call registers it under that key in this
process.  A call works on XLA's own memory: inputs are read where they lie, results are written where XLA wants them.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jax
import jaxlib
import numpy as np

from hetad.compiled import Backend
from hetad.functional import Maker, OnHost
from hetad.run.executable import library

TARGET = "hetad_call"
_MESSAGE = 4096  # HETAD_MESSAGE
_DTYPES = {
    1: "?", 2: "i1", 3: "i2", 4: "i4", 5: "i8", 6: "u1", 7: "u2", 8: "u4", 9: "u8", 10: "f2", 11: "f4", 12: "f8",
}  # fmt: skip  # XLA_FFI_DataType

Work = Callable[[Sequence[Any], Sequence[Any], Maker, Backend], None]  # inputs, outputs, on which to write


class _Array(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int64),
        ("dtype", ctypes.c_int32),
    )


class _Call(ctypes.Structure):
    """`hetad_jax_call` of handler.c."""

    _fields_ = (
        ("key", ctypes.c_void_p),
        ("key_length", ctypes.c_int64),
        ("inputs", ctypes.POINTER(_Array)),
        ("outputs", ctypes.POINTER(_Array)),
        ("input_count", ctypes.c_int64),
        ("output_count", ctypes.c_int64),
        ("stream", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("message", ctypes.c_void_p),
    )


@dataclass
class _Memory:
    """Host memory of XLA's, as NumPy sees it."""

    __array_interface__: dict[str, Any]


_calls: dict[str, Work] = {}


def register(key: str, work: Work) -> None:
    """What the calls with this key do."""
    connect()
    _calls[key] = work


@functools.cache
def connect() -> Any:
    """Compile the handler and make it known to XLA, once in a process."""
    text = files("hetad.jax").joinpath("handler.c").read_text(encoding="utf-8")
    headers = f"// with the headers of jaxlib {jaxlib.version.__version__}\n"
    code = library(headers + text, include_dirs=[Path(jax.ffi.include_dir())], libraries=())
    serve = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Call))(_serve)
    code.function("hetad_jax_connect", None, ctypes.c_void_p)(ctypes.cast(serve, ctypes.c_void_p))
    for platform, name in (("cpu", "hetad_jax_cpu"), ("CUDA", "hetad_jax_cuda")):
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(getattr(code.handle, name)), platform=platform)
    return code, serve


def _serve(pointer: Any) -> int:
    """One call, on a thread of XLA's; what goes wrong is described in its message."""
    call = pointer[0]
    try:
        _run(call)
    except BaseException as problem:  # noqa: BLE001 - nothing may be raised through XLA
        text = f"{type(problem).__name__}: {problem}".encode()[: _MESSAGE - 1]
        ctypes.memmove(call.message, text + b"\0", len(text) + 1)
        return 1
    return 0


def _run(call: _Call) -> None:
    key = ctypes.string_at(call.key, call.key_length).decode()
    work = _calls.get(key)
    if work is None:
        raise LookupError(
            f"this process has not made the function {key!r}: a compiled function of another process that calls hetad "
            "has to be traced anew"
        )
    inputs = [call.inputs[i] for i in range(call.input_count)]
    outputs = [call.outputs[i] for i in range(call.output_count)]
    if call.device < 0:
        work([_on_host(a, True) for a in inputs], [_on_host(a, False) for a in outputs], OnHost(), "cpu")
        return
    from hetad.run import cuda, cuda_memory

    cuda.require()
    with cuda_memory.OnDevice.on(call.stream or 0, call.device):
        given, wanted = ([_on_device(a, call.device) for a in some] for some in (inputs, outputs))
        work(given, wanted, cuda_memory.OnDevice(), "cuda")


def _on_host(a: _Array, readonly: bool) -> Any:
    shape = tuple(a.dims[: a.rank])
    if 0 in shape:
        return np.empty(shape, _DTYPES[a.dtype])
    interface = {"data": (a.data, readonly), "shape": shape, "typestr": np.dtype(_DTYPES[a.dtype]).str, "version": 3}
    return np.asarray(_Memory(interface))


def _on_device(a: _Array, device: int) -> Any:
    from hetad.run import cuda_memory

    return cuda_memory.at(a.data or 0, tuple(a.dims[: a.rank]), np.dtype(_DTYPES[a.dtype]), device)
