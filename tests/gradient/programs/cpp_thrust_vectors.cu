/*---
function = "model"
wrt = ["x", "a"]
of = ["y"]
[inputs]
y = { zeros = [11] }
x = { shape = [11], random_uniform = 1, low = 0.5, high = 1.5 }
a = 0.7
n = 11
---*/
// Vectors on the device, functors and lambdas over them, sums.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

struct Saxpy {
    const double a;
    Saxpy(double given) : a(given) {}
    __host__ __device__ double operator()(const double &x, const double &y) const { return a * x + y * y; }
};

void model(double *y, const double *x, double a, int n)
{
    thrust::device_vector<double> u(x, x + n), v(n, 0.5), w(n);
    for (int k = 0; k < 3; ++k) {
        thrust::transform(u.begin(), u.end(), v.begin(), w.begin(), Saxpy(a));
        thrust::transform(w.begin(), w.end(), v.begin(), [] __device__(double t) { return t / (1.0 + t * t); });
        u.swap(w);
    }
    double sum = thrust::reduce(u.begin(), u.end(), 0.0, thrust::plus<double>());
    double most = thrust::reduce(v.begin(), v.end(), -1.0, thrust::maximum<double>());
    double dot = thrust::inner_product(u.begin(), u.end(), v.begin(), 0.0);
    double norm = std::sqrt(thrust::transform_reduce(v.begin(), v.end(), thrust::square<double>(), 0.0, thrust::plus<double>()));
    u[1] = sum * u[2];
    thrust::host_vector<double> h = u;
    for (int i = 0; i < n; ++i)
        y[i] = h[i] * norm + dot * most;
}
