/*---
function = "moments"
wrt = ["x", "w"]
[inputs]
x = { shape = [53], random = 1 }
w = { shape = [53], random_uniform = 2, low = 0.2, high = 1.0 }
n = 53
---*/
// Moments that merge, and gathers, scatters and sums through maps that no memory holds.
#include <thrust/device_vector.h>
#include <thrust/transform_reduce.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/inner_product.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>
#include <thrust/tuple.h>
#include <thrust/functional.h>
struct Moments {
    double n, mean, m2;
};
struct ToMoments {
    __host__ __device__ Moments operator()(const thrust::tuple<double, double> &t) const
    {
        return {thrust::get<1>(t), thrust::get<0>(t), 0.0};
    }
};
struct Merge {
    __host__ __device__ Moments operator()(const Moments &a, const Moments &b) const
    {
        if (a.n == 0)
            return b;
        if (b.n == 0)
            return a;
        Moments r;
        r.n = a.n + b.n;
        const double d = b.mean - a.mean;
        r.mean = a.mean + d * b.n / r.n;
        r.m2 = a.m2 + b.m2 + d * d * a.n * b.n / r.n;
        return r;
    }
};
struct Stride {
    int s, n;
    __host__ __device__ int operator()(int i) const { return (i * s) % n; }
};
double moments(const double *x, const double *w, int n)
{
    thrust::device_vector<double> dx(x, x + n), dw(w, w + n), c(n), g(n);
    auto first = thrust::make_zip_iterator(thrust::make_tuple(dx.begin(), dw.begin()));
    const Moments m = thrust::transform_reduce(first, first + n, ToMoments{}, Moments{0, 0, 0}, Merge{});
    thrust::inclusive_scan(dw.begin(), dw.end(), c.begin());
    auto index = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Stride{7, n});
    auto shuffled = thrust::make_permutation_iterator(c.begin(), index);
    const double dot = thrust::inner_product(shuffled, shuffled + n, dx.begin(), 0.0, thrust::plus<double>(),
                                             thrust::multiplies<double>());
    thrust::device_vector<double> keys = dx;
    thrust::sort_by_key(keys.begin(), keys.end(), c.begin(), thrust::greater<double>());
    thrust::gather(index, index + n, c.begin(), g.begin());
    thrust::device_vector<double> s(n, 0.5);
    thrust::scatter(g.begin(), g.end(), index, s.begin());
    thrust::transform(s.begin(), s.end(), keys.begin(), s.begin(),
                      [] __device__(double a, double b) { return a * b + sin(a); });
    return m.m2 / m.n + m.mean + 0.1 * dot + thrust::reduce(s.begin(), s.end(), 0.0, thrust::plus<double>());
}
