/*---
function = "score"
wrt = ["x", "t"]
[inputs]
n = 33
t = 0.4
x = { shape = [33], random = 1 }
---*/
// Sums one after the other, each with memory of its own that serves again; a part of the gradient is a function.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct Shrunk {
    double t;
    __host__ __device__ double operator()(double v) const { return v > t ? v - t : v < -t ? v + t : 0.5 * v * v * v; }
};
struct Square {
    __host__ __device__ double operator()(double v) const { return v * v; }
};

double score(int n, const double *x, double t)
{
    thrust::device_vector<double> d(x, x + n), e(n);
    thrust::transform(d.begin(), d.end(), e.begin(), Shrunk{t});
    thrust::inclusive_scan(e.begin(), e.end(), e.begin());
    thrust::transform(d.begin(), d.end(), e.begin(), e.begin(), thrust::multiplies<double>());
    double squares = thrust::transform_reduce(e.begin(), e.end(), Square(), 0.0, thrust::plus<double>());
    double greatest = thrust::reduce(d.begin(), d.end(), -100.0, thrust::maximum<double>());
    return squares / n + greatest * t + e[3];
}
