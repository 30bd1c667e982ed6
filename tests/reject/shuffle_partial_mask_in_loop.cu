/*---
function = "spread"
wrt = ["x"]
of = ["y"]
help = "equally often"
---*/
// A constant mask of half a warp, in a loop that its lanes leave at different times.
__global__ void spread(double *y, const double *x)
{
    int i = threadIdx.x;
    double s = x[i];
    for (int k = 0; k < i; k++)
        s += s * __shfl_down_sync(0x0000ffff, s, 1); // expected-error @18: a shuffle among some lanes
    y[i] = s;
}
