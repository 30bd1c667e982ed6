/*---
function = "mix"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [40], random = 1 }
y = { shape = [40], random = 2 }
n = 40
---*/
// Device-to-device copies: of all of a buffer, and of a part of it onto what a kernel has written.
__global__ void cube(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i] * in[i];
}

void mix(double *y, const double *x, int n)
{
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    cube<<<(n + 31) / 32, 32>>>(b, a, n);
    cudaMemcpy(b + n / 2, a, (n / 2) * sizeof(double), cudaMemcpyDeviceToDevice);
    cube<<<(n + 31) / 32, 32>>>(y, b, n);
    cudaFree(a);
    cudaFree(b);
}
