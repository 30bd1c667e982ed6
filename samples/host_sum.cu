// A host function that returns a number: allocate, copy in, launch, copy out, add up, clean up.
//
// With a floating return value no `of` is needed: the gradient is that of the result, as in machine learning.  The
// reverse sweep starts in the host loop that sums, follows `h_out` back through the copies into the kernel, and ends
// in `in`.  Every buffer that the function allocates gets a shadow for its adjoint, and every copy is undone.

#include <stdio.h>
#include <stdlib.h>

#define N 64

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        cudaError_t status = (call);                                                                   \
        if (status != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));            \
            exit(1);                                                                                   \
        }                                                                                              \
    } while (0)

__global__ void damp(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * exp(-in[i] * in[i]);
}

// The sum of x * exp(-x^2) over the N elements of `in`; the terms are left in `out`.  Host pointers.
double fn(double *out, double *in)
{
    double *h_out = (double *)malloc(N * sizeof(double));
    double *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, N * sizeof(double)));
    CHECK(cudaMalloc(&d_out, N * sizeof(double)));
    CHECK(cudaMemcpy(d_in, in, N * sizeof(double), cudaMemcpyHostToDevice));

    damp<<<(N + 31) / 32, 32>>>(d_out, d_in, N);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(h_out, d_out, N * sizeof(double), cudaMemcpyDeviceToHost));
    double res = 0.0;
    for (int i = 0; i < N; i++) {
        out[i] = h_out[i];
        res += h_out[i];
    }

    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(h_out);
    return res;
}
