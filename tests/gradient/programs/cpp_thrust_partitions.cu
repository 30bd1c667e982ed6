/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [61], random = 1 }
w = { shape = [61], random_uniform = 2, low = 0.5, high = 1.5 }
keys = { shape = [61], random = 3, low = 0, high = 5 }
y = { zeros = [140] }
n = 61
---*/
// Partitions, unique elements, stable sorts by keys and comparisons, minima of pairs: what moves is moved back.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Positive {
    __host__ __device__ bool operator()(double v) const { return v > 0.0; }
};
struct Close {
    __host__ __device__ bool operator()(double a, double b) const { return fabs(a - b) < 0.15; }
};

void model(double *y, const double *x, const double *w, const int *keys, int n)
{
    thrust::device_vector<double> a(x, x + n), b(w, w + n), up(n), down(n), kept(n);
    thrust::device_vector<int> k(keys, keys + n);
    auto ends = thrust::partition_copy(thrust::device, a.begin(), a.end(), up.begin(), down.begin(), Positive());
    const int ups = ends.first - up.begin();
    const double above = thrust::reduce(up.begin(), ends.first, 0.0, thrust::plus<double>());
    const double below = thrust::transform_reduce(down.begin(), ends.second, thrust::square<double>(), 0.0, thrust::plus<double>());
    y[0] = above * below + ups;

    thrust::stable_sort_by_key(k.begin(), k.end(), a.begin());
    thrust::copy(a.begin(), a.end(), y + 1);
    thrust::sort_by_key(b.begin(), b.end(), a.begin(), thrust::greater<double>());
    auto last = thrust::unique_copy(b.begin(), b.end(), kept.begin(), Close());
    const int many = last - kept.begin();
    thrust::host_vector<double> h(kept.begin(), last);
    for (int i = 0; i < many && i < 20; i++)
        y[70 + i] = h[i] * a[i];
    thrust::stable_sort(thrust::device, a.begin(), a.end(), [] __device__(double p, double q) { return p * p < q * q; });
    y[100] = a.front() * a.back();
    auto rows = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
    auto end = thrust::remove_if(rows, rows + n, [] __device__(const thrust::tuple<double, double> &t) { return thrust::get<0>(t) * thrust::get<1>(t) < 0.0; });
    const int left = end - rows;
    y[101] = thrust::inner_product(a.begin(), a.begin() + left, b.begin(), 1.0);
    auto split = thrust::stable_partition(k.begin(), k.end(), b.begin(), [] __device__(double v) { return v > 1.0; });
    y[102] = split - k.begin();
    thrust::pair<thrust::device_vector<double>::iterator, thrust::device_vector<double>::iterator> extremes =
        thrust::minmax_element(b.begin(), b.end());
    y[103] = *extremes.first * *extremes.second;
}
