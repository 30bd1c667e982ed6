/*---
function = "multiply"
wrt = ["a", "b"]
of = ["c"]
reference = { a = "adj_c @ b.T", b = "a.T @ adj_c" }
[inputs]
c = { zeros = [10, 9] }
a = { shape = [10, 7], random = 1 }
b = { shape = [7, 9], random = 2 }
m = 10
n = 9
k = 7

[[cases]]
name = "partial_tiles"

[[cases]]
name = "whole_tiles"
inputs = { m = 8, n = 8, k = 4, c = { zeros = [8, 8] }, a = { shape = [8, 4], random = 1 }, b = { shape = [4, 8], random = 2 } }
---*/
// The tiled matrix product: two tiles in shared memory, refilled in a loop between two barriers.
#define TILE 4

__global__ void multiply_kernel(double *c, const double *a, const double *b, int m, int n, int k)
{
    __shared__ double a_tile[TILE][TILE];
    __shared__ double b_tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    double sum = 0.0;
    for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
        int inner = t * TILE;
        a_tile[threadIdx.y][threadIdx.x] =
            row < m && inner + threadIdx.x < k ? a[row * k + inner + threadIdx.x] : 0.0;
        b_tile[threadIdx.y][threadIdx.x] =
            column < n && inner + threadIdx.y < k ? b[(inner + threadIdx.y) * n + column] : 0.0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

void multiply(double *c, const double *a, const double *b, int m, int n, int k)
{
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply_kernel<<<grid, block>>>(c, a, b, m, n, k);
}
