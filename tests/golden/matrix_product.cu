/*---
function = "product"
wrt = ["a", "b"]
of = ["c"]
[inputs]
c = { zeros = [5, 5] }
a = { shape = [5, 5], random = 1 }
b = { shape = [5, 5], random = 2 }
n = 5
---*/
// A product of matrices by cuBLAS: two more products give its gradient.
#include <cublas_v2.h>

__global__ void square(float *c, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        c[i] *= c[i];
}

void multiply(cublasHandle_t handle, float *c, const float *a, const float *b, int n)
{
    const float one = 1, zero = 0;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
    square<<<(n * n + 127) / 128, 128>>>(c, n * n);
}

void product(float *c, const float *a, const float *b, int n)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    multiply(handle, c, a, b, n);
    cublasDestroy(handle);
}
