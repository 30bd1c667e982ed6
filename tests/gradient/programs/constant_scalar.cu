/*---
function = "scale"
wrt = ["x"]
of = ["x"]
reference = { x = "0.5 * adj_x" }
[inputs]
x = { shape = [20], random = 1 }
n = 20
---*/
// A by-value floating parameter that receives a constant.
__global__ void multiply(double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = a * x[i];
}

void scale(double *x, int n)
{
    multiply<<<(n + 15) / 16, 16>>>(x, 0.5, n);
}
