/*---
function = "run"
wrt = ["x"]
of = ["y"]
help = "say the kind that fits both sides"
---*/
// A kernel reads x, so that it lies on the device; the copy takes it for memory of the host.
__global__ void square(double *y, const double *x, int n)
{
    if (threadIdx.x < n)
        y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
void run(double *y, const double *x, int n)
{
    square<<<1, 32>>>(y, x, n);
    cudaMemcpy(y, x, sizeof(double), cudaMemcpyHostToDevice);  // expected-error: is the source of this copy as host memory
}
