"""The types, constants and functions that CUDA programs have without declaring them."""

from __future__ import annotations

from hetad.ir.types import (
    BFLOAT16,
    BLAS_HANDLE,
    CHAR,
    COMMUNICATOR,
    CUDA_ERROR,
    DATATYPE,
    DEVICE_ATTRIBUTE,
    DEVICE_PROPERTIES,
    DIM3,
    DOUBLE,
    EVENT,
    FILE,
    FLOAT,
    HALF,
    INT,
    LLONG,
    LONG,
    MEMCPY_KIND,
    MESSAGE_STATUS,
    MPI_ADDRESS,
    MPI_INFO,
    NCCL_COMMUNICATOR,
    NCCL_NUMBER,
    NCCL_REDUCTION,
    NCCL_RESULT,
    NCCL_UNIQUE_ID,
    OPTION,
    REDUCTION,
    REQUEST,
    SHORT,
    SIZE_T,
    STREAM,
    TIME,
    TIMESPEC,
    TIMEVAL,
    TIMEZONE,
    UCHAR,
    UINT,
    ULLONG,
    ULONG,
    USHORT,
    Field,
    Int,
    Pointer,
    Struct,
    Type,
    size_of,
)
from hetad.memops import communication, nccl

# Accesses that say what caches do.
LOADS = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
STORES = ("__stwb", "__stcg", "__stcs", "__stwt")


def _alignment(element: Type, count: int) -> int:
    """Vectors of two and four lie at multiples of their size, up to 16 bytes."""
    return min(size_of(element) * count, 16) if count in (2, 4) else 1


def _vectors() -> dict[str, Struct]:
    elements: dict[str, Type] = {
        "char": CHAR, "uchar": UCHAR, "short": SHORT, "ushort": USHORT, "int": INT, "uint": UINT, "long": LONG,
        "ulong": ULONG, "longlong": LLONG, "ulonglong": ULLONG, "float": FLOAT, "double": DOUBLE,
    }  # fmt: skip
    return {
        f"{name}{n}": Struct(f"{name}{n}", tuple(Field(axis, element) for axis in "xyzw"[:n]), _alignment(element, n))
        for name, element in elements.items()
        for n in (1, 2, 3, 4)
    }


VECTORS = _vectors()

TYPES: dict[str, Type] = {
    "size_t": SIZE_T,
    "ssize_t": Int(64, True, "ssize_t"),
    "ptrdiff_t": Int(64, True, "ptrdiff_t"),
    "intptr_t": Int(64, True, "intptr_t"),
    "uintptr_t": Int(64, False, "uintptr_t"),
    "uint": UINT,
    "ushort": USHORT,
    "ulong": ULONG,
    "clock_t": Int(64, True, "long"),
    "time_t": Int(64, True, "long"),
    "cudaError_t": CUDA_ERROR,
    "cudaError": CUDA_ERROR,
    "cudaMemcpyKind": MEMCPY_KIND,
    "cudaStream_t": STREAM,
    "cudaEvent_t": EVENT,
    "cublasHandle_t": BLAS_HANDLE,
    "FILE": FILE,
    "cudaDeviceProp": DEVICE_PROPERTIES,
    "cudaDeviceAttr": DEVICE_ATTRIBUTE,
    "option": OPTION,
    "timeval": TIMEVAL,
    "timezone": TIMEZONE,
    "timespec": TIMESPEC,
    "tm": TIME,
    "intmax_t": Int(64, True, "intmax_t"),
    "uintmax_t": Int(64, False, "uintmax_t"),
    "clockid_t": INT,
    "dim3": DIM3,
    "MPI_Aint": MPI_ADDRESS,
    "MPI_Comm": COMMUNICATOR,
    "MPI_Datatype": DATATYPE,
    "MPI_Info": MPI_INFO,
    "MPI_Op": REDUCTION,
    "MPI_Request": REQUEST,
    "MPI_Status": MESSAGE_STATUS,
    "ncclComm_t": NCCL_COMMUNICATOR,
    "ncclResult_t": NCCL_RESULT,
    "ncclDataType_t": NCCL_NUMBER,
    "ncclRedOp_t": NCCL_REDUCTION,
    "ncclUniqueId": NCCL_UNIQUE_ID,
    "__half": HALF,
    "__nv_bfloat16": BFLOAT16,
    **VECTORS,
}
for _bits in (8, 16, 32, 64):
    TYPES[f"int{_bits}_t"] = Int(_bits, True, f"int{_bits}_t")
    TYPES[f"uint{_bits}_t"] = Int(_bits, False, f"uint{_bits}_t")

