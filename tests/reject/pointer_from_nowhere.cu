/*---
function = "run"
wrt = ["x"]
of = ["y"]
---*/
__global__ void add(double *y, const double *x, const double *more)
{
    y[threadIdx.x] = x[threadIdx.x] * more[threadIdx.x];
}

void run(double *y, const double *x)
{
    const double *more;
    add<<<1, 8>>>(y, x, more);  // expected-error: this pointer was loaded from memory that hetad does not follow
}
