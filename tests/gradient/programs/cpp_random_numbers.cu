/*---
function = "noisy_fit"
wrt = ["model", "scale"]
[inputs]
model = { shape = [37], random = 1 }
scale = 0.7
n = 37
rounds = 3
---*/
// Numbers of <random> that a program computes with, and clocks it reads: nothing depends on those but a report.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

__global__ void misfit(double *part, const double *model, const double *noise, const int *order, double scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double r = model[order[i]] * scale - noise[i];
        part[i] = r * r * r + sin(r);
    }
}

class Stopwatch {
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

public:
    double milliseconds() const
    {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
    }
};

double noisy_fit(const double *model, double scale, int n, int rounds)
{
    std::mt19937 engine(1234);
    std::normal_distribution<double> normal(0.1, 0.5);
    std::uniform_int_distribution<int> round_weight(1, 4);
    std::vector<double> noise(n), part(n);
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i)
        order[i] = i;
    double *d_model, *d_noise, *d_part;
    int *d_order;
    cudaMalloc(&d_model, n * sizeof(double));
    cudaMalloc(&d_noise, n * sizeof(double));
    cudaMalloc(&d_part, n * sizeof(double));
    cudaMalloc(&d_order, n * sizeof(int));
    cudaMemcpy(d_model, model, n * sizeof(double), cudaMemcpyHostToDevice);
    Stopwatch watch;
    double sum = 0, longest = 0;
    for (int round = 0; round < rounds; ++round) {
        for (auto &x : noise)
            x = normal(engine);
        std::shuffle(order.begin(), order.end(), engine);
        cudaMemcpy(d_noise, noise.data(), n * sizeof(double), cudaMemcpyHostToDevice);
        cudaMemcpy(d_order, order.data(), n * sizeof(int), cudaMemcpyHostToDevice);
        misfit<<<(n + 15) / 16, 16>>>(d_part, d_model, d_noise, d_order, scale, n);
        cudaMemcpy(part.data(), d_part, n * sizeof(double), cudaMemcpyDeviceToHost);
        const double weight = round_weight(engine) * scale;
        for (double v : part)
            sum += weight * v;
        longest = std::max(longest, watch.milliseconds());
    }
    if (longest < 0)
        printf("a clock that runs backwards\n");
    cudaFree(d_model);
    cudaFree(d_noise);
    cudaFree(d_part);
    cudaFree(d_order);
    return sum;
}
