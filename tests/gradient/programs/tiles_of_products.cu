/*---
wrt = ["a", "b"]
of = ["c"]
[launch]
grid = [3, 3]
block = [4, 4]
[inputs]
c = { shape = [10, 9], random = 5 }
a = { shape = [10, 7], random = 1 }
b = { shape = [7, 9], random = 2 }
m = 10
n = 9
k = 7

[[cases]]
name = "added_to_a_multiple"
function = "gemm"
wrt = ["a", "b", "c", "alpha", "beta"]
inputs = { alpha = 1.3, beta = 0.6 }

[[cases]]
name = "copies_of_threads"
function = "gemm"
wrt = ["a", "b", "c"]
launch = { grid = [3, 3], block = [4, 4, 1] }
inputs = { alpha = 1.3, beta = 0.6 }

[[cases]]
name = "with_itself"
function = "gram"
wrt = ["a"]
inputs = { c = { zeros = [10, 10] } }

[[cases]]
name = "batched"
function = "batched"
launch = { grid = [3, 3, 2], block = [4, 4] }
inputs = { c = { zeros = [20, 9] }, a = { shape = [20, 7], random = 1 }, b = { shape = [14, 9], random = 2 } }

[[cases]]
name = "batched_empty"
function = "batched"
launch = { grid = [3, 3, 2], block = [4, 4] }
inputs = { c = { zeros = [20, 9] }, a = { shape = [20, 7], random = 1 }, b = { shape = [14, 9], random = 2 }, k = 0 }

[[cases]]
name = "as_large_as_blocks"
function = "dynamic"
launch = { grid = [2, 5], block = [5, 2], shared_mem = 80 }

[[cases]]
name = "narrow_blocks"
function = "dynamic"
launch = { grid = [5, 3], block = [2, 4], shared_mem = 64 }

[[cases]]
name = "of_whole_tiles"
function = "whole"
launch = { grid = [2, 3], block = [4, 4] }
inputs = { c = { zeros = [12, 8] }, a = { shape = [12, 8], random = 1 }, b = { shape = [8, 8], random = 2 }, k = 8, n = 8 }
---*/
// Products with tiles in shared memory as people write them: padded, in one row, filled in both branches of a condition,
// as large as the block, of a matrix and itself, for a batch.
#define T 4
__global__ void gemm(double *c, const double *a, const double *b, double alpha, double beta, int m, int n, int k)
{
    __shared__ double at[T][T + 1], bt[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    double sum = 0.0;
    for (int start = 0; start < k; start += T) {
        at[threadIdx.y][threadIdx.x] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : 0.0;
        bt[threadIdx.y][threadIdx.x] = col < n && start + threadIdx.y < k ? b[(start + threadIdx.y) * n + col] : 0.0;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < T; j++)
            sum += at[threadIdx.y][j] * bt[j][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
// The walk over the tiles in two variables.
__global__ void whole(double *c, const double *a, const double *b, int m, int n, int k)
{
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int first = k * T * by, last = first + k - 1, a_step = T, b_step = T * n;
    double sum = 0.0;
    for (int i = first, j = T * bx; i <= last; i += a_step, j += b_step) {
        __shared__ double at[T][T];
        __shared__ double bt[T][T];
        at[ty][tx] = a[i + k * ty + tx];
        bt[ty][tx] = b[j + n * ty + tx];
        __syncthreads();
        for (int d = 0; d < T; ++d)
            sum += at[ty][d] * bt[d][tx];
        __syncthreads();
    }
    int at_block = n * T * by + T * bx;
    c[at_block + n * ty + tx] = sum;
}

__global__ void gram(double *c, const double *a, const double *b, int m, int n, int k)
{
    __shared__ double at[T][T], bt[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx, other = blockIdx.x * T + ty;
    double sum = 0.0;
    for (int start = 0; start < k; start += T) {
        at[ty][tx] = row < m && start + tx < k ? a[row * k + start + tx] : 0.0;
        bt[ty][tx] = other < m && start + tx < k ? a[other * k + start + tx] : 0.0;
        __syncthreads();
        for (int j = 0; j < T; j++)
            sum += at[ty][j] * bt[tx][j];
        __syncthreads();
    }
    if (row < m && col < m)
        c[row * m + col] = sum;
}

__global__ void batched(double *c, const double *a, const double *b, int m, int n, int k)
{
    __shared__ double at[T * T], bt[T * T];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    const double *as = a + blockIdx.z * m * k;
    const double *bs = b + blockIdx.z * k * n;
    double sum = 0.0;
    for (int t = 0; t < (k - 1) / T + 1; ++t) {
        if (row < m && t * T + tx < k)
            at[ty * T + tx] = as[row * k + t * T + tx];
        else
            at[ty * T + tx] = 0.0;
        bt[ty * T + tx] = t * T + ty < k && col < n ? bs[(t * T + ty) * n + col] : 0.0;
        __syncthreads();
        for (int j = 0; j < T; j++)
            sum += at[ty * T + j] * bt[j * T + tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(blockIdx.z * m + row) * n + col] = sum;
}

__global__ void dynamic(double *c, const double *a, const double *b, int m, int n, int k)
{
    extern __shared__ double tile[];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * blockDim.y + ty, col = blockIdx.x * blockDim.x + tx;
    double sum = 0.0;
    for (int t = 0; t < k; t += blockDim.x) {
        tile[ty * blockDim.x + tx] = row < m && t + tx < k ? a[row * k + t + tx] : 0.0;
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++)
            if (t + j < k && col < n)
                sum += tile[ty * blockDim.x + j] * b[(t + j) * n + col];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
