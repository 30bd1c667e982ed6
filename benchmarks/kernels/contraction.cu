// Contraction over one dimension: C[row, col] = sum over k of A[row, k] * B[k, col], one thread per element of C.
__global__ void contract(float *C, const float *A, const float *B, int pq, int K, int rs)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < pq * rs) {
        int row = idx / rs;
        int col = idx % rs;
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += A[row * K + k] * B[k * rs + col];
        C[idx] = sum;
    }
}
