// Adjoint of contract() by hand: two gather kernels, one over the elements of A and one over those of B.

// One warp per element of A: lanes run along a row of adj_C and of B, so that both are read coalesced.
__global__ void contract_pullback_A(const float *adj_C, const float *B, float *adj_A, int pq, int K, int rs)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int row = warp / K;
    int k = warp % K;
    float sum = 0.0f;
    if (warp < pq * K) {
        for (int col = lane; col < rs; col += 32)
            sum += adj_C[row * rs + col] * B[k * rs + col];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (warp < pq * K && lane == 0)
        adj_A[warp] += sum;
}

// One thread per element of B: neighbours read neighbouring columns of adj_C and the same element of A.
__global__ void contract_pullback_B(const float *adj_C, const float *A, float *adj_B, int pq, int K, int rs)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < K * rs) {
        int k = idx / rs;
        int col = idx % rs;
        float sum = 0.0f;
        for (int row = 0; row < pq; row++)
            sum += A[row * K + k] * adj_C[row * rs + col];
        adj_B[idx] += sum;
    }
}