CONSTANTS: dict[str, tuple[int, Type]] = {
    "cudaSuccess": (0, CUDA_ERROR),
    "cudaErrorInvalidValue": (1, CUDA_ERROR),
    "cudaErrorMemoryAllocation": (2, CUDA_ERROR),
    "cudaErrorInvalidConfiguration": (9, CUDA_ERROR),
    "cudaErrorInvalidDevice": (101, CUDA_ERROR),
    "cudaErrorPeerAccessUnsupported": (217, CUDA_ERROR),
    "cudaErrorNotReady": (600, CUDA_ERROR),
    "cudaErrorIllegalAddress": (700, CUDA_ERROR),
    "cudaErrorPeerAccessAlreadyEnabled": (704, CUDA_ERROR),
    "cudaErrorPeerAccessNotEnabled": (705, CUDA_ERROR),
    "cudaMemcpyHostToHost": (0, MEMCPY_KIND),
    "cudaMemcpyHostToDevice": (1, MEMCPY_KIND),
    "cudaMemcpyDeviceToHost": (2, MEMCPY_KIND),
    "cudaMemcpyDeviceToDevice": (3, MEMCPY_KIND),
    "cudaMemcpyDefault": (4, MEMCPY_KIND),
    "cudaStreamDefault": (0, UINT),
    "cudaStreamNonBlocking": (1, UINT),
    "cudaStreamLegacy": (1, STREAM),
    "cudaStreamPerThread": (2, STREAM),
    "cudaEventDefault": (0, UINT),
    "cudaEventBlockingSync": (1, UINT),
    "cudaEventDisableTiming": (2, UINT),
    "cudaEventInterprocess": (4, UINT),
    "cudaEventRecordDefault": (0, UINT),
    "cudaEventWaitDefault": (0, UINT),
    "cudaHostAllocDefault": (0, UINT),
    "cudaHostAllocPortable": (1, UINT),
    "cudaHostAllocMapped": (2, UINT),
    "cudaHostAllocWriteCombined": (4, UINT),
    "cudaHostRegisterDefault": (0, UINT),
    "cudaHostRegisterPortable": (1, UINT),
    "cudaMemAttachGlobal": (1, UINT),
    "cudaMemAttachHost": (2, UINT),
    "cudaFuncCachePreferNone": (0, INT),
    "cudaFuncCachePreferShared": (1, INT),
    "cudaFuncCachePreferL1": (2, INT),
    "cudaFuncCachePreferEqual": (3, INT),
    "cudaFuncAttributeMaxDynamicSharedMemorySize": (8, INT),
    "cudaFuncAttributePreferredSharedMemoryCarveout": (9, INT),
    "cudaDevAttrMaxThreadsPerBlock": (1, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxBlockDimX": (2, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxBlockDimY": (3, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxBlockDimZ": (4, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxGridDimX": (5, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxGridDimY": (6, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxGridDimZ": (7, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxSharedMemoryPerBlock": (8, DEVICE_ATTRIBUTE),
    "cudaDevAttrTotalConstantMemory": (9, DEVICE_ATTRIBUTE),
    "cudaDevAttrWarpSize": (10, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxRegistersPerBlock": (12, DEVICE_ATTRIBUTE),
    "cudaDevAttrClockRate": (13, DEVICE_ATTRIBUTE),
    "cudaDevAttrMultiProcessorCount": (16, DEVICE_ATTRIBUTE),
    "cudaDevAttrIntegrated": (18, DEVICE_ATTRIBUTE),
    "cudaDevAttrMemoryClockRate": (36, DEVICE_ATTRIBUTE),
    "cudaDevAttrGlobalMemoryBusWidth": (37, DEVICE_ATTRIBUTE),
    "cudaDevAttrL2CacheSize": (38, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxThreadsPerMultiProcessor": (39, DEVICE_ATTRIBUTE),
    "cudaDevAttrComputeCapabilityMajor": (75, DEVICE_ATTRIBUTE),
    "cudaDevAttrComputeCapabilityMinor": (76, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxSharedMemoryPerMultiprocessor": (81, DEVICE_ATTRIBUTE),
    "cudaDevAttrMaxSharedMemoryPerBlockOptin": (97, DEVICE_ATTRIBUTE),
    "cudaDeviceScheduleAuto": (0, UINT),
    "cudaDeviceScheduleSpin": (1, UINT),
    "cudaDeviceScheduleYield": (2, UINT),
    "cudaDeviceScheduleBlockingSync": (4, UINT),
    "cudaDeviceMapHost": (8, UINT),
    "cudaLimitStackSize": (0, INT),
    "cudaLimitPrintfFifoSize": (1, INT),
    "cudaLimitMallocHeapSize": (2, INT),
    "cudaMemAdviseSetReadMostly": (1, INT),
    "cudaMemAdviseUnsetReadMostly": (2, INT),
    "cudaMemAdviseSetPreferredLocation": (3, INT),
    "cudaMemAdviseUnsetPreferredLocation": (4, INT),
    "cudaMemAdviseSetAccessedBy": (5, INT),
    "cudaMemAdviseUnsetAccessedBy": (6, INT),
    "cudaCpuDeviceId": (-1, INT),
    "CLOCK_REALTIME": (0, INT),
    "CLOCK_MONOTONIC": (1, INT),
    "SEEK_SET": (0, INT),
    "SEEK_CUR": (1, INT),
    "SEEK_END": (2, INT),
    "EOF": (-1, INT),
    "MPI_SUCCESS": (0, INT),
    "BUFSIZ": (8192, INT),
    "FILENAME_MAX": (4096, INT),
    "_IOFBF": (0, INT),
    "_IOLBF": (1, INT),
    "_IONBF": (2, INT),
}

CONSTANTS |= nccl.CONSTANTS

# The library's handles and addresses: what their values are, only the library knows, but no two of a type are the same.
_handles: dict[str, Type] = {**communication.HANDLES, **communication.ADDRESSES}
for _number, (_name, _type) in enumerate(_handles.items(), 1):
    CONSTANTS[_name] = (_number, _type)

HANDLES: dict[str, Type] = {"stderr": Pointer(FILE), "stdout": Pointer(FILE), "stdin": Pointer(FILE)}
