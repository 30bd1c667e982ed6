/*---
function = "network"
wrt = ["x", "gamma", "beta", "filter"]
of = ["y", "running_mean", "running_variance"]
[inputs]
x = { shape = [5, 3, 6, 7], random = 1 }
y = { zeros = [5, 3] }
gamma = { shape = [3], random = 2 }
beta = { shape = [3], random = 3 }
filter = { shape = [3, 3, 3], random = 4 }
running_mean = { shape = [3], random = 5 }
running_variance = { shape = [3], random = 6 }
momentum = 0.9
---*/
// A depthwise convolution, batch normalisation that keeps running statistics, ReLU, average pooling: forward passes of
// layers with one function each, over tensors described by a struct.
#include <assert.h>

typedef struct {
    int n, c, h, w;
} Shape;

static size_t elements(Shape s)
{
    return (size_t)s.n * s.c * s.h * s.w;
}

__global__ void depthwise(double *out, const double *in, const double *filter, Shape s)
{
    int x = threadIdx.x, y = blockIdx.x, c = blockIdx.y, n = blockIdx.z;
    const double *plane = in + (n * s.c + c) * s.h * s.w;
    double sum = 0.0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int yy = y + dy, xx = x + dx;
            if (yy < 0 || yy >= s.h || xx < 0 || xx >= s.w)
                continue;
            sum += filter[(c * 3 + dy + 1) * 3 + dx + 1] * plane[yy * s.w + xx];
        }
    out[((n * s.c + c) * s.h + y) * s.w + x] = sum;
}

__global__ void moments(double *mean, double *variance, const double *x, Shape s)
{
    __shared__ double sum[32], square[32];
    int c = blockIdx.x, t = threadIdx.x, plane = s.h * s.w, count = s.n * plane;
    double a = 0.0, b = 0.0;
    for (int i = t; i < count; i += blockDim.x) {
        double v = x[((i / plane) * s.c + c) * plane + i % plane];
        a += v;
        b += v * v;
    }
    sum[t] = a;
    square[t] = b;
    __syncthreads();
    for (int k = 16; k >= 1; k /= 2) {
        if (t < k) {
            sum[t] += sum[t + k];
            square[t] += square[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        mean[c] = sum[0] / count;
        variance[c] = square[0] / count - mean[c] * mean[c];
    }
}

__global__ void normalise(double *x, const double *mean, const double *variance, const double *gamma,
                          const double *beta, Shape s)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= (size_t)s.n * s.c * s.h * s.w)
        return;
    int c = i / (s.h * s.w) % s.c;
    double v = gamma[c] * (x[i] - mean[c]) * rsqrt(variance[c] + 1e-5) + beta[c];
    x[i] = v > 0.0 ? v : 0.0;
}

__global__ void keep_running(double *running, const double *now, double momentum, int n)
{
    int i = threadIdx.x;
    if (i < n)
        running[i] = momentum * running[i] + (1.0 - momentum) * now[i];
}

__global__ void pool(double *y, const double *x, Shape s)
{
    double sum = 0.0;
    int k = blockIdx.x * s.c + threadIdx.x, plane = s.h * s.w;
    for (int i = 0; i < plane; i++)
        sum += x[k * plane + i];
    y[k] = sum / plane;
}

void network(double *y, const double *x, const double *gamma, const double *beta, const double *filter,
             double *running_mean, double *running_variance, double momentum)
{
    Shape s = {5, 3, 6, 7};
    assert(elements(s) > 0);
    double *d_x, *d_h, *small;
    cudaMalloc(&d_x, elements(s) * sizeof(double));
    cudaMalloc(&d_h, elements(s) * sizeof(double));
    cudaMalloc(&small, (6 * s.c + 9 * s.c + s.n * s.c) * sizeof(double));
    double *mean = small, *variance = mean + s.c, *d_gamma = variance + s.c, *d_beta = d_gamma + s.c;
    double *d_mean = d_beta + s.c, *d_variance = d_mean + s.c, *d_filter = d_variance + s.c;
    double *d_y = d_filter + 9 * s.c;
    size_t channel = s.c * sizeof(double);
    cudaMemcpy(d_x, x, elements(s) * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_gamma, gamma, channel, cudaMemcpyHostToDevice);
    cudaMemcpy(d_beta, beta, channel, cudaMemcpyHostToDevice);
    cudaMemcpy(d_filter, filter, 9 * channel, cudaMemcpyHostToDevice);
    cudaMemcpy(d_mean, running_mean, channel, cudaMemcpyHostToDevice);
    cudaMemcpy(d_variance, running_variance, channel, cudaMemcpyHostToDevice);

    depthwise<<<dim3(s.h, s.c, s.n), s.w>>>(d_h, d_x, d_filter, s);
    moments<<<s.c, 32>>>(mean, variance, d_h, s);
    keep_running<<<1, 32>>>(d_mean, mean, momentum, s.c);
    keep_running<<<1, 32>>>(d_variance, variance, momentum, s.c);
    normalise<<<(elements(s) + 63) / 64, 64>>>(d_h, mean, variance, d_gamma, d_beta, s);
    pool<<<s.n, s.c>>>(d_y, d_h, s);

    cudaMemcpy(y, d_y, s.n * channel, cudaMemcpyDeviceToHost);
    cudaMemcpy(running_mean, d_mean, channel, cudaMemcpyDeviceToHost);
    cudaMemcpy(running_variance, d_variance, channel, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_h);
    cudaFree(small);
}
