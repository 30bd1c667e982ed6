/*---
function = "f"
error = "UnsupportedError"
help = "<<<...>>>"
---*/
__global__ void k(double *x, int n) { x[threadIdx.x] *= n; }
void f(double *x, int n)
{
    void *args[2] = {&x, &n};
    for (int i = 0; i < 2; i++)
        args[i] = &n;  // expected-error @9: in a way that hetad does not follow
    cudaLaunchKernel((void *)k, 1, 8, args, 0, 0);
}
