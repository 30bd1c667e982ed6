#include <cstdio>
#include <cstdlib>

// How many neighbouring threads sum together: a warp, where all warps are whole.
static __device__ unsigned hetad_lanes(void)
{
    return blockDim.x * blockDim.y * blockDim.z % 32 == 0 ? 32 : 1;
}

// The sum of `value` over the lanes, in each of them.
static __device__ double hetad_lane_sum_double(double value, unsigned lanes)
{
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

// pullback of product (line 29), with respect to A: a gather
static __global__ void product_gather_apart_A(
    const double *__restrict__ B, int m, int n, int k, const double *__restrict__ adj_C,
    double *__restrict__ adj_A)
{
    const int threads_x = gridDim.x * blockDim.x;
    const int threads_y = gridDim.y * blockDim.y;
    const size_t thread = (blockIdx.x + gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z))
        * ((size_t)blockDim.x * blockDim.y * blockDim.z)
        + (threadIdx.x + blockDim.x * (threadIdx.y + (size_t)blockDim.y * threadIdx.z));
    const size_t threads = (size_t)gridDim.x * gridDim.y * gridDim.z
        * ((size_t)blockDim.x * blockDim.y * blockDim.z);
    const unsigned int lanes = hetad_lanes();
    const int lane = thread % lanes;
    const size_t team = thread / lanes;
    const size_t teams = threads / lanes;
    const int d_count = k < 0 ? 0 : k;
    const int row_count = m < 0 ? 0 : m;
    for (size_t target = team; target < (size_t)d_count * row_count; target += teams) {
        int d = target % d_count;
        int row = target / d_count;
        double adj_A_sum = 0;
        if (threads_y > row) {
            const int col_end = n < threads_x ? n : threads_x;
            #pragma unroll 4
            for (int col = lane; col < col_end; col += (int)lanes) {
                const double seed = adj_C[row * n + col];
                adj_A_sum += seed * B[d * n + col];
            }
        }
        adj_A_sum = hetad_lane_sum_double(adj_A_sum, lanes);
        if (lane == 0 && adj_A_sum != 0) {
            adj_A[k * row + d] += adj_A_sum;
        }
    }
}

// pullback of product (line 29), with respect to B: a gather
static __global__ void product_gather_apart_B(
    const double *__restrict__ A, int m, int n, int k, const double *__restrict__ adj_C,
    double *__restrict__ adj_B)
{
    const int threads_x = gridDim.x * blockDim.x;
    const int threads_y = gridDim.y * blockDim.y;
    const size_t thread = (blockIdx.x + gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z))
        * ((size_t)blockDim.x * blockDim.y * blockDim.z)
        + (threadIdx.x + blockDim.x * (threadIdx.y + (size_t)blockDim.y * threadIdx.z));
    const size_t threads = (size_t)gridDim.x * gridDim.y * gridDim.z
        * ((size_t)blockDim.x * blockDim.y * blockDim.z);
    const int col_count = n < 0 ? 0 : n;
    const int d_count = k < 0 ? 0 : k;
    for (size_t target = thread; target < (size_t)col_count * d_count; target += threads) {
        int col = target % col_count;
        int d = target / col_count;
        double adj_B_sum = 0;
        if (threads_x > col) {
            const int row_end = m < threads_y ? m : threads_y;
            #pragma unroll 4
            for (int row = 0; row < row_end; ++row) {
                const double seed = adj_C[row * n + col];
                adj_B_sum += seed * A[row * k + d];
            }
        }
        if (adj_B_sum != 0) {
            adj_B[d * n + col] += adj_B_sum;
        }
    }
}

// A failure that leaves no right answer ends the program.
static void hetad_fail(const char *message)
{
    fprintf(stderr, "hetad: %s\n", message);
    abort();
}

// Every CUDA call of the derivative's own must succeed.
static void hetad_check(cudaError_t error)
{
    if (error != cudaSuccess) {
        hetad_fail(cudaGetErrorString(error));
    }
}

// The launch before must have worked; one without blocks does nothing and may be refused.
static void hetad_launched(dim3 grid)
{
    cudaError_t error = cudaGetLastError();
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) {
        hetad_check(error);
    }
}

// gradient of C of multiply (line 50) with respect to A, B
extern "C" void multiply_grad(
    double *C, const double *A, const double *B, int m, int n, int k, double *adj_C, double *adj_A,
    double *adj_B)
{
    dim3 block(4, 4);
    dim3 grid((n + 4 - 1) / 4, (m + 4 - 1) / 4);
    // line 54: product<<<grid, block>>>(C, A, B, m, n, k);
    product_gather_apart_A<<<dim3(grid.x, grid.y, grid.z != 0), dim3(block.x, block.y, block.z != 0)>>>(
        B, m, n, k, adj_C, adj_A);
    hetad_launched(grid);
    product_gather_apart_B<<<dim3(grid.x, grid.y, grid.z != 0), dim3(block.x, block.y, block.z != 0)>>>(
        A, m, n, k, adj_C, adj_B);
    hetad_launched(grid);
}
