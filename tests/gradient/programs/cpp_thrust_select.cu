/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [60] }
x = { shape = [53], random = 1 }
w = { shape = [53], random_uniform = 2, low = 0.5, high = 1.5 }
n = 53
[[cases]]
name = "all"
[[cases]]
name = "many"
inputs = { n = 5000, x = { shape = [5000], random = 3 }, w = { shape = [5000], random_uniform = 4, low = 0.5, high = 1.5 } }
---*/
// Compaction by conditions on the values themselves, extremes and their places, counts, permuted elements.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/remove.h>

struct IsPositive {
    __host__ __device__ bool operator()(double v) const { return v > 0.0; }
};

struct Lift {
    __host__ __device__ double operator()(const thrust::tuple<double, double, double, int> &t) const
    {
        return thrust::get<0>(t) * thrust::get<1>(t) + thrust::get<2>(t) * (thrust::get<3>(t) % 3);
    }
};

void model(double *y, const double *x, const double *w, int n)
{
    thrust::device_vector<double> values(x, x + n), weights(w, w + n), kept(n), lifted(n);
    thrust::device_vector<int> places(n);
    auto end = thrust::copy_if(values.begin(), values.end(), kept.begin(), IsPositive());
    int count = end - kept.begin();
    auto where = thrust::copy_if(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), values.begin(),
                                 places.begin(), IsPositive());
    auto of_kept = thrust::make_permutation_iterator(weights.begin(), places.begin());
    double whole = thrust::inner_product(kept.begin(), end, of_kept, 0.5);
    auto rows = thrust::make_zip_iterator(thrust::make_tuple(
        values.begin(), weights.begin(), thrust::make_constant_iterator(whole), thrust::make_counting_iterator(0)));
    thrust::transform(rows, rows + n, lifted.begin(), Lift());
    auto most = thrust::max_element(lifted.begin(), lifted.end());
    auto least = thrust::min_element(lifted.begin(), lifted.end());
    double high = *most, low = *least;
    int place = most - lifted.begin();
    long many = thrust::count_if(lifted.begin(), lifted.end(), IsPositive());
    auto stays = thrust::remove_if(lifted.begin(), lifted.end(), IsPositive());
    double rest = thrust::reduce(lifted.begin(), stays);
    for (int i = 0; i < count && i < 50; ++i) {
        double v = kept[i];
        y[i] = v * v * whole;
    }
    y[50] = high * high * (place + 1) + low * many;
    y[51] = rest * (where - places.begin()) + rest * rest;
}
