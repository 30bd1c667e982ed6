/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "memory of their own device"
---*/
__device__ double weight;  // expected-error @19: 'weight' is another variable on each of several devices

__global__ void scale(double *y, const double *x)
{
    y[threadIdx.x] = weight * x[threadIdx.x];
}

void f(double *y, const double *x, double w)
{
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMemcpyToSymbol(weight, &w, sizeof(double));
    }
    double *a;
    cudaMalloc(&a, 8 * sizeof(double));
    cudaMemcpy(a, x, 8 * sizeof(double), cudaMemcpyHostToDevice);
    scale<<<1, 8>>>(a, a);
    cudaMemcpy(y, a, 8 * sizeof(double), cudaMemcpyDeviceToHost);
}
