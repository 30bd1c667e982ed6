/*---
function = "run"
wrt = ["x", "rate"]
of = ["y"]
[inputs]
y = { zeros = [50] }
x = { shape = [50], random = 1 }
rate = 0.7
n = 50
steps = 3
---*/
// Calls around a computation that carry no derivative: versions, limits, flags, queries, a file, the environment, a clock.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__global__ void step(double *y, const double *x, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = rate * sin(x[i]) + 0.5 * y[i] * y[i];
}

int count_bytes(const char *text)
{
    char found[8];
    FILE *file = tmpfile();
    if (file == NULL)
        return 3;
    fputs(text, file);
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    while (!feof(file) && !ferror(file)) {
        if (fread(found, 1, 8, file) == 0)
            break;
    }
    fclose(file);
    return (int)bytes;
}

void run(double *y, const double *x, double rate, int n, int steps)
{
    int runtime = 0, driver = 0;
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    cudaSetDeviceFlags(cudaDeviceScheduleAuto);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20);
    srand48(7);
    time_t begin = time(NULL);
    const char *wanted = getenv("HETAD_TEST_THAT_NOBODY_SETS");
    int block = wanted != NULL && strncmp(wanted, "wide", 4) == 0 ? 64 : 16;
    cudaEvent_t done;
    cudaEventCreate(&done);
    for (int t = 0; t < steps; t++) {
        step<<<(n + block - 1) / block, block>>>(y, x, rate, n);
        if (cudaPeekAtLastError() != cudaSuccess)
            printf("step %d failed\n", t);
        cudaEventRecord(done, 0);
        while (cudaEventQuery(done) == cudaErrorNotReady)
            ;
    }
    cudaEventDestroy(done);
    if (runtime < 0 || driver < 0 || difftime(time(NULL), begin) < 0 || count_bytes("four") != 4)
        printf("the clock runs backwards\n");
}
