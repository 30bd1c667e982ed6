// The sum of squares by few threads: a grid-stride loop, a tree in shared memory, one atomic addition a block.
#define THREADS 256

__global__ void sum_strided(float *out, const float *v, int n)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += v[i] * v[i];
    sums[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, sums[0]);
}
