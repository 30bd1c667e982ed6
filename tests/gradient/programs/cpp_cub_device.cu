/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [8] }
x = { shape = [70], random = 1 }
w = { shape = [70], random_uniform = 2, low = 0.5, high = 1.5 }
rows = { values = [0, 13, 13, 50, 70] }
n = 70
---*/
// Algorithms of cub on the device, each asked twice: how much memory it takes, and to work.
#include <cub/cub.cuh>

struct Above {
    double bound;
    __host__ __device__ bool operator()(const double &v) const { return v > bound; }
};

__global__ void combine(double *y, const double *sums, const double *scanned, const double *kept, const int *count,
                        const double *segments, const cub::KeyValuePair<int, double> *best, int n)
{
    double sum = 0.0;
    for (int i = 0; i < count[0]; ++i)
        sum += kept[i] * kept[i] * (i + 1);
    y[0] = sums[0] * sums[1];
    y[1] = sums[2] * scanned[n / 2];
    y[2] = sum * scanned[n - 1];
    y[3] = best[0].value * best[0].value * (best[0].key + 1);
    for (int s = 0; s < 4; ++s)
        y[4 + s] = segments[s] * segments[s];
}

void model(double *y, const double *x, const double *w, const int *rows, int n)
{
    double *d_x, *d_w, *sums, *scanned, *kept, *segments, *d_y;
    int *d_rows, *count;
    cub::KeyValuePair<int, double> *best;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_w, n * sizeof(double));
    cudaMalloc(&sums, 3 * sizeof(double));
    cudaMalloc(&scanned, n * sizeof(double));
    cudaMalloc(&kept, n * sizeof(double));
    cudaMalloc(&segments, 4 * sizeof(double));
    cudaMalloc(&d_y, 8 * sizeof(double));
    cudaMalloc(&d_rows, 5 * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&best, sizeof(*best));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_rows, rows, 5 * sizeof(int), cudaMemcpyHostToDevice);

    void *storage = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, d_x, sums, n);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, d_x, sums, n);
    cudaFree(storage);

    size_t most = 0, needed = 0;
    void *shared = nullptr;
    cub::DeviceReduce::Max(nullptr, needed, d_w, sums + 1, n);
    most = needed;
    cub::DeviceScan::ExclusiveSum(nullptr, needed, d_x, scanned, n);
    most = needed > most ? needed : most;
    cudaMalloc(&shared, most);
    cub::DeviceReduce::Max(shared, most, d_w, sums + 1, n);
    cub::DeviceReduce::Min(shared, most, d_w, sums + 2, n);
    cub::DeviceScan::ExclusiveSum(shared, most, d_x, scanned, n);
    cub::DeviceScan::InclusiveSum(shared, most, scanned, scanned, n);
    cub::DeviceSelect::If(shared, most, d_x, kept, count, n, Above{0.25});
    cub::DeviceSegmentedReduce::Sum(shared, most, d_x, segments, 4, d_rows, d_rows + 1);
    cub::DeviceReduce::ArgMax(shared, most, d_x, best, n);
    combine<<<1, 1>>>(d_y, sums, scanned, kept, count, segments, best, n);
    cudaMemcpy(y, d_y, 8 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(shared);
    cudaFree(d_x);
    cudaFree(d_w);
    cudaFree(sums);
    cudaFree(scanned);
    cudaFree(kept);
    cudaFree(segments);
    cudaFree(d_y);
    cudaFree(d_rows);
    cudaFree(count);
    cudaFree(best);
}
