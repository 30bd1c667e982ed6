"""Is there a GPU?  The driver, CuPy and NVIDIA's libraries, as this process finds them.

The one module that imports CuPy.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
from typing import Any

from hetad.diagnostics import BackendError
from hetad.run import cuda_routines

COMPILE_OPTIONS = ("-std=c++17",)
INSTALL_CUPY = "pip install cupy-cuda13x (or cupy-cuda12x, for a driver of CUDA 12)"


@functools.cache
def unusable_reason() -> str | None:
    """Why CUDA cannot be used here; None if it can.  Without a driver CuPy is not even imported."""
    try:
        found = driver()
    except OSError:
        return "there is no NVIDIA driver (libcuda.so.1 is not found)"
    count = ctypes.c_int(0)
    if code := found.cuInit(0) or found.cuDeviceGetCount(ctypes.byref(count)):
        return f"the NVIDIA driver finds no usable GPU (CUDA error {code})"
    if count.value == 0:
        return "the NVIDIA driver finds no GPU"
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed: {INSTALL_CUPY}"
    try:
        cp = cupy_module()
        if cp.cuda.runtime.getDeviceCount() == 0:
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
    runtime = cupy_module().cuda.runtime
    found = runtime.getDeviceProperties(runtime.getDevice())
    gigabytes = found["totalGlobalMem"] / 1e9
    return f"{found['name'].decode()}, compute capability {found['major']}.{found['minor']}, {gigabytes:.0f} GB"


def compiler_description() -> str:
    """NVRTC's version, after it has compiled something."""
    cp = cupy_module()
    code = 'extern "C" __global__ void hetad_doctor(int *x) { *x = 1; }'
    cp.RawModule(code=code, options=COMPILE_OPTIONS).get_function("hetad_doctor").compile()
    major, minor = cp.cuda.nvrtc.getVersion()
    return f"{major}.{minor}"


def driver() -> ctypes.CDLL:
    """Raises OSError where there is none."""
    return ctypes.CDLL("libcuda.so.1")


def library_description(name: cuda_routines.Name) -> str | None:
    """Where the library of NVIDIA's is that programs call here; None if hetad's own kernels stand for it."""
    bring_in_libraries()
    return cuda_routines.description(name)


def bring_in_libraries() -> None:
    """Load cuBLAS and cuFFT as CuPy does, if it can: what its modules need comes with them."""
    with contextlib.suppress(Exception):
        import cupy_backends.cuda.libs.cublas  # noqa: F401
    with contextlib.suppress(Exception):
        import cupy.cuda.cufft  # noqa: F401


def cupy_module() -> Any:
    """CuPy, imported when it is first used."""
    import cupy

    return cupy
