"""Runs CUDA sources on the CPU in each of its modes; shared by the tests of threads that wait for each other."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from hetad import frontend, targets
from hetad.ir import nodes as ir
from hetad.run import compiler, process

Change = Callable[[ir.Program], ir.Program]
MODES: dict[str, tuple[targets.CpuOptions, dict[str, str]]] = {
    "regions": (targets.CpuOptions(), {}),
    "parallel": (targets.CpuOptions(parallel=True), {}),
    "fibers": (targets.CpuOptions(fibers=True), {}),
    "seeded fibers": (targets.CpuOptions(fibers=True), {"HETAD_CPU_SEED": "7"}),
}


class Compiled:
    """A function of a CUDA source, compiled in one mode.  A call returns the code of `hetad_call`."""

    def __init__(self, source: str, entry: str, mode: str = "regions", change: Change = lambda p: p) -> None:
        options, self.environment = MODES[mode]
        program = change(frontend.load(source, "x.cu").reach(entry))
        text = targets.cpu_source(program, entry, options)
        libraries = ("m", "pthread") if options.parallel else ("m",)
        self.code = ctypes.CDLL(str(compiler.shared_library(text, libraries=libraries)))
        process.connect(self.code)
        self.code.hetad_cpu_runtime.restype = ctypes.c_void_p
        self.code.hetad_message.restype = ctypes.c_char_p
        if options.parallel:
            self.code.hetad_cpu_threads(3)

    def __call__(self, *args: Any) -> int:
        values: list[Any] = []
        for a in args:
            match a:
                case np.ndarray():
                    values.append(ctypes.c_void_p(a.ctypes.data))
                case int():
                    values.append(ctypes.c_int(a))
                case float():
                    values.append(ctypes.c_double(a))
        addresses = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(v) for v in values])
        with mock.patch.dict(os.environ, self.environment):
            code: int = self.code.hetad_call(ctypes.c_void_p(self.code.hetad_cpu_runtime()), addresses, None)
        return code

    @property
    def message(self) -> str:
        text: bytes = self.code.hetad_message()
        return text.decode()
