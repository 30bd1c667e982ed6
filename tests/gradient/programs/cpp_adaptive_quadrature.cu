/*---
function = "integrals"
wrt = ["a", "width"]
of = ["y"]
[inputs]
y = { zeros = [10] }
a = { shape = [10], random_uniform = 1, low = 0.2, high = 1.0 }
width = 0.7
n = 10
---*/
// Quadrature over functions that are passed: pointers as parameters and template parameters, functors, lambdas.
typedef double (*integrand)(double x, double p);

__host__ __device__ double gaussian(double x, double p) { return exp(-p * x * x); }
__host__ __device__ double lorentzian(double x, double p) { return p / (x * x + p * p); }

template <int Points> struct Rule;
template <> struct Rule<2> {
    static constexpr double node[2] = {-0.57735026918962573, 0.57735026918962573};
    static constexpr double weight[2] = {1.0, 1.0};
};
template <> struct Rule<3> {
    static constexpr double node[3] = {-0.77459666924148340, 0.0, 0.77459666924148340};
    static constexpr double weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
};

template <int Points, class F> __host__ __device__ double integrate(F f, double from, double to, int pieces)
{
    const double h = (to - from) / pieces;
    double sum = 0.0;
    for (int piece = 0; piece < pieces; ++piece) {
        const double middle = from + (piece + 0.5) * h;
        for (int k = 0; k < Points; ++k)
            sum += Rule<Points>::weight[k] * f(middle + 0.5 * h * Rule<Points>::node[k]);
    }
    return 0.5 * h * sum;
}

__host__ __device__ double midpoint(integrand f, double p, double from, double to, int pieces)
{
    double sum = 0.0;
    for (int k = 0; k < pieces; ++k)
        sum += f(from + (k + 0.5) * (to - from) / pieces, p);
    return sum * (to - from) / pieces;
}

template <integrand F> struct Bound {
    double p;
    __host__ __device__ double operator()(double x) const { return F(x, p); }
};

__global__ void integrals_kernel(double *y, const double *a, double width, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double p = a[i];
    double sum = integrate<3>(Bound<gaussian>{p}, 0.0, width, 4);
    sum += integrate<2>([=](double x) { return sin(p * x) * x; }, -width, 2.0 * width, 3);
    sum += midpoint(gaussian, p, 0.0, width, 5) - midpoint(&lorentzian, p, -1.0, width, 3);
    y[i] = sum;
}

static double on_host(integrand f, const double *a, int n, double width)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
        sum += midpoint(f, a[i], 0.0, width, 4);
    return sum;
}

void integrals(double *y, const double *a, double width, int n)
{
    double *d_y, *d_a;
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_a, n * sizeof(double));
    cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice);
    auto *kernel = integrals_kernel;
    kernel<<<(n + 3) / 4, 4>>>(d_y, d_a, width, n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    y[0] += on_host(lorentzian, a, n, width);
    cudaFree(d_y);
    cudaFree(d_a);
}
