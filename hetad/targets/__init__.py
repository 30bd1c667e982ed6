"""Programs as text: CUDA C++ for nvcc and NVRTC, C for the host and for kernels on the CPU."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetad.targets.cpu.file import cpu_kernels, cpu_source, host_source
    from hetad.targets.cpu.passes import CpuOptions
    from hetad.targets.cuda.file import (
        cuda_file,
        device_source,
        kernel_routines,
        kernels,
        located_functions,
        parameter_sizes,
        symbols,
    )

__all__ = [
    "CpuOptions", "cpu_kernels", "cpu_source", "cuda_file", "device_source", "host_source", "kernel_routines",
    "kernels", "located_functions", "parameter_sizes", "symbols",
]  # fmt: skip

_HOME = {"CpuOptions": "cpu.passes", **dict.fromkeys(("cpu_kernels", "cpu_source", "host_source"), "cpu.file")}


def __getattr__(name: str) -> Any:
    """A target is loaded when it is first used: a program whose code is in the cache needs none."""
    if name not in __all__:
        raise AttributeError(f"module 'hetad.targets' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"hetad.targets.{_HOME.get(name, 'cuda.file')}"), name)
    return value
