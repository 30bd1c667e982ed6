/*---
function = "reduce"
wrt = ["x"]
of = ["total"]
launch = { grid = 1, block = 32 }
breaks = "slope"
[rules.limited]
inactive = true
[right.rules]
[inputs]
total = { zeros = [1] }
x = { shape = [32], random = 9 }
---*/
// A rule says that a limiter has no derivative, which is not so; behind it, a reduction in shared memory.
__device__ double limited(double x) { return x / sqrt(1 + x * x); }

__global__ void reduce(double *total, const double *x)
{
    __shared__ double part[32];
    int i = threadIdx.x;
    double own = x[i] * x[i];
    own = own * limited(x[i]); // breaks
    part[i] = own;
    __syncthreads();
    for (int width = 16; width > 0; width /= 2) {
        if (i < width)
            part[i] += part[i + width];
        __syncthreads();
    }
    if (i == 0)
        total[0] = part[0];
}
