/*---
function = "attention"
wrt = ["q", "k", "v"]
of = ["out"]
[inputs]
out = { zeros = [24] }
q = { shape = [24], random = 1 }
k = { shape = [24], random = 2 }
v = { shape = [24], random = 3 }
tokens = 6
---*/
// Attention with a tile of threads for each query: maxima and sums by cooperative groups, online softmax as a class.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <class Tile> class Softmax {
public:
    __device__ explicit Softmax(const Tile &tile) : tile_(tile) {}
    __device__ double weight(double score, bool used)
    {
        const double top = cg::reduce(tile_, used ? score : -1e30, cg::greater<double>());
        const double e = used ? exp(score - top) : 0.0;
        const double sum = cg::reduce(tile_, e, cg::plus<double>());
        return e / sum;
    }

private:
    const Tile &tile_;
};

template <int Dim, int Lanes> __global__ void attend(double *out, const double *q, const double *k, const double *v, int tokens)
{
    static_assert(Lanes <= 32, "a tile is a part of a warp");
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<Lanes>(block);
    const int query = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
    const int key = tile.thread_rank();
    const bool used = query < tokens && key < tokens && key <= query + 1;
    double score = 0.0;
    if (used)
        for (int d = 0; d < Dim; ++d)
            score += q[query * Dim + d] * k[key * Dim + d];
    Softmax<decltype(tile)> softmax(tile);
    const double w = softmax.weight(score * rsqrt(double(Dim)), used || (query >= tokens && key == 0));
    for (int d = 0; d < Dim; ++d) {
        const double part = cg::reduce(tile, used ? w * v[key * Dim + d] : 0.0, cg::plus<double>());
        if (query < tokens && key == d)
            out[query * Dim + d] = part;
    }
}

void attention(double *out, const double *q, const double *k, const double *v, int tokens)
{
    constexpr int dim = 4, lanes = 8, threads = 32;
    const size_t bytes = tokens * dim * sizeof(double);
    double *d[4];
    const double *from[] = {nullptr, q, k, v};
    for (int i = 0; i < 4; ++i)
        cudaMalloc(&d[i], bytes);
    for (int i = 1; i < 4; ++i)
        cudaMemcpy(d[i], from[i], bytes, cudaMemcpyHostToDevice);
    const int per_block = threads / lanes;
    attend<dim, lanes><<<(tokens + per_block - 1) / per_block, threads>>>(d[0], d[1], d[2], d[3], tokens);
    cudaMemcpy(out, d[0], bytes, cudaMemcpyDeviceToHost);
    for (auto p : d)
        cudaFree(p);
}
