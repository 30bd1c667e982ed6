/*---
function = "brk"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [60] }
x = { shape = [60], random = 1 }
w = 0.8
n = 60

[[cases]]
name = "brk"
[[cases]]
name = "helper"
function = "helper"
[[cases]]
name = "returns"
function = "returns"
[[cases]]
name = "trees"
function = "trees"
---*/
// Volatile numbers in shared memory in loops that threads leave at different times, which change a cell of their own there;
// in helpers with early returns, and behind returns of the kernel.
__global__ void kbrk(double *y, const double *x, double w, int n)
{
    __shared__ volatile double s[64];
    const int t = threadIdx.x;
    s[t] = t < n ? x[t] : 0.1;
    for (int k = 0; k < 4; k++) {
        if (s[t] > 1.0)
            break;
        s[t] = s[t] * w + 0.3;
    }
    if (t < n) y[t] = s[t] * s[t];
}
void brk(double *y, const double *x, double w, int n) { kbrk<<<1, 64>>>(y, x, w, n); }
__device__ void last(volatile double *s, int t, double w)
{
    if (t >= 16) return;
    const double a = s[t];
    s[t] = a + w * s[t + 16];
    if (t < 8) s[t] += s[t + 8]; else return;
    { const double b = s[t] * a; s[t] = b + s[t + 4 * (t < 4)]; }
    if (t < 2) { s[t] += s[t + 2]; if (t < 1) s[t] *= s[t + 1]; }
}
__global__ void khelper(double *y, const double *x, double w, int n)
{
    __shared__ double s[64];
    const int t = threadIdx.x;
    s[t] = t < n ? x[t] : 0.1;
    __syncthreads();
    if (t < 32) last(s, t, w);
    __syncthreads();
    if (t < n) y[t] = s[t] * s[0];
}
void helper(double *y, const double *x, double w, int n) { khelper<<<1, 64>>>(y, x, w, n); }
__global__ void kret(double *y, const double *x, double w, int n)
{
    volatile __shared__ double s[2][40];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;
    s[0][t] = x[i]; s[1][t] = w * x[i];
    if (x[i] < -1.0) { y[i] = s[0][t] * 2; return; }
    double acc = 0;
    for (int k = 0; k < 3; k++) {
        const double old = s[k & 1][t];
        s[(k + 1) & 1][t] = old * s[1][t] + acc;
        if (t % 2) { acc += old; continue; }
        s[k & 1][t] -= old * 0.5;
    }
    y[i] = acc + s[0][t] * s[1][t];
}
void returns(double *y, const double *x, double w, int n) { kret<<<2, 40>>>(y, x, w, n); }
template <typename T, unsigned B> __global__ void reduce(const T *in, T *out, T w, unsigned n)
{
    extern __shared__ T raw[];
    volatile T *s = raw;
    unsigned tid = threadIdx.x, i = blockIdx.x * B * 2 + tid, grid = B * 2 * gridDim.x;
    s[tid] = 0;
    while (i < n) { s[tid] += in[i] * in[i] * w + (i + B < n ? in[i + B] : 0); i += grid; }
    __syncthreads();
    if (B >= 32) { if (tid < 16) { s[tid] += s[tid + 16]; } __syncthreads(); }
    if (tid < 8) { if (B >= 16) s[tid] += s[tid + 8]; if (B >= 8) s[tid] += s[tid + 4]; if (B >= 4) s[tid] += s[tid + 2]; if (B >= 2) s[tid] += s[tid + 1]; }
    if (tid == 0) out[blockIdx.x] = s[0] * s[0];
}
void trees(double *y, const double *x, double w, int n)
{
    switch (n / 30) { case 2: reduce<double, 16><<<2, 16, 32 * sizeof(double)>>>(x, y, w, n); break; case 1: reduce<double, 32><<<1, 32, 64 * sizeof(double)>>>(x, y, w, n); }
}
