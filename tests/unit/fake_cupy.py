"""As much of CuPy as hetad/run/cuda_*.py use, on host memory, so that its Python code runs without a GPU.

Kernels are those that hetad emits for the CPU; `programs` maps device source to the program it came from.  Checked
kernels are those that it emits for a GPU, as C++ of the host.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from hetad import targets
from hetad.adjoint.inline import inline
from hetad.run.executable import library
from hetad.targets.cpu.inlining import with_inlined_kernels
from tests.unit import kernels_on_host

programs: dict[str, Any] = {}
launchers: list[Any] = []  # hetad_cpu_launch and number, by handle
register: list[Any] = []  # of the driver: fake_parameters
_streams = threading.local()


def launch(kernel: int, *rest: Any) -> int:
    run, number = launchers[kernel - 1]
    return int(run(number, *rest))


class DeviceMemory:
    def __init__(self, address: int) -> None:
        self.ptr = address

    def copy_from_device_async(self, source: DeviceMemory, size: int, stream: Stream) -> None:
        assert stream is stack()[-1]
        ctypes.memmove(self.ptr, source.ptr, size)

    def copy_from_host_async(self, source: ctypes.c_void_p, size: int, stream: Stream) -> None:
        assert stream is stack()[-1]
        ctypes.memmove(self.ptr, source, size)

    def copy_to_host_async(self, target: ctypes.c_void_p, size: int, stream: Stream) -> None:
        assert stream is stack()[-1]
        ctypes.memmove(target, self.ptr, size)

    def memset_async(self, value: int, size: int, stream: Stream) -> None:
        assert stream is stack()[-1]
        ctypes.memset(self.ptr, value, size)


class ndarray:  # noqa: N801
    def __init__(self, host: Any, device: Any = 0, memory: Any = None) -> None:
        if memory is not None:  # CuPy's own parameters are a shape, a dtype, and where
            shape, dtype, device = host, np.dtype(device), memory.device
            size = int(np.prod(shape)) * dtype.itemsize
            host = np.frombuffer((ctypes.c_char * size).from_address(memory.ptr), dtype).reshape(shape)
        self.host = host
        self.device = SimpleNamespace(id=device)
        self.data = DeviceMemory(host.ctypes.data)

    __cuda_array_interface__ = property(lambda self: self.host.__array_interface__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.host[index] = value.host if isinstance(value, ndarray) else value

    def get(self) -> Any:
        return self.host.copy()

    def copy(self, order: str = "C") -> ndarray:
        return ndarray(self.host.copy(), self.device.id)

    def __getitem__(self, index: Any) -> Any:
        part = self.host[index]
        return ndarray(part) if isinstance(part, np.ndarray) else part


def array(values: Any, order: str = "K") -> ndarray:
    return ndarray(np.array(values.host if isinstance(values, ndarray) else values), state.device)


asarray = array


def from_dlpack(tensor: Any) -> ndarray:
    return ndarray(tensor.host, tensor.device.index)


def asnumpy(values: Any) -> Any:
    return np.array(values.host)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    return ndarray(np.zeros(shape, dtype), state.device)


class Stream:
    def __init__(self, ptr: int = 0) -> None:
        self.ptr = ptr

    def synchronize(self) -> None:
        pass

    def __enter__(self) -> Stream:
        stack().append(self)
        return self

    def __exit__(self, *_: object) -> None:
        stack().pop()


class ExternalStream(Stream):
    pass


def stack() -> list[Stream]:
    if not hasattr(_streams, "stack"):
        _streams.stack = [Stream()]
    found: list[Stream] = _streams.stack
    return found


class MemoryPointer(DeviceMemory):
    def __init__(self, size: int) -> None:
        self.memory = ctypes.create_string_buffer(size)
        super().__init__(ctypes.addressof(self.memory))


class CompileException(Exception):
    pass


class CUDARuntimeError(RuntimeError):
    pass


class RawModule:
    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        assert options == ("-std=c++17",)
        self.code = code
        self.checked = kernels_on_host.compiled(code) if "hetad_checks" in code else None

    def get_function(self, name: str) -> Any:
        if self.code not in programs:
            raise CompileException("kern.cu(1): error")
        program = programs[self.code]
        number = targets.kernels(program).index(name)
        if self.checked is not None:
            launchers.append((kernels_on_host.launcher(self.checked, name), number))
        else:
            run = library(source_of(program)).handle.hetad_cpu_launch
            run.argtypes = (ctypes.c_int, *[ctypes.c_void_p] * 2, ctypes.c_size_t, *[ctypes.c_void_p] * 2)
            launchers.append((run, number))
        sizes = targets.parameter_sizes(program)[number]
        register[0](len(launchers), len(sizes), (ctypes.c_int * len(sizes))(*sizes))
        return SimpleNamespace(kernel=SimpleNamespace(ptr=len(launchers)))

    def get_global(self, name: str) -> Any:
        if self.checked is not None:
            return SimpleNamespace(ptr=ctypes.addressof(ctypes.c_char.in_dll(self.checked, name)))
        find = library(source_of(programs[self.code])).handle[f"address_of_{name}"]
        find.restype = ctypes.c_void_p
        return SimpleNamespace(ptr=find())


def source_of(program: Any) -> str:
    """The kernels for the CPU, and functions that tell where the device variables are."""
    finders = (f"void *address_of_{name}(void) {{ return (void *)&{name}; }}" for name in targets.symbols(program))
    kernels = {n: inline(program, n).functions[n] for n, f in program.functions.items() if f.kind == "kernel"}
    flat = with_inlined_kernels(program, replace(program, functions=kernels))
    return "\n".join((targets.cpu_kernels(flat), *finders, ""))


@contextlib.contextmanager
def device(number: int) -> Iterator[None]:
    kept = state.device
    state.device = number
    try:
        yield
    finally:
        state.device = kept


state = SimpleNamespace(device=0)
runtime = SimpleNamespace(
    getDevice=lambda: state.device,
    getDeviceCount=lambda: 2,
    free=lambda _: None,
    deviceSynchronize=lambda: None,
    CUDARuntimeError=CUDARuntimeError,
)
cuda = SimpleNamespace(
    runtime=runtime, Stream=Stream, ExternalStream=ExternalStream, get_current_stream=lambda: stack()[-1],
    alloc=MemoryPointer, UnownedMemory=lambda ptr, size, owner, device: SimpleNamespace(ptr=ptr, device=device),
    MemoryPointer=lambda memory, offset: memory, Device=device,
    compiler=SimpleNamespace(CompileException=CompileException),
)  # fmt: skip


def get_default_memory_pool() -> Any:
    return SimpleNamespace(free_all_blocks=lambda: None)
