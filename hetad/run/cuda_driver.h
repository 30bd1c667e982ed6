/* What is used of the CUDA driver API.  It is reached by name, through a function that Python gives; so these files need
 * no CUDA to be compiled.  Its error numbers are the runtime's (cudaError_t) since CUDA 10.1. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime.h"

typedef unsigned long long device_ptr; /* CUdeviceptr */
typedef int status;                    /* CUresult */

enum { /* the numbers of cuda.h that are used */
    OUT_OF_MEMORY = 2,
    INVALID_CONFIGURATION = 9, /* of the runtime API: the driver says 1 where cudaGetLastError says 9 */
    MAX_THREADS = 1, MAX_BLOCK_X = 2, MAX_GRID_X = 5, MAX_SHARED_OPTIN = 97, POOLS_SUPPORTED = 115, /* of a device */
    STATIC_SHARED = 1, MAX_DYNAMIC_SHARED = 8,                                                      /* of a function */
    RELEASE_THRESHOLD = 4,                                                                          /* of a pool */
    DEFAULT_SHARED = 48 * 1024, /* what every kernel may have without asking */
    MEMORY_TYPE = 2, IS_MANAGED = 8, ORDINAL = 9,                                                   /* of a pointer */
    OF_DEVICE = 2,                                                                                  /* a memory type */
    FOR_ALL = 1,                                                                                    /* CU_MEM_ATTACH_GLOBAL */
    DEVICES = 64,
    INVALID_DEVICE = 101, NO_PEER_ACCESS = 217, /* errors */
};

struct pool_properties { /* CUmemPoolProps */
    int allocation, handles, location, device;
    void *security;
    size_t rest[8];
};

struct rows_side { /* of a CUDA_MEMCPY2D */
    size_t x, y;
    int type;
    const void *host;
    device_ptr device;
    void *array;
    size_t pitch;
};
struct rows_copy { /* CUDA_MEMCPY2D */
    struct rows_side from, to;
    size_t width, height;
};
enum { ON_HOST = 1, ON_DEVICE = 2, ON_EITHER = 4 }; /* CUmemorytype */

#define DRIVER(X) \
    X(cuGetErrorName, (status, const char **)) \
    X(cuGetErrorString, (status, const char **)) \
    X(cuDeviceGetAttribute, (int *, int, int)) \
    X(cuDeviceTotalMem_v2, (size_t *, int)) \
    X(cuDevicePrimaryCtxRetain, (void **, int)) \
    X(cuCtxGetCurrent, (void **)) \
    X(cuCtxSetCurrent, (void *)) \
    X(cuCtxGetDevice, (int *)) \
    X(cuCtxSynchronize, (void)) \
    X(cuDeviceCanAccessPeer, (int *, int, int)) \
    X(cuCtxEnablePeerAccess, (void *, unsigned)) \
    X(cuCtxDisablePeerAccess, (void *)) \
    X(cuStreamSynchronize, (void *)) \
    X(cuMemAlloc_v2, (device_ptr *, size_t)) \
    X(cuMemFree_v2, (device_ptr)) \
    X(cuMemAllocManaged, (device_ptr *, size_t, unsigned)) \
    X(cuPointerGetAttributes, (unsigned, int *, void **, device_ptr)) \
    X(cuMemGetInfo_v2, (size_t *, size_t *)) \
    X(cuMemcpyHtoDAsync_v2, (device_ptr, const void *, size_t, void *)) \
    X(cuMemcpyDtoHAsync_v2, (void *, device_ptr, size_t, void *)) \
    X(cuMemcpyDtoDAsync_v2, (device_ptr, device_ptr, size_t, void *)) \
    X(cuMemcpyAsync, (device_ptr, device_ptr, size_t, void *)) \
    X(cuMemsetD8Async, (device_ptr, unsigned char, size_t, void *)) \
    X(cuMemcpy2DAsync_v2, (const struct rows_copy *, void *)) \
    X(cuMemsetD2D8Async, (device_ptr, size_t, unsigned char, size_t, size_t, void *)) \
    X(cuFuncGetAttribute, (int *, int, void *)) \
    X(cuFuncSetAttribute, (void *, int, int)) \
    X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, \
                       void **))
#define POOLS(X) /* CUDA 11.2 and later */ \
    X(cuMemPoolCreate, (void **, const struct pool_properties *)) \
    X(cuMemPoolSetAttribute, (void *, int, void *)) \
    X(cuMemPoolTrimTo, (void *, size_t)) \
    X(cuMemAllocFromPoolAsync, (device_ptr *, size_t, void *, void *)) \
    X(cuMemFreeAsync, (device_ptr, void *))
#define GRAPHS(X) /* CUDA 11.4 and later; see cuda_graph.c */ \
    X(cuStreamCreate, (void **, unsigned)) \
    X(cuStreamDestroy_v2, (void *)) \
    X(cuStreamBeginCapture_v2, (void *, int)) \
    X(cuStreamEndCapture, (void *, void **)) \
    X(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long)) \
    X(cuGraphLaunch, (void *, void *)) \
    X(cuGraphExecDestroy, (void *)) \
    X(cuGraphDestroy, (void *))
#define DECLARE(name, parameters) static status(*name) parameters;
DRIVER(DECLARE)
POOLS(DECLARE)
GRAPHS(DECLARE)
