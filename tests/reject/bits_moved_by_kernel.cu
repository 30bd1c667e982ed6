/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "copy the numbers themselves"
---*/
// Active numbers that a kernel moves as integers.
__global__ void move(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

void f(float *y, const float *x)
{
    int *h, *other;
    cudaMalloc(&h, 8 * sizeof(float));
    cudaMalloc(&other, 8 * sizeof(float));
    cudaMemcpy(h, x, 8 * sizeof(float), cudaMemcpyDeviceToDevice);
    move<<<1, 8>>>(other, h);
    cudaMemcpy(y, other, 8 * sizeof(float), cudaMemcpyDeviceToDevice);  // expected-error @5: may be bits of active
    cudaFree(h);
    cudaFree(other);
}
