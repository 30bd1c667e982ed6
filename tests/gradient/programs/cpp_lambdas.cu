/*---
function = "transform"
wrt = ["x", "scale"]
of = ["y"]
[inputs]
y = { zeros = [50] }
x = { shape = [50], random = 1 }
scale = 0.7
n = 50
---*/
// Lambdas and functors as arguments of kernels: captures by value, a struct with operator(), one without members.
struct Power {
    double exponent;
    __host__ __device__ double operator()(double v) const { return pow(v * v + 1.0, exponent); }
};

struct Square {
    __device__ double operator()(double v) const { return v * v; }
};

template <class F> __global__ void map_kernel(double *y, const double *x, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = f(x[i]);
}

template <class F> __global__ void each_kernel(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}

template <class F> void launch(int n, F f) { each_kernel<<<(n + 15) / 16, 16>>>(n, f); }

void transform(double *y, const double *x, double scale, int n)
{
    double *d_y, *d_x, *d_t;
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_t, n * sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    map_kernel<<<(n + 31) / 32, 32>>>(d_t, d_x, n, Power{1.5});
    map_kernel<<<(n + 31) / 32, 32>>>(d_y, d_t, n, Square());
    auto wave = [=] __device__(double v) { return sin(scale * v) + v; };
    map_kernel<<<(n + 31) / 32, 32>>>(d_t, d_y, n, wave);
    launch(n, [d_y, d_t, scale] __device__(int i) { d_y[i] = d_t[i] * scale + d_y[i]; });
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
    cudaFree(d_x);
    cudaFree(d_t);
}
