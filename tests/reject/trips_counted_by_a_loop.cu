/*---
function = "again"
wrt = ["y"]
of = ["y"]
help = "bound the turns"
---*/
// The first loop has a bound; how far it came is all that bounds the second.
__global__ void again(double *y, double tol, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0, j = 5;
    for (j = 0; j < 3; j++)
        y[i] = sin(y[i]);
    while (k < 10 && y[i] > tol) {  // expected-error @22: only the launch itself can provide
        y[i] = y[i] - 0.3 * y[i] * y[i];
        k++;
    }
    for (j = 0; j < k; j++)
        y[i] = sin(y[i]) + 0.1;
}
