"""The CUDA backend: kernels through CuPy's RawModule, host code compiled to C and launching through the driver.

The one module that imports CuPy.  Numbers: NVRTC contracts `a * b + c` to one fused operation, as nvcc does for the
user's own build, and CuPy compiles with `-ftz=true`, which flushes subnormal floats (not doubles) to zero.  Results
therefore agree with the CPU backend, which does neither, to rounding; `HETAD_CUDA_OPTIONS="--fmad=false"` gives up the
speed of fused operations for closer agreement.

Calls are asynchronous as CuPy's are: results are ordered on CuPy's current stream.  What goes wrong on the device
(an illegal address) is therefore reported when the program, or the copy of a result to a NumPy array, next waits for
it; with `HETAD_CUDA_SYNC=1` every call waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from hetad import targets
from hetad.diagnostics import BackendError, ExecutionError
from hetad.ir.texts import code_words
from hetad.run import cache, cuda_routines, forking
from hetad.run.executable import Executable, Library, library
from hetad.run.memory import Buffer, Shape, host_buffer
from hetad.targets.communication import speaks_nccl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hetad.ir.nodes import Function, Program
    from hetad.rules.routines import Routine
    from hetad.run.arrays import ArrayParameter

COMPILE_OPTIONS = ("-std=c++17",)
_lock = forking.Lock()
INSTALL_CUPY = "pip install cupy-cuda13x (or cupy-cuda12x, for a driver of CUDA 12)"


# --- is there a GPU? -----------------------------------------------------------------------------


@functools.cache
def unusable_reason() -> str | None:
    """Why CUDA cannot be used here; None if it can.  Without a driver CuPy is not even imported."""
    try:
        driver = _driver()
    except OSError:
        return "there is no NVIDIA driver (libcuda.so.1 is not found)"
    count = ctypes.c_int(0)
    if code := driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return f"the NVIDIA driver finds no usable GPU (CUDA error {code})"
    if count.value == 0:
        return "the NVIDIA driver finds no GPU"
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed: {INSTALL_CUPY}"
    try:
        cupy = _cupy()
        if cupy.cuda.runtime.getDeviceCount() == 0:
            return "CuPy finds no GPU"
    except Exception as problem:  # noqa: BLE001 - a broken installation can raise anything
        return f"CuPy cannot be used: {problem}"
    return None


def usable() -> bool:
    """Whether the CUDA backend can be used."""
    return unusable_reason() is None


def require() -> None:
    """Raise BackendError if CUDA cannot be used."""
    if reason := unusable_reason():
        raise BackendError(f"the CUDA backend cannot be used: {reason}; backend='cpu' needs no GPU")


def device_description() -> str:
    """The current device, for people."""
    runtime = _cupy().cuda.runtime
    found = runtime.getDeviceProperties(runtime.getDevice())
    gigabytes = found["totalGlobalMem"] / 1e9
    return f"{found['name'].decode()}, compute capability {found['major']}.{found['minor']}, {gigabytes:.0f} GB"


def compiler_description() -> str:
    """NVRTC's version, after it has compiled something."""
    cupy = _cupy()
    code = 'extern "C" __global__ void hetad_doctor(int *x) { *x = 1; }'
    cupy.RawModule(code=code, options=COMPILE_OPTIONS).get_function("hetad_doctor").compile()
    major, minor = cupy.cuda.nvrtc.getVersion()
    return f"{major}.{minor}"


def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def library_description(name: cuda_routines.Name) -> str | None:
    """Where the library of NVIDIA's is that programs call here; None if hetad's own kernels stand for it."""
    _bring_in_libraries()
    return cuda_routines.description(name)


def library_calls() -> int:
    """How often routines of cuBLAS and cuFFT have been called in this process."""
    calls: int = _table().library_calls()
    return calls


def _bring_in_libraries() -> None:
    """Load cuBLAS and cuFFT as CuPy does, if it can: what its modules need comes with them."""
    with contextlib.suppress(Exception):
        import cupy_backends.cuda.libs.cublas  # noqa: F401
    with contextlib.suppress(Exception):
        import cupy.cuda.cufft  # noqa: F401


