/*---
function = "vcycle"
wrt = ["f", "w"]
of = ["u"]
[inputs]
u = { zeros = [31] }
f = { shape = [31], random = 1 }
w = 0.65
n = 31
---*/
// V-cycles of a multigrid method over an array of structs of device buffers, smoothed by swapping two of them.
typedef struct {
    double *u, *f, *r;
    int n;
} Level;
__global__ void relax(double *v, const double *u, const double *f, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double l = i ? u[i - 1] : 0, r = i + 1 < n ? u[i + 1] : 0;
        v[i] = u[i] + w * 0.5 * (f[i] - 2 * u[i] + l + r) + 0.01 * u[i] * u[i];
    }
}

__global__ void residual(double *r, const double *u, const double *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double l = i ? u[i - 1] : 0, q = i + 1 < n ? u[i + 1] : 0;
        r[i] = f[i] - 2 * u[i] + l + q;
    }
}

__global__ void restrict_(double *c, const double *r, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        c[i] = 0.25 * r[2 * i] + 0.5 * r[2 * i + 1] + 0.25 * r[2 * i + 2];
}

__global__ void prolong(double *u, const double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i % 2)
            u[i] += c[i / 2];
        else
            u[i] += 0.5 * ((i ? c[i / 2 - 1] : 0) + (i + 1 < n ? c[i / 2] : 0));
    }
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

static void smooth(Level *l, double w, int times)
{
    for (int k = 0; k < times; k++) {
        relax<<<(l->n + 7) / 8, 8>>>(l->r, l->u, l->f, w, l->n);
        swap(&l->u, &l->r);
    }
}

void vcycle(double *u, const double *f, double w, int n)
{
    Level L[3];
    int m = n;
    for (int k = 0; k < 3; k++) {
        L[k].n = m;
        cudaMalloc((void **)&L[k].u, m * sizeof(double));
        cudaMalloc((void **)&L[k].f, m * sizeof(double));
        cudaMalloc((void **)&L[k].r, m * sizeof(double));
        cudaMemset(L[k].u, 0, m * sizeof(double));
        m = (m - 1) / 2;
    }
    cudaMemcpy(L[0].f, f, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int c = 0; c < 2; c++) {
        for (int k = 0; k < 2; k++) {
            smooth(&L[k], w, 2 - c);
            residual<<<(L[k].n + 7) / 8, 8>>>(L[k].r, L[k].u, L[k].f, L[k].n);
            restrict_<<<(L[k + 1].n + 7) / 8, 8>>>(L[k + 1].f, L[k].r, L[k + 1].n);
            cudaMemset(L[k + 1].u, 0, L[k + 1].n * sizeof(double));
        }
        smooth(&L[2], 1.0, 3);
        for (int k = 1; k >= 0; k--) {
            prolong<<<(L[k].n + 7) / 8, 8>>>(L[k].u, L[k + 1].u, L[k].n);
            smooth(&L[k], w, 1);
        }
    }
    cudaMemcpy(u, L[0].u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int k = 0; k < 3; k++) {
        cudaFree(L[k].u);
        cudaFree(L[k].f);
        cudaFree(L[k].r);
    }
}
