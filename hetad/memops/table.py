"""The memory and runtime operations hetad knows, one row each: what it does and how it is reversed.

A row names the roles of the call's arguments; everything else (effects, saving, the adjoint) follows from its
`action`.  `None` as an action marks an inert call: it is repeated in the forward sweep and has no adjoint.
"""

from __future__ import annotations

from hetad.ir.types import (
    BLAS_HANDLE,
    CUDA_ERROR,
    DEVICE_PROPERTIES,
    EVENT,
    FLOAT,
    INT,
    SIZE_T,
    STREAM,
    STRING,
    VOID,
    Pointer,
)
from hetad.memops.communication import ROWS as COMMUNICATION
from hetad.memops.library import LIBRARY
from hetad.memops.nccl import ROWS as NCCL
from hetad.memops.operation import MemoryOperation

_VOID_POINTER = Pointer(VOID)
_E = CUDA_ERROR
_STDLIB, _STRING = "stdlib.h", "string.h"

HOST_TABLE = "hetad_table"  # stands for cudaMalloc, of memory that holds pointers: the host has it
# What stands for functions of CUDA in a program on several devices: see `emit/support/devices.c`.
SET_DEVICE, WAIT_FOR_DEVICES = "hetad_set_device", "hetad_wait_for_devices"
PEERS = ENABLE_PEER, DISABLE_PEER = "hetad_enable_peer", "hetad_disable_peer"

