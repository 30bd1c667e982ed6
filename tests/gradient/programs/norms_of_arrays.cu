/*---
[[cases]]
name = "double"
function = "norms"
wrt = ["x"]
of = ["y"]
inputs = { y = { shape = [13], random = 1 }, x = { shape = [13, 4], random = 2 }, n = 13 }

[[cases]]
name = "single"
function = "norms_single"
wrt = ["x"]
of = ["y"]
inputs = { y = { shape = [13], random = 1 }, x = { shape = [13, 4], random = 2 }, n = 13 }
---*/
// norm(n, p) and rnorm(n, p): of rows in global memory, of some of a local array, of less than one element, under conditions.
__global__ void of_rows(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v[3] = {x[4 * i], x[4 * i + 1] * x[4 * i + 2], 2.0};
    double r = i % 3 ? norm(4, x + 4 * i) : rnorm(i % 4, x + 4 * i + 1) * (i % 4 != 0);
    if (i % 4 == 0)
        r = norm(0, x);
    y[i] = r * norm(2, v) + rnorm(3, v);
}

void norms(double *y, const double *x, int n)
{
    of_rows<<<2, 8>>>(y, x, n);
}

__global__ void of_rows_single(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = normf(4, &x[4 * i]) * rnormf(3, &x[4 * i]) + __fmaf_ieee_rn(x[4 * i], x[4 * i + 3], 0.5f);
}

void norms_single(float *y, const float *x, int n)
{
    of_rows_single<<<2, 8>>>(y, x, n);
}
