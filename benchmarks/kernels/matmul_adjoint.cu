// Adjoint of matmul() by hand, in its own style: two matrix products with tiles in shared memory, transposed on loading.
#define TILE 16

// adj_A (m x k) += adj_C (m x n) B^T
__global__ void matmul_pullback_A(const float *adj_C, const float *B, float *adj_A, int m, int n, int k)
{
    __shared__ float g[TILE][TILE];
    __shared__ float b[TILE][TILE + 1];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int other = blockIdx.x * TILE + ty;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        g[ty][tx] = row < m && first + tx < n ? adj_C[row * n + first + tx] : 0.0f;
        b[ty][tx] = other < k && first + tx < n ? B[other * n + first + tx] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int d = 0; d < TILE; d++)
            sum += g[ty][d] * b[tx][d];
        __syncthreads();
    }
    if (row < m && col < k)
        adj_A[row * k + col] += sum;
}

// adj_B (k x n) += A^T adj_C (m x n)
__global__ void matmul_pullback_B(const float *adj_C, const float *A, float *adj_B, int m, int n, int k)
{
    __shared__ float a[TILE][TILE];
    __shared__ float g[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int other = blockIdx.y * TILE + tx;
    float sum = 0.0f;
    for (int first = 0; first < m; first += TILE) {
        a[ty][tx] = first + ty < m && other < k ? A[(first + ty) * k + other] : 0.0f;
        g[ty][tx] = first + ty < m && col < n ? adj_C[(first + ty) * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int d = 0; d < TILE; d++)
            sum += a[d][ty] * g[d][tx];
        __syncthreads();
    }
    if (row < k && col < n)
        adj_B[row * n + col] += sum;
}
