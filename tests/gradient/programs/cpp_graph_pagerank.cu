/*---
function = "rank"
wrt = ["weight", "damping"]
of = ["score"]
[inputs]
score = { zeros = [7] }
weight = { shape = [12], random_uniform = 2, low = 0.2, high = 1.0 }
from_node = { values = [0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6] }
to_node = { values = [1, 2, 2, 3, 0, 4, 5, 6, 0, 6, 1, 3] }
damping = 0.85
nodes = 7
edges = 12
iterations = 3
---*/
// PageRank by edges with atomics; the graph is a class with device pointers, launches go through a helper template.
#include <cstdio>
#include <utility>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t status_ = (call);                                          \
        if (status_ != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                \
        }                                                                      \
    } while (0)

template <typename T> class Span {
public:
    __host__ __device__ Span(T *p = nullptr, int n = 0) : data_(p), size_(n) {}
    __host__ __device__ T &operator[](int i) const { return data_[i]; }
    __host__ __device__ int size() const { return size_; }
    __host__ __device__ T *data() const { return data_; }
    __host__ __device__ bool empty() const { return size_ == 0; }

private:
    T *data_;
    int size_;
};

template <typename T> Span<T> allocate(int n)
{
    T *p = nullptr;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return Span<T>(p, n);
}
template <typename T> Span<T> copied(const T *from, int n)
{
    auto made = allocate<T>(n);
    CHECK(cudaMemcpy(made.data(), from, n * sizeof(T), cudaMemcpyHostToDevice));
    return made;
}

template <typename Kernel, typename... Args> void launch(Kernel kernel, int n, Args &&...args)
{
    constexpr int threads = 4;
    kernel<<<(n + threads - 1) / threads, threads>>>(std::forward<Args>(args)...);
    CHECK(cudaGetLastError());
}

struct Graph {
    Span<int> from, to;
    Span<double> weight;
    int nodes;
};

__global__ void total_weights(Span<double> total, Graph g)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < g.weight.size())
        atomicAdd(&total[g.from[e]], g.weight[e]);
}

__global__ void fill(Span<double> x, double value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.size())
        x[i] = value;
}

__global__ void push(Span<double> next, Span<double> now, Span<double> total, Graph g, double damping)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= g.weight.size())
        return;
    const int u = g.from[e];
    atomicAdd(&next[g.to[e]], damping * now[u] * g.weight[e] / total[u]);
}

void rank(double *score, const double *weight, const int *from_node, const int *to_node, double damping, int nodes, int edges, int iterations)
{
    Graph g{copied(from_node, edges), copied(to_node, edges), copied(weight, edges), nodes};
    auto total = allocate<double>(nodes), now = allocate<double>(nodes), next = allocate<double>(nodes);
    launch(fill, nodes, total, 0.0);
    launch(fill, nodes, now, 1.0 / nodes);
    launch(total_weights, edges, total, g);
    for (int it = 0; it < iterations; ++it) {
        launch(fill, nodes, next, (1.0 - damping) / nodes);
        launch(push, edges, next, now, total, g, damping);
        std::swap(now, next);
    }
    CHECK(cudaMemcpy(score, now.data(), nodes * sizeof(double), cudaMemcpyDeviceToHost));
    for (double *p : {total.data(), now.data(), next.data(), g.weight.data()})
        CHECK(cudaFree(p));
    CHECK(cudaFree(g.from.data()));
    CHECK(cudaFree(g.to.data()));
}
