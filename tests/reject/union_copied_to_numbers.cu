/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "copy the numbers themselves"
---*/
// The bits of active numbers in unions, copied to an array of numbers.
union cell {
    double number;
    long long bits;
};

__global__ void store(union cell *c, const double *x)
{
    c[threadIdx.x].number = x[threadIdx.x];
}

void f(double *y, const double *x)
{
    union cell *c;
    cudaMalloc((void **)&c, 4 * sizeof(union cell));
    store<<<1, 4>>>(c, x);
    cudaMemcpy(y, c, 4 * sizeof(double), cudaMemcpyDeviceToDevice);  // expected-error: bits of active numbers
    cudaFree(c);
}
