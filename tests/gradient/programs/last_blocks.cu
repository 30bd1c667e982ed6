/*---
function = "lengths"
wrt = ["x"]
[inputs]
x = { shape = [150], random = 1 }
n = 137
steps = 3

[[cases]]
name = "lengths"

[[cases]]
name = "no_blocks"
inputs.n = 0

[[cases]]
name = "volatile"
function = "waves"

[[cases]]
name = "volatile_one_block"
function = "waves"
inputs.n = 20

[[cases]]
name = "in_place"
function = "powers"
inputs.steps = 5

[[cases]]
name = "in_place_one_block"
function = "powers"
inputs.steps = 1
---*/
// The block that draws the last ticket goes on with what all blocks have left, in three ways: with a counter of the
// caller's that is cleared before each launch, as NVIDIA's programming guide has it, and as its sample of reductions.
#define T 32

__device__ unsigned int tickets;
__device__ unsigned int retired;

// Divides by the length, all by the last block.
__global__ void normalize(double *x, double *length, double *parts, int *count, int n)
{
    __shared__ double s[T], inverse;
    __shared__ int last;
    int i = blockIdx.x * T + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] * x[i] : 0.0;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (int k = 0; k < T; k++)
            sum += s[k];
        parts[blockIdx.x] = sum;
    }
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    if (threadIdx.x == 0) {
        double sum = 0.1;
        for (int k = 0; k < gridDim.x; k++)
            sum += parts[k];
        *length = sqrt(sum);
        inverse = 1.0 / *length;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += T)
        x[k] = sin(x[k] * inverse) + 0.2;
}

double lengths(const double *x, int n, int steps)
{
    double *d, *length, *parts, total = 0.0;
    int *count, blocks = (n + T - 1) / T;
    cudaMalloc(&d, (n + 1) * sizeof(double));
    cudaMalloc(&length, sizeof(double));
    cudaMalloc(&parts, (blocks + 1) * sizeof(double));
    cudaMalloc(&count, sizeof(int));
    cudaMemset(length, 0, sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < steps; k++) {
        double now;
        cudaMemset(count, 0, sizeof(int));
        normalize<<<blocks, T>>>(d, length, parts, count, n);
        cudaMemcpy(&now, length, sizeof(double), cudaMemcpyDeviceToHost);
        total = 0.5 * total + now * now;
    }
    cudaFree(d);
    cudaFree(length);
    cudaFree(parts);
    cudaFree(count);
    return total;
}

__device__ double partial_sum(const double *x, int n)
{
    __shared__ double part[T];
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * sin(x[i]);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    return part[0];
}

__device__ double total_sum(volatile double *result)
{
    __shared__ double part[T];
    double sum = 0.0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        sum += result[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    return part[0];
}

__global__ void wave(const double *x, int n, volatile double *result)
{
    __shared__ bool is_last;
    double partial = partial_sum(x, n);
    if (threadIdx.x == 0) {
        result[blockIdx.x] = partial;
        __threadfence();
        unsigned int ticket = atomicInc(&tickets, gridDim.x);
        is_last = (ticket == (gridDim.x - 1));
    }
    __syncthreads();
    if (is_last) {
        double total = total_sum(result);
        if (threadIdx.x == 0) {
            result[0] = total;
            tickets = 0;
        }
    }
}

double waves(const double *x, int n, int steps)
{
    double *d, *result, total = 0.0;
    int blocks = n < 40 ? 1 : 4;
    cudaMalloc(&d, n * sizeof(double));
    cudaMalloc(&result, blocks * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < steps; k++) {
        double now;
        wave<<<blocks, T>>>(d, n - k, result);
        cudaMemcpy(&now, result, sizeof(double), cudaMemcpyDeviceToHost);
        total += now * now * (k + 1);
    }
    cudaFree(d);
    cudaFree(result);
    return total;
}

__device__ void add_up(double *s, double mine)
{
    s[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            s[threadIdx.x] = mine = mine + s[threadIdx.x + k];
        __syncthreads();
    }
}

__global__ void power(const double *x, double *out, int n)
{
    extern __shared__ double smem[];
    double mine = 0.0;
    int i = blockIdx.x * T * 2 + threadIdx.x;
    while (i < n) {
        mine += x[i] * x[i] * (1.5 + sin(x[i]));
        if (i + T < n)
            mine += exp(x[i + T]);
        i += T * 2 * gridDim.x;
    }
    add_up(smem, mine);
    if (threadIdx.x == 0)
        out[blockIdx.x] = smem[0];
    if (gridDim.x > 1) {
        const unsigned int tid = threadIdx.x;
        __shared__ bool am_last;
        __threadfence();
        if (tid == 0) {
            unsigned int ticket = atomicInc(&retired, gridDim.x - 1);
            am_last = (ticket == gridDim.x - 1);
        }
        __syncthreads();
        if (am_last) {
            int b = tid;
            double sum = 0.0;
            while (b < gridDim.x) {
                sum += sqrt(1.0 + out[b]);
                b += blockDim.x;
            }
            add_up(smem, sum);
            if (tid == 0)
                out[0] = smem[0];
        }
    }
}

double powers(const double *x, int n, int steps)
{
    double *d, *out, result[2];
    cudaMalloc(&d, n * sizeof(double));
    cudaMalloc(&out, (steps + 3) * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    power<<<steps, T, T * sizeof(double)>>>(d, out, n);
    cudaMemcpy(result, out, sizeof(double), cudaMemcpyDeviceToHost);
    power<<<3, T, T * sizeof(double)>>>(d, out, n / 2);
    cudaMemcpy(result + 1, out, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(out);
    return result[0] * result[1];
}
