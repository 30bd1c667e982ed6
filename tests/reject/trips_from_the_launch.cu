/*---
function = "drain"
wrt = ["x"]
of = ["y"]
help = "bound the turns"
---*/
// How often a thread takes from the queue depends on the other threads.
__global__ void drain(double *y, const double *x, int *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0.5;
    int k = atomicAdd(next, 1);  // expected-error @13: only the launch itself can provide
    while (k < n) {
        s = s * x[k] + sin(s);
        k = atomicAdd(next, 1);
    }
    y[i] = s;
}
