/*---
function = "half_warps"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [60] }
x = { shape = [60], random = 1 }
w = 0.8
n = 60

[[cases]]
name = "half_warps"
[[cases]]
name = "trees"
function = "trees"
[[cases]]
name = "halos"
function = "halos"
[[cases]]
name = "nested"
function = "nested"
---*/
// Volatile numbers in shared memory that some lanes of a warp store to: the others come along to its barriers.
__global__ void half_warps_kernel(double *y, const double *x, double w, int n)
{
    __shared__ volatile double s[32];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? sin(w * x[i]) : 0.0;
    if (t < 8) {
        s[t] += s[t + 8] * s[t];
        const double mine = s[t];
        s[t] += s[t + 4] + mine * mine;
        s[t] = s[(t + 2) % 8] * s[t];
        s[t] += s[(t + 1) % 8];
    }
    __syncthreads();
    if (i < n)
        y[i] = s[t] * x[i] + s[0];
}
void half_warps(double *y, const double *x, double w, int n) { half_warps_kernel<<<(n + 15) / 16, 16>>>(y, x, w, n); }

__global__ void trees_kernel(double *y, const double *x, double w, int n)
{
    extern __shared__ double raw[];
    volatile double *red = raw;
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * x[i] * w;
    red[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned int k = blockDim.x / 2; k > 0; k /= 2) {
        if (threadIdx.x < k)
            red[threadIdx.x] += red[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = red[0] * red[0];
}
void trees(double *y, const double *x, double w, int n) { trees_kernel<<<2, 16, 16 * sizeof(double)>>>(y, x, w, n); }

__global__ void halos_kernel(double *y, const double *x, double w, int n)
{
    volatile __shared__ double tile[8 + 2][4 + 2];
    const int ix = blockIdx.x * 4 + threadIdx.x, iy = blockIdx.y * 8 + threadIdx.y, wide = 10, high = n / 10;
    tile[threadIdx.y + 1][threadIdx.x + 1] = ix < wide && iy < high ? x[iy * wide + ix] : 0.0;
    if (threadIdx.y == 0) {
        int above = min(max((int)blockIdx.y * 8 - 1, 0), high - 1), below = min((int)blockIdx.y * 8 + 8, high - 1);
        tile[0][threadIdx.x + 1] = x[above * wide + min(ix, wide - 1)];
        tile[9][threadIdx.x + 1] = x[below * wide + min(ix, wide - 1)];
    } else if (threadIdx.x == 1) {
        int left = max((int)blockIdx.x * 4 - 1, 0), row = min(iy, high - 1);
        if (iy < high) {
            left += row * wide;
            tile[threadIdx.y + 1][0] = w * x[left];
        } else
            tile[threadIdx.y + 1][0] = 0.5;
        int right = min((int)blockIdx.x * 4 + 4, wide - 1);
        tile[threadIdx.y + 1][5] = x[row * wide + right];
    }
    __syncthreads();
    if (ix >= wide || iy >= high)
        return;
    const int a = threadIdx.y + 1, b = threadIdx.x + 1;
    if (a == 1 && (b == 1 || b == 4)) { y[iy * wide + ix] = tile[a][b]; return; }
    y[iy * wide + ix] = tile[a][b] * (tile[a - 1][b] + tile[a + 1][b]) + (a > 1 ? tile[a][b - 1] * tile[a][b + 1] : 0.0);
}
void halos(double *y, const double *x, double w, int n) { halos_kernel<<<dim3(3, 1), dim3(4, 8)>>>(y, x, w, n); }

__global__ void nested_kernel(double *y, const double *x, double w, int n)
{
    __shared__ volatile double s[64];
    const int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = x[t];
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (x[t] > 0) {
            double v[2] = {s[t], w};
            if (t % 3 == 0)
                s[t] = v[0] * v[1] + x[t];
            else if (t % 3 == 1) {
                s[t] *= w;
                v[1] = s[t];
            }
            s[t] += v[0] * v[1] * 0.1;
        } else {
            double u = s[t];
            u *= 0.5;
            s[t] = u + w;
        }
    }
    y[t] = s[t] * s[t];
}
void nested(double *y, const double *x, double w, int n) { nested_kernel<<<1, 64>>>(y, x, w, n); }
