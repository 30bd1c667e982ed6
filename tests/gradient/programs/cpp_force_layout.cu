/*---
function = "layout"
wrt = ["positions", "spring"]
of = ["positions"]
[inputs]
positions = { shape = [18, 2], random = 1 }
spring = 0.4
vertices = 18
steps = 2
---*/
// A graph is laid out by forces: edges are pairs in a vector, deduplicated and sorted into adjacency, degrees weigh.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

using Edge = std::pair<int, int>;

struct Graph {
    std::vector<int> offsets, targets;
    Graph(int vertices, std::vector<Edge> edges) : offsets(vertices + 1)
    {
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        for (const auto &[from, to] : edges) {
            ++offsets[from + 1];
            targets.push_back(to);
        }
        for (int v = 0; v < vertices; ++v)
            offsets[v + 1] += offsets[v];
    }
    int edges() const { return static_cast<int>(targets.size()); }
};

__device__ inline double2 operator-(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
__device__ inline double2 &operator+=(double2 &a, double2 b)
{
    a.x += b.x;
    a.y += b.y;
    return a;
}
__device__ inline double2 operator*(double s, double2 a) { return make_double2(s * a.x, s * a.y); }

__global__ void attract(double2 *force, const double2 *at, const int *offsets, const int *targets, int n, double spring)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    double2 sum{};
    for (int e = offsets[v], end = offsets[v + 1]; e != end; ++e) {
        const double2 d = at[targets[e]] - at[v];
        sum += spring * hypot(d.x, d.y) * d;
    }
    force[v] = sum;
}
__global__ void repel(double2 *force, const double2 *at, int n)
{
    const int v = blockIdx.x;
    for (int w = threadIdx.x; w < n; w += blockDim.x) {
        if (w == v)
            continue;
        const double2 d = at[v] - at[w];
        const double s = 0.1 / (d.x * d.x + d.y * d.y + 0.05);
        atomicAdd(&force[v].x, s * d.x);
        atomicAdd(&force[v].y, s * d.y);
    }
}
__global__ void move(double2 *at, const double2 *force, int n, double step)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        at[v] += step * force[v];
}

void layout(double *positions, double spring, int vertices, int steps)
{
    std::vector<Edge> edges;
    for (int v = 0; v < vertices; ++v)
        for (int k : {1, 3, v % 4})
            if (int w = (v + k * k) % vertices; w != v) {
                edges.emplace_back(v, w);
                edges.push_back({w, v});
            }
    const Graph graph(vertices, std::move(edges));
    double2 *at, *force;
    int *offsets, *targets;
    cudaMalloc(&at, vertices * sizeof(double2));
    cudaMalloc(&force, vertices * sizeof(double2));
    cudaMalloc(&offsets, graph.offsets.size() * sizeof(int));
    cudaMalloc(&targets, graph.edges() * sizeof(int));
    cudaMemcpy(at, positions, vertices * sizeof(double2), cudaMemcpyHostToDevice);
    cudaMemcpy(offsets, graph.offsets.data(), graph.offsets.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(targets, &graph.targets[0], graph.edges() * sizeof(int), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; ++s) {
        attract<<<(vertices + 7) / 8, 8>>>(force, at, offsets, targets, vertices, spring);
        repel<<<vertices, 8>>>(force, at, vertices);
        move<<<(vertices + 7) / 8, 8>>>(at, force, vertices, 0.05);
    }
    cudaMemcpy(positions, at, vertices * sizeof(double2), cudaMemcpyDeviceToHost);
    cudaFree(at);
    cudaFree(force);
    cudaFree(offsets);
    cudaFree(targets);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    double spring = 0.3, size = 0.0;
    std::vector<int> seen;
    std::vector<int> counts(13);
    std::vector<double> positions(2 * n);
    for (int i = 0; i < 2 * n; ++i) {
        positions[i] = (i * 7 % 13) / 6.5 - 1.0;
        seen.push_back(i * 7 % 13);
        ++counts[i * 7 % 13];
    }
    layout(positions.data(), spring, n, 3);
    for (auto p : positions)
        size += p * p;
    printf("%zu places, %d at 0, size %f\n", seen.size(), counts[0], size);
    return 0;
}
