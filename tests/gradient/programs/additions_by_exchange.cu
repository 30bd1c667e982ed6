/*---
function = "energies"
wrt = ["x", "w"]
of = ["bins"]
[[cases]]
[cases.inputs]
bins = { shape = [7], random = 1 }
x = { shape = [90], random = 2 }
w = 0.6
n = 90
[[cases]]
function = "energies_single"
[cases.inputs]
bins = { shape = [7], random = 1 }
x = { shape = [90], random = 2 }
w = 0.6
n = 90
---*/
// Sums by atomicCAS, as programs for old devices have them: the adjoint of each addition reads.
__device__ double atomic_add(double *address, double value)
{
    unsigned long long int *address_as_ull = (unsigned long long int *)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ void add(float *where, float value)
{
    unsigned int assumed;
    unsigned int *bits = (unsigned int *)where;
    unsigned int old = *bits;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) + value * 0.5f));
    } while (old != assumed);
}

__global__ void bin(double *bins, const double *x, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomic_add(&bins[(i * i) % 7], w * sin(x[i]) * x[i]);
}

__global__ void bin_single(float *bins, const float *x, float w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        add(&bins[(i * 3) % 7], w * sinf(x[i]) * x[i]);
}

static void launch(double *bins, const double *x, double w, int n) { bin<<<(n + 31) / 32, 32>>>(bins, x, w, n); }

void energies(double *bins, const double *x, double w, int n)
{
    double *d_bins, *d_x;
    cudaMalloc(&d_bins, 7 * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMemcpy(d_bins, bins, 7 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    launch(d_bins, d_x, w, n);
    launch(d_bins, d_x, w * w, n);
    cudaMemcpy(bins, d_bins, 7 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_bins);
    cudaFree(d_x);
}

void energies_single(float *bins, const float *x, float w, int n)
{
    float *d_bins, *d_x;
    cudaMalloc(&d_bins, 7 * sizeof(float));
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMemcpy(d_bins, bins, 7 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    bin_single<<<(n + 31) / 32, 32>>>(d_bins, d_x, w, n);
    cudaMemcpy(bins, d_bins, 7 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_bins);
    cudaFree(d_x);
}
