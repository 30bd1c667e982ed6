/*---
function = "pipeline"
wrt = ["x", "gain"]
of = ["y"]
[inputs]
y = { zeros = [29] }
x = { shape = [29], random = 1 }
gain = 0.8
n = 29
---*/
// Grid-stride transforms over functors, composed at compile time; generic lambdas; a fold over a pack of functions.
template <class F> __global__ void transform(double *y, const double *x, int n, F f)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = f(x[i], i);
}

template <class F, class G> struct Compose {
    F f;
    G g;
    __host__ __device__ double operator()(double v, int i) const { return g(f(v, i), i); }
};
template <class F, class G> __host__ __device__ constexpr Compose<F, G> compose(F f, G g) { return {f, g}; }

struct Scale {
    double factor;
    __host__ __device__ double operator()(double v, int) const { return factor * v; }
};
struct Shift {
    double offset = 0.125;
    __host__ __device__ double operator()(double v, int i) const { return v + offset * i; }
};
template <int P> struct Power {
    __host__ __device__ double operator()(double v, int) const
    {
        double r = 1.0;
        for (int k = 0; k < P; ++k)
            r *= v;
        return r;
    }
};

template <class... Fs> struct SumOf {
    __host__ __device__ static double all(double v, int i, const Fs &...fs) { return (fs(v, i) + ... + 0.0); }
};

template <typename F> void run(double *y, const double *x, int n, const F &f) { transform<F><<<2, 8>>>(y, x, n, f); }

void pipeline(double *y, const double *x, double gain, int n)
{
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
    run(b, a, n, compose(Scale{gain}, Shift{}));
    auto mixed = [=] __device__(double v, auto i) {
        const auto s = SumOf<Power<2>, Power<3>, Scale>::all(v, i, {}, {}, Scale{0.3 * gain});
        return v > 1.0 ? s / v : s;
    };
    transform<<<3, 4>>>(a, b, n, mixed);
    run(b, a, n, compose(compose(Power<1>{}, Scale{0.5}), [] __device__(double v, int) { return sin(v); }));
    cudaMemcpy(y, b, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
