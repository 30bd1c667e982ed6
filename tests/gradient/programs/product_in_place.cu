/*---
function = "reduce"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [100], random_uniform = 1, low = 0.9, high = 1.1 }
n = 100
---*/
// A product tree in place: each launch overwrites a smaller part of the buffer.
__global__ void fold(double *x, int half, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half && i + half < n)
        x[i] *= x[i + half];
}

void reduce(double *x, int n)
{
    for (int m = n; m > 1; m = (m + 1) / 2)
        fold<<<((m + 1) / 2 + 15) / 16, 16>>>(x, (m + 1) / 2, m);
}
