/*---
function = "pick"
wrt = ["x"]
of = ["y"]
---*/
// Every thread of a block stores its own value to the block's element.
__global__ void last(double *y, const double *x)
{
    double mine = x[blockIdx.x * blockDim.x + threadIdx.x];
    y[blockIdx.x] = mine * mine;  // expected-error @5: a race: threads that differ in threadIdx.x alone store different values to one cell of 'y' in no order
}

void pick(double *y, const double *x)
{
    last<<<4, 8>>>(y, x);
}
