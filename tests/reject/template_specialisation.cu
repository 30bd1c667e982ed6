/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
---*/
template <typename T> __device__ T twice(T x) { return 2 * x; }
template <> __device__ float twice<float>(float x) { return x + x; }

__global__ void f(double *x)
{
    x[0] = twice(x[0]);  // expected-error: specialisations
//         ^
}
