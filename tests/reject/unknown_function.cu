/*---
function = "k"
error = "UnknownNameError"
help = "sinf"
---*/
__global__ void k(float *x)
{
    x[0] = sinff(x[0]);  // expected-error: sinff
//         ^
}
