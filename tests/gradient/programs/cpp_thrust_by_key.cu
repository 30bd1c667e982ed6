/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [37], random_uniform = 1, low = 0.5, high = 1.5 }
w = { shape = [37], random_uniform = 2, low = 0.5, high = 1.5 }
group = { shape = [37], random = 3, low = 0, high = 6 }
n = 37
[[cases]]
name = "all"
[[cases]]
name = "none"
inputs = { n = 0 }
---*/
// Runs of equal keys: sums, scans and the first of each, after a sort by key.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

struct Largest {
    __host__ __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};

void model(double *y, const double *x, const double *w, const int *group, int n)
{
    thrust::device_vector<int> keys(group, group + n), found(n), places(n);
    thrust::device_vector<double> values(x, x + n), weights(w, w + n), sums(n), most(n), scanned(n), before(n);
    thrust::device_vector<int> again = keys;
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::stable_sort_by_key(again.begin(), again.end(), weights.begin());
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), found.begin(), sums.begin());
    int groups = ends.first - found.begin();
    thrust::reduce_by_key(
        keys.begin(), keys.end(),
        thrust::make_transform_iterator(weights.begin(), [] __host__ __device__(double v) { return v * v; }),
        thrust::make_discard_iterator(), most.begin(), thrust::equal_to<int>(), Largest());
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), scanned.begin());
    thrust::exclusive_scan_by_key(keys.begin(), keys.end(), scanned.begin(), before.begin(), 0.25);
    double whole = thrust::inner_product(before.begin(), before.end(), weights.begin(), 0.0);
    auto last = thrust::unique_by_key(again.begin(), again.end(), weights.begin());
    for (int g = 0; g < groups; ++g) {
        double sum = sums[g], top = most[g], first = weights[g];
        int key = found[g];
        y[key] = sum * sum * (key + 1) + top * first * whole;
    }
    y[39] = whole * (last.first - again.begin());
}
