/*---
function = "run"
wrt = ["h", "bed"]
of = ["h", "hu", "hv"]
[inputs]
h = { shape = [8, 9], random_uniform = 1, low = 0.8, high = 1.2 }
hu = { zeros = [8, 9] }
hv = { zeros = [8, 9] }
bed = { shape = [8, 9], random_uniform = 2, low = 0.0, high = 0.2 }
ny = 8
nx = 9
end = 0.9
[gradcheck]
rtol = 1e-5
---*/
// Shallow water over a bed by a Lax-Friedrichs scheme. The time step follows from the fastest wave, which is found on
// the host in every step, and the last step is cut so that the run ends in time.
#include <math.h>
#include <stdlib.h>

#define G 9.81
typedef struct {
    double h, u, v;
} State;

__device__ State flux_x(State q)
{
    State f;
    f.h = q.u;
    f.u = q.u * q.u / q.h + 0.5 * G * q.h * q.h;
    f.v = q.u * q.v / q.h;
    return f;
}

__device__ State flux_y(State q)
{
    State f = {q.v, q.u * q.v / q.h, q.v * q.v / q.h + 0.5 * G * q.h * q.h};
    return f;
}

__device__ State at(const State *q, int y, int x, int ny, int nx)
{
    return q[((y + ny) % ny) * nx + (x + nx) % nx];
}

__global__ void advance(State *next, const State *q, const double *bed, int ny, int nx, double r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    State e = at(q, y, x + 1, ny, nx), w = at(q, y, x - 1, ny, nx);
    State n = at(q, y + 1, x, ny, nx), s = at(q, y - 1, x, ny, nx);
    State fe = flux_x(e), fw = flux_x(w), fn = flux_y(n), fs = flux_y(s);
    State me = q[y * nx + x];
    double slope_x = bed[y * nx + (x + 1) % nx] - bed[y * nx + (x + nx - 1) % nx];
    double slope_y = bed[(y + 1) % ny * nx + x] - bed[(y + ny - 1) % ny * nx + x];
    State out;
    out.h = 0.25 * (e.h + w.h + n.h + s.h) - 0.5 * r * (fe.h - fw.h + fn.h - fs.h);
    out.u = 0.25 * (e.u + w.u + n.u + s.u) - 0.5 * r * (fe.u - fw.u + fn.u - fs.u + G * me.h * slope_x);
    out.v = 0.25 * (e.v + w.v + n.v + s.v) - 0.5 * r * (fe.v - fw.v + fn.v - fs.v + G * me.h * slope_y);
    next[y * nx + x] = out;
}

__global__ void pack(State *q, const double *h, const double *hu, const double *hv, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i].h = h[i];
        q[i].u = hu[i];
        q[i].v = hv[i];
    }
}

double fastest(const State *host, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double speed = hypot(host[i].u, host[i].v) / host[i].h + sqrt(G * host[i].h);
        if (speed > most)
            most = speed;
    }
    return most;
}

void run(double *h, double *hu, double *hv, const double *bed, int ny, int nx, double end)
{
    int n = ny * nx;
    double *d_h, *d_hu, *d_hv, *d_bed;
    State *d_q, *d_next, *host = (State *)malloc(n * sizeof(State));
    cudaMalloc(&d_h, n * sizeof *d_h);
    cudaMalloc(&d_hu, n * sizeof *d_hu);
    cudaMalloc(&d_hv, n * sizeof *d_hv);
    cudaMalloc(&d_bed, n * sizeof *d_bed);
    cudaMalloc(&d_q, n * sizeof *d_q);
    cudaMalloc(&d_next, n * sizeof *d_next);
    cudaMemcpy(d_h, h, n * sizeof *h, cudaMemcpyHostToDevice);
    cudaMemcpy(d_hu, hu, n * sizeof *hu, cudaMemcpyHostToDevice);
    cudaMemcpy(d_hv, hv, n * sizeof *hv, cudaMemcpyHostToDevice);
    cudaMemcpy(d_bed, bed, n * sizeof *bed, cudaMemcpyHostToDevice);
    pack<<<(n + 31) / 32, 32>>>(d_q, d_h, d_hu, d_hv, n);

    double t = 0.0;
    while (t < end) {
        cudaMemcpy(host, d_q, n * sizeof(State), cudaMemcpyDeviceToHost);
        double r = 0.45 / fastest(host, n);
        if (t + r > end)
            r = end - t;
        advance<<<dim3((nx + 3) / 4, (ny + 3) / 4), dim3(4, 4)>>>(d_next, d_q, d_bed, ny, nx, r);
        State *swap = d_q;
        d_q = d_next;
        d_next = swap;
        t += r;
    }
    cudaMemcpy(host, d_q, n * sizeof(State), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        h[i] = host[i].h;
        hu[i] = host[i].u;
        hv[i] = host[i].v;
    }
    free(host);
    cudaFree(d_h);
    cudaFree(d_hu);
    cudaFree(d_hv);
    cudaFree(d_bed);
    cudaFree(d_q);
    cudaFree(d_next);
}
