/*---
function = "relax"
wrt = ["y"]
of = ["y"]
help = "bound the turns"
---*/
// An iteration that another follows may leave `tries` where it is: there may be any number of them.
__global__ void relax(double *y, double tol, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, tries = 0;
    double step = 1.0;
    while (tries < 10 && y[i] > tol) {  // expected-error @26: only the launch itself can provide
        y[i] = y[i] - step * y[i] * y[i];
        if (y[i] > 0.5)
            tries++;
        else
            step = 0.5 * step;
    }
}
