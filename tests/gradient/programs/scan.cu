/*---
function = "inclusive"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 24
[inputs]
y = { zeros = [48] }
x = { shape = [48], random_uniform = 1, low = 0.5, high = 1.3 }

[[cases]]
name = "sums"
reference = { x = "np.cumsum(adj_y.reshape(2, 24)[:, ::-1], 1)[:, ::-1].ravel()" }

[[cases]]
name = "products"
function = "products"

[[cases]]
name = "work_efficient"
function = "work_efficient"
[cases.launch]
grid = 3
block = 8
---*/
// Prefix sums and products in shared memory: Hillis and Steele between two buffers, and in place, and Blelloch's tree.
#define N 24

__global__ void inclusive(double *y, const double *x)
{
    __shared__ double buffer[2][N];
    int t = threadIdx.x, from = 0;
    buffer[0][t] = x[blockIdx.x * N + t];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        int to = 1 - from;
        buffer[to][t] = t >= d ? buffer[from][t] + buffer[from][t - d] : buffer[from][t];
        from = to;
        __syncthreads();
    }
    y[blockIdx.x * N + t] = buffer[from][t];
}

__global__ void products(double *y, const double *x)
{
    __shared__ double s[N];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * N + t];
    __syncthreads();
    for (int d = 1; d < N; d <<= 1) {
        double left = 1.0;
        if (t >= d)
            left = s[t - d];
        __syncthreads();
        s[t] *= left;
        __syncthreads();
    }
    y[blockIdx.x * N + t] = s[t];
}

__global__ void work_efficient(double *y, const double *x)
{
    __shared__ double s[16];
    int t = threadIdx.x, base = blockIdx.x * 16, offset = 1;
    s[2 * t] = sin(x[base + 2 * t]);
    s[2 * t + 1] = sin(x[base + 2 * t + 1]);
    for (int d = 8; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        s[15] = 0.0;
    for (int d = 1; d < 16; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            double kept = s[i];
            s[i] = s[j];
            s[j] += kept;
        }
    }
    __syncthreads();
    y[base + 2 * t] = s[2 * t] * x[base + 2 * t];
    y[base + 2 * t + 1] = s[2 * t + 1];
}
