/*---
function = "advance"
wrt = ["u", "dt"]
of = ["u"]
[inputs]
u = { shape = [20], random_uniform = 1, low = 0.2, high = 1.0 }
dt = 0.1
n = 20
scheme = 1

[[cases]]
name = "euler"

[[cases]]
name = "midpoint"
inputs = { scheme = 2 }

[[cases]]
name = "both"
inputs = { scheme = 0 }

[[cases]]
name = "nothing"
inputs = { scheme = 9 }
---*/
// A switch on the host between launches, whose cases fall through, in a do loop.
#include <stdlib.h>

__global__ void rate(double *k, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        k[i] = u[i] * (1.0 - u[i]) + 0.1 * u[(i + 1) % n];
}

__global__ void add(double *out, const double *u, const double *k, double h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = u[i] + h * k[i];
}

void advance(double *u, double dt, int n, int scheme)
{
    double *k, *w;
    if (cudaMalloc(&k, n * sizeof(double)) != cudaSuccess || cudaMalloc(&w, n * sizeof(double)) != cudaSuccess)
        exit(1);
    int step = 0, blocks = (n + 7) / 8;
    do {
        switch (scheme) {
        case 0:
            rate<<<blocks, 8>>>(k, u, n);
            add<<<blocks, 8>>>(u, u, k, 0.5 * dt, n);
        case 1:
            rate<<<blocks, 8>>>(k, u, n);
            add<<<blocks, 8>>>(u, u, k, dt, n);
            break;
        case 2:
            rate<<<blocks, 8>>>(k, u, n);
            add<<<blocks, 8>>>(w, u, k, 0.5 * dt, n);
            rate<<<blocks, 8>>>(k, w, n);
            add<<<blocks, 8>>>(u, u, k, dt, n);
            break;
        default:
            break;
        }
        dt *= 1.5;
    } while (++step < 3);
    cudaFree(k);
    cudaFree(w);
}
