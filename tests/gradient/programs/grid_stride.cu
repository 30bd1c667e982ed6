/*---
function = "transform"
wrt = ["x", "a"]
of = ["x"]
[inputs]
x = { shape = [100], random = 1 }
a = 0.6
n = 100
---*/
// Fewer threads than elements: each thread walks with the stride of the grid.
__global__ void transform_kernel(double *x, double a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = exp(a * x[i]) - a;
}

void transform(double *x, double a, int n)
{
    transform_kernel<<<2, 16>>>(x, a, n);
}
