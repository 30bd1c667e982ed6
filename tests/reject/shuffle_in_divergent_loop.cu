/*---
function = "spread"
wrt = ["x"]
of = ["y"]
help = "equally often"
---*/
// Backwards, lanes that leave a loop early would meet other iterations of the rest.
__global__ void spread(double *y, const double *x, const int *length)
{
    int i = threadIdx.x;
    double s = x[i];
    for (int k = 0; k < length[i]; k++) {
        unsigned active = __activemask();
        s += 0.5 * __shfl_sync(active, s * x[i], 0); // expected-error @20: a shuffle among some lanes
    }
    y[i] = s;
}
