/*---
function = "fold"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 4
[inputs]
y = { zeros = [4] }
x = { shape = [4, 16], random_uniform = 1, low = 0.5, high = 1.5 }
---*/
// A loop that halves its counter, with a product carried through it.
__global__ void fold(double *y, const double *x)
{
    const double *mine = x + threadIdx.x * 16;
    double product = 1.0;
    for (int s = 8; s > 0; s >>= 1)
        product = product * mine[s] + mine[s - 1];
    y[threadIdx.x] = product;
}
