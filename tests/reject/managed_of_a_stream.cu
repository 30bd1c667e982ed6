/*---
function = "f"
error = "UnsupportedError"
---*/
void f(double *y, int n, cudaStream_t s)
{
    double *p;
    cudaMallocManaged(&p, n * sizeof(double));
    cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachSingle);  // expected-error @5: belongs to a stream
    y[0] = p[0];
}
