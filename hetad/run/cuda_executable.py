"""Functions compiled for CUDA: kernels through CuPy's RawModule, the host's code as C that launches through the driver.

Numbers: NVRTC contracts `a * b + c` to one fused operation, as nvcc does for the user's own build, and CuPy compiles
with `-ftz=true`, which flushes subnormal floats (not doubles) to zero.  Results therefore agree with the CPU backend,
which does neither, to rounding; `HETAD_CUDA_OPTIONS="--fmad=false"` gives up the speed of fused operations for closer
agreement.

Calls are asynchronous as CuPy's are: results are ordered on CuPy's current stream.  What goes wrong on the device
(an illegal address) is therefore reported when the program, or the copy of a result to a NumPy array, next waits for
it; with `HETAD_CUDA_SYNC=1` every call waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from hetad import targets
from hetad.diagnostics import BackendError, ExecutionError
from hetad.host.devices import uses_devices
from hetad.ir.texts import code_words
from hetad.run import cache, compile_log, cuda, cuda_routines, cuda_table, forking, mpi, nccl
from hetad.run.cuda_memory import CudaMemory
from hetad.run.cuda_table import Module
from hetad.run.executable import Executable, Library, library, starts_afresh
from hetad.targets.communication import speaks_nccl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hetad.ir.nodes import Function, Program
    from hetad.rules.routines import Routine

_lock = forking.lock()


class CudaExecutable(Executable):
    """A function compiled for CUDA.  Kernels are loaded on a device when it is first used there."""

    streams = True
    several = False  # whether it may use other devices than the current one

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
        self._cp = cuda.cupy_module()
        self._kernels = kernels
        self._module = (
            self._cp.RawModule(code=device_source, options=(*cuda.COMPILE_OPTIONS, *cuda_options()))
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
        self._table = cuda_table.table()
        self._runtime = self._table.runtime
        self._wait = int(os.environ.get("HETAD_CUDA_SYNC", "") not in {"", "0"})

    @contextlib.contextmanager
    def on(self, stream: Any = None, device: int | None = None) -> Iterator[None]:
        """Work in the order of `stream`: a CuPy stream, the address of a CUDA stream, None for the current one."""
        with self.lock:
            if stream is None:
                yield
                return
            of_cupy = self._cp.cuda
            ready = isinstance(stream, of_cupy.Stream | of_cupy.ExternalStream)
            ours = stream if ready else of_cupy.ExternalStream(int(stream))
            with of_cupy.Device(device) if device is not None else contextlib.nullcontext(), ours:
                yield

    def run(self, progress: bool = False) -> Any:
        table = self._table
        device: int = self._cp.cuda.runtime.getDevice()
        loaded = self._loaded.get(device) or self._load(device)
        if self._set_symbol is not None:  # the library may serve several devices
            for number, address in enumerate(self._addresses[device]):
                self._set_symbol(number, address)
        others = self._on_others(device) if self.several else []
        code = table.enter(loaded[0], device, self._cp.cuda.get_current_stream().ptr) or self._begin(device)
        for other, module in others:
            table.enter_other(module, other)
        try:
            failed = code or self._enter(self._runtime, progress)
        finally:
            code = table.leave(self._wait)
        if failed or code:
            raise ExecutionError(self._explain(bool(failed)))
        return self._returned()

    def _on_others(self, first: int) -> list[tuple[int, int]]:
        """The other devices there are, each with the C structure of what is loaded there."""
        found = []
        for device in range(self._cp.cuda.runtime.getDeviceCount()):
            if device != first:
                with self._cp.cuda.Device(device):
                    loaded = self._loaded.get(device) or self._load(device)
                found.append((device, loaded[0]))
        return found

    def _begin(self, device: int) -> int:
        """What else there is to do before a call; an error code."""
        return 0

    def _explain(self, stopped: bool) -> str:
        cuda = (self._table.message() or b"").decode("utf-8", "replace")
        host = self._failure() if stopped else ""
        return "\n  ".join(part for part in (host, self._placed(cuda)) if part) or "a CUDA call failed"

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
            module = Module(count, *(ctypes.addressof(a) for a in arrays))
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
            shown = [*compile_log.refused_lines(str(problem), self._source), f"the source is kept in {file}"]
            raise BackendError(
                "\n  ".join([f"NVRTC failed on code that hetad generated:\n{problem}", *shown])
            ) from problem


def cuda_options() -> tuple[str, ...]:
    """Further options for NVRTC, from $HETAD_CUDA_OPTIONS."""
    return tuple(os.environ.get("HETAD_CUDA_OPTIONS", "").split())


def build(program: Program, entry: str) -> CudaExecutable:
    """Compile `program` for a call of its function `entry` on the current device.

    Raises:
        BackendError: no GPU or no C compiler, or a compiler fails.
    """
    code, kernels = host_code(program, entry)
    made = CudaExecutable(
        program.functions[entry], code, kernels, targets.device_source(program), targets.symbols(program),
        routines=targets.kernel_routines(program),
    )  # fmt: skip
    made.several = on_several_devices(program)
    return made


def host_code(program: Program, entry: str) -> tuple[Library, tuple[str, ...]]:
    """The compiled code of the host, and the names of the kernels that it launches, in its order."""
    cuda.require()
    kernels = targets.kernels(program)
    return host_library(targets.host_source(program, entry, kernels), starts_afresh(program, entry)), kernels


def host_library(source: str, shared: bool) -> Library:
    """The compiled host code, which is given the functions of NCCL if it calls them; `shared` with all that have the
    same, where it keeps nothing between calls.

    Raises:
        BackendError: a compiler fails, or there is no NCCL.
    """
    functions = nccl.functions() if speaks_nccl(code_words(source)) else None
    code = library(source, shared=shared)
    if functions is not None:
        code.function("hetad_use_nccl", None, ctypes.c_void_p)(ctypes.addressof(functions))
    if keeps_to_host := code.optional("hetad_mpi_keeps_to_host", None, ctypes.c_int):
        keeps_to_host(not mpi.may_reach_gpus())
    return code


def on_several_devices(program: Program) -> bool:
    """Whether a program may use other devices than the current one."""
    return any(uses_devices(f.body) for f in program.functions.values())
