/*---
function = "normalise"
wrt = ["x"]
of = ["x"]
graph = true
error = "UnsupportedError"
---*/
__global__ void sum(int n, const double *x, double *s)
{
    int i = threadIdx.x;
    if (i < n) atomicAdd(s, x[i] * x[i]);
}

__global__ void scale(int n, double factor, double *x)
{
    int i = threadIdx.x;
    if (i < n) x[i] *= factor;
}

void normalise(int n, double *x)
{
    double *d_s, h[2], factor;
    cudaMalloc((void **)&d_s, sizeof(double));
    cudaMemset(d_s, 0, sizeof(double));
    sum<<<1, 32>>>(n, x, d_s);
    cudaMemcpyAsync(h + 1, d_s, sizeof(double), cudaMemcpyDeviceToHost);
    factor = 1 / h[1];
    scale<<<1, 32>>>(n, factor, x);  // expected-error: an argument of this operation depends on data that was read back from the device (line 26)
//  ^
    cudaFree(d_s);
}
