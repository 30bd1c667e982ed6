/*---
function = "f"
wrt = ["x"]
of = ["y"]
---*/
// Bits that a kernel stored, copied to a local array of the host and made into a number there.
__global__ void store(int *bits, const float *x)
{
    bits[threadIdx.x] = __float_as_int(x[threadIdx.x]);
}

void f(float *y, const float *x)
{
    int *bits, kept[4];
    cudaMalloc(&bits, sizeof kept);
    store<<<1, 4>>>(bits, x);
    cudaMemcpy(kept, bits, sizeof kept, cudaMemcpyDeviceToHost);
    y[0] = __int_as_float(kept[2]);  // expected-error @12: bits that may be those of an active one
    cudaFree(bits);
}
