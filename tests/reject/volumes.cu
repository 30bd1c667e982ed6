/*---
function = "f"
error = "UnsupportedError"
help = "index the memory"
---*/
void f(double *y, int n)
{
    cudaPitchedPtr p;  // expected-error @5: memory of three dimensions and CUDA arrays
    cudaMalloc3D(&p, make_cudaExtent(8 * n, n, n));
    y[0] = 0;
}
