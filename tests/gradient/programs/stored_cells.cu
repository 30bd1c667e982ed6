/*---
function = "steps"
wrt = ["x", "w"]
of = ["y"]
[launch]
grid = 3
block = 8
[inputs]
x = { shape = [30], random = 1 }
w = { shape = [30], random = 2 }
y = { shape = [21], random = 3 }
at = { values = [2, 0, 3, 1, 1, 2] }
n = 21
m = 6
---*/
// Local arrays whose cells are read behind a store to them: the same cell, another one, one that has moved on.
__global__ void steps(const double *x, const double *w, double *y, const int *at, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[4] = {w[i], w[i + 1], w[i + 2], w[i + 3]}, shape[6], s = 0, t = 0;
    struct { double re, im; } z[3];
    int j = i % 3;
    for (int k = 0; k < m; k++) {
        shape[k] = sin(x[k] * x[i]) - a[k % 4];
        s += shape[k] * shape[k];
        a[j] = sin(s * w[k] + a[(j + 1) % 4]);
        t += a[j] * a[j];
        if (x[k] > 0) {
            j = (j + 1) % 4;
            t -= a[j] * s;
        }
        a[at[k]] = cos(t * 0.1);
        s = tanh(0.3 * s + a[at[k]] * a[j]);
        z[k % 3].re = x[k + i] * s;
        z[k % 3].im = z[k % 3].re * w[k];
        if (k > 2)
            t += z[k % 3].re * z[k % 3].im + z[(k + 1) % 3].im;
    }
    for (int k = 0; k < m; k++)
        t += shape[k] * shape[m - 1 - k] * a[k % 4];
    y[i] = t + s;
}
