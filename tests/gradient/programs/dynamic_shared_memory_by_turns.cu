/*---
function = "run"
wrt = ["x", "w"]
of = ["out", "y"]
[inputs]
out = { zeros = [3] }
y = { zeros = [75] }
x = { shape = [75], random = 1 }
w = { shape = [32], random = 2 }
n = 75
---*/
// Cells of dynamic shared memory that between two barriers belong to one thread each: a tree, in memory of bytes; two
// arrays one behind the other; a pointer of each thread to its own cells; a row that threads read at a distance.
template <typename T> struct Memory {
    __device__ operator T *() const
    {
        extern __shared__ unsigned char bytes[];
        return (T *)bytes;
    }
};

__global__ void total(double *out, const double *x, int n)
{
    double *part = Memory<double>();
    int t = threadIdx.x;
    double v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        v += x[i] * x[i];
    part[t] = v;
    __syncthreads();
    for (int k = blockDim.x >> 1; k > 0; k >>= 1) {
        if (t < k)
            part[t] += part[t + k] * part[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__global__ void filtered(double *y, const double *x, const double *w, int n)
{
    extern __shared__ double both[];
    double *row = both;
    double *weights = both + blockDim.x;
    double *own = both + 2 * blockDim.x + 2 * threadIdx.x;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    row[t] = i < n ? x[i] : 0.0;
    weights[t] = w[t];
    own[0] = row[t] * 0.3;
    own[1] = sin(own[0]);
    __syncthreads();
    double sum = own[1] * own[0];
    for (int k = 0; k < (int)blockDim.x; k += 5)
        sum += row[(t + k) % blockDim.x] * weights[k];
    __syncthreads();
    weights[t] = sum * weights[t];
    __syncthreads();
    if (i < n)
        y[i] = weights[t] + row[blockDim.x - 1 - t] * weights[blockDim.x - 1 - t];
}

void run(double *out, double *y, const double *x, const double *w, int n)
{
    total<<<3, 16, 16 * sizeof(double)>>>(out, x, n);
    filtered<<<(n + 31) / 32, 32, 4 * 32 * sizeof(double)>>>(y, x, w, n);
}
