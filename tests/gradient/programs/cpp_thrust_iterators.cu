/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [300] }
x = { shape = [300], random_uniform = 1, low = 0.5, high = 1.5 }
n = 300
[[cases]]
[[cases]]
name = "small"
inputs = { y = { zeros = [3] }, x = { shape = [3], random_uniform = 2, low = 0.5, high = 1.5 }, n = 3 }
---*/
// Scans, tuples of iterators, counted and transformed iterators, kernels of one's own over raw pointers.
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/tuple.h>

__global__ void smooth(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5 * in[i] + 0.25 * (in[(i + 1) % n] + in[(i + n - 1) % n]);
}

struct Kick {
    double dt;
    template <class Tuple> __host__ __device__ void operator()(Tuple t) const
    {
        thrust::get<1>(t) -= dt * thrust::get<0>(t) * thrust::get<0>(t);
        thrust::get<0>(t) += dt * thrust::get<1>(t);
    }
};

struct Norm {
    __host__ __device__ double operator()(const thrust::tuple<double, double> &t) const
    {
        return thrust::get<0>(t) * thrust::get<0>(t) + thrust::get<1>(t);
    }
};

void model(double *y, const double *x, int n)
{
    thrust::device_vector<double> position(x, x + n), velocity(n), scanned(n), gathered(n);
    thrust::device_vector<int> map(n);
    smooth<<<(n + 63) / 64, 64>>>(thrust::raw_pointer_cast(velocity.data()), thrust::raw_pointer_cast(&position[0]), n);
    auto first = thrust::make_zip_iterator(thrust::make_tuple(position.begin(), velocity.begin()));
    for (int k = 0; k < 2; ++k)
        thrust::for_each(first, first + n, Kick{0.125});
    double energy = thrust::transform_reduce(first, first + n, Norm(), 0.0, thrust::plus<double>());
    thrust::inclusive_scan(velocity.begin(), velocity.end(), scanned.begin());
    thrust::exclusive_scan(scanned.begin(), scanned.end(), scanned.begin(), 0.5);
    thrust::sequence(map.begin(), map.end(), n - 1, -1);
    thrust::gather(map.begin(), map.end(), scanned.begin(), gathered.begin());
    double *raw;
    cudaMalloc(&raw, n * sizeof(double));
    thrust::device_ptr<double> wrapped(raw);
    thrust::fill(wrapped, wrapped + n, energy / n);
    double *positions = thrust::raw_pointer_cast(position.data());
    thrust::for_each_n(thrust::device, thrust::make_counting_iterator(0), n,
                       [=] __device__(int i) { raw[i] += positions[i] * (i % 3); });
    thrust::transform(thrust::device, raw, raw + n, raw, [] __device__(double v) { return v * v; });
    thrust::copy(gathered.begin(), gathered.end(), y);
    std::vector<double> last(n);
    thrust::copy(wrapped, wrapped + n, last.begin());
    cudaFree(raw);
    thrust::device_vector<double> tail;
    for (int i = 0; i < 3; ++i)
        tail.push_back(last[i] * last[0]);
    double latest = tail.back();
    for (int i = 0; i < n; ++i)
        y[i] = 0.001 * y[i] + last[i] * latest;
}
