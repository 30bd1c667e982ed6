/*---
function = "run"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "free it once"
---*/
__global__ void square(double *y, const double *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}

void run(double *y, const double *x, int n)
{
    for (int t = 0; t < 3; t++) {
        double *part;
        cudaMalloc(&part, n * sizeof(double));
        double *same = part;
        square<<<1, 64>>>(part, x, n);
        square<<<1, 64>>>(y, part, n);
        cudaFree(part);
        cudaFree(same);  // expected-error: the memory of 'same' has been freed already
    }
}
