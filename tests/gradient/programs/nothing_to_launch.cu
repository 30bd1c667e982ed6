/*---
function = "f"
wrt = ["x"]
of = ["y"]
reference = { x = "2 * x * adj_y" }
[inputs]
y = { shape = [20], random = 1 }
x = { shape = [20], random = 2 }
w = { zeros = [20] }
n = 20
m = 0
---*/
// An unchecked launch of an empty grid fails, in CUDA as here, and does nothing; it must not fail what follows.
__global__ void square(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}

void f(double *y, const double *x, double *w, int n, int m)
{
    cudaMemcpy(w, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    square<<<(m + 15) / 16, 16>>>(y, w, m);
    square<<<(n + 15) / 16, 16>>>(y, w, n);
    square<<<(m + 15) / 16, 16>>>(y, y, m);
}
