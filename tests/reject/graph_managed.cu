/*---
function = "f"
wrt = ["x"]
of = ["x"]
graph = true
error = "UnsupportedError"
---*/
__global__ void halve(int n, double *x, double *largest)
{
    int i = threadIdx.x;
    if (i < n) x[i] *= x[i] * 0.5;
    if (i == 0) *largest = x[0];
}

void f(int n, double *x)
{
    double *largest;
    cudaMallocManaged(&largest, sizeof(double));
    *largest = 1;
    while (*largest > 0.1) {  // expected-error: read back from the device (line 21)
        halve<<<1, 32>>>(n, x, largest);
        cudaDeviceSynchronize();
    }
    cudaFree(largest);
}
