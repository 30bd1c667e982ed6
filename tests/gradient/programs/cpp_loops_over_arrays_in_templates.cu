/*---
function = "mixed"
wrt = ["x", "scale"]
of = ["x"]
[inputs]
x = { shape = [18], random = 1 }
scale = 0.7
n = 6
---*/
// Loops over arrays in templates: of pointers, of numbers, of a length that is an argument, of arguments that are arrays or vectors.
#include <array>
#include <vector>

template <typename T, int N> __global__ void blend(T *out, const T *in, T scale, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T taps[N], fixed[3] = {0.2, 0.3, 0.5}, sum = 0;
    int k = 0;
    for (auto &t : taps)
        t = in[(i + k++) % n] * scale;
    for (T f : fixed)
        for (const auto &t : taps)
            sum += f * t * t;
    out[i] = sum;
}

template <typename C> double total(const C &values)
{
    double sum = 0.0;
    for (const auto &v : values)
        sum += v * v;
    return sum;
}

template <int PARTS> void run(double *x, double scale, int n)
{
    double *parts[3], *out;
    const double weights[] = {1.0, scale, 0.5};
    int number = 0;
    for (auto &p : parts) {
        cudaMalloc(&p, n * sizeof(double));
        cudaMemcpy(p, x + number++ * n, n * sizeof(double), cudaMemcpyHostToDevice);
    }
    cudaMalloc(&out, n * sizeof(double));
    number = 0;
    std::vector<double> host(n);
    for (double *p : parts) {
        blend<double, PARTS><<<(n + 3) / 4, 4>>>(out, p, scale, n);
        cudaMemcpy(host.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            x[number * n + i] = host[i] + total(host) * total(weights) + total(std::array<double, 2>{scale, host[0]});
        number++;
    }
    for (auto &p : parts)
        cudaFree(p);
    cudaFree(out);
}

void mixed(double *x, double scale, int n) { run<2>(x, scale, n); }
