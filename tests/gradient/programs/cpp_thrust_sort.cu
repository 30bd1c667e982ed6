/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [11] }
x = { shape = [11], random_uniform = 1, low = 0.5, high = 1.5 }
w = { shape = [11], random_uniform = 2, low = 0.5, high = 1.5 }
n = 11
[[cases]]
name = "all"
[[cases]]
name = "one"
inputs = { n = 1 }
[[cases]]
name = "seven"
inputs = { n = 7 }
---*/
// Sorting on the device: derivatives follow the order of the keys, of the keys themselves and of the values.
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

void model(double *y, const double *x, const double *w, int n)
{
    thrust::device_vector<double> keys(x, x + n), values(w, w + n), other(w, w + n);
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::transform(
        keys.begin(), keys.end(), values.begin(), keys.begin(),
        [] __device__(double k, double v) { return k * k * v; });
    thrust::sort(keys.begin(), keys.end(), thrust::greater<double>());
    thrust::stable_sort(other.begin(), other.end());
    thrust::host_vector<double> h = keys, o = other;
    for (int i = 0; i < n; ++i)
        y[i] = (i + 1) * h[i] + h[0] * o[i] * o[i];
}
