/*---
function = "f"
error = "UnsupportedError"
help = "cudaMalloc"
---*/
void f(double *y, const double *x, int n)
{
    cudaMemcpy2D(y, 8 * n, x, 8 * n, 8 * n, n, cudaMemcpyDefault);  // expected-error @5: pitched memory
}
