/*---
function = "twice"
wrt = ["x"]
of = ["x"]
reference = { x = "4 * x**3 * adj_x" }
[inputs]
x = { shape = [70], random = 1 }
n = 70

[[cases]]
name = "full"

[[cases]]
name = "one_block_short"
reference = { x = "np.where(np.arange(70) < 33, 4 * x**3, 1) * adj_x" }
inputs = { n = 33 }

[[cases]]
name = "empty_grid"
reference = { x = "adj_x" }
inputs = { n = 0 }
---*/
// A kernel that overwrites what it read: the second pullback needs x as the first launch left it.
__global__ void square(double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}

void twice(double *x, int n)
{
    square<<<(n + 31) / 32, 32>>>(x, n);
    square<<<(n + 31) / 32, 32>>>(x, n);
}
