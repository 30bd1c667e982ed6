/*---
function = "decorated"
wrt = ["x", "a"]
of = ["y"]
[inputs]
y = { shape = [40], random = 1 }
x = { shape = [40], random = 2 }
a = 0.6
n = 40
---*/
// What stands around code: __restrict__, __ldg, __launch_bounds__, inlining, unrolling, macros, attributes, printf, assert.
#include <assert.h>
#include <math.h>
#include <stdio.h>

#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN
#endif
#define SQUARE(v) ((v) * (v))
#define IDX (blockIdx.x * blockDim.x + threadIdx.x)
#define AXPY(out, a, x)        \
    do {                       \
        (out) += (a) * (x);    \
    } while (0)
#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t status = (call);                                            \
        if (status != cudaSuccess)                                              \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));     \
    } while (0)
#define NAME(a, b) a##b

__device__ __forceinline__ double NAME(half, _of)(double v) { return 0.5 * v; }
static __inline__ __device__ double twice(const double v) { return 2.0 * v; }
__host__ __device__ inline double shared_between(double v) { return v * v + 1.0; }
__noinline__ __device__ double apart(double v) { return sin(v); }

__global__ void __launch_bounds__(16, 2) decorated_kernel(double *__restrict__ y, const double *__restrict__ x,
                                                          const double a, const int n)
{
    const int i = IDX;
    assert(n > 0);
    if (i < n) {
        double v = SQUARE(__ldg(&x[i]) + a);
#pragma unroll 4
        for (int k = 0; k < 3; k++)
            v = half_of(v) + twice(x[i]) * v;
        AXPY(y[i], a, shared_between(v) * apart(x[i]));
        if (i == n + 1)
            printf("never %f\n", v);
    }
}

EXTERN void decorated(double *y, const double *x, double a, int n)
{
    double b = shared_between(a);
    decorated_kernel<<<dim3((n + 15) / 16), dim3(16)>>>(y, x, b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