TABLE: dict[str, MemoryOperation] = {
    row.name: row
    for row in (
        MemoryOperation("cudaMalloc", "allocate", _E, ("out", "bytes"), "device"),
        MemoryOperation("cudaMallocManaged", "allocate", _E, ("out", "bytes", "flags"), "managed", defaults=1),
        MemoryOperation(HOST_TABLE, "allocate", _E, ("out", "bytes"), zeroed=True, of_table=True),
        MemoryOperation("cudaGetSymbolAddress", "symbol", _E, ("out", "symbol"), "device"),
        MemoryOperation("cudaFree", "free", _E, ("pointer",), "device"),
        MemoryOperation("cudaMemcpy", "copy", _E, ("dst", "src", "bytes", "kind"), "device"),
        MemoryOperation("cudaMemset", "fill", _E, ("dst", "value", "bytes"), "device"),
        MemoryOperation(
            "cudaMallocAsync", "allocate", _E, ("out", "bytes", "stream"), "device", defaults=1, alone="cudaMalloc"
        ),
        MemoryOperation("cudaFreeAsync", "free", _E, ("pointer", "stream"), "device", defaults=1, alone="cudaFree"),
        MemoryOperation(
            "cudaMemcpyAsync",
            "copy",
            _E,
            ("dst", "src", "bytes", "kind", "stream"),
            "device",
            defaults=1,
            alone="cudaMemcpy",
        ),
        MemoryOperation(
            "cudaMemsetAsync",
            "fill",
            _E,
            ("dst", "value", "bytes", "stream"),
            "device",
            defaults=1,
            alone="cudaMemset",
        ),
        MemoryOperation(
            "cudaMemcpyPeer", "copy", _E, ("dst", "other", "src", "other", "bytes"), "device", alone="cudaMemcpy"
        ),
        MemoryOperation(
            "cudaMemcpyPeerAsync",
            "copy",
            _E,
            ("dst", "other", "src", "other", "bytes", "stream"),
            "device",
            defaults=1,
            alone="cudaMemcpy",
        ),
        MemoryOperation(
            "cudaMallocPitch", "allocate", _E, ("out", "store", "bytes", "height"), "device", stores=SIZE_T
        ),
        MemoryOperation(
            "cudaMemcpy2D", "copy", _E, ("dst", "to_pitch", "src", "from_pitch", "bytes", "height", "kind"), "device"
        ),
        MemoryOperation(
            "cudaMemcpy2DAsync",
            "copy",
            _E,
            ("dst", "to_pitch", "src", "from_pitch", "bytes", "height", "kind", "stream"),
            "device",
            defaults=1,
            alone="cudaMemcpy2D",
        ),
        MemoryOperation("cudaMemset2D", "fill", _E, ("dst", "to_pitch", "value", "bytes", "height"), "device"),
        MemoryOperation(
            "cudaMemset2DAsync",
            "fill",
            _E,
            ("dst", "to_pitch", "value", "bytes", "height", "stream"),
            "device",
            defaults=1,
            alone="cudaMemset2D",
        ),
        MemoryOperation("cudaMallocHost", "allocate", _E, ("out", "bytes", "flags"), defaults=1),
        MemoryOperation("cudaHostAlloc", "allocate", _E, ("out", "bytes", "flags")),
        MemoryOperation("cudaFreeHost", "free", _E, ("pointer",)),
        MemoryOperation("cudaHostRegister", "inert", _E, ("other", "bytes", "flags"), alone=""),
        MemoryOperation("cudaHostUnregister", "inert", _E, ("other",), alone=""),
        MemoryOperation("malloc", "allocate", _VOID_POINTER, ("bytes",), header=_STDLIB, c_name="hetad_own_malloc"),
        MemoryOperation(
            "aligned_alloc", "allocate", _VOID_POINTER, ("other", "bytes"), header=_STDLIB, c_name="hetad_own_aligned"
        ),
        MemoryOperation(
            "calloc",
            "allocate",
            _VOID_POINTER,
            ("count", "size"),
            zeroed=True,
            header=_STDLIB,
            c_name="hetad_own_calloc",
        ),
        MemoryOperation(
            "realloc", "allocate", _VOID_POINTER, ("pointer", "bytes"), header=_STDLIB, c_name="hetad_own_realloc"
        ),
        MemoryOperation("free", "free", VOID, ("pointer",), header=_STDLIB, c_name="hetad_own_free"),
        MemoryOperation("memcpy", "copy", _VOID_POINTER, ("dst", "src", "bytes"), within=0, same=True, header=_STRING),
        MemoryOperation(
            "memmove", "copy", _VOID_POINTER, ("dst", "src", "bytes"), overlap=True, within=0, same=True, header=_STRING
        ),
        MemoryOperation(
            "memset", "fill", _VOID_POINTER, ("dst", "value", "bytes"), within=0, same=True, header=_STRING
        ),
        MemoryOperation("cudaDeviceSynchronize", "inert", _E),
        MemoryOperation("cudaGetLastError", "inert", _E),
        MemoryOperation("cudaPeekAtLastError", "inert", _E),
        MemoryOperation("cudaGetErrorString", "inert", STRING, ("other",)),
        MemoryOperation("cudaGetErrorName", "inert", STRING, ("other",)),
        MemoryOperation("cudaThreadSynchronize", "inert", _E, alone="cudaDeviceSynchronize"),
        MemoryOperation("cudaDeviceReset", "inert", _E, alone=""),
        MemoryOperation("cudaSetDevice", "inert", _E, ("value",), alone=SET_DEVICE, switches=True),
        MemoryOperation(WAIT_FOR_DEVICES, "inert", _E),
        MemoryOperation(SET_DEVICE, "inert", _E, ("value",), switches=True),
        MemoryOperation("cudaGetDevice", "inert", _E, ("store",), stores=INT),
        MemoryOperation("cudaGetDeviceCount", "inert", _E, ("store",), stores=INT),
        MemoryOperation("cudaMemGetInfo", "inert", _E, ("store", "store"), stores=SIZE_T, varies=True),
        MemoryOperation("cudaGetDeviceProperties", "inert", _E, ("store", "value"), stores=DEVICE_PROPERTIES),
        MemoryOperation("cudaDeviceGetAttribute", "inert", _E, ("store", "attribute", "value"), stores=INT),
        MemoryOperation("cudaRuntimeGetVersion", "inert", _E, ("store",), stores=INT),
        MemoryOperation("cudaDriverGetVersion", "inert", _E, ("store",), stores=INT),
        MemoryOperation("cudaDeviceGetStreamPriorityRange", "inert", _E, ("store", "store"), stores=INT),
        MemoryOperation("cudaDeviceCanAccessPeer", "inert", _E, ("store", "value", "value"), stores=INT),
        MemoryOperation(
            "cudaDeviceEnablePeerAccess", "inert", _E, ("value", "flags"), alone=ENABLE_PEER, switches=True
        ),
        MemoryOperation(ENABLE_PEER, "inert", _E, ("value", "flags"), switches=True),
        MemoryOperation("cudaDeviceDisablePeerAccess", "inert", _E, ("value",), alone=DISABLE_PEER, switches=True),
        MemoryOperation(DISABLE_PEER, "inert", _E, ("value",), switches=True),
        MemoryOperation("cudaDeviceSetCacheConfig", "inert", _E, ("value",), alone=""),
        MemoryOperation("cudaDeviceSetLimit", "inert", _E, ("value", "bytes"), alone=""),
        MemoryOperation("cudaSetDeviceFlags", "inert", _E, ("flags",), alone=""),
        MemoryOperation("cudaThreadExit", "inert", _E, alone=""),
        MemoryOperation(
            "cudaMemPrefetchAsync", "inert", _E, ("other", "bytes", "value", "stream"), defaults=1, alone=""
        ),
        MemoryOperation("cudaMemAdvise", "inert", _E, ("other", "bytes", "value", "value"), alone=""),
        MemoryOperation("cudaProfilerStart", "inert", _E, alone=""),
        MemoryOperation("cudaProfilerStop", "inert", _E, alone=""),
        MemoryOperation("cudaStreamCreate", "inert", _E, ("store",), stores=STREAM),
        MemoryOperation("cudaStreamCreateWithFlags", "inert", _E, ("store", "flags"), stores=STREAM),
        MemoryOperation("cudaStreamCreateWithPriority", "inert", _E, ("store", "flags", "value"), stores=STREAM),
        MemoryOperation("cudaStreamDestroy", "inert", _E, ("stream",)),
        MemoryOperation("cudaStreamSynchronize", "inert", _E, ("stream",)),
        MemoryOperation("cudaStreamQuery", "inert", _E, ("stream",), varies=True),
        MemoryOperation("cudaStreamWaitEvent", "inert", _E, ("stream", "event", "flags"), defaults=1, alone=""),
        MemoryOperation("cudaEventCreate", "inert", _E, ("store",), stores=EVENT),
        MemoryOperation("cudaEventCreateWithFlags", "inert", _E, ("store", "flags"), stores=EVENT),
        MemoryOperation("cudaEventRecord", "inert", _E, ("record", "stream"), defaults=1),
        MemoryOperation("cudaEventSynchronize", "inert", _E, ("record",)),
        MemoryOperation("cudaEventQuery", "inert", _E, ("event",), varies=True),
        MemoryOperation("cudaEventElapsedTime", "inert", _E, ("store", "event", "event"), stores=FLOAT, varies=True),
        MemoryOperation("cudaEventDestroy", "inert", _E, ("event",)),
        MemoryOperation("cublasCreate", "inert", INT, ("store",), stores=BLAS_HANDLE, alone="hetad_cublas"),
        MemoryOperation("hetad_cublas", "inert", INT, ("store",), stores=BLAS_HANDLE),
        MemoryOperation("cublasDestroy", "inert", INT, ("handle",), alone=""),
        MemoryOperation("cublasSetStream", "inert", INT, ("handle", "stream"), alone=""),
        MemoryOperation("cublasGetStream", "inert", INT, ("handle", "store"), stores=STREAM),
        MemoryOperation("cublasSetPointerMode", "inert", INT, ("handle", "value"), alone=""),
        MemoryOperation("cublasGetPointerMode", "inert", INT, ("handle", "store"), stores=INT),
        MemoryOperation("exit", "exit", VOID, ("value",), header=_STDLIB, c_name="hetad_exit"),
        MemoryOperation("abort", "exit", VOID, header=_STDLIB, c_name="hetad_abort"),
        *LIBRARY,
        *COMMUNICATION,
        *NCCL,
    )
}
