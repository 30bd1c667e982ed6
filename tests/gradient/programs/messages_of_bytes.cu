/*---
function = "migrate"
wrt = ["x"]
of = ["x", "count"]
[inputs]
x = { shape = [27], random_uniform = 1, low = 0.2, high = 1.4 }
count = { zeros = [4] }
n = 9
steps = 4
[[cases]]
name = "some"
[[cases]]
name = "none"
inputs = { steps = 0 }
[[cases]]
name = "staged"
function = "staged"
---*/
// Memory of which only bytes are known: particles packed into a message and taken out of it; a staging buffer for all.
#include <stdlib.h>
#include <string.h>

typedef struct {
    double place[2], mass;
    int number;
} particle;

static size_t pack(char *message, size_t at, const particle *p)
{
    memcpy(message + at, p, sizeof *p);
    return at + sizeof *p;
}

static size_t unpack(const char *message, size_t at, particle *p)
{
    memcpy(p, message + at, sizeof *p);
    return at + sizeof *p;
}

void migrate(double *x, double *count, int n, int steps)
{
    particle *all = (particle *)malloc(n * sizeof(particle)), *moved = (particle *)malloc(n * sizeof(particle));
    char *message = (char *)malloc(n * sizeof(particle));
    for (int i = 0; i < n; i++) {
        all[i].place[0] = x[3 * i];
        all[i].place[1] = x[3 * i + 1];
        all[i].mass = x[3 * i + 2];
        all[i].number = i;
    }
    for (int t = 0; t < steps; t++) {
        size_t end = 0, at = 0;
        for (int i = 0; i < n; i++)
            if (all[i].place[0] > 0.3 * t)
                end = pack(message, end, &all[i]);
        for (int k = 0; at < end; k++) {
            at = unpack(message, at, &moved[k]);
            moved[k].place[0] *= 0.9 * moved[k].mass;
            moved[k].place[1] += all[moved[k].number].place[0];
            all[k] = moved[k];
        }
        count[t] = end / sizeof(particle) * all[0].mass;
        if (end == 0)
            break;
    }
    for (int i = 0; i < n; i++) {
        x[3 * i] = all[i].place[0];
        x[3 * i + 1] *= all[i].place[1];
        x[3 * i + 2] += all[i].mass * all[i].number;
    }
    free(all);
    free(moved);
    free(message);
}

__global__ void squares(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i] + x[(i + 1) % n];
}

void staged(double *x, double *count, int n, int steps)
{
    void *staging;
    double *a, *b;
    size_t bytes = 3 * n * sizeof(double);
    cudaMallocHost(&staging, bytes + 4 * sizeof(double));
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes);
    memset(staging, 0, bytes);
    for (int t = 0; t < steps; t++) {
        memcpy(staging, x, bytes - t * sizeof(double));
        cudaMemcpy(a, staging, bytes, cudaMemcpyHostToDevice);
        squares<<<(3 * n + 7) / 8, 8>>>(b, a, 3 * n);
        cudaMemcpy((char *)staging + 4 * sizeof(double), b, bytes, cudaMemcpyDeviceToHost);
        memcpy(count, (char *)staging + 2 * sizeof(double), (t % 3 + 1) * sizeof(double));
        memcpy(x + t, (char *)staging + (4 + t) * sizeof(double), (3 * n - t) * sizeof(double) / (t + 1) / 8 * 8);
    }
    cudaFreeHost(staging);
    cudaFree(a);
    cudaFree(b);
}
