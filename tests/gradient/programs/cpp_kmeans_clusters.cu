/*---
function = "cluster_cost"
wrt = ["points", "centres"]
of = ["centres", "cost"]
[inputs]
points = { shape = [34], random = 1 }
centres = { shape = [6], random = 2 }
cost = { zeros = [1] }
n = 17
rounds = 2
---*/
// k-means with a point class of any dimension, a constexpr lambda-free argmin, and shared accumulators in a template.
#include <limits>

template <int D> struct Point {
    double c[D];
    __host__ __device__ double &operator[](int i) { return c[i]; }
    __host__ __device__ const double &operator[](int i) const { return c[i]; }
    __host__ __device__ friend double distance2(const Point &a, const Point &b)
    {
        double s = 0.0;
#pragma unroll
        for (int d = 0; d < D; ++d) {
            const double diff = a[d] - b[d];
            s += diff * diff;
        }
        return s;
    }
};

template <int D, int K> struct Centres {
    Point<D> p[K];
    __device__ int nearest(const Point<D> &x, double &best) const
    {
        int found = 0;
        best = std::numeric_limits<double>::infinity();
        for (int k = 0; k < K; ++k)
            if (const double d = distance2(x, p[k]); d < best) {
                best = d;
                found = k;
            }
        return found;
    }
};

template <int D, int K>
__global__ void assign(Point<D> *sums, int *counts, double *cost, const Point<D> *points, const Centres<D, K> *centres, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double d;
    const auto k = centres->nearest(points[i], d);
    atomicAdd(cost, d);
    atomicAdd(counts + k, 1);
    for (int c = 0; c < D; ++c)
        atomicAdd(&sums[k].c[c], points[i][c]);
}

template <int D, int K> __global__ void update(Centres<D, K> *centres, const Point<D> *sums, const int *counts)
{
    const auto k = threadIdx.x;
    for (int c = 0; c < D; ++c)
        if (counts[k] > 0)
            centres->p[k][c] = 0.5 * centres->p[k][c] + 0.5 * sums[k][c] / counts[k];
}

void cluster_cost(const double *points, double *centres, double *cost, int n, int rounds)
{
    constexpr int D = 2, K = 3;
    Point<D> *d_points, *d_sums;
    Centres<D, K> *d_centres;
    int *d_counts;
    double *d_cost;
    cudaMalloc(&d_points, n * sizeof(Point<D>));
    cudaMalloc(&d_sums, K * sizeof(Point<D>));
    cudaMalloc(&d_centres, sizeof(Centres<D, K>));
    cudaMalloc(&d_counts, K * sizeof(int));
    cudaMalloc(&d_cost, sizeof(double));
    cudaMemcpy(d_points, points, n * sizeof(Point<D>), cudaMemcpyHostToDevice);
    cudaMemcpy(d_centres, centres, sizeof(Centres<D, K>), cudaMemcpyHostToDevice);
    for (int r = 0; r < rounds; ++r) {
        cudaMemset(d_sums, 0, K * sizeof(Point<D>));
        cudaMemset(d_counts, 0, K * sizeof(int));
        cudaMemset(d_cost, 0, sizeof(double));
        assign<D, K><<<(n + 7) / 8, 8>>>(d_sums, d_counts, d_cost, d_points, d_centres, n);
        update<D, K><<<1, K>>>(d_centres, d_sums, d_counts);
    }
    cudaMemcpy(centres, d_centres, sizeof(Centres<D, K>), cudaMemcpyDeviceToHost);
    cudaMemcpy(cost, d_cost, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_points);
    cudaFree(d_sums);
    cudaFree(d_centres);
    cudaFree(d_counts);
    cudaFree(d_cost);
}
