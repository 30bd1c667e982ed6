/*---
function = "mix"
wrt = ["x", "scale"]
of = ["y"]
[inputs]
y = { zeros = [96] }
x = { shape = [96], random = 1 }
scale = { shape = [3], random = 2 }
n = 3
---*/
// Variables and parameters with the names of types and functions that CUDA or C know; a launch as formatters of C++
// space it; a dollar in a text.
#include <stdio.h>

__device__ double weigh(double this_grid, int volume) { return this_grid * this_grid * volume; }

__global__ void mixed(double *y, const double *x, const double *scale, int tiled_partition)
{
    int thread_block, index = tiled_partition * 0 + 1;
    const double *clock64 = x;
    double printf = scale[0], time = scale[1], float2 = scale[2], dim3 = 2;
    for (thread_block = 0; thread_block < tiled_partition; thread_block++) {
        double remove = clock64[thread_block * 32 + threadIdx.x];
        y[thread_block * 32 + threadIdx.x] = weigh(remove, index) * printf + time * remove * float2 * dim3;
    }
}

void mix(double *y, const double *x, const double *scale, int n)
{
    int shift = n >> 1;
    mixed << <1, 64 >> shift >> > (y, x, scale, n);
    mixed<< < 1, 32 > >>(y, x, scale, 1 < n ? shift : 0);
    printf("$ ./mix %g: %d done, $HOME\n", (double)n, shift << 1);
}
