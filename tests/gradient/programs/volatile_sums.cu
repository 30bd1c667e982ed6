/*---
function = "sums"
wrt = ["x", "w"]
of = ["out"]
[inputs]
out = { zeros = [9] }
x = { shape = [331], random = 1 }
w = 0.8
n = 331
---*/
// Reductions and a scan by the lanes of a warp in step, as before __syncwarp: the word volatile orders them.
template <unsigned int Size> __device__ void in_warp(volatile double *s, unsigned int tid)
{
    if (Size >= 64)
        s[tid] += s[tid + 32];
    s[tid] += s[tid + 16];
    s[tid] += s[tid + 8];
    s[tid] += s[tid + 4];
    s[tid] += s[tid + 2];
    s[tid] += s[tid + 1];
}

template <unsigned int Size> __global__ void tree(double *out, const double *x, double w, int n)
{
    extern __shared__ double s[];
    unsigned int tid = threadIdx.x;
    double sum = 0;
    for (unsigned int i = blockIdx.x * Size + tid; i < n; i += Size * gridDim.x)
        sum += sin(w * x[i]) * x[i];
    s[tid] = sum;
    __syncthreads();
    if (Size >= 128) {
        if (tid < 64)
            s[tid] += s[tid + 64];
        __syncthreads();
    }
    if (tid < 32)
        in_warp<Size>(s, tid);
    if (tid == 0)
        out[blockIdx.x] = s[0];
}

// Products and their sums, not linear: the values in shared memory are needed in reverse.
__global__ void products(double *out, const double *x, double w, int n)
{
    __shared__ volatile double s[64];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? 1.0 + 0.1 * w * x[i] : 1.0;
    __syncthreads();
    if (tid >= 32)
        return;
    double mine = s[tid];
    s[tid] = mine = mine * s[tid + 32];
    s[tid] = mine = mine * s[(tid + 16) % 32];
    s[tid] = mine = mine + s[(tid + 8) % 32] * s[(tid + 1) % 32];
    if (tid < 1)
        out[3 + blockIdx.x] = s[0] * s[5] + mine;
}

// Each warp for itself: sums of all lanes before, from cells that lower lanes write in the same step.
__global__ void scan(double *out, const double *x, double w, int n)
{
    __shared__ double held[2 * (32 + 16)];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    volatile double *s = held + warp * (32 + 16) + 16;
    s[lane - 16 * (lane < 16)] = 0.0;
    int i = blockIdx.x * blockDim.x + tid;
    s[lane] = i < n ? w * x[i] * x[i] : 0.0;
    s[lane] += s[lane - 1];
    s[lane] += s[lane - 2];
    s[lane] += s[lane - 4];
    s[lane] += s[lane - 8];
    s[lane] += s[lane - 16];
    __syncthreads();
    if (tid == 63)
        out[6 + blockIdx.x] = s[lane] * held[16 + 31] + s[lane - 7];
}

void sums(double *out, const double *x, double w, int n)
{
    double *d_out, *d_x;
    cudaMalloc(&d_out, 9 * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMemset(d_out, 0, 9 * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    tree<128><<<2, 128, 128 * sizeof(double)>>>(d_out, d_x, w, n);
    tree<32><<<1, 32, 64 * sizeof(double)>>>(d_out + 2, d_x, w, 30);
    products<<<3, 64>>>(d_out, d_x, w, n);
    scan<<<3, 64>>>(d_out, d_x, w, n);
    cudaMemcpy(out, d_out, 9 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_x);
}
