/*---
function = "multiply"
wrt = ["A", "B"]
of = ["C"]
reference = { A = "adj_C @ B.T", B = "A.T @ adj_C" }
[inputs]
C = { zeros = [10, 9] }
A = { shape = [10, 7], random = 1 }
B = { shape = [7, 9], random = 2 }
m = 10
n = 9
k = 7

[[cases]]
name = "partial_tiles"

[[cases]]
name = "whole_tiles"
inputs = { m = 8, n = 8, k = 4, C = { zeros = [8, 8] }, A = { shape = [8, 4], random = 1 }, B = { shape = [4, 8], random = 2 } }

[[cases]]
name = "nothing_to_add"
inputs = { m = 3, n = 5, k = 0, C = { zeros = [3, 5] }, A = { zeros = [3, 1] }, B = { zeros = [1, 5] } }
reference = { A = "0 * A", B = "0 * B" }
---*/
// Tiles in shared memory that only stage what lies elsewhere: the pullback has none, and its sums are gathers.
#define TILE 4

__global__ void product(double *C, const double *A, const double *B, int m, int n, int k)
{
    __shared__ double a[TILE][TILE];
    __shared__ double b[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    double sum = 0.0;
    for (int first = 0; first < k; first += TILE) {
        a[ty][tx] = row < m && first + tx < k ? A[row * k + first + tx] : 0.0;
        b[ty][tx] = first + ty < k && col < n ? B[(first + ty) * n + col] : 0.0;
        __syncthreads();
        for (int d = 0; d < TILE; d++)
            sum += a[ty][d] * b[d][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

void multiply(double *C, const double *A, const double *B, int m, int n, int k)
{
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    product<<<grid, block>>>(C, A, B, m, n, k);
}
