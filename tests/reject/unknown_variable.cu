/*---
function = "k"
error = "UnknownNameError"
---*/
__global__ void k(float *x, int count)
{
    x[0] = x[coutn];  // expected-error: coutn
//           ^
}
