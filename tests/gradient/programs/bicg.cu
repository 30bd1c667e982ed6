/*---
function = "bicg"
wrt = ["a", "p", "r"]
of = ["q", "s"]
reference = { a = "np.outer(adj_q, p) + np.outer(r, adj_s)", p = "a.T @ adj_q", r = "a @ adj_s" }
[inputs]
q = { zeros = [11] }
s = { zeros = [9] }
a = { shape = [11, 9], random = 1 }
p = { shape = [9], random = 3 }
r = { shape = [11], random = 4 }
m = 11
n = 9
---*/
// The two products of BiCG, with a matrix and with its transpose: two outputs.
__global__ void rows(double *out, const double *a, const double *x, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        out[i] = 0.0;
        for (int j = 0; j < n; j++)
            out[i] += a[i * n + j] * x[j];
    }
}

__global__ void columns(double *out, const double *a, const double *x, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        double sum = 0.0;
        for (int i = 0; i < m; i++)
            sum += a[i * n + j] * x[i];
        out[j] = sum;
    }
}

void bicg(double *q, double *s, const double *a, const double *p, const double *r, int m, int n)
{
    rows<<<(m + 3) / 4, 4>>>(q, a, p, m, n);
    columns<<<(n + 3) / 4, 4>>>(s, a, r, m, n);
}