def _cupy() -> Any:
    import cupy

    return cupy


# --- arrays --------------------------------------------------------------------------------------


def view(value: Any) -> Any:
    """Another library's array in GPU memory as one of CuPy's, ready in the order of CuPy's current stream."""
    cupy = _cupy()
    if not hasattr(value, "__dlpack__"):
        return cupy.asarray(value)
    try:
        return cupy.from_dlpack(value)
    except (BufferError, ValueError):  # CuPy may refuse what is marked as read-only
        if not hasattr(value, "__cuda_array_interface__"):
            raise
        return cupy.asarray(value)


def at(address: int, shape: Shape, dtype: np.dtype[Any], device: int) -> Any:
    """Memory of somebody else on a device as a CuPy array; its owner keeps it as long as it is used."""
    cupy = _cupy()
    size = int(np.prod(shape)) * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(address, size, None, device)
    return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))


class OnDevice:
    """CuPy's arrays, on its current device and stream."""

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any]) -> Any:
        return _cupy().zeros(shape, dtype)

    @staticmethod
    def copy(array: Any) -> Any:
        return _cupy().array(array, order="C")

    @staticmethod
    def on(stream: int, device: int) -> contextlib.AbstractContextManager[Any]:
        """The context in which both are current."""
        cuda = _cupy().cuda
        context = contextlib.ExitStack()
        context.enter_context(cuda.Device(device))
        context.enter_context(cuda.ExternalStream(stream))
        return context


class CudaMemory:
    """CuPy arrays as they are; NumPy arrays for device pointers through a copy, on CuPy's current stream."""

    def __init__(self) -> None:
        self._cp = _cupy()

    def place(self, array: Any, parameter: ArrayParameter) -> Buffer:
        if not isinstance(array, np.ndarray):
            self._check_device(array, parameter)
            address = array.data.ptr
            return Buffer(array, address, array.nbytes, address)
        if parameter.space != "device":
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
        if parameter.space != "device":
            return host_buffer(np.zeros(shape, like.dtype))
        buffer = self._staged(np.empty(shape, like.dtype), parameter)
        if buffer.nbytes:
            buffer.staged.memset_async(0, buffer.nbytes, self._cp.cuda.get_current_stream())
        return buffer

    def duplicate(self, array: Any, like: Any, parameter: ArrayParameter) -> Buffer:
        if isinstance(like, np.ndarray) and parameter.space != "device":
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


# --- programs ------------------------------------------------------------------------------------


