/*---
function = "syrk"
wrt = ["a", "c", "alpha"]
of = ["c"]
[inputs]
c = { shape = [8, 8], random = 1 }
a = { shape = [8, 5], random = 2 }
b = { shape = [8, 5], random = 3 }
alpha = 0.7
beta = 0.9
n = 8
m = 5

[[cases]]
name = "syrk"

[[cases]]
name = "syr2k"
function = "syr2k"
wrt = ["a", "b", "alpha", "beta"]
---*/
// C = alpha A A^T + beta C, on the lower triangle and whole with two matrices.
__global__ void syrk_kernel(double *c, const double *a, double alpha, double beta, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j <= i) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++)
            c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}

__global__ void syr2k_kernel(double *c, const double *a, const double *b, double alpha, double beta, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        double sum = beta * c[i * n + j];
        for (int k = 0; k < m; k++)
            sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
        c[i * n + j] = sum;
    }
}

void syrk(double *c, const double *a, const double *b, double alpha, double beta, int n, int m)
{
    dim3 block(4, 2), grid((n + 3) / 4, (n + 1) / 2);
    syrk_kernel<<<grid, block>>>(c, a, alpha, beta, n, m);
}

void syr2k(double *c, const double *a, const double *b, double alpha, double beta, int n, int m)
{
    dim3 block(4, 2), grid((n + 3) / 4, (n + 1) / 2);
    syr2k_kernel<<<grid, block>>>(c, a, b, alpha, beta, n, m);
}
