/*---
function = "driver"
wrt = ["x", "a"]
of = ["y"]
devices = 3
[inputs]
y = { zeros = [37] }
x = { shape = [37], random = 1 }
a = 0.7
n = 37
steps = 4
---*/
// A field in pieces on three devices: kernels of each with a number by value, halos by peer copies in a loop of steps,
// what is allocated in one loop over the devices used in others.
#include <stdlib.h>

#define DEVICES 3

__global__ void step(double *to, const double *from, double a, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        to[i + 1] = from[i + 1] + a * from[i + 1] * (from[i] - 2.0 * from[i + 1] + from[i + 2]);
}

void driver(double *y, const double *x, double a, int n, int steps)
{
    double *u[DEVICES], *v[DEVICES];
    cudaStream_t streams[DEVICES];
    int first[DEVICES + 1];
    for (int d = 0; d <= DEVICES; d++)
        first[d] = d * n / DEVICES;
    for (int d = 0; d < DEVICES; d++) {
        int m = first[d + 1] - first[d];
        cudaSetDevice(d);
        cudaStreamCreate(&streams[d]);
        cudaMalloc(&u[d], (m + 2) * sizeof(double));
        cudaMalloc(&v[d], (m + 2) * sizeof(double));
        cudaMemset(u[d], 0, (m + 2) * sizeof(double));
        cudaMemset(v[d], 0, (m + 2) * sizeof(double));
        cudaMemcpy(u[d] + 1, x + first[d], m * sizeof(double), cudaMemcpyHostToDevice);
    }
    for (int t = 0; t < steps; t++) {
        for (int d = 0; d + 1 < DEVICES; d++) {
            int m = first[d + 1] - first[d];
            cudaMemcpyPeerAsync(u[d + 1], d + 1, u[d] + m, d, sizeof(double), streams[d]);
            cudaMemcpyPeer(u[d] + m + 1, d, u[d + 1] + 1, d + 1, sizeof(double));
        }
        for (int d = 0; d < DEVICES; d++) {
            int m = first[d + 1] - first[d];
            cudaSetDevice(d);
            step<<<(m + 7) / 8, 8, 0, streams[d]>>>(v[d], u[d], a, m);
            double *other = u[d];
            u[d] = v[d];
            v[d] = other;
        }
    }
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaStreamSynchronize(streams[d]);
        cudaMemcpy(y + first[d], u[d] + 1, (first[d + 1] - first[d]) * sizeof(double), cudaMemcpyDeviceToHost);
        cudaFree(u[d]);
        cudaFree(v[d]);
        cudaStreamDestroy(streams[d]);
    }
}
