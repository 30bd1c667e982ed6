// The matrix product of every CUDA course: tiles of A and B in shared memory, a barrier before and after their use.
//
// Its gradient is two more matrix products, grad A = grad C * B^T and grad B = A^T * grad C, but nobody has to know that:
// hetad finds that the tiles only stage what lies in A and B, reads through them, and makes a kernel for each of the two
// products.  Where a launch had blocks of another size than the tiles, each tile would get a shadow in shared memory, and
// the barriers would separate the same phases in reverse order.  The sizes need not be multiples of the tile.

#define TILE 8

__global__ void multiply_kernel(float *C, const float *A, const float *B, int m, int n, int k)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        int i = start + threadIdx.x, j = start + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < m && i < k ? A[row * k + i] : 0.0f;
        b[threadIdx.y][threadIdx.x] = j < k && column < n ? B[j * n + column] : 0.0f;
        __syncthreads();
        for (int t = 0; t < TILE; t++)
            sum += a[threadIdx.y][t] * b[t][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        C[row * n + column] = sum;
}

// Device pointers: C is m x n, A is m x k, B is k x n, all row by row.
void multiply(float *C, const float *A, const float *B, int m, int n, int k)
{
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply_kernel<<<grid, block>>>(C, A, B, m, n, k);
}
