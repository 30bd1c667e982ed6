// Adjoint of conv1d() by hand, with respect to in (n + TAPS - 1 elements) and w, in one sweep: blocks stage a stretch of
// adj_out and in in shared memory, gather adj_in from it and keep adj_w in registers to the end.
#define TAPS 31
#define THREADS 256

__global__ void conv1d_pullback(const float *in, const float *w, int n, const float *adj_out, float *adj_in, float *adj_w)
{
    __shared__ float g[THREADS + TAPS - 1];
    __shared__ float v[THREADS + TAPS - 1];
    __shared__ float sums[TAPS];
    int t = threadIdx.x;
    float weight[TAPS];
    float sum[TAPS];
#pragma unroll
    for (int j = 0; j < TAPS; j++) {
        weight[j] = w[j];
        sum[j] = 0.0f;
    }
    if (t < TAPS)
        sums[t] = 0.0f;
    int length = n + TAPS - 1;
    for (int first = blockIdx.x * THREADS; first < length; first += gridDim.x * THREADS) {
        __syncthreads();
        for (int s = t; s < THREADS + TAPS - 1; s += THREADS) {
            int before = first - (TAPS - 1) + s;
            g[s] = before >= 0 && before < n ? adj_out[before] : 0.0f;
            v[s] = first + s < length ? in[first + s] : 0.0f;
        }
        __syncthreads();
        float seed = g[t + TAPS - 1];
        float gathered = 0.0f;
#pragma unroll
        for (int j = 0; j < TAPS; j++) {
            gathered += weight[j] * g[t + TAPS - 1 - j];
            sum[j] += seed * v[t + j];
        }
        if (first + t < length)
            adj_in[first + t] += gathered;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TAPS; j++) {
        float total = sum[j];
        for (int offset = 16; offset > 0; offset /= 2)
            total += __shfl_down_sync(0xffffffff, total, offset);
        if (t % 32 == 0)
            atomicAdd(&sums[j], total);
    }
    __syncthreads();
    if (t < TAPS)
        atomicAdd(&adj_w[t], sums[t]);
}
