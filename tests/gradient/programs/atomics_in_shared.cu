/*---
function = "histogram"
wrt = ["weight"]
of = ["bins"]
[inputs]
bins = { shape = [6], random = 1 }
weight = { shape = [90], random = 2 }
key = { shape = [90], random = 3, low = 0, high = 6 }
n = 90
---*/
// A weighted histogram: floating atomics in shared memory first, then one for each bin and block in global memory.
__global__ void histogram_kernel(double *bins, const double *weight, const int *key, int n)
{
    __shared__ double local[6];
    __shared__ int hits[6];
    if (threadIdx.x < 6) {
        local[threadIdx.x] = 0.0;
        hits[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[key[i]], weight[i] * weight[i]);
        atomicAdd(&hits[key[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < 6)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x] / (1.0 + hits[threadIdx.x]));
}

void histogram(double *bins, const double *weight, const int *key, int n)
{
    histogram_kernel<<<2, 16>>>(bins, weight, key, n);
}
