/*---
function = "f"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 32
---*/
// The bits of an active number, sent to another lane.
__global__ void f(float *y, const float *x)
{
    int bits = __shfl_xor_sync(0xffffffff, __float_as_int(x[threadIdx.x]), 1);
    y[threadIdx.x] = __int_as_float(bits); // expected-error @22: bits that may be those of an active one
}
