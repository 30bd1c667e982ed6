/*---
function = "relax"
wrt = ["x", "rate"]
of = ["x", "sums"]
[inputs]
x = { shape = [29], random = 1 }
sums = { zeros = [4] }
rate = 0.4
n = 29
---*/
// Where a block works is told in shared memory: by its number, or by a counter from which blocks take tiles.
__device__ int taken;

__global__ void by_number(double *x, double rate, int n)
{
    __shared__ int begin, length;
    if (threadIdx.x == 0) {
        begin = blockIdx.x * blockDim.x;
        length = n - begin < blockDim.x ? n - begin : blockDim.x;
    }
    __syncthreads();
    if (threadIdx.x < length)
        x[begin + threadIdx.x] = (1.0 - rate) * x[begin + threadIdx.x] + rate * sin(x[begin + threadIdx.x]);
}

__global__ void by_turns(double *x, double *sums, double rate, int n)
{
    __shared__ int tile;
    __shared__ double sum;
    if (threadIdx.x == 0) {
        tile = atomicAdd(&taken, 1);
        sum = 0.0;
    }
    __syncthreads();
    int i = tile * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = x[i] * exp(-rate * x[i]);
        atomicAdd(&sum, x[i] * x[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        sums[tile] += sum;
}

void relax(double *x, double *sums, double rate, int n)
{
    double *d_x, *d_sums;
    int none = 0, blocks = (n + 7) / 8;
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_sums, blocks * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_sums, 0, blocks * sizeof(double));
    for (int step = 0; step < 3; step++) {
        cudaMemcpyToSymbol(taken, &none, sizeof(int));
        by_number<<<blocks, 8>>>(d_x, rate, n);
        by_turns<<<blocks, 8>>>(d_x, d_sums, rate, n);
    }
    cudaMemcpy(x, d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, d_sums, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_sums);
}
