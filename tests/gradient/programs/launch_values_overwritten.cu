/*---
function = "staged"
wrt = ["x", "a"]
of = ["x"]
[inputs]
x = { shape = [60], random = 1 }
a = 0.8
n = 60
---*/
// The number of blocks, the length and the factor of a launch all change afterwards: its pullback needs the old ones.
__global__ void bend(double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = a * x[i] + sin(a * x[i]);
}

void staged(double *x, double a, int n)
{
    int blocks = (n + 15) / 16;
    bend<<<blocks, 16>>>(x, a, n);
    n = n / 2;
    blocks = (n + 15) / 16;
    a = a * a;
    bend<<<blocks, 16>>>(x, a, n);
    n = 7;
    a = a + 1.0;
    bend<<<1, 16>>>(x, a, n);
}
