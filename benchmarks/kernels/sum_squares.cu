// The sum of squares: a tree in shared memory, then one atomic addition a block.
#define THREADS 256

__global__ void sum_squares(float *out, const float *v, int n)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    float value = 0.0f;
    if (i < n)
        value = v[i];
    sums[t] = value * value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, sums[0]);
}
