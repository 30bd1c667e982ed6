/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [70], random = 1 }
w = { shape = [70], random_uniform = 2, low = 0.5, high = 1.5 }
keys = { shape = [70], random = 3, low = 0, high = 9 }
y = { zeros = [150] }
n = 70
[[cases]]
name = "one"
inputs = { n = 1 }
---*/
// Algorithms of cub on the device, as their users call them twice: extremes and where, runs of keys, selections, sorts.
#include <cub/cub.cuh>

struct AtLeast {
    double least;
    __host__ __device__ explicit AtLeast(double l) : least(l) {}
    __host__ __device__ bool operator()(const double &v) const { return v >= least; }
};
template <class F> void twice(F f)
{
    void *storage = nullptr;
    size_t bytes = 0;
    f(storage, bytes);
    cudaMalloc(&storage, bytes);
    f(storage, bytes);
    cudaFree(storage);
}
__global__ void spread(double *y, const cub::KeyValuePair<int, double> *most, const cub::KeyValuePair<int, double> *least)
{
    y[0] = most->value * most->key;
    y[1] = least->value * least->value + least->key;
}
__global__ void mark(char *flags, const int *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        flags[i] = keys[i] % 3 == 0;
}

void model(double *y, const double *x, const double *w, const int *keys, int n)
{
    double *dx, *dw, *out, *moved, *dy;
    int *dk, *unique, *sorted, *count;
    char *flags;
    cub::KeyValuePair<int, double> *most, *least;
    const size_t bytes = n * sizeof(double);
    for (double **p : {&dx, &dw, &out, &moved})
        cudaMalloc(p, bytes);
    cudaMalloc(&dy, 2 * sizeof(double));
    for (int **p : {&dk, &unique, &sorted})
        cudaMalloc(p, n * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&flags, n);
    cudaMalloc(&most, sizeof(*most));
    cudaMalloc(&least, sizeof(*least));
    cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, keys, n * sizeof(int), cudaMemcpyHostToDevice);
    twice([&](void *s, size_t &b) { cub::DeviceReduce::ArgMax(s, b, dx, most, n); });
    twice([&](void *s, size_t &b) { cub::DeviceReduce::ArgMin(s, b, dx, least, n); });
    spread<<<1, 1>>>(dy, most, least);
    cudaMemcpy(y, dy, 2 * sizeof(double), cudaMemcpyDeviceToHost);

    twice([&](void *s, size_t &b) { cub::DeviceRadixSort::SortPairs(s, b, dk, sorted, dx, moved, n); });
    twice([&](void *s, size_t &b) {
        cub::DeviceReduce::ReduceByKey(s, b, sorted, unique, moved, out, count, cub::Sum(), n);
    });
    int runs = 0, kept = 0;
    cudaMemcpy(&runs, count, sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<double> sums(runs);
    cudaMemcpy(sums.data(), out, runs * sizeof(double), cudaMemcpyDeviceToHost);
    for (int r = 0; r < runs; ++r)
        y[2 + r] = sums[r] * sums[r] + runs;

    mark<<<(n + 31) / 32, 32>>>(flags, dk, n);
    twice([&](void *s, size_t &b) { cub::DeviceSelect::Flagged(s, b, dw, flags, out, count, n); });
    cudaMemcpy(&kept, count, sizeof(int), cudaMemcpyDeviceToHost);
    if (kept > 0) {
        twice([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, out, dy, kept); });
        cudaMemcpy(y + 20, dy, sizeof(double), cudaMemcpyDeviceToHost);
    }
    twice([&](void *s, size_t &b) { cub::DeviceSelect::If(s, b, dw, out, count, n, AtLeast(0.9)); });
    cudaMemcpy(&kept, count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(y + 30, out, kept * sizeof(double), cudaMemcpyDeviceToHost);

    twice([&](void *s, size_t &b) { cub::DeviceRadixSort::SortKeysDescending(s, b, dx, moved, n); });
    twice([&](void *s, size_t &b) { cub::DeviceRadixSort::SortPairsDescending(s, b, dw, out, dx, moved, n, 0, sizeof(double) * 8); });
    twice([&](void *s, size_t &b) { cub::DeviceScan::InclusiveSum(s, b, moved, out, n); });
    std::vector<double> scanned(n);
    cudaMemcpy(scanned.data(), out, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n && i < 40; ++i)
        y[110 + i] = scanned[i];
    for (void *p : {(void *)dx, (void *)dw, (void *)out, (void *)moved, (void *)dy, (void *)dk, (void *)unique, (void *)sorted, (void *)count, (void *)flags, (void *)most, (void *)least})
        cudaFree(p);
}