class _Module(ctypes.Structure):
    """`struct module` of cuda_table.c."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("functions", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("granted", ctypes.c_void_p),
        ("sizes", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("routines", ctypes.c_void_p),
    )


class _Table:
    """The runtime table (cuda_table.c), compiled, loaded and connected to the driver once in a process."""

    def __init__(self) -> None:
        code = library(table_source(), libraries=())
        _bring_in_libraries()
        self._driver = _driver()
        self._callbacks = connect(code, self._driver, self._release)
        self.library_calls = code.function("hetad_cuda_library_calls", ctypes.c_ulonglong)
        self.prepare = code.function("hetad_cuda_prepare", ctypes.c_int, ctypes.c_int)
        self.enter = code.function("hetad_cuda_enter", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
        self.leave = code.function("hetad_cuda_leave", ctypes.c_int, ctypes.c_int)
        self.message = code.function("hetad_cuda_message", ctypes.c_char_p)
        self.runtime: int = code.function("hetad_cuda_runtime", ctypes.c_void_p)()
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        self.recorder = code.function("hetad_cuda_recorder", pointer, *[integer] * 3, *[pointer] * 2, integer)
        self.record = code.function("hetad_cuda_record", integer, pointer)
        self.replays = code.function("hetad_cuda_replays", ctypes.c_ulonglong, pointer)
        self.forget = code.function("hetad_cuda_forget", None, pointer)
        self.recording_runtime: int = code.function("hetad_cuda_recording_runtime", pointer)()

    @staticmethod
    def _release() -> None:
        """Called by C when an allocation fails: memory that CuPy only keeps for later goes back to the device."""
        _cupy().get_default_memory_pool().free_all_blocks()


def table_source() -> str:
    """cuda_table.c and cuda_graph.c, with what they include."""
    own = files("hetad.run")
    text = "".join(own.joinpath(name).read_text(encoding="utf-8") for name in ("cuda_table.c", "cuda_graph.c"))
    support = files("hetad.emit").joinpath("support")
    headers = [(own, name) for name in ("cuda_driver.h", "cuda_pieces.h", "cuda_routines.h")]
    for folder, header in (*headers, (support, "runtime.h")):
        text = text.replace(f'#include "{header}"', folder.joinpath(header).read_text(encoding="utf-8"))
    return text


def connect(code: Library, driver: ctypes.CDLL, release: Any) -> tuple[Any, ...]:
    """Give the table the driver's functions; what is returned must be kept as long as the table is used."""

    def find(name: bytes) -> int:
        try:
            function = getattr(driver, name.decode())
        except AttributeError:
            return 0
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    finder = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(find)
    releaser = ctypes.CFUNCTYPE(None)(release)
    missing = code.function("hetad_cuda_connect", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)(
        ctypes.cast(finder, ctypes.c_void_p), ctypes.cast(releaser, ctypes.c_void_p)
    )
    if missing:
        raise BackendError(f"the NVIDIA driver is too old: it has no {missing.decode()}")
    of_library = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(lambda name: cuda_routines.address(name.decode()))
    code.function("hetad_cuda_connect_libraries", None, ctypes.c_void_p)(ctypes.cast(of_library, ctypes.c_void_p))
    return finder, releaser, of_library


@functools.cache
def _table() -> _Table:
    return _Table()


