/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "keep the number itself"
---*/
// The bytes of active numbers, copied into integers, moved by a kernel, and made into numbers again.
__global__ void move(int *to, const int *from)
{
    int bits = from[threadIdx.x];
    to[threadIdx.x] = bits;
}

__global__ void widen(float *y, const int *h)
{
    y[threadIdx.x] = __int_as_float(h[threadIdx.x]);  // expected-error @22: bits that may be those of an active one
}

void f(float *y, const float *x)
{
    int *h, *other;
    cudaMalloc(&h, 8 * sizeof(float));
    cudaMalloc(&other, 8 * sizeof(float));
    cudaMemcpy(h, x, 8 * sizeof(float), cudaMemcpyDeviceToDevice);
    move<<<1, 8>>>(other, h);
    widen<<<1, 8>>>(y, other);
    cudaFree(h);
    cudaFree(other);
}
