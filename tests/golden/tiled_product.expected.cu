#include <cstdio>
#include <cstdlib>

static __device__ unsigned hetad_lanes(void);
static __device__ double hetad_lane_sum_double(double value, unsigned lanes);
static unsigned hetad_tiling(unsigned blocks);
static void hetad_launched(dim3 grid);

// pullback of product (line 29), with respect to A: a gather on tiles
static __global__ void __launch_bounds__(256, 3) product_gather_apart_A(
    const double *__restrict__ B, int m, int n, int k, const double *__restrict__ adj_C,
    double *__restrict__ adj_A, const int threads_x, const int threads_y)
{
    const bool covered = threads_y >= m;
    const int d_count = k < 0 ? 0 : k;
    const int row_count = m < 0 ? 0 : m;
    const int col_end = n < threads_x ? n : threads_x;
    if (covered && row_count >= 16 && d_count >= 16 && col_end >= 8) {
        __shared__ double adj_C_tile[16][65];
        __shared__ double B_tile[16][65];
        const int local = threadIdx.x;
        const int local_x = local % 16;
        const int local_y = local / 16;
        const size_t tiles_across = ((size_t)d_count + 63) / 64;
        const size_t tiles_down = ((size_t)row_count + 63) / 64;
        const size_t tiles = tiles_across * tiles_down;
        const size_t parts_wanted = 1 > gridDim.x / tiles ? 1 : gridDim.x / tiles;
        const size_t parts_possible = 1 > (size_t)col_end / 64 ? 1 : (size_t)col_end / 64;
        const size_t parts = parts_possible < parts_wanted ? parts_possible : parts_wanted;
        for (size_t work = blockIdx.x; work < tiles * parts; work += gridDim.x) {
            const size_t tile = work / parts;
            const size_t part = work % parts;
            const int first_row = tile / tiles_across * 64;
            const int first_d = tile % tiles_across * 64;
            double adj_A_sum[4][4] = {};
            for (int first_col = (int)part * 16; first_col < col_end; first_col += (int)parts * 16) {
                #pragma unroll
                for (int turn = 0; turn < 4; ++turn) {
                    const int cell = turn * 256 + local;
                    const int depth = cell % 16;
                    const int at = cell / 16;
                    int row = first_row + at;
                    int col = first_col + depth;
                    double value = 0;
                    if (row < row_count && col < col_end) {
                        const double seed = adj_C[row * n + col];
                        value = seed;
                    }
                    adj_C_tile[depth][at] = value;
                }
                #pragma unroll
                for (int turn = 0; turn < 4; ++turn) {
                    const int cell = turn * 256 + local;
                    const int depth = cell % 16;
                    const int at = cell / 16;
                    int d = first_d + at;
                    int col = first_col + depth;
                    double value = 0;
                    if (d < d_count && col < col_end) {
                        value = B[d * n + col];
                    }
                    B_tile[depth][at] = value;
                }
                __syncthreads();
                #pragma unroll
                for (int depth = 0; depth < 16; ++depth) {
                    double left[4];
                    double right[4];
                    #pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        left[u] = adj_C_tile[depth][local_y + u * 16];
                        right[u] = B_tile[depth][local_x + u * 16];
                    }
                    #pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        #pragma unroll
                        for (int v = 0; v < 4; ++v) {
                            adj_A_sum[u][v] += left[u] * right[v];
                        }
                    }
                }
                __syncthreads();
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                int row = first_row + (local_y + u * 16);
                #pragma unroll
                for (int v = 0; v < 4; ++v) {
                    int d = first_d + (local_x + v * 16);
                    if (row < row_count && d < d_count && adj_A_sum[u][v] != 0) {
                        if (parts > 1) {
                            atomicAdd(&adj_A[k * row + d], adj_A_sum[u][v]);
                        } else {
                            adj_A[k * row + d] += adj_A_sum[u][v];
                        }
                    }
                }
            }
        }
    } else {
        const size_t thread = (blockIdx.x + gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z))
            * ((size_t)blockDim.x * blockDim.y * blockDim.z)
            + (threadIdx.x + blockDim.x * (threadIdx.y + (size_t)blockDim.y * threadIdx.z));
        const size_t threads = (size_t)gridDim.x * gridDim.y * gridDim.z
            * ((size_t)blockDim.x * blockDim.y * blockDim.z);
        const unsigned int lanes = hetad_lanes();
        const int lane = thread % lanes;
        const size_t team = thread / lanes;
        const size_t teams = threads / lanes;
        for (size_t target = team; target < (size_t)d_count * row_count; target += teams) {
            int d = target % d_count;
            int row = target / d_count;
            double adj_A_sum = 0;
            if (threads_y > row) {
                const int col_end_2 = n < threads_x ? n : threads_x;
                #pragma unroll 4
                for (int col = lane; col < col_end_2; col += (int)lanes) {
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
}

// pullback of product (line 29), with respect to B: a gather on tiles
static __global__ void __launch_bounds__(256, 3) product_gather_apart_B(
    const double *__restrict__ A, int m, int n, int k, const double *__restrict__ adj_C,
    double *__restrict__ adj_B, const int threads_x, const int threads_y)
{
    const bool covered = threads_x >= n;
    const int col_count = n < 0 ? 0 : n;
    const int d_count = k < 0 ? 0 : k;
    const int row_end = m < threads_y ? m : threads_y;
    if (covered && d_count >= 16 && col_count >= 16 && row_end >= 8) {
        __shared__ double A_tile[16][65];
        __shared__ double adj_C_tile[16][65];
        const int local = threadIdx.x;
        const int local_x = local % 16;
        const int local_y = local / 16;
        const size_t tiles_across = ((size_t)col_count + 63) / 64;
        const size_t tiles_down = ((size_t)d_count + 63) / 64;
        const size_t tiles = tiles_across * tiles_down;
        const size_t parts_wanted = 1 > gridDim.x / tiles ? 1 : gridDim.x / tiles;
        const size_t parts_possible = 1 > (size_t)row_end / 64 ? 1 : (size_t)row_end / 64;
        const size_t parts = parts_possible < parts_wanted ? parts_possible : parts_wanted;
        for (size_t work = blockIdx.x; work < tiles * parts; work += gridDim.x) {
            const size_t tile = work / parts;
            const size_t part = work % parts;
            const int first_d = tile / tiles_across * 64;
            const int first_col = tile % tiles_across * 64;
            double adj_B_sum[4][4] = {};
            for (int first_row = (int)part * 16; first_row < row_end; first_row += (int)parts * 16) {
                #pragma unroll
                for (int turn = 0; turn < 4; ++turn) {
                    const int cell = turn * 256 + local;
                    const int depth = cell / 64;
                    const int at = cell % 64;
                    int d = first_d + at;
                    int row = first_row + depth;
                    double value = 0;
                    if (d < d_count && row < row_end) {
                        value = A[row * k + d];
                    }
                    A_tile[depth][at] = value;
                }
                #pragma unroll
                for (int turn = 0; turn < 4; ++turn) {
                    const int cell = turn * 256 + local;
                    const int depth = cell / 64;
                    const int at = cell % 64;
                    int col = first_col + at;
                    int row = first_row + depth;
                    double value = 0;
                    if (col < col_count && row < row_end) {
                        const double seed = adj_C[row * n + col];
                        value = seed;
                    }
                    adj_C_tile[depth][at] = value;
                }
                __syncthreads();
                #pragma unroll
                for (int depth = 0; depth < 16; ++depth) {
                    double left[4];
                    double right[4];
                    #pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        left[u] = A_tile[depth][local_y + u * 16];
                        right[u] = adj_C_tile[depth][local_x + u * 16];
                    }
                    #pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        #pragma unroll
                        for (int v = 0; v < 4; ++v) {
                            adj_B_sum[u][v] += left[u] * right[v];
                        }
                    }
                }
                __syncthreads();
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                int d = first_d + (local_y + u * 16);
                #pragma unroll
                for (int v = 0; v < 4; ++v) {
                    int col = first_col + (local_x + v * 16);
                    if (d < d_count && col < col_count && adj_B_sum[u][v] != 0) {
                        if (parts > 1) {
                            atomicAdd(&adj_B[d * n + col], adj_B_sum[u][v]);
                        } else {
                            adj_B[d * n + col] += adj_B_sum[u][v];
                        }
                    }
                }
            }
        }
    } else {
        const size_t thread = (blockIdx.x + gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z))
            * ((size_t)blockDim.x * blockDim.y * blockDim.z)
            + (threadIdx.x + blockDim.x * (threadIdx.y + (size_t)blockDim.y * threadIdx.z));
        const size_t threads = (size_t)gridDim.x * gridDim.y * gridDim.z
            * ((size_t)blockDim.x * blockDim.y * blockDim.z);
        for (size_t target = thread; target < (size_t)col_count * d_count; target += threads) {
            int col = target % col_count;
            int d = target / col_count;
            double adj_B_sum = 0;
            if (threads_x > col) {
                const int row_end_2 = m < threads_y ? m : threads_y;
                #pragma unroll 4
                for (int row = 0; row < row_end_2; ++row) {
                    const double seed = adj_C[row * n + col];
                    adj_B_sum += seed * A[row * k + d];
                }
            }
            if (adj_B_sum != 0) {
                adj_B[d * n + col] += adj_B_sum;
            }
        }
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
    product_gather_apart_A<<<hetad_tiling(grid.x), 256>>>(
        B, m, n, k, adj_C, adj_A, grid.x * block.x, grid.y * block.y);
    hetad_launched(grid);
    product_gather_apart_B<<<hetad_tiling(grid.x), 256>>>(
        A, m, n, k, adj_C, adj_B, grid.x * block.x, grid.y * block.y);
    hetad_launched(grid);
}

// ---- hetad's own functions that are called above, and what they need ----

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

// How many blocks take tiles of shared memory, one after another: as many as keep a GPU busy.
static unsigned hetad_tiling(unsigned blocks)
{
    return blocks > 0 ? 1056 : 0;
}
