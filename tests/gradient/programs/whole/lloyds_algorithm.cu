/*---
function = "cluster"
wrt = ["points"]
of = ["centres"]
[inputs]
points = { shape = [40, 2], random = 1 }
centres = { values = [-1.0, -0.9, 1.1, 0.8, -0.7, 1.2], shape = [3, 2] }
n = 40
k = 3
---*/
// k-means until no point changes its cluster: assignments are integers, counted by integer atomics and compared through
// a flag that comes back to the host; the centres' sums carry the derivative.
#include <stdlib.h>

__global__ void assign(int *cluster, int *changed, const double *points, const double *centres, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    double least = 1e300;
    for (int c = 0; c < k; c++) {
        double dx = points[2 * i] - centres[2 * c], dy = points[2 * i + 1] - centres[2 * c + 1];
        double d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    if (cluster[i] != best) {
        cluster[i] = best;
        atomicAdd(changed, 1);
    }
}

__global__ void accumulate(double *sums, int *counts, const int *cluster, const double *points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&sums[2 * cluster[i]], points[2 * i]);
        atomicAdd(&sums[2 * cluster[i] + 1], points[2 * i + 1]);
        atomicAdd(&counts[cluster[i]], 1);
    }
}

__global__ void divide(double *centres, const double *sums, const int *counts, int k)
{
    int c = threadIdx.x;
    if (c < k && counts[c] > 0) {
        centres[2 * c] = sums[2 * c] / counts[c];
        centres[2 * c + 1] = sums[2 * c + 1] / counts[c];
    }
}

int cluster(double *centres, const double *points, int n, int k)
{
    double *d_points, *d_centres, *sums;
    int *assignment, *counts, *d_changed, changed, rounds = 0;
    cudaMalloc(&d_points, 2 * n * sizeof(double));
    cudaMalloc(&d_centres, 2 * k * sizeof(double));
    cudaMalloc(&sums, 2 * k * sizeof(double));
    cudaMalloc(&assignment, n * sizeof(int));
    cudaMalloc(&counts, k * sizeof(int));
    cudaMalloc(&d_changed, sizeof(int));
    cudaMemcpy(d_points, points, 2 * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_centres, centres, 2 * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(assignment, 0xff, n * sizeof(int));
    do {
        cudaMemset(d_changed, 0, sizeof(int));
        cudaMemset(sums, 0, 2 * k * sizeof(double));
        cudaMemset(counts, 0, k * sizeof(int));
        assign<<<(n + 15) / 16, 16>>>(assignment, d_changed, d_points, d_centres, n, k);
        accumulate<<<(n + 15) / 16, 16>>>(sums, counts, assignment, d_points, n);
        divide<<<1, 32>>>(d_centres, sums, counts, k);
        cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost);
        if (++rounds > 100)
            exit(1);
    } while (changed);
    cudaMemcpy(centres, d_centres, 2 * k * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_points);
    cudaFree(d_centres);
    cudaFree(sums);
    cudaFree(assignment);
    cudaFree(counts);
    cudaFree(d_changed);
    return rounds;
}
