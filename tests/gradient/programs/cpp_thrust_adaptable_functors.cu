/*---
function = "run"
wrt = ["x", "w"]
[inputs]
x = { shape = [23], random = 1 }
w = { shape = [23], random = 2 }
n = 23
---*/
// Functors that say what they take and give by thrust::unary_function and binary_function, as older programs have them.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/transform.h>
#include <functional>

struct bend : public thrust::unary_function<double, double> {
    double a;
    bend(double a_) : a(a_) {}
    __host__ __device__ result_type operator()(const argument_type &v) const { return a * v * v + v; }
};

template <typename T> struct mix : thrust::binary_function<T, T, T> {
    __host__ __device__ T operator()(T p, T q) const { return p * q + 0.5 * p; }
};

struct halved : std::unary_function<double, double> {
    double operator()(double v) const { return 0.5 * v; }
};

template <class F> typename F::result_type applied(const F &f, typename F::argument_type v) { return f(v); }

double run(const double *x, const double *w, int n)
{
    thrust::device_vector<double> a(x, x + n), b(w, w + n), c(n);
    thrust::transform(a.begin(), a.end(), a.begin(), bend(0.75));
    thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), mix<double>());
    return applied(halved(), thrust::inner_product(c.begin(), c.end(), b.begin(), 0.0));
}
