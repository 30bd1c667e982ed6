/*---
function = "spread"
wrt = ["x"]
of = ["y"]
help = "equally often"
---*/
// A mask of fewer lanes each time, in a loop that lanes leave at different times.
__global__ void spread(double *y, const double *x)
{
    int i = threadIdx.x;
    double s = x[i];
    for (int k = 0; k <= i; k++)
        s += s * __shfl_down_sync(0xffffffff << k, s, 1); // expected-error @18: a shuffle among some lanes
    y[i] = s;
}
