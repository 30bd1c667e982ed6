/*---
function = "apply"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [19] }
x = { shape = [19], random = 1 }
n = 19
---*/
// Calls of what expressions give: pointers that are followed, objects without a name, lambdas on the spot, parameters of
// templates, methods of what a call returns.
struct Polynomial {
    double a, b;
    __host__ __device__ double operator()(double v) const { return a * v * v + b; }
    __host__ __device__ Polynomial shifted(double by) const { return Polynomial{a, b + by}; }
};
__device__ double square(double v) { return v * v; }
__device__ double halved(double v) { return v / 2; }
__device__ Polynomial pick(double a) { return Polynomial{a, 1.0}; }
template <double (*F)(double)> struct Wrapped {
    static __device__ double call(double v) { return F(v); }
    __device__ double twice(double v) const { return F(F(v)); }
};
template <typename F, typename... A> __device__ auto invoke(F &&f, A... a) { return f(a...); }
template <typename F, typename G> __device__ auto composed(F f, G g)
{
    return [=](double v) { return f(g(v)); };
}

__global__ void evaluate(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double (*const g)(double) = &square;
    double v = (*g)(x[i]) + pick(x[i])(2.0) + Polynomial{3.0, x[i]}(x[i]);
    v += Wrapped<square>::call(x[i]) * Wrapped<halved>().twice(v) + [](double q) { return q * q * q; }(x[i]);
    v += invoke(square, x[i]) + invoke([&](double p, double q) { return p * q + v; }, x[i], 0.5);
    y[i] = composed(pick(0.5), pick(v).shifted(x[i]))(0.5) + composed([](double q) { return sin(q); }, pick(v))(0.5);
}

void apply(double *y, const double *x, int n) { evaluate<<<(n + 7) / 8, 8>>>(y, x, n); }
