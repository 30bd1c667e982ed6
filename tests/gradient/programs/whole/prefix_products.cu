/*---
function = "discounted"
wrt = ["rates", "payments"]
[inputs]
rates = { shape = [45], random_uniform = 1, low = 0.0, high = 0.1 }
payments = { shape = [45], random = 2 }
n = 45

[[cases]]
name = "hillis_steele"

[[cases]]
name = "blelloch"
function = "discounted_by_blocks"
---*/
// The present value of payments: discount factors are prefix products of growth. Once by Hillis and Steele's scan, a
// launch for each distance between two buffers; once by Blelloch's in shared memory, with the blocks' totals scanned
// and added.
#include <stdlib.h>

#define B 8

__global__ void scan_step(double *to, const double *from, int distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = i >= distance ? from[i] * from[i - distance] : from[i];
}

__global__ void growth(double *g, const double *rates, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        g[i] = 1.0 / (1.0 + rates[i]);
}

// products of the cells before, within each block of 2 B cells; the block's product goes to totals
__global__ void blelloch(double *out, double *totals, const double *in, int n)
{
    __shared__ double s[2 * B];
    int t = threadIdx.x, base = 2 * B * blockIdx.x;
    s[2 * t] = base + 2 * t < n ? in[base + 2 * t] : 1.0;
    s[2 * t + 1] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 1.0;
    int offset = 1;
    for (int d = B; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            s[b] *= s[a];
        }
        offset *= 2;
    }
    __syncthreads();
    if (t == 0) {
        totals[blockIdx.x] = s[2 * B - 1];
        s[2 * B - 1] = 1.0;
    }
    for (int d = 1; d < 2 * B; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            double kept = s[a];
            s[a] = s[b];
            s[b] *= kept;
        }
    }
    __syncthreads();
    if (base + 2 * t < n)
        out[base + 2 * t] = s[2 * t];
    if (base + 2 * t + 1 < n)
        out[base + 2 * t + 1] = s[2 * t + 1];
}

__global__ void times_totals(double *out, const double *in, const double *scanned, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] *= in[i] * scanned[blockIdx.x];
}

static double value(const double *d_factors, const double *payments, int n)
{
    double *factors = (double *)malloc(n * sizeof(double)), sum = 0.0;
    cudaMemcpy(factors, d_factors, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += payments[i] * factors[i];
    free(factors);
    return sum;
}

double discounted(const double *rates, const double *payments, int n)
{
    double *d_rates, *a, *b;
    cudaMalloc(&d_rates, n * sizeof(double));
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(d_rates, rates, n * sizeof(double), cudaMemcpyHostToDevice);
    growth<<<(n + 31) / 32, 32>>>(a, d_rates, n);
    for (int distance = 1; distance < n; distance *= 2) {
        scan_step<<<(n + 31) / 32, 32>>>(b, a, distance, n);
        double *swap = a;
        a = b;
        b = swap;
    }
    double sum = value(a, payments, n);
    cudaFree(d_rates);
    cudaFree(a);
    cudaFree(b);
    return sum;
}

double discounted_by_blocks(const double *rates, const double *payments, int n)
{
    int blocks = (n + 2 * B - 1) / (2 * B);
    double *d_rates, *in, *out, *totals, *scanned, *rest;
    cudaMalloc(&d_rates, n * sizeof(double));
    cudaMalloc(&in, n * sizeof(double));
    cudaMalloc(&out, n * sizeof(double));
    cudaMalloc(&totals, blocks * sizeof(double));
    cudaMalloc(&scanned, blocks * sizeof(double));
    cudaMalloc(&rest, sizeof(double));
    cudaMemcpy(d_rates, rates, n * sizeof(double), cudaMemcpyHostToDevice);
    growth<<<(n + 31) / 32, 32>>>(in, d_rates, n);
    blelloch<<<blocks, B>>>(out, totals, in, n);
    blelloch<<<1, B>>>(scanned, rest, totals, blocks);
    times_totals<<<blocks, 2 * B>>>(out, in, scanned, n);
    double sum = value(out, payments, n);
    cudaFree(d_rates);
    cudaFree(in);
    cudaFree(out);
    cudaFree(totals);
    cudaFree(scanned);
    cudaFree(rest);
    return sum;
}
