/*---
function = "convolve"
wrt = ["a"]
of = ["b"]
[inputs]
a = { shape = [37], random = 1 }
b = { zeros = [37] }
n = 37
argc = 1
---*/
// The clocks and helpers that benchmarks and samples bring along.
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <helper_cuda.h>
#include <helper_functions.h>

double rtclock()
{
    struct timezone Tzp;
    struct timeval Tp;
    int stat;
    stat = gettimeofday(&Tp, &Tzp);
    if (stat != 0)
        printf("Error return from gettimeofday: %d", stat);
    return (Tp.tv_sec + Tp.tv_usec * 1.0e-6);
}

__global__ void smooth(double *b, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = 0.25 * a[i - 1] * a[i + 1] + 0.5 * a[i];
}

void convolve(double *b, const double *a, int n, int argc)
{
    const char *argv[3] = {"convolve", "--block=8", "-quiet"};
    double *d_a, *d_b, t_start, t_end;
    StopWatchInterface *timer = NULL;
    int device = findCudaDevice(argc, argv);
    int block = checkCmdLineFlag(3, argv, "block") ? getCmdLineArgumentInt(3, argv, "block") : 32;
    bool quiet = checkCmdLineFlag(3, argv, "quiet");
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    checkCudaErrors(cudaMalloc((void **)&d_a, n * sizeof(double)));
    checkCudaErrors(cudaMalloc((void **)&d_b, n * sizeof(double)));
    checkCudaErrors(cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_b, 0, n * sizeof(double)));
    t_start = rtclock();
    smooth<<<(n + block - 1) / block, block>>>(d_b, d_a, n);
    getLastCudaError("smooth() failed");
    cudaDeviceSynchronize();
    t_end = rtclock();
    checkCudaErrors(cudaMemcpy(b, d_b, n * sizeof(double), cudaMemcpyDeviceToHost));
    sdkStopTimer(&timer);
    if (!quiet)
        printf("device %d: %f of %f ms\n", device, 1e3 * (t_end - t_start), sdkGetTimerValue(&timer));
    sdkDeleteTimer(&timer);
    b[0] = block == 8 ? b[1] * b[2] : 0.0;
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_b));
}
