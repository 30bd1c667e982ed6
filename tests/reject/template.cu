/*---
function = "f"
error = "UnsupportedError"
---*/
template <typename T>
__global__ void scale(T *x) { x[threadIdx.x] *= 2; }

void f(double *x)
{
    scale<double><<<1, 32>>>(x);  // expected-error: template
//  ^
}
