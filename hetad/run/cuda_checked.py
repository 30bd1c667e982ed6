"""Checked programs on a GPU (emit/support/device_extents.c): kernels tell which access leaves its memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from hetad import targets
from hetad.diagnostics import BackendError
from hetad.run import cuda
from hetad.run.checked import Checked
from hetad.run.cuda_executable import CudaExecutable, host_library, on_several_devices
from hetad.run.executable import starts_afresh
from hetad.targets.accesses import NumberedAccesses

if TYPE_CHECKING:
    from hetad.ir.nodes import Program
    from hetad.run.executable import Library


class CheckedCudaExecutable(Checked, CudaExecutable):
    """A function all of whose accesses are checked, those of libraries too: hetad's own kernels stand for these."""

    def __init__(
        self, program: Program, entry: str, code: Library, kernels: tuple[str, ...], device_source: str
    ) -> None:
        self._program = program
        super().__init__(program.functions[entry], code, kernels, device_source, targets.symbols(program))
        self._checks: dict[int, int] = {}

    def bind(self, code: Library) -> None:
        super().bind(code)
        self._use_checks = code.function("hetad_use_checks", None, ctypes.c_void_p)

    def run(self, progress: bool = False) -> Any:
        device: int = self._cp.cuda.runtime.getDevice()
        if self._kernels:
            if device not in self._checks:
                self._load(device)
                self._checks[device] = self._variable("hetad_checks")
            self._use_checks(self._checks[device])
        return super().run(progress)


def build(program: Program, entry: str) -> CheckedCudaExecutable:
    """Compile `program` for calls of `entry` on the current device in which every access is checked.

    Raises:
        BackendError: no GPU or no C compiler, or a compiler fails.
    """
    cuda.require()
    if on_several_devices(program):
        raise BackendError("on GPUs a checked program uses one device; with backend='cpu' it may use several")
    accesses, kernels = NumberedAccesses(), targets.kernels(program)
    device_source = targets.device_source(program, accesses)
    source = targets.host_source(program, entry, kernels, accesses)
    code = host_library(source, shared=starts_afresh(program, entry))
    return CheckedCudaExecutable(program, entry, code, kernels, device_source)
