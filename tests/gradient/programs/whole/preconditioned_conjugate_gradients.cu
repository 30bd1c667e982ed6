/*---
function = "solve"
wrt = ["values", "b"]
of = ["x"]
[inputs]
x = { zeros = [23] }
values = { shape = [23, 3], random_uniform = 1, low = 0.5, high = 1.0 }
b = { shape = [23], random = 2 }
n = 23
tolerance = 1e-3
most = 50
[gradcheck]
rtol = 1e-5
---*/
// Conjugate gradients with Jacobi's preconditioner on a banded matrix: alpha, beta and the residual are host scalars,
// computed from dot products that come back from the device in every iteration.
#include <math.h>
#include <stdio.h>

#define THREADS 8

typedef struct {
    double *r, *z, *p, *q, *partial;
    int n, blocks;
} Workspace;

__global__ void multiply(double *y, const double *a, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // a symmetric band: the diagonal, and two neighbours on each side
        double sum = (4.0 + a[3 * i]) * x[i];
        if (i + 1 < n)
            sum -= a[3 * i + 1] * x[i + 1];
        if (i + 2 < n)
            sum -= 0.5 * a[3 * i + 2] * x[i + 2];
        if (i >= 1)
            sum -= a[3 * (i - 1) + 1] * x[i - 1];
        if (i >= 2)
            sum -= 0.5 * a[3 * (i - 2) + 2] * x[i - 2];
        y[i] = sum;
    }
}

__global__ void precondition(double *z, const double *a, const double *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = r[i] / (4.0 + a[3 * i]);
}

__global__ void axpy(double *y, double a, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__global__ void xpay(double *y, double a, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + a * y[i];
}

__global__ void partial_dots(double *partial, const double *x, const double *y, int n)
{
    __shared__ double cache[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? x[i] * y[i] : 0.0;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = cache[0];
}

static void create(Workspace *w, int n)
{
    size_t bytes = n * sizeof(double);
    w->n = n;
    w->blocks = (n + THREADS - 1) / THREADS;
    cudaMalloc(&w->r, bytes);
    cudaMalloc(&w->z, bytes);
    cudaMalloc(&w->p, bytes);
    cudaMalloc(&w->q, bytes);
    cudaMalloc(&w->partial, w->blocks * sizeof(double));
}

static void destroy(Workspace *w)
{
    cudaFree(w->r);
    cudaFree(w->z);
    cudaFree(w->p);
    cudaFree(w->q);
    cudaFree(w->partial);
}

static double dot(const Workspace *w, const double *x, const double *y)
{
    double parts[64], sum = 0.0;
    partial_dots<<<w->blocks, THREADS>>>(w->partial, x, y, w->n);
    cudaMemcpy(parts, w->partial, w->blocks * sizeof(double), cudaMemcpyDeviceToHost);
    for (int b = 0; b < w->blocks; b++)
        sum += parts[b];
    return sum;
}

int solve(double *x, const double *values, const double *b, int n, double tolerance, int most)
{
    Workspace w;
    create(&w, n);
    double *d_a, *d_x;
    cudaMalloc(&d_a, 3 * n * sizeof(double));
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMemcpy(d_a, values, 3 * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(w.r, b, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(d_x, 0, n * sizeof(double));

    precondition<<<w.blocks, THREADS>>>(w.z, d_a, w.r, n);
    cudaMemcpy(w.p, w.z, n * sizeof(double), cudaMemcpyDeviceToDevice);
    double rz = dot(&w, w.r, w.z), first = sqrt(dot(&w, w.r, w.r));
    int k = 0;
    for (; k < most; k++) {
        multiply<<<w.blocks, THREADS>>>(w.q, d_a, w.p, n);
        const double alpha = rz / dot(&w, w.p, w.q);
        axpy<<<w.blocks, THREADS>>>(d_x, alpha, w.p, n);
        axpy<<<w.blocks, THREADS>>>(w.r, -alpha, w.q, n);
        double norm = sqrt(dot(&w, w.r, w.r));
        if (norm < tolerance * first) {
            printf("converged after %d iterations, residual %g\n", k + 1, norm);
            break;
        }
        precondition<<<w.blocks, THREADS>>>(w.z, d_a, w.r, n);
        double rz_new = dot(&w, w.r, w.z), beta = rz_new / rz;
        xpay<<<w.blocks, THREADS>>>(w.p, beta, w.z, n);
        rz = rz_new;
    }
    cudaMemcpy(x, d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_x);
    destroy(&w);
    return k;
}
