/*---
function = "mutual_information"
wrt = ["a", "b", "weight"]
[inputs]
a = { shape = [77], random_uniform = 1, low = 0.05, high = 0.95 }
b = { shape = [77], random_uniform = 2, low = 0.05, high = 0.95 }
weight = { shape = [77], random_uniform = 3, low = 0.5, high = 1.5 }
n = 77
---*/
// The mutual information of two images from a joint histogram whose counts are spread linearly over two bins: private
// histograms in shared memory, merged by atomics, marginals by reductions, all read back for the sum on the host.
#include <math.h>

#define BINS 6

__global__ void joint(double *histogram, const double *a, const double *b, const double *weight, int n)
{
    __shared__ double mine[BINS * BINS];
    for (int k = threadIdx.x; k < BINS * BINS; k += blockDim.x)
        mine[k] = 0.0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double x = a[i] * (BINS - 1), y = b[i] * (BINS - 1);
        int p = (int)x, q = (int)y;
        double u = x - p, v = y - q;
        atomicAdd(&mine[p * BINS + q], weight[i] * (1.0 - u) * (1.0 - v));
        atomicAdd(&mine[p * BINS + q + 1], weight[i] * (1.0 - u) * v);
        atomicAdd(&mine[(p + 1) * BINS + q], weight[i] * u * (1.0 - v));
        atomicAdd(&mine[(p + 1) * BINS + q + 1], weight[i] * u * v);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < BINS * BINS; k += blockDim.x)
        atomicAdd(&histogram[k], mine[k]);
}

__global__ void marginals(double *rows, double *columns, const double *histogram)
{
    int k = threadIdx.x;
    double r = 0.0, c = 0.0;
    for (int j = 0; j < BINS; j++) {
        r += histogram[k * BINS + j];
        c += histogram[j * BINS + k];
    }
    rows[k] = r;
    columns[k] = c;
}

double mutual_information(const double *a, const double *b, const double *weight, int n)
{
    double *images[3], *histogram, *rows, *columns;
    const double *given[3] = {a, b, weight};
    for (int k = 0; k < 3; k++) {
        cudaMalloc((void **)&images[k], n * sizeof(double));
        cudaMemcpy(images[k], given[k], n * sizeof(double), cudaMemcpyHostToDevice);
    }
    cudaMalloc((void **)&histogram, BINS * BINS * sizeof(double));
    cudaMalloc((void **)&rows, BINS * sizeof(double));
    cudaMalloc((void **)&columns, BINS * sizeof(double));
    cudaMemset(histogram, 0, BINS * BINS * sizeof(double));
    joint<<<3, 16>>>(histogram, images[0], images[1], images[2], n);
    marginals<<<1, BINS>>>(rows, columns, histogram);
    double h[BINS][BINS], r[BINS], c[BINS], total = 0.0, information = 0.0;
    cudaMemcpy(h, histogram, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(r, rows, sizeof(r), cudaMemcpyDeviceToHost);
    cudaMemcpy(c, columns, sizeof(c), cudaMemcpyDeviceToHost);
    for (int i = 0; i < BINS; i++)
        total += r[i];
    for (int i = 0; i < BINS; i++)
        for (int j = 0; j < BINS; j++)
            if (h[i][j] > 1e-12)
                information += h[i][j] / total * log(h[i][j] * total / (r[i] * c[j]));
    for (int k = 0; k < 3; k++)
        cudaFree(images[k]);
    cudaFree(histogram);
    cudaFree(rows);
    cudaFree(columns);
    return information;
}
