/*---
function = "driver"
wrt = ["x"]
of = ["y"]
reference = { x = "2 * x * adj_y" }
[inputs]
y = { zeros = [20] }
x = { shape = [20], random = 1 }
n = 20
---*/
// Dynamic shared memory that a launch asks none of, since the kernel takes the other way.
__global__ void square(int n, int staged, const double *x, double *y)
{
    extern __shared__ double tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (staged) {
        tile[threadIdx.x] = x[i];
        y[i] = tile[threadIdx.x] * tile[threadIdx.x];
    } else {
        y[i] = x[i] * x[i];
    }
}

void driver(int n, const double *x, double *y)
{
    square<<<(n + 7) / 8, 8>>>(n, 0, x, y);
}
