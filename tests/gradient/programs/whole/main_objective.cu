/*---
function = "simulate"
wrt = ["k", "x0"]
[inputs]
k = 2.3
x0 = 0.7
steps = 6
---*/
// A program that anyone might download: main() parses numbers and prints; the simulation it calls returns the
// objective.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N 24

__global__ void fill(double *x, double *v, double x0)
{
    int i = threadIdx.x;
    x[i] = x0 * (1.0 + 0.01 * i);
    v[i] = 0.0;
}

__global__ void verlet(double *x, double *v, double k, double dt)
{
    int i = threadIdx.x;
    double a = -k * sin(x[i]) - 0.1 * v[i];
    v[i] += 0.5 * dt * a;
    x[i] += dt * v[i];
    v[i] += 0.5 * dt * (-k * sin(x[i]) - 0.1 * v[i]);
}

double simulate(double k, double x0, int steps)
{
    clock_t started = clock();
    double *x, *v, h[N], total = 0.0;
    FILE *log = NULL;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&v, sizeof(h));
    fill<<<1, N>>>(x, v, x0);
    for (int t = 0; t < steps; t++) {
        verlet<<<1, N>>>(x, v, k, 0.05);
        if (t % 100 == 99 && log)
            fprintf(log, "%d\n", t);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(h, x, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        total += h[i] * h[i] / N;
    cudaFree(x);
    cudaFree(v);
    double seconds = (double)(clock() - started) / CLOCKS_PER_SEC;
    if (seconds > 1e6)
        printf("%f s\n", seconds);
    return total;
}

int main(int argc, char **argv)
{
    double k = argc > 1 ? atof(argv[1]) : 2.3;
    int steps = argc > 2 ? atoi(argv[2]) : 100;
    printf("objective %g\n", simulate(k, 0.7, steps));
    return 0;
}
