/*---
function = "loss"
wrt = ["weights", "x"]
[inputs]
weights = { shape = [59], random = 1 }
x = { shape = [13, 4], random = 2 }
labels = { shape = [13], random = 3, low = 0, high = 3 }
batch = 13
---*/
// A net whose layers are types in a pack: sizes are summed by folds, activations are policies, one thread a sample.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

struct Relu {
    template <class T> __device__ T operator()(T v) const { return v > T(0) ? v : T(0.1) * v; }
};
struct Tanh {
    template <class T> __device__ T operator()(T v) const { return tanh(v); }
};
struct Identity {
    template <class T> __device__ T operator()(T v) const { return v; }
};

template <int In, int Out, class Activation> struct Dense {
    static constexpr int in = In, out = Out, weights = Out * (In + 1);
    template <class T> static __device__ void apply(const T *w, const T *x, T *y)
    {
        const Activation f{};
        for (int o = 0; o < Out; ++o) {
            T sum = w[Out * In + o];
#pragma unroll
            for (int i = 0; i < In; ++i)
                sum = fma(w[o * In + i], x[i], sum);
            y[o] = f(sum);
        }
    }
};

template <class... Layers> struct Net;
template <class First, class... Rest> struct Net<First, Rest...> {
    static constexpr int in = First::in;
    static constexpr int weights = (First::weights + ... + Rest::weights);
    static constexpr int out = Net<Rest...>::out;
    template <class T> static __device__ void apply(const T *w, const T *x, T *y)
    {
        T inner[First::out];
        First::apply(w, x, inner);
        Net<Rest...>::apply(w + First::weights, inner, y);
    }
};
template <class Last> struct Net<Last> {
    static constexpr int in = Last::in, out = Last::out, weights = Last::weights;
    template <class T> static __device__ void apply(const T *w, const T *x, T *y) { Last::apply(w, x, y); }
};

template <class N, class T>
__global__ void cross_entropy(const T *__restrict__ w, const T *__restrict__ x, const int *__restrict__ labels, T *each, int batch)
{
    __shared__ T held[N::weights];
    for (int k = threadIdx.x; k < N::weights; k += blockDim.x)
        held[k] = w[k];
    __syncthreads();
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= batch)
        return;
    T y[N::out];
    N::apply(held, x + s * N::in, y);
    T top = y[0];
    for (int o = 1; o < N::out; ++o)
        top = max(top, y[o]);
    T sum = 0;
    for (int o = 0; o < N::out; ++o)
        sum += exp(y[o] - top);
    each[s] = log(sum) + top - y[labels[s]];
}

using Model = Net<Dense<4, 5, Relu>, Dense<5, 4, Tanh>, Dense<4, 2, Relu>, Dense<2, 0 + 3, Identity>>;
static_assert(Model::weights == 25 + 24 + 10 + 9, "size");

double loss(const double *weights, const double *x, const int *labels, int batch)
{
    static constexpr int threads = 8;
    double *w, *dx, *each;
    int *dl;
    std::vector<double> padded(Model::weights);
    for (int k = 0; k < 59; ++k)
        padded[k] = weights[k];
    for (int k = 59; k < Model::weights; ++k)
        padded[k] = 0.2 * (k % 5) - 0.3;
    cudaMalloc(&w, sizeof(double) * Model::weights);
    cudaMalloc(&dx, sizeof(double) * batch * Model::in);
    cudaMalloc(&each, sizeof(double) * batch);
    cudaMalloc(&dl, sizeof(int) * batch);
    cudaMemcpy(w, padded.data(), sizeof(double) * Model::weights, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof(double) * batch * Model::in, cudaMemcpyHostToDevice);
    cudaMemcpy(dl, labels, sizeof(int) * batch, cudaMemcpyHostToDevice);
    cross_entropy<Model><<<(batch + threads - 1) / threads, threads>>>(w, dx, dl, each, batch);
    std::vector<double> host(batch);
    cudaMemcpy(host.data(), each, sizeof(double) * batch, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (const double &e : host)
        sum += e;
    cudaFree(w);
    cudaFree(dx);
    cudaFree(each);
    cudaFree(dl);
    return sum / batch;
}

int main(int argc, char **argv)
{
    const int batch = argc > 1 ? atoi(argv[1]) : 64;
    double gain = 1.1;
    std::mt19937 engine(42);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::uniform_int_distribution<int> label(0, 2);
    std::vector<double> weights(59), x(4 * batch);
    std::vector<int> labels(batch);
    for (auto &w : weights)
        w = gain * normal(engine);
    for (auto &v : x)
        v = normal(engine);
    for (auto &l : labels)
        l = label(engine);
    const double value = loss(weights.data(), x.data(), labels.data(), batch);
    printf("loss %.10f\n", value);
    return value < 100 ? 0 : 1;
}
