/*---
function = "sweep"
wrt = ["x"]
of = ["x", "y"]
[launch]
grid = 2
block = 8
[inputs]
x = { shape = [16, 6], random_uniform = 1, low = 0.5, high = 1.5 }
y = { zeros = [16] }
---*/
// A kernel that reads back from global memory what it has overwritten, in a loop and after it.
__global__ void sweep(double *x, double *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double *row = x + 6 * i;
    for (int k = 1; k < 6; k++)
        row[k] = row[k] * row[k - 1] + 0.1;
    row[0] = sin(row[5]);
    y[i] = row[0] * row[0] + row[3] * row[5];
    y[i] *= y[i];
    row[2] /= y[i] + 1.0;
}
