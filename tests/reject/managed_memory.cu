/*---
function = "f"
error = "UnsupportedError"
help = "cudaMalloc and cudaMemcpy"
---*/
void f(double *y, int n)
{
    double *p;
    cudaMallocManaged(&p, n * sizeof(double));  // expected-error @5: managed memory
    y[0] = p[0];
}