class CudaExecutable(Executable):
    """A function compiled for CUDA.  Kernels are loaded on a device when it is first used there."""

    streams = True

    def __init__(
        self,
        entry: Function,
        code: Library,
        kernels: tuple[str, ...],
        device_source: str,
        symbols: tuple[str, ...] = (),
        sizes: tuple[tuple[int, ...], ...] = (),
        routines: tuple[Routine | None, ...] = (),
    ) -> None:
        """`sizes`: of the parameters of each kernel, where the executable records.  `routines`: of libraries, which are
        called in the place of kernels."""
        super().__init__(entry, code)
        self.memory = CudaMemory()
        self._cp = _cupy()
        self._kernels = kernels
        self._module = (
            self._cp.RawModule(code=device_source, options=(*COMPILE_OPTIONS, *cuda_options()))
            if kernels or symbols
            else None
        )
        self._symbols = symbols
        self._addresses: dict[int, list[int]] = {}
        self._set_symbol = code.function("hetad_set_symbol", None, ctypes.c_int, ctypes.c_void_p) if symbols else None
        self._source = device_source
        self._loaded: dict[int, tuple[Any, ...]] = {}
        self._sizes = sizes
        self._routines = routines
        self._table = _table()
        self._runtime = self._table.runtime
        self._wait = int(os.environ.get("HETAD_CUDA_SYNC", "") not in {"", "0"})

    @contextlib.contextmanager
    def on(self, stream: Any = None, device: int | None = None) -> Iterator[None]:
        """Work in the order of `stream`: a CuPy stream, the address of a CUDA stream, None for the current one."""
        if stream is None:
            yield
            return
        cuda = self._cp.cuda
        ours = stream if isinstance(stream, cuda.Stream | cuda.ExternalStream) else cuda.ExternalStream(int(stream))
        with cuda.Device(device) if device is not None else contextlib.nullcontext(), ours:
            yield

    def run(self, progress: bool = False) -> Any:
        table = self._table
        device: int = self._cp.cuda.runtime.getDevice()
        loaded = self._loaded.get(device) or self._load(device)
        if self._set_symbol is not None:  # the library may serve several devices
            for number, address in enumerate(self._addresses[device]):
                self._set_symbol(number, address)
        code = table.enter(loaded[0], device, self._cp.cuda.get_current_stream().ptr) or self._begin(device)
        try:
            failed = code or self._enter(self._runtime, progress)
        finally:
            code = table.leave(self._wait)
        if failed or code:
            raise ExecutionError(self._explain(bool(failed)))
        return self._returned()

    def _begin(self, device: int) -> int:
        """What else there is to do before a call; an error code."""
        return 0

    def _explain(self, stopped: bool) -> str:
        cuda = (self._table.message() or b"").decode("utf-8", "replace")
        host = self._failure() if stopped else ""
        return "\n  ".join(part for part in (host, cuda) if part) or "a CUDA call failed"

    def _load(self, device: int) -> tuple[Any, ...]:
        """Compile the kernels for a device and load them there; the C structure that `enter` takes, kept alive."""
        with _lock:
            self._cp.cuda.runtime.free(0)  # makes the device's primary context, and makes it current
            if code := self._table.prepare(device):
                raise BackendError(f"CUDA device {device} cannot be used (CUDA error {code})")
            count = len(self._kernels)
            names = (ctypes.c_char_p * count)(*(name.encode() for name in self._kernels))
            functions = [self._function(name) for name in self._kernels]
            handles = (ctypes.c_void_p * count)(*(f.ptr for f in functions))
            granted = (ctypes.c_size_t * count)()
            self._addresses[device] = [self._variable(name) for name in self._symbols]
            sizes = (ctypes.c_size_t * sum(map(len, self._sizes)))(*(size for of in self._sizes for size in of))
            ends = accumulate(map(len, self._sizes), initial=0)
            first = (ctypes.c_int * (len(self._sizes) + 1))(*ends)
            routines = cuda_routines.routines(self._routines or [None] * count)
            arrays = (handles, names, granted, sizes, first, routines)
            module = _Module(count, *(ctypes.addressof(a) for a in arrays))
            self._loaded[device] = ctypes.addressof(module), module, *arrays, functions
        return self._loaded[device]

    def _function(self, name: str) -> Any:
        return self._from_module(lambda module: module.get_function(name).kernel)

    def _variable(self, name: str) -> int:
        """Where a device variable lies on the current device."""
        return int(self._from_module(lambda module: module.get_global(name).ptr))

    def _from_module(self, find: Callable[[Any], Any]) -> Any:
        assert self._module is not None
        try:
            return find(self._module)
        except self._cp.cuda.compiler.CompileException as problem:
            file = cache.write_text(f"{cache.key(self._source)}.cu", self._source)
            raise BackendError(
                f"NVRTC failed on code that hetad generated:\n{problem}\n  the source is kept in {file}"
            ) from problem


def cuda_options() -> tuple[str, ...]:
    """Further options for NVRTC, from $HETAD_CUDA_OPTIONS."""
    return tuple(os.environ.get("HETAD_CUDA_OPTIONS", "").split())


def build(program: Program, entry: str, graph: bool = False) -> CudaExecutable:
    """Compile `program` for a call of its function `entry` on the current device; `graph`: it runs as CUDA graphs.

    Raises:
        BackendError: no GPU or no C compiler, or a compiler fails.
    """
    require()
    kernels = targets.kernels(program)
    source = targets.host_source(program, entry, kernels)
    if speaks_nccl(code_words(source)):
        raise BackendError(
            "programs that call NCCL run on GPUs as the emitted .cu (g.source, linked with -lnccl), and here with "
            "backend='cpu', where MPI stands for NCCL"
        )
    code = library(source)
    if graph:
        from hetad.run.cuda_graph import GraphExecutable

        return GraphExecutable(program, entry, code, kernels)
    return CudaExecutable(
        program.functions[entry], code, kernels, targets.device_source(program), targets.symbols(program),
        routines=targets.kernel_routines(program),
    )  # fmt: skip
