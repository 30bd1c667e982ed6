"""NCCL of this machine, which programs on GPUs call through pointers to its functions (emit/support/nccl_on_gpus.c)."""

from __future__ import annotations

import contextlib
import ctypes
import functools

from hetad.diagnostics import BackendError
from hetad.run.cuda_routines import candidates

# In the order of `struct hetad_nccl_functions`.
NAMES = (
    "GetErrorString", "GetUniqueId", "CommInitRank", "CommInitAll", "CommDestroy", "CommCount", "CommUserRank",
    "CommCuDevice", "AllReduce", "Broadcast", "Bcast", "Reduce", "AllGather", "ReduceScatter", "Send", "Recv",
    "GroupStart", "GroupEnd",
)  # fmt: skip
HOW_TO_GET_IT = "`pip install nvidia-nccl-cu13` brings it, or nvidia-nccl-cu12, as PyTorch does"


@functools.cache
def find() -> ctypes.CDLL | None:
    """NCCL, if it can be loaded: the one that this process has loaded, as PyTorch does, a package's, the system's."""
    for path in candidates("nccl"):
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(path)
            if all(hasattr(library, f"nccl{name}") for name in NAMES):
                return library
    return None


@functools.cache
def functions() -> ctypes.Array[ctypes.c_void_p]:
    """Where NCCL's functions are; kept as long as this process runs.

    Raises:
        BackendError: there is no NCCL.
    """
    library = find()
    if library is None:
        problem = "the program calls NCCL, and there is no libnccl.so.2"
        raise BackendError(f"{problem}: {HOW_TO_GET_IT}; with backend='cpu' MPI stands for it")
    return (ctypes.c_void_p * len(NAMES))(
        *(ctypes.cast(getattr(library, f"nccl{name}"), ctypes.c_void_p).value for name in NAMES)
    )
