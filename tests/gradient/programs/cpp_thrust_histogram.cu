/*---
function = "model"
wrt = ["samples", "weights"]
of = ["moments"]
[inputs]
moments = { zeros = [8] }
samples = { shape = [90], random_uniform = 1, low = 0.02, high = 0.98 }
weights = { shape = [90], random_uniform = 2, low = 0.5, high = 1.5 }
n = 90
---*/
// A weighted histogram: bins of sorted samples by their bounds, sums of each bin, a cumulative distribution.
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

struct Bin {
    __host__ __device__ int operator()(double v) const
    {
        int k = (int)(v * 8.0);
        return k < 0 ? 0 : k > 7 ? 7 : k;
    }
};
struct Edge {
    __host__ __device__ double operator()(int k) const { return 0.125 * (k + 1); }
};

void model(double *moments, const double *samples, const double *weights, int n)
{
    thrust::device_vector<double> x(samples, samples + n), w(weights, weights + n), sums(8, 0.0), products(n);
    thrust::sort_by_key(x.begin(), x.end(), w.begin());
    thrust::transform(x.begin(), x.end(), w.begin(), products.begin(), thrust::multiplies<double>());
    thrust::device_vector<int> bins(8), upto(8);
    auto keys = thrust::make_transform_iterator(x.begin(), Bin());
    auto ends = thrust::reduce_by_key(keys, keys + n, products.begin(), bins.begin(), sums.begin());
    int found = ends.second - sums.begin();
    auto edges = thrust::make_transform_iterator(thrust::make_counting_iterator(0), Edge());
    thrust::upper_bound(x.begin(), x.end(), edges, edges + 8, upto.begin());
    thrust::inclusive_scan(sums.begin(), sums.begin() + found, sums.begin());
    for (int k = 0; k < found; ++k) {
        double sum = sums[k];
        int bin = bins[k], many = upto[k];
        moments[bin] = sum * sum / (1.0 + many);
    }
}
