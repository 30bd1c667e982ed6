/*---
function = "run"
wrt = ["x", "y", "a"]
of = ["x", "y"]
[inputs]
x = { shape = [17], random = 1 }
y = { shape = [17], random = 2 }
a = 0.7
n = 17
steps = 5
---*/
// std::swap of pointers, of members and elements, of numbers, under conditions without braces, of references.
#include <utility>
struct Pair { double *now, *next; double weight; };

__global__ void step(double *next, const double *now, double a, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = a * now[i] + b * now[(i + 1) % n] * now[i];
}

template <typename T> void exchange(T &held, T &other) { std::swap(held, other); }

void run(double *x, double *y, double a, int n, int steps)
{
    Pair p[2];
    double b = 0.3, *third;
    size_t bytes = n * sizeof(double);
    for (int i = 0; i < 2; i++) {
        cudaMalloc((void **)&p[i].now, bytes);
        cudaMalloc((void **)&p[i].next, bytes);
        cudaMemcpy(p[i].now, i ? y : x, bytes, cudaMemcpyHostToDevice);
        p[i].weight = 1 + 0.1 * i;
    }
    cudaMalloc((void **)&third, bytes);
    cudaMemset(third, 0, bytes);
    for (int t = 0; t < steps; t++) {
        step<<<(n + 7) / 8, 8>>>(p[0].next, p[0].now, a, b * p[0].weight, n);
        step<<<(n + 7) / 8, 8>>>(p[1].next, p[0].next, b, a * p[1].weight, n);
        std::swap(p[0].now, p[0].next);
        if (t % 2) std::swap(a, b);
        else std::swap(p[1].now, p[(t + 1) % 2].next);
        if (t == 2)
            std::swap(p[0], p[1]);
        exchange(third, p[1].next);
        a *= 0.9;
    }
    cudaMemcpy(x, p[0].now, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(y, p[1].now, bytes, cudaMemcpyDeviceToHost);
    cudaFree(third);
    for (int i = 0; i < 2; i++) {
        cudaFree(p[i].now);
        cudaFree(p[i].next);
    }
}
