/*---
function = "run"
wrt = ["w", "y"]
of = ["y"]
[inputs]
w = { shape = [7], random_uniform = 1, low = 0.1, high = 0.9 }
y = { shape = [7], random_uniform = 2, low = 0.1, high = 0.9 }
n = 7
---*/
// The adjoint of what is added to twice stays as it is, in what a GPU runs and in loops over threads.
__global__ void add(const double *w, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (atan(y[i]) > w[i] + 0.0123) {
        return;
    }
    y[i] += 0.5 * w[i];
    y[i] += tanh(w[i]);
}

void run(const double *w, double *y, int n)
{
    add<<<1, n>>>(w, y, n);
}
