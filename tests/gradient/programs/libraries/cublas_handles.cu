/*---
function = "powers"
wrt = ["a", "x"]
of = ["y"]
[inputs]
y = { zeros = [7] }
a = { shape = [7, 7], random = 1 }
x = { shape = [7], random = 2 }
n = 7
---*/
// Handles of cuBLAS wherever programs have them: in an array, in a variable at file scope that is filled when it is first
// asked for, behind an out-parameter, on a stream that it is asked for; every status is looked at.
#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                             \
    do {                                        \
        cublasStatus_t status_ = (call);        \
        if (status_ != CUBLAS_STATUS_SUCCESS) { \
            printf("status %d\n", status_);     \
            exit(1);                            \
        }                                       \
    } while (0)

static cublasHandle_t shared;

static cublasHandle_t get()
{
    if (!shared)
        CHECK(cublasCreate(&shared));
    return shared;
}

static void make(cublasHandle_t *handle)
{
    CHECK(cublasCreate(handle));
    if (*handle == NULL)
        exit(2);
}

__global__ void square(double *y, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] *= y[i];
}

void powers(double *y, const double *a, const double *x, int n)
{
    cublasHandle_t handles[2], other = NULL;
    cudaStream_t made, used;
    const double one = 1, two = 2, zero = 0;
    double *d_a, *d_x, *d_y;
    for (int i = 0; i < 2; i++)
        make(&handles[i]);
    cudaStreamCreate(&made);
    CHECK(cublasSetStream(handles[1], made));
    CHECK(cublasGetStream(handles[1], &used));
    other = handles[1];
    cudaMalloc(&d_a, n * n * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMemcpy(d_a, a, n * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int i = 0; i < 2; i++) {
        CHECK(cublasDgemv(handles[i], CUBLAS_OP_N, n, n, i ? &one : &two, d_a, n, d_x, 1, &zero, d_y, 1));
        cudaDeviceSynchronize();
        square<<<1, n, 0, used>>>(d_y, n);
        cudaStreamSynchronize(used);
        CHECK(cublasDcopy(get(), n, d_y, 1, d_x, 1));
    }
    CHECK(cublasDgemv(other, CUBLAS_OP_T, n, n, &one, d_a, n, d_x, 1, &zero, d_y, 1));
    cudaStreamSynchronize(used);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    CHECK(cublasDestroy(handles[0]));
    CHECK(cublasDestroy(handles[1]));
    cudaStreamDestroy(made);
    cudaFree(d_a);
    cudaFree(d_x);
    cudaFree(d_y);
}
