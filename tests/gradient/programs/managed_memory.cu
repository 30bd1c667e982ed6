/*---
wrt = ["x", "a"]

[[cases]]
name = "loss"
function = "loss"
inputs = { n = 45, steps = 3, a = 0.7, x = { shape = [45], random = 1 } }

[[cases]]
name = "no_steps"
function = "loss"
inputs = { n = 45, steps = 0, a = 0.7, x = { shape = [45], random = 1 } }

[[cases]]
name = "in_place"
function = "smooth"
of = ["y"]
inputs = { n = 37, a = 0.3, x = { shape = [37], random = 2 }, y = { shape = [37], random = 3 } }

[[cases]]
name = "in_a_loop"
function = "chunks"
of = ["y"]
inputs = { n = 40, steps = 4, a = 0.3, x = { shape = [40], random = 4 }, y = { shape = [40], random = 5 } }

[[cases]]
name = "structs"
function = "particles"
inputs = { n = 33, a = 0.4, x = { shape = [33], random = 6 } }
---*/
// Memory that host and device use directly: numbers go through it without copies, in both sweeps.
#include <cuda_runtime.h>
#include <math.h>
#include <string.h>

__global__ void advance(int n, double a, const double *u, double *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = u[i] * u[i] * a + sin(u[(i + 1) % n]);
}

__global__ void add_up(int n, const double *u, double *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, u[i] * u[i]);
}

// The host writes, changes in place and reads between launches; the sum is read where the kernel left it.
double loss(int n, int steps, double a, const double *x)
{
    double *u, *v, *sum;
    int device;
    cudaGetDevice(&device);
    cudaMallocManaged(&u, n * sizeof(double));
    cudaMallocManaged((void **)&v, n * sizeof(double), cudaMemAttachGlobal);
    cudaMallocManaged(&sum, sizeof(double));
    cudaMemAdvise(u, n * sizeof(double), cudaMemAdviseSetPreferredLocation, device);
    for (int i = 0; i < n; i++) u[i] = x[i] * x[i];
    double total = 0;
    for (int t = 0; t < steps; t++) {
        cudaMemPrefetchAsync(u, n * sizeof(double), device);
        advance<<<(n + 15) / 16, 16>>>(n, a, u, v);
        cudaDeviceSynchronize();
        v[t] *= v[t + 1] * 0.5;
        for (int i = 0; i < n; i += 3) total += v[i] * u[i] * a;
        *sum = 0.1 * a;
        add_up<<<(n + 15) / 16, 16>>>(n, v, sum);
        cudaMemPrefetchAsync(v, n * sizeof(double), cudaCpuDeviceId, 0);
        cudaDeviceSynchronize();
        total += *sum * v[0];
        double *w = u;
        u = v;
        v = w;
        for (int i = 0; i < n; i++) u[i] = 0.2 * u[i] + 0.1 * a;
    }
    cudaFree(u);
    cudaFree(v);
    cudaFree(sum);
    return total + a;
}

// Copies of every kind from and to it, fills by both sides, next to memory of the device.
void smooth(int n, double a, const double *x, double *y)
{
    double *m, *d;
    size_t bytes = n * sizeof(double);
    cudaMallocManaged(&m, bytes);
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, y, bytes, cudaMemcpyDeviceToDevice);
    advance<<<(n + 7) / 8, 8>>>(n, a, x, m);
    cudaMemcpy(d + 3, m, bytes - 3 * sizeof(double), cudaMemcpyDefault);
    cudaDeviceSynchronize();
    double h[5];
    memcpy(h, m + 1, sizeof h);
    for (int i = 0; i < 5; i++) h[i] *= h[i] * a;
    memset(m, 0, 4 * sizeof(double));
    cudaMemcpy(m + 10, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(m + 20, 0, 2 * sizeof(double));
    cudaDeviceSynchronize();
    m[0] = m[11] * m[20] + m[30];
    advance<<<(n + 7) / 8, 8>>>(n, a, m, y);
    cudaMemcpy(y + 2, d + 1, 9 * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaFree(m);
    cudaFree(d);
}

// Allocated and freed again and again, beside other memory of the same size.
void chunks(int n, int steps, double a, const double *x, double *y)
{
    for (int t = 0; t < steps; t++) {
        double *m, *d;
        cudaMallocManaged(&m, n * sizeof(double));
        cudaMalloc(&d, n * sizeof(double));
        advance<<<(n + 15) / 16, 16>>>(n, a, t == 0 ? x : y, d);
        cudaMemcpy(m, d, n * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(d);
        for (int i = 0; i < n; i++) m[i] = t % 2 ? m[i] * m[n - 1 - i] : 0.5 * m[i];
        advance<<<(n + 15) / 16, 16>>>(n, a * (t + 1), m, y);
        cudaFree(m);
    }
}

typedef struct { double mass; double at[2]; int id; } Particle;

__global__ void push(Particle *p, int n, double a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].at[0] += a * p[i].at[1] * p[i].mass;
        p[i].at[1] *= 1 - a * p[p[i].id].mass;
    }
}

typedef struct { Particle *all; int count; } Box;

static void fill(Box *b, int n, const double *x)
{
    b->count = n;
    cudaMallocManaged((void **)&b->all, n * sizeof(Particle));
    for (int i = 0; i < n; i++) {
        b->all[i].mass = x[i] * x[i];
        b->all[i].at[0] = x[(i + 1) % n];
        b->all[i].at[1] = i % 3 ? x[i] : 1;
        b->all[i].id = (i * 7) % n;
    }
}

double particles(int n, double a, const double *x)
{
    Box b;
    fill(&b, n, x);
    double sum = 0;
    for (int t = 0; t < 2; t++) {
        push<<<(b.count + 7) / 8, 8>>>(b.all, b.count, a);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) {
            sum += b.all[i].at[0] * b.all[i].at[1];
            b.all[i].mass *= b.all[i].at[0];
        }
    }
    cudaFree(b.all);
    return sum;
}
