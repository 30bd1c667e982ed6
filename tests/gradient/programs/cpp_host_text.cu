/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }
n = 16
---*/
// Streams and clocks in C++ functions: kept in the emitted source, passed over when hetad runs the program.
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iostream>

using namespace std;

namespace {
int launches = 0;
}

template <class F> __global__ void map_kernel(double *y, const double *x, int n, F f)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = f(x[i]);
}

template <int TIMES, class F> void map(double *y, const double *x, int n, F f)
{
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < TIMES; ++i)
        map_kernel<<<1, 32>>>(y, x, n, f);
    ++launches;
    auto end = std::chrono::steady_clock::now();
    double n_old = n;
    std::cout << TIMES << " launches of " << n_old << ": " << std::setprecision(3)
              << std::chrono::duration<double>(end - begin).count() << std::endl;
    std::ofstream log("launches.txt");
    log << launches << std::endl;
    if (n > 100)
        cerr << "many: " << launches << endl;
}

void run(double *y, const double *x, int n)
{
    double *d_y, *d_x;
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    map<2>(d_y, d_x, n, [] __device__(double v) { return v * v * v; });
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cout << "done\n";
    cudaFree(d_y);
    cudaFree(d_x);
}
