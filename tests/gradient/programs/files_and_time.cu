/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [9] }
x = { shape = [9], random = 1 }
n = 9
---*/
// The C library around a simulation: files written and read back, clocks, random numbers, texts; they happen once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

__global__ void step(double *u, const double *w, int n)
{
    int i = threadIdx.x;
    if (i < n)
        u[i] = u[i] * u[i] + w[i] * u[i];
}

static double seconds()
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec + 1e-6 * now.tv_usec;
}

void driver(double *y, const double *x, int n)
{
    size_t bytes = n * sizeof(double);
    double *h = (double *)malloc(bytes), *u, *w;
    clock_t start = clock();
    double begun = seconds();
    struct timespec exact;
    clock_gettime(CLOCK_MONOTONIC, &exact);
    srand(3);
    double first = rand() / (double)RAND_MAX; // unused, but the next number is another one for it
    for (int i = 0; i < n; i++)
        h[i] = rand() / (double)RAND_MAX - 0.5;
    FILE *file = fopen("/dev/null", "wb");
    if (file == NULL) {
        perror("/dev/null");
        return;
    }
    fwrite(h, sizeof(double), n, file);
    fprintf(file, "%d numbers\n", n);
    fclose(file);
    cudaMalloc(&u, bytes);
    cudaMalloc(&w, bytes);
    cudaMemcpy(w, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(u, x, bytes, cudaMemcpyHostToDevice);
    for (int k = 0; k < 2; k++)
        step<<<1, 16>>>(u, w, n);
    cudaMemcpy(h, u, bytes, cudaMemcpyDeviceToHost);
    double whole = h[2] * h[3];
    file = fopen("/dev/zero", "rb");
    if (file != NULL && fread(h + 1, sizeof(double), 3, file) != 3)
        return;
    fclose(file);
    for (int i = 0; i < n; i++)
        y[i] = h[i] * whole + 0 * first;
    if (seconds() < begun || time(NULL) < 1 || (double)(clock() - start) / CLOCKS_PER_SEC < 0 || exact.tv_sec < 0)
        fprintf(stderr, "time runs backwards\n");
    if (strcmp("abc", "abd") < 0 && atoi("12") == 12 && atof("0.5") == 0.5)
        y[1] *= 2.0;
    cudaFree(u);
    cudaFree(w);
    free(h);
}
