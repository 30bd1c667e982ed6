/*---
function = "layer"
wrt = ["x", "w"]
of = ["y"]
reference = { x = "(adj_y * g) @ w.T", w = "x.T @ (adj_y * g)" }
[inputs]
y = { zeros = [70, 40] }
x = { shape = [70, 33], random = 1 }
w = { shape = [33, 40], random = 2 }
g = { shape = [40], random = 3 }
n = 70
m = 33
s = 40
[[cases]]
name = "products"
[[cases]]
name = "small_products"
inputs = { n = 7, m = 5, s = 6, y = { zeros = [7, 6] }, x = { shape = [7, 5], random = 1 }, w = { shape = [5, 6], random = 2 }, g = { shape = [6], random = 3 } }
[[cases]]
name = "a_few_threads"
function = "few_threads"
reference = {}
[[cases]]
name = "batch"
function = "batch"
reference = { x = "np.einsum('eij,ekj->eik', adj_y, w)", w = "np.einsum('eij,eik->ekj', adj_y, x)" }
inputs = { n = 3, m = 17, s = 20, y = { zeros = [3, 19, 20] }, x = { shape = [3, 19, 17], random = 1 }, w = { shape = [3, 17, 20], random = 2 } }
---*/
// Products of matrices whose adjoints are products again: a scaled layer, with all its threads and without, and a batch.
__global__ void layer_kernel(double *y, const double *x, const double *w, const double *g, int n, int m, int s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n * s) {
        int i = t / s, j = t % s;
        double sum = 0.0;
        for (int k = 0; k < m; k++)
            sum += x[i * m + k] * w[k * s + j];
        y[t] = sum * g[j];
    }
}
__global__ void batch_kernel(double *y, const double *x, const double *w, int n, int rows, int m, int s)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int e = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < rows && j < s && e < n) {
        double sum = 0.0;
        for (int k = 0; k < m; k++)
            sum += x[(e * rows + i) * m + k] * w[(e * m + k) * s + j];
        y[(e * rows + i) * s + j] = sum;
    }
}
void layer(double *y, const double *x, const double *w, const double *g, int n, int m, int s)
{
    layer_kernel<<<(n * s + 127) / 128, 128>>>(y, x, w, g, n, m, s);
}
void few_threads(double *y, const double *x, const double *w, const double *g, int n, int m, int s)
{
    layer_kernel<<<11, 96>>>(y, x, w, g, n, m, s);
}
void batch(double *y, const double *x, const double *w, const double *g, int n, int m, int s)
{
    dim3 block(8, 4, 2), grid((s + 7) / 8, 5, (n + 1) / 2);
    batch_kernel<<<grid, block>>>(y, x, w, n, 19, m, s);
}
