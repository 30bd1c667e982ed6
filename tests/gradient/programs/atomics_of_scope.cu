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
// Atomics that say for whom: within a block in shared memory, for the whole system in global memory.
__global__ void histogram_kernel(double *bins, const double *weight, const int *key, int n)
{
    __shared__ double local[6];
    __shared__ int hits[6];
    __shared__ int most;
    if (threadIdx.x < 6) {
        local[threadIdx.x] = 0.0;
        hits[threadIdx.x] = 0;
        most = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd_block(&local[key[i]], weight[i] * weight[i]);
        int before = atomicAdd_block(&hits[key[i]], 1);
        atomicMax_block(&most, before + 1);
    }
    __syncthreads();
    if (threadIdx.x < 6)
        atomicAdd_system(&bins[threadIdx.x], local[threadIdx.x] * hits[threadIdx.x] / (1.0 + most));
}

void histogram(double *bins, const double *weight, const int *key, int n)
{
    histogram_kernel<<<2, 16>>>(bins, weight, key, n);
}
