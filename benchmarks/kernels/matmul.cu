// The classical matrix product with tiles in shared memory: C (m x n) = A (m x k) B (k x n).
#define TILE 16

__global__ void matmul(float *C, const float *A, const float *B, int m, int n, int k)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        a[ty][tx] = row < m && first + tx < k ? A[row * k + first + tx] : 0.0f;
        b[ty][tx] = first + ty < k && col < n ? B[(first + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int d = 0; d < TILE; d++)
            sum += a[ty][d] * b[d][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
