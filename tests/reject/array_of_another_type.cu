/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "declare it as what it holds"
---*/
// The derivative of y by the floats of x would be that of bits.
__global__ void copy(double *y, void *x)
{
    double *wide = (double *)x;
    y[threadIdx.x] = wide[threadIdx.x];
}
void f(double *y, float *x)  // expected-error @26: 'x' is an array of 'float', and is seen as one of 'double' too
{
    void *held = x;
    copy<<<1, 2>>>(y, held);
}
