/*---
function = "solve"
wrt = ["b"]
of = ["x"]
[inputs]
x = { zeros = [37] }
b = { shape = [37], random = 1 }
n = 37
steps = 4
[gradcheck]
rtol = 1e-5
---*/
// Scalars go round: a dot product read back from the device becomes the factor of the next launch.
__global__ void apply(double *q, const double *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = i > 0 ? p[i - 1] : 0.0;
        double right = i < n - 1 ? p[i + 1] : 0.0;
        q[i] = 2.5 * p[i] - left - right;
    }
}

__global__ void add(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

__global__ void direction(double *p, const double *r, double beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = r[i] + beta * p[i];
}

__global__ void multiply_add(double *out, const double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, a[i] * b[i]);
}

static double dot(const double *a, const double *b, double *work, int n)
{
    double result;
    cudaMemset(work, 0, sizeof(double));
    multiply_add<<<(n + 15) / 16, 16>>>(work, a, b, n);
    cudaMemcpy(&result, work, sizeof(double), cudaMemcpyDeviceToHost);
    return result;
}

int solve(double *x, const double *b, int n, int steps)
{
    size_t size = n * sizeof(double);
    int blocks = (n + 15) / 16;
    double *d_x, *r, *p, *q, *work;
    cudaMalloc(&d_x, size);
    cudaMalloc(&r, size);
    cudaMalloc(&p, size);
    cudaMalloc(&q, size);
    cudaMalloc(&work, sizeof(double));
    cudaMemset(d_x, 0, size);
    cudaMemcpy(r, b, size, cudaMemcpyHostToDevice);
    cudaMemcpy(p, r, size, cudaMemcpyDeviceToDevice);
    double rho = dot(r, r, work, n);
    int k = 0;
    while (k < steps && rho > 1e-20) {
        apply<<<blocks, 16>>>(q, p, n);
        double alpha = rho / dot(p, q, work, n);
        add<<<blocks, 16>>>(d_x, p, alpha, n);
        add<<<blocks, 16>>>(r, q, -alpha, n);
        double next = dot(r, r, work, n);
        direction<<<blocks, 16>>>(p, r, next / rho, n);
        rho = next;
        k++;
    }
    cudaMemcpy(x, d_x, size, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(r);
    cudaFree(p);
    cudaFree(q);
    cudaFree(work);
    return k;
}
