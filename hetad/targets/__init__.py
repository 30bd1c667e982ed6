"""Programs as text: CUDA C++ for nvcc and NVRTC, C for the host and for kernels on the CPU."""

from __future__ import annotations

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
