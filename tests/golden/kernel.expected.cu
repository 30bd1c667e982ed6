#include <cstdio>
#include <cstdlib>

static __device__ void hetad_block_add_double(double *target, double value);
static cudaError_t hetad_device_zeros(void **p, size_t bytes);
static unsigned hetad_blocks(unsigned blocks, unsigned rows);
static void hetad_launched(dim3 grid);
static void hetad_read_scalar_double(double *adj, double *cell);
static void hetad_device_free(void *p);

// pullback of scale (line 15), with respect to y, x, a
static __global__ void scale_pullback(
    const double *__restrict__ x, double a, int n, const double *__restrict__ adj_y,
    double *__restrict__ adj_x, double *adj_a, unsigned int blocks)
{
    double a_sum = 0;
    for (unsigned int block = blockIdx.x; block < blocks; block += gridDim.x) {
        int i = block * blockDim.x + threadIdx.x;
        if (i < n) {
            // line 19: y[i] = a * x[i];
            const double seed = adj_y[i];
            a_sum += seed * x[i];
            adj_x[i] += seed * a;
        }
    }
    hetad_block_add_double(adj_a, a_sum);
}

// gradient of y of scale (line 15) with respect to x, a
extern "C" void scale_grad(
    const dim3 grid, const dim3 block, size_t shared_mem, cudaStream_t stream, double *y, const double *x,
    double a, int n, double *adj_y, double *adj_x, double *adj_a)
{
    double a_sum = 0;
    double *adj_scalars;
    hetad_device_zeros((void **)&adj_scalars, 8);
    // line 15: __global__ void scale(double *y, const double *x, double a, int n)
    scale_pullback<<<hetad_blocks(grid.x, 1), block.x, shared_mem, stream>>>(
        x, a, n, adj_y, adj_x, adj_scalars, grid.x);
    hetad_launched(grid);
    hetad_read_scalar_double(&a_sum, adj_scalars);
    *adj_a += a_sum;
    hetad_device_free(adj_scalars);
}

// ---- hetad's own functions that are called above, and what they need ----

// The sum of `value` over the first `lanes` lanes of a warp, in lane 0.
static __device__ double hetad_warp_sum_double(double value, unsigned lane, unsigned lanes)
{
    const unsigned mask = lanes < 32 ? (1u << lanes) - 1 : 0xffffffffu;
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        const double other = __shfl_down_sync(mask, value, offset);
        if (lane + offset < lanes) {
            value += other;
        }
    }
    return value;
}

// The sum of `value` over the block, in its first thread; all threads come here.
static __device__ double hetad_block_total_double(double value)
{
    __shared__ double sums[32];
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned warp = thread / 32, lane = thread % 32, warps = (threads + 31) / 32;
    value = hetad_warp_sum_double(value, lane, min(32u, threads - 32 * warp));
    __syncthreads();  // an earlier call may still be reading `sums`
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    if (thread < warps) {
        value = hetad_warp_sum_double(sums[thread], lane, warps);
    }
    return value;
}

// *target += the sum of `value` over the block: one atomicAdd, if any.
static __device__ void hetad_block_add_double(double *target, double value)
{
    value = hetad_block_total_double(value);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0 && value != 0) {
        atomicAdd(target, value);
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

// Memory of the derivative call.
static void *hetad_device_memory(size_t bytes)
{
    void *p = NULL;
    hetad_check(cudaMalloc(&p, bytes));
    return p;
}

static cudaError_t hetad_device_zeros(void **p, size_t bytes)
{
    *p = hetad_device_memory(bytes);
    if (bytes > 0) {
        hetad_check(cudaMemset(*p, 0, bytes));
    }
    return cudaSuccess;
}

static void hetad_device_free(void *p)
{
    hetad_check(cudaFree(p));
}

// The launch before must have worked; one without blocks does nothing and may be refused.
static void hetad_launched(dim3 grid)
{
    cudaError_t error = cudaGetLastError();
    if (grid.x > 0 && grid.y > 0 && grid.z > 0) {
        hetad_check(error);
    }
}

// So many blocks in each of some rows keep a GPU busy; each of them works for several, and adds one sum for all of these.
static unsigned hetad_blocks(unsigned blocks, unsigned rows)
{
    const unsigned most = rows == 0 || rows > 2112 ? 1 : 2112 / rows;
    return blocks < most ? blocks : most;
}

// The adjoint of a scalar that kernels accumulated in a cell of device memory.
static void hetad_read_scalar_double(double *adj, double *cell)
{
    double sum = 0;
    hetad_check(cudaMemcpy(&sum, cell, sizeof sum, cudaMemcpyDeviceToHost));
    hetad_check(cudaMemset(cell, 0, sizeof sum));
    *adj += sum;
}
