/*---
function = "report"
wrt = ["a", "x"]
of = ["x"]
[inputs]
a = 0.7
x = { shape = [9], random = 1 }
n = 9
---*/
// What is printed may come of calls, members, bindings and conditions; a local object may be volatile.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

struct Range {
    double low, high;
};

__global__ void shift(double *x, const double3 *by, double a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    volatile double3 d = by[i % 2];
    x[i] = a * sin(x[i] + d.x) * d.y + d.z * d.z;
}

void report(double a, double *x, int n)
{
    std::vector<double> values(x, x + n);
    double *d_x;
    double3 *d_by, by[2] = {{0.1 * a, 1.0, a}, {0.2, a, 0.3}};
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_by, sizeof(by));
    cudaMemcpy(d_x, values.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_by, by, sizeof(by), cudaMemcpyHostToDevice);
    shift<<<(n + 3) / 4, 4>>>(d_x, d_by, a, n);
    cudaMemcpy(values.data(), d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree((void **)d_x);
    cudaFree((void **)d_by);
    std::map<std::string, double> named;
    named["first"] = values[0];
    named["last"] = values.back();
    Range range{1e30, -1e30};
    Range &known = range;
    for (double v : values) {
        known.low = std::fmin(known.low, v);
        known.high = std::fmax(known.high, v);
    }
    std::cout << "of " << values.size() << ": " << values[1] << ' ' << known.low << " .. " << range.high << std::endl;
    for (auto &entry : named)
        std::cout << std::setw(8) << entry.first << " " << entry.second << '\n';
    for (const auto &[name, value] : named)
        std::cerr << name << '=' << value << std::fixed << std::endl;
    std::cout << (std::isfinite(range.high) ? "PASS" : "FAIL") << (n > 3 ? 1.0 : a) << std::endl;
    for (int i = 0; i < n; ++i)
        x[i] = values[i] * named["last"] + range.high;
}
