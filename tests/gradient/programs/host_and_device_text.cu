/*---
function = "both"
wrt = ["x", "z"]
[inputs]
y = { zeros = [9] }
x = { shape = [9], random = 2 }
z = 0.7
n = 9
---*/
// Device code sees __CUDA_ARCH__ and host code does not: functions for both have two versions.
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ < 700
#error "too old"
#endif
#define POWER 2
#else
#define POWER 3
#endif

template <int N> __host__ __device__ double raised(double x)
{
    double r = 1;
    for (int i = 0; i < N; ++i) r *= x;
    return r;
}

__host__ __device__ double curve(double x) { return raised<POWER>(x) + x; }

// Says nothing of the architecture, but what it calls does.
__host__ __device__ static double twice(double x) { return 2 * curve(x); }

__host__ __device__ double same(double x) { return x * x; }

__global__ void map(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = twice(same(x[i]));
}

double both(double *y, const double *x, double z, int n)
{
    double *host = (double *)malloc(n * sizeof(double));
    map<<<(n + 3) / 4, 4>>>(y, x, n);
    cudaMemcpy(host, y, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = twice(same(z));
    for (int i = 0; i < n; ++i) sum += host[i];
    free(host);
    return sum;
}
