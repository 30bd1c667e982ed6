/*---
function = "damped"
wrt = ["x", "gamma"]
of = ["x"]
[inputs]
x = { shape = [13], random = 1 }
gamma = 0.2
n = 13
---*/
// cudaLaunchKernel from a template that packs its arguments, function pointers that are constants, an alias template.
template <class T> using pointer = T *;

template <class T> __global__ void decay(pointer<T> x, T gamma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] -= gamma * x[i] * x[i];
}

__global__ void mix(double *x, double gamma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double s[8];
    s[threadIdx.x] = i < n ? x[i] : 0.0;
    __syncthreads();
    if (i < n)
        x[i] = (1.0 - gamma) * s[threadIdx.x] + gamma * s[(threadIdx.x + 1) % blockDim.x];
}

void damped(double *x, double gamma, int n)
{
    pointer<double> d;
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    void *args[] = {&d, &gamma, &n};
    dim3 grid((n + 7) / 8), block(8);
    cudaLaunchKernel((void *)decay<double>, grid, block, args, 0, 0);
    cudaLaunchKernel((const void *)&mix, grid, block, args, 0, nullptr);
    cudaLaunchKernel(reinterpret_cast<void *>(mix), grid, block, args, 0, nullptr);
    cudaMemcpy(x, d, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
