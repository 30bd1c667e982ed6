/*---
function = "run"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "free memory of the device with cudaFree"
---*/
#include <stdlib.h>
__global__ void square(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}

void run(double *y, const double *x, int n)
{
    double *part;
    cudaMalloc(&part, n * sizeof(double));
    square<<<1, 64>>>(part, x, n);
    square<<<1, 64>>>(y, part, n);
    free(part);  // expected-error: free frees 'part', whose memory is from cudaMalloc
}
