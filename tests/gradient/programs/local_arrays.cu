/*---
function = "filter"
wrt = ["x", "w"]
of = ["y"]
[launch]
grid = 2
block = 16
[inputs]
y = { zeros = [30] }
x = { shape = [34], random = 1 }
w = { shape = [5], random = 2 }
n = 30
---*/
// Arrays of the thread's own, one- and two-dimensional, with dynamic indices and overwritten elements.
__global__ void filter(double *y, const double *x, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double window[5];
    double table[2][3] = {{1.0, 0.5, 0.25}, {2.0, 4.0, 8.0}};
    for (int k = 0; k < 5; k++)
        window[k] = x[i + k] * w[k];
    table[1][i % 3] = window[2] * window[2];
    for (int k = 1; k < 5; k++)
        window[k] = window[k] * window[k - 1] + table[k % 2][k % 3];
    y[i] = window[4] + window[i % 5];
}
