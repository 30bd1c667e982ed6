/*---
wrt = ["x"]
of = ["x"]
[launch]
grid = 3
block = 8
[inputs]
y = { shape = [80], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [80], random_uniform = 2, low = 0.3, high = 1.7 }
n = 21

[[cases]]
name = "remainder_"
function = "remainder_"

[[cases]]
name = "quotient"
function = "quotient"

[[cases]]
name = "choice"
function = "choice"
---*/
// In place at an index that meets itself in a later iteration: x[j - j % 2] is not as it was at the launch.
__global__ void remainder_(double *y, double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < 3; j++)
        x[3 * i + j - j % 2] = sin(x[3 * i + j - j % 2]) * 1.5;
    y[i] = 0;
}

__global__ void quotient(double *y, double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < 3; j++)
        x[3 * i + j - j / 2] = x[3 * i + j - j / 2] * x[3 * i + j - j / 2];
    y[i] = 0;
}

__global__ void choice(double *y, double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < 3; j++)
        x[3 * i + j + (j == 0 ? 1 : 0)] = sin(x[3 * i + j + (j == 0 ? 1 : 0)]);
    y[i] = 0;
}
