/*---
function = "host"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [9], random_uniform = 1, low = 0.4, high = 1.6 }
k = { values = [0, 0, 5, 3, 8, 4, 6, 2, 1] }
n = 9
[[cases]]
name = "host"
[[cases]]
name = "kernel"
function = "launch"
[[cases]]
name = "empty"
inputs = { n = 0 }
---*/
// A cell that is overwritten by something made of itself, and of cells that may be the same one.
void host(double *x, const int *k, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = x[i] * x[k[i]];
        x[i] = -2 * x[i];
        x[k[i]] = x[i] + sin(x[k[i]]);
    }
}

__global__ void one_thread(double *x, const int *k, int n)
{
    for (int i = 0; i < n; i++) {
        double other = x[k[i]];
        x[i] = other * x[i] - 0.5 * x[i];
        x[i] = -x[i];
    }
}

__global__ void each(double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = exp(-x[i]) * x[i];
}

void launch(double *x, const int *k, int n)
{
    one_thread<<<1, 1>>>(x, k, n);
    each<<<2, 5>>>(x, n);
}
